// What a flag's value does to the invocation: the functions that the rows of the flag table call.
// Each takes the flag as it was given, puts what its text means where it belongs, and answers with
// Diagnostics that name the flag where the text means nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "cli/values.hpp"
#include "domain/fact.hpp"

namespace gpushape::cli {

/// Ours: keeps arithmetic far from overflow; nothing real comes near it.
inline constexpr std::int64_t kMostSequences = 1'000'000;

template <class T>
void put(domain::Fact<T>& target, T value, const Given& given) {
  target = {std::move(value), domain::Origin::Flag, std::string(given.flag)};
}
template <class T>
void put(std::optional<domain::Fact<T>>& target, T value, const Given& given) {
  target = domain::Fact<T>{std::move(value), domain::Origin::Flag, std::string(given.flag)};
}
template <class T>
void put(std::optional<T>& target, T value, const Given&) {
  target = std::move(value);
}
inline void put(std::string& target, std::string value, const Given&) { target = std::move(value); }

template <class Target, class T>
Diagnostics set(Target& target, Result<T> value, const Given& given) {
  if (!value) return value.error();
  put(target, std::move(*value), given);
  return {};
}

template <class E, class Target>
Diagnostics set_choice(Target& target, const Given& given) {
  return set(target, parse_choice<E>(given), given);
}

/// What stands there, which must not be nothing.
Result<std::string> text_of(const Given& given);

/// What stands between commas.
std::vector<std::string> split_commas(const std::string& text);
/// A flag that repeats.
Diagnostics add_list(std::vector<std::string>& target, const Given& given);
Diagnostics set_list(std::vector<std::string>& target, const Given& given);
/// One of the known words.
Diagnostics set_word(std::string& target, const Given& given,
                     const std::vector<std::string>& known);
/// Capabilities, or a memory as 80gb.
Diagnostics set_requirements(std::vector<std::string>& target, const Given& given);

Diagnostics set_most_per_host(Invocation& in, const Given& given);
/// In the one form that inventories keep addresses in, whichever the user's tool prints.
Diagnostics set_addresses(Invocation& in, const Given& given);
Diagnostics set_adapters(Invocation& in, const Given& given);
Diagnostics set_flash_attention(Invocation& in, const Given& given);
Diagnostics set_draft(Invocation& in, const Given& given);
Diagnostics set_ceiling(Invocation& in, const Given& given);
Diagnostics add_label(Invocation& in, const Given& given);
Diagnostics set_lifetime(Invocation& in, const Given& given);
Diagnostics set_today(Invocation& in, const Given& given);
Diagnostics set_quantization(Invocation& in, const Given& given);
Diagnostics set_color(Invocation& in, const Given& given);

/// The words of flags that take one of a few.
std::vector<std::string> kubernetes_versions();
std::vector<std::string> vm_operator_releases();
std::vector<std::string> policy_names();
std::vector<std::string> import_source_names();
std::vector<std::string> color_choices();

}  // namespace gpushape::cli
