#include "domain/engine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <system_error>
#include <utility>

namespace gpushape::domain {

namespace {

constexpr int kLargestPart = 999'999;  // ours: no engine counts further, and a date code would

/// "b9010", "b9010-d05fe1d7d".
std::optional<EngineVersion> numbered_build(std::string_view text) {
  text.remove_prefix(1);
  const std::string_view digits = text.substr(0, text.find('-'));
  int build = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, build);
  if (error != std::errc{} || rest != end || build < 0 || build > kLargestPart) return std::nullopt;
  return EngineVersion{.major = kNumberedBuild, .minor = build, .patch = 0};
}

double bytes_of(std::string_view unit) {
  if (unit == "GiB") return 1024.0 * 1024 * 1024;
  if (unit == "MiB") return 1024.0 * 1024;
  if (unit == "KiB") return 1024.0;
  return 1;
}

}  // namespace

std::string to_text(const EngineVersion& version) {
  if (version.major == kNumberedBuild) return "b" + std::to_string(version.minor);
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor);
  if (version.patch != 0) text += "." + std::to_string(version.patch);
  return text;
}

std::optional<EngineVersion> engine_version(std::string_view text) {
  if (text.starts_with('b')) return numbered_build(text);
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<int, 3> parts{};
  for (std::size_t index = 0; index < parts.size(); ++index) {
    int& part = parts.at(index);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, part);
    if (error != std::errc{} || part < 0 || part > kLargestPart || text.front() == '-') {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (text.empty()) return EngineVersion{parts[0], parts[1], parts[2]};
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

VersionedFacts::VersionedFacts(std::vector<EngineFacts> rows) {
  Table table{.rows = std::move(rows),
              .whens = {},
              .whens_of_sequences = {},
              .names = {},
              .candidates = {},
              .starts = {}};
  NamePlaces texts;
  const auto when_of = [&](std::string_view text) {
    if (text.empty()) return kAlways;
    const std::size_t when = texts.add(text);
    if (when < table.whens.size()) return when;
    table.whens.emplace_back(text);
    if (table.whens.back().asks_for(&Conditions::sequences))
      table.whens_of_sequences.push_back(when);
    return when;
  };
  std::vector<std::vector<Candidate>> of_names;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const EngineConstant& constant : table.rows[row].constants) {
      const std::size_t name = table.names.add(constant.name);
      if (name == of_names.size()) of_names.emplace_back();
      of_names[name].push_back({.constant = &constant,
                                .row = row,
                                .when = when_of(constant.when),
                                .unit = bytes_of(constant.unit)});
    }
  }
  const auto comparisons_of = [&](const Candidate& candidate) {
    return candidate.when == kAlways ? 0 : table.whens[candidate.when].count();
  };
  for (std::vector<Candidate>& candidates : of_names) {
    std::ranges::reverse(candidates);  // the latest first
    std::ranges::stable_sort(candidates, std::greater(), comparisons_of);
    table.starts.push_back(table.candidates.size());
    std::ranges::copy(candidates, std::back_inserter(table.candidates));
  }
  table.starts.push_back(table.candidates.size());
  table_ = std::make_shared<const Table>(std::move(table));
}

std::size_t VersionedFacts::rows_of(EngineVersion version) const {
  const auto later = std::ranges::upper_bound(rows(), version, {}, &EngineFacts::since);
  return static_cast<std::size_t>(later - rows().begin());
}

}  // namespace gpushape::domain
