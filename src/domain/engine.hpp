// What is known of a serving engine, version by version. Read from catalog/engines/<engine>.yaml;
// estimate's formulas take their constants from here, never from code.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/name_places.hpp"
#include "base/name_table.hpp"
#include "domain/conditions.hpp"
#include "domain/kv_cache_type.hpp"
#include "domain/range.hpp"

namespace gpushape::domain {

/// "0.19.1" -> {0, 19, 1}. Missing parts are 0. A numbered build of before an engine had versions
/// ("b9010" of llama.cpp) -> {kNumberedBuild, 9010, 0}, which is older than every version.
inline constexpr int kNumberedBuild = -1;

struct EngineVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const EngineVersion&) const = default;
};

/// "0.19.1"; a patch of 0 is left out: "0.19". A numbered build: "b9010".
std::string to_text(const EngineVersion& version);
/// One to three parts of digits, with or without a leading "v", or a numbered build, with or
/// without its commit ("b9010-d05fe1d7d"); nothing for any other text.
std::optional<EngineVersion> engine_version(std::string_view text);

/// A figure with bounds, in GiB as engines print it, and why it is what it is.
struct EngineConstant {
  std::string name;  ///< "nonTorch", "samplerBytesPerLogit" …
  double low = 0;
  double expected = 0;
  double high = 0;
  std::string when;  ///< condition key that estimate's engine file knows ("tp=1", "tp>=2,pp=1");
                     ///< empty for always
  std::string unit;  ///< "GiB", "bytes", "tokens", "sequences", ""
  std::string source;

  bool operator==(const EngineConstant&) const = default;
};

/// Facts that hold from `since` on, until a later row of the same constant replaces them.
struct EngineFacts {
  std::string engine;  ///< "vllm"
  EngineVersion since;
  std::vector<EngineConstant> constants;

  bool operator==(const EngineFacts&) const = default;
};

/// An engine's facts, ascending by `since`. Never changed once they are made, so that copies share
/// them, and what is worked out of them is kept: every name has a number, every condition is read
/// once, and the constants of a name stand in the order in which they are asked whether they hold.
class VersionedFacts {
 public:
  static constexpr std::size_t kAlways = static_cast<std::size_t>(-1);

  /// A constant that may be the one of its name.
  struct Candidate {
    const EngineConstant* constant = nullptr;
    std::size_t row = 0;         ///< its place in rows()
    std::size_t when = kAlways;  ///< its number in whens()
    double unit = 1;             ///< bytes of its unit of memory; 1 for any other
  };

  VersionedFacts() = default;
  VersionedFacts(
      std::vector<EngineFacts> rows);  // NOLINT(google-explicit-constructor): rows are it

  [[nodiscard]] std::span<const EngineFacts> rows() const {
    return table_ == nullptr ? std::span<const EngineFacts>() : std::span(table_->rows);
  }
  [[nodiscard]] std::span<const When> whens() const {
    return table_ == nullptr ? std::span<const When>() : std::span(table_->whens);
  }
  /// The numbers of those that ask for the sequences of a sampler call.
  [[nodiscard]] std::span<const std::size_t> whens_of_sequences() const {
    return table_ == nullptr ? std::span<const std::size_t>()
                             : std::span(table_->whens_of_sequences);
  }
  /// How many names there are.
  [[nodiscard]] std::size_t name_count() const {
    return table_ == nullptr ? 0 : table_->names.names().size();
  }
  /// NamePlaces::kUnknown where no row has it.
  [[nodiscard]] std::size_t number_of(const NameKey& name) const {
    return table_ == nullptr ? NamePlaces::kUnknown : table_->names.find(name);
  }
  /// How many rows a version has: the first ones.
  [[nodiscard]] std::size_t rows_of(EngineVersion version) const;
  /// Of a name: those with most comparisons first, of those the latest first. The first that the
  /// version has and that holds is taken.
  [[nodiscard]] std::span<const Candidate> candidates_of(std::size_t name) const {
    return std::span(table_->candidates)
        .subspan(table_->starts[name], table_->starts[name + 1] - table_->starts[name]);
  }

  bool operator==(const VersionedFacts& other) const {
    return table_ == other.table_ || std::ranges::equal(rows(), other.rows());
  }

 private:
  struct Table {
    std::vector<EngineFacts> rows;
    std::vector<When> whens;
    std::vector<std::size_t> whens_of_sequences;
    NamePlaces names;
    std::vector<Candidate> candidates;  ///< name by name
    std::vector<std::size_t> starts;    ///< of each name's, and the end
  };
  std::shared_ptr<const Table> table_;
};

/// For which models an engine has a KV cache type.
enum class CacheTypeFor {
  All,
  Dtype,    ///< those whose own dtype it is: what the engine takes by itself
  Latents,  ///< those that keep latents
};

/// A KV cache type that an engine takes where it is asked for. A type may have several rows.
struct EngineCacheType {
  KvCacheType type = KvCacheType::Auto;
  CacheTypeFor models = CacheTypeFor::All;
  std::optional<EngineVersion> after;  ///< the last release that is known not to have it
  std::optional<EngineVersion> since;  ///< the first that is known to have it
  std::string note;                    ///< what its user should know
  std::string source;

  bool operator==(const EngineCacheType&) const = default;
};

struct Engine {
  std::string name;
  std::vector<std::string> aliases;           ///< other names that people write
  std::vector<EngineVersion> known_versions;  ///< ascending; the last is the default
  /// In display order; empty where every type is taken.
  std::vector<EngineCacheType> cache_types;
  VersionedFacts facts;

  bool operator==(const Engine&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::CacheTypeFor> = std::to_array<NameRow<domain::CacheTypeFor>>({
    {domain::CacheTypeFor::All, "all", "every model"},
    {domain::CacheTypeFor::Dtype, "dtype", "models whose own dtype it is"},
    {domain::CacheTypeFor::Latents, "latents", "models that keep latents"},
});
}  // namespace gpushape
