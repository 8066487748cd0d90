// The values of flags, from text. Each parser answers with a Diagnostic that names the flag, what
// was found and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/edit_distance.hpp"
#include "base/name_table.hpp"
#include "base/result.hpp"
#include "domain/adapter.hpp"
#include "domain/engine.hpp"

namespace gpushape::cli {

/// A flag as it was given.
struct Given {
  std::string_view flag;  ///< "--context"
  std::string text;
};

/// A whole number within [least, most].
Result<std::int64_t> parse_count(const Given& given, std::int64_t least, std::int64_t most);
/// Tokens: a whole number, or one with k or m, which count by 1 024 (32k = 32 768).
Result<std::int64_t> parse_tokens(const Given& given);
/// An engine's own number: a plain integer, or by vLLM's rule (lower case by 1 000, upper case by 1
/// 024).
Result<std::int64_t> parse_engine_count(const Given& given, std::int64_t most);
/// Bytes: a plain integer, or one with KiB, MiB, GiB, TiB (by 1 024) or kB, MB, GB, TB (by 1 000).
Result<Bytes> parse_bytes(const Given& given);
/// The same for a figure that the engine reads: k, m, g, t count by 1 000 and K, M, G, T by 1 024.
Result<Bytes> parse_engine_bytes(const Given& given);
/// A number within (above, most].
Result<double> parse_number(const Given& given, double above, double most);
/// From least to most, both included.
struct ParameterRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
/// "8B": within a tenth of it; "1B-10B", "-3B" and "70B-": what lies between. M, B and T count by
/// 1 000.
Result<ParameterRange> parse_parameter_range(const Given& given);
/// "4" adapters, "count=4,rank=64,modules=attention", or the path of an adapter (its folder or its
/// adapter_config.json), whose rank and modules it takes.
Result<domain::Adapters> parse_adapters(const Given& given);
/// "0.19" or "0.19.1", with or without a leading v.
Result<domain::EngineVersion> parse_version(const Given& given);

template <class E>
Result<E> parse_choice(const Given& given) {
  if (const auto value = value_of<E>(given.text)) return *value;
  const std::vector<std::string> names = all_names<E>();
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return failure(std::string(given.flag) + ": '" + given.text + "' is not known",
                 suggestion(given.text, names, "expected one of " + known));
}

}  // namespace gpushape::cli
