#include "domain/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "domain/engine.hpp"

namespace gpushape::domain {
namespace {

std::optional<double> read_number(std::string_view text) {
  // Most are one or two digits.
  constexpr std::size_t kMostDigits = 9;
  constexpr int kBase = 10;
  int whole = 0;
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (!text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, is_digit)) {
    for (const char letter : text) whole = whole * kBase + (letter - '0');
    return whole;
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return rest == end && error == std::errc{} ? std::optional(number) : std::nullopt;
}

bool is_of_sign(char letter) { return letter == '<' || letter == '>' || letter == '='; }

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

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  names.reserve(kConditions.size());
  for (const ConditionRow& row : kConditions) names.emplace_back(row.name);
  return names;
}

}  // namespace

When::When(std::string_view text) {
  each_part(text, [&](std::string_view part) {
    const std::optional<Comparison> comparison = read(part);
    is_readable_ = comparison.has_value() && count_ < comparisons_.size();
    if (is_readable_) comparisons_.at(count_++) = *comparison;
    return is_readable_;
  });
}

std::optional<When::Comparison> When::read(std::string_view text) {
  const auto* const sign_start = std::ranges::find_if(text, is_of_sign);
  const auto* const sign_end = std::find_if_not(sign_start, text.end(), is_of_sign);
  const auto start = static_cast<std::size_t>(sign_start - text.begin());
  const auto end = static_cast<std::size_t>(sign_end - text.begin());
  const auto row = std::ranges::find(kConditions, text.substr(0, start), &ConditionRow::name);
  const std::optional<double> bound = read_number(text.substr(end));
  if (row == kConditions.end() || !bound) return std::nullopt;
  const std::string_view sign = text.substr(start, end - start);
  Comparison comparison{.value = row->value, .bound = *bound};
  if (sign == "=") {
    comparison.sign = Sign::Equal;
  } else if (sign == ">=") {
    comparison.sign = Sign::AtLeast;
  } else if (sign == "<") {
    comparison.sign = Sign::Below;
  } else {
    return std::nullopt;
  }
  return comparison;
}

bool When::asks_for(double Conditions::*value) const {
  return std::ranges::find(comparisons(), value, &Comparison::value) != comparisons().end();
}

bool holds(std::string_view when, const Conditions& conditions) {
  return When(when).holds(conditions);
}

Diagnostics unreadable_conditions(const Engine& engine) {
  Diagnostics diagnostics;
  for (const EngineFacts& facts : engine.facts.rows()) {
    for (const EngineConstant& constant : facts.constants) {
      const auto parts = std::ranges::count(constant.when, ',') + 1;
      if (std::cmp_greater(parts, kMostComparisons)) {
        diagnostics.push_back(
            complaint(fmt::format("engine {}: fact '{}' holds when '{}', which are {} comparisons",
                                  engine.name, constant.name, constant.when, parts),
                      fmt::format("write at most {}", kMostComparisons)));
        continue;
      }
      each_part(constant.when, [&](std::string_view part) {
        if (When(part).is_readable()) return true;
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

}  // namespace gpushape::domain
