#include "estimate/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "base/edit_distance.hpp"

namespace gpushape::estimate {
namespace {

struct Comparison {
  double Conditions::* value = nullptr;
  std::string_view sign;
  double bound = 0;
};

constexpr double kTen = 10;

/// A number without sign or exponent, of so few digits that both of its parts are exact: their
/// quotient is then the nearest double, as from_chars would give.
std::optional<double> read_short_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  double digits = 0;
  double scale = 0;  // 0 until the point
  for (const char letter : text) {
    if (letter == '.' && scale == 0) {
      scale = 1;
      continue;
    }
    if (letter < '0' || letter > '9') return std::nullopt;
    digits = digits * kTen + (letter - '0');
    scale *= kTen;
  }
  if (scale == 1) return std::nullopt;  // nothing behind the point
  return scale > 1 ? digits / scale : digits;
}

std::optional<double> read_number(std::string_view text) {
  if (const std::optional<double> number = read_short_number(text)) return number;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return rest == end && error == std::errc{} ? std::optional(number) : std::nullopt;
}

constexpr bool is_sign(char letter) { return letter == '<' || letter == '>' || letter == '='; }

/// Read for every estimate, hundreds of times: without searches.
std::optional<Comparison> read_comparison(std::string_view text) {
  std::size_t start = 0;
  while (start < text.size() && !is_sign(text[start])) ++start;
  std::size_t end = start;
  while (end < text.size() && is_sign(text[end])) ++end;
  Comparison comparison;
  const std::string_view name = text.substr(0, start);
  for (const ConditionRow& row : kConditions) {
    // Most names differ in length or in their first letter.
    if (row.name.size() == start && row.name.front() == name.front() && row.name == name) {
      comparison.value = row.value;
      break;
    }
  }
  comparison.sign = text.substr(start, end - start);
  const bool is_known = comparison.sign == "=" || comparison.sign == ">=" || comparison.sign == "<";
  if (comparison.value == nullptr || !is_known) return std::nullopt;
  const std::optional<double> bound = read_number(text.substr(end));
  if (!bound) return std::nullopt;
  comparison.bound = *bound;
  return comparison;
}

bool is_met(const Comparison& comparison, double value) {
  if (comparison.sign == "=") return value == comparison.bound;
  if (comparison.sign == "<") return value < comparison.bound;
  return value >= comparison.bound;
}

/// Calls `visit` with every part of `when`, until it returns false.
template <class Visit>
void each_part(std::string_view when, Visit visit) {
  while (!when.empty()) {
    const std::size_t comma = when.find(',');
    if (!visit(when.substr(0, comma))) return;
    if (comma == std::string_view::npos) return;
    when.remove_prefix(comma + 1);
  }
}

/// Number of comparisons that hold, or -1 when one does not.
int rank_of(std::string_view when, const Conditions& conditions) {
  int rank = 0;
  each_part(when, [&](std::string_view part) {
    const std::optional<Comparison> comparison = read_comparison(part);
    if (comparison) {
      const bool is_true = is_met(*comparison, conditions.*(comparison->value));
      rank = is_true ? rank + 1 : -1;
    } else {
      rank = -1;
    }
    return rank >= 0;
  });
  return rank;
}

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  names.reserve(kConditions.size());
  for (const ConditionRow& row : kConditions) names.emplace_back(row.name);
  return names;
}

/// Of the ends and the length of a name, where names differ.
std::size_t hash_of(std::string_view name) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr unsigned kHalf = 32;
  constexpr unsigned kLetter = 8;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (name.size() >= kWord) {
    std::memcpy(&first, name.data(), kWord);
    std::memcpy(&last, name.data() + name.size() - kWord, kWord);
  } else {
    for (const char letter : name) first = first << kLetter | static_cast<unsigned char>(letter);
  }
  const std::uint64_t mixed = ((first * kMix) ^ last ^ name.size()) * kMix;
  return static_cast<std::size_t>(mixed ^ (mixed >> kHalf));
}

double bytes_of(std::string_view unit) {
  if (unit == "GiB") return 1024.0 * 1024 * 1024;
  if (unit == "MiB") return 1024.0 * 1024;
  if (unit == "KiB") return 1024.0;
  return 1;
}

}  // namespace

bool holds(std::string_view when, const Conditions& conditions) {
  return rank_of(when, conditions) >= 0;
}

Diagnostics unreadable_conditions(const domain::Engine& engine) {
  Diagnostics diagnostics;
  for (const domain::EngineFacts& facts : engine.facts) {
    for (const domain::EngineConstant& constant : facts.constants) {
      each_part(constant.when, [&](std::string_view part) {
        if (read_comparison(part)) return true;
        const std::string_view name = part.substr(0, part.find_first_of("<>="));
        diagnostics.push_back(complaint(
            fmt::format("engine {}: fact '{}' holds when '{}', which cannot be read", engine.name,
                        constant.name, part),
            suggestion(name, condition_names(), "write a name, one of = >= <, and a number")));
        return true;
      });
    }
  }
  return diagnostics;
}

Facts::Facts(const domain::Engine& engine, domain::EngineVersion version,
             const Conditions& conditions)
    : engine_(&engine), version_(version), conditions_(conditions) {
  collect();
}

/// Of several rows of one name, the one with the most comparisons, and of those the latest.
void Facts::collect() {
  std::size_t count = 1;
  for (const domain::EngineFacts& facts : engine_->facts) count += facts.constants.size();
  slots_.assign(std::bit_ceil(2 * count), Slot{});
  by_sequences_.clear();
  for (const domain::EngineFacts& facts : engine_->facts) {
    if (facts.since > version_) break;
    for (const domain::EngineConstant& constant : facts.constants) {
      int rank = 0;
      if (!constant.when.empty()) {
        if (constant.when.contains("sequences")) by_sequences_.push_back(&constant);
        rank = rank_of(constant.when, conditions_);
        if (rank < 0) continue;
      }
      Slot& slot = slots_[slot_of(constant.name)];
      if (slot.constant == nullptr || rank >= slot.rank)
        slot = {.constant = &constant, .rank = rank};
    }
  }
}

std::size_t Facts::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash_of(name) & mask;
  while (slots_[place].constant != nullptr && slots_[place].constant->name != name)
    place = (place + 1) & mask;
  return place;
}

void Facts::set_sequences(double sequences) {
  if (sequences == conditions_.sequences) return;
  Conditions changed = conditions_;
  changed.sequences = sequences;
  const bool is_same =
      std::ranges::all_of(by_sequences_, [&](const domain::EngineConstant* constant) {
        return holds(constant->when, conditions_) == holds(constant->when, changed);
      });
  conditions_ = changed;
  if (is_same) return;
  collect();
  ++changes_;
}

const domain::EngineConstant* Facts::find(std::string_view name) const {
  return slots_.empty() ? nullptr : slots_[slot_of(name)].constant;
}

Spread Facts::value(std::string_view name) const {
  const domain::EngineConstant* constant = find(name);
  if (constant == nullptr) return {};
  return Spread{constant->low, constant->expected, constant->high} * bytes_of(constant->unit);
}

std::string Facts::source(std::string_view name) const {
  const domain::EngineConstant* constant = find(name);
  return constant == nullptr ? std::string() : constant->source;
}

}  // namespace gpushape::estimate
