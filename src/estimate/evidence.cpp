#include "estimate/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "estimate/measured_starts.hpp"

namespace gpushape::estimate {
namespace {

using domain::Measurement;

/// Of an even number, half-way between the two in the middle.
Bytes median(std::vector<Bytes> figures) {
  std::ranges::sort(figures);
  const std::size_t middle = figures.size() / 2;
  if (figures.size() % 2 == 1) return figures[middle];
  return figures[middle - 1] + Bytes((figures[middle] - figures[middle - 1]).count() / 2);
}

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

TakenEvidence::TakenEvidence(const Request& request, const ResolvedPlan& resolved)
    : has_slots_(weights_hold_slots(resolved.settings.version.value)),
      is_one_figure_(request.engine->name == "tensorrt-llm") {
  for (const Measurement& one : request.workload->measurements) {
    const StartPair pair{.then = one, .request = request, .now = resolved};
    if (const std::string reason = why_other_start(pair); !reason.empty()) {
      notes_.push_back(fmt::format("the measurement {} is not used: {}", one.source, reason));
      continue;
    }
    std::vector<std::string> used;
    Left left;
    for (const domain::MeasuredTerm& term : one.terms) {
      const std::string reason = why_other_term(term.name, pair);
      if (reason.empty()) {
        add(term, one.source);
        used.push_back(term.name);
        continue;
      }
      auto group = std::ranges::find(left, reason, &Left::value_type::first);
      if (group == left.end()) group = left.insert(group, {reason, {}});
      group->second.push_back(term.name);
    }
    note(one.source, used, left);
  }
}

void TakenEvidence::add(const domain::MeasuredTerm& term, const std::string& source) {
  auto taken = std::ranges::find_if(
      taken_, [&](const Taken& other) { return other.term.name == term.name; });
  if (taken == taken_.end()) {
    taken_.push_back({.term = term, .figures = {term.bytes.expected}, .sources = {source}});
    return;
  }
  domain::Range& bytes = taken->term.bytes;
  taken->figures.push_back(term.bytes.expected);
  bytes.low = std::min(bytes.low, term.bytes.low);
  bytes.high = std::max(bytes.high, term.bytes.high);
  bytes.expected = median(taken->figures);
  if (std::ranges::find(taken->sources, source) == taken->sources.end())
    taken->sources.push_back(source);
}

void TakenEvidence::note(const std::string& source, const std::vector<std::string>& used,
                         const Left& left) {
  if (!used.empty())
    notes_.push_back(
        fmt::format("measured, not predicted ({}): {}", source, fmt::join(used, ", ")));
  std::string reasons;
  for (const auto& [reason, terms] : left) {
    if (!reasons.empty()) reasons += "; ";
    reasons += fmt::format("{}: {}", fmt::join(terms, ", "), reason);
  }
  if (reasons.empty()) return;
  notes_.push_back(fmt::format("of the measurement {} {} used: {}", source,
                               used.empty() ? "nothing is" : "some terms are not", reasons));
}

const domain::MeasuredTerm* TakenEvidence::find(std::string_view term) const {
  const auto found =
      std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.term.name == term; });
  return found == taken_.end() ? nullptr : &found->term;
}

std::string TakenEvidence::source(std::string_view term) const {
  const auto found =
      std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.term.name == term; });
  if (found == taken_.end()) return {};
  const std::string starts = fmt::format("{}", fmt::join(found->sources, ", "));
  if (found->figures.size() == 1) return fmt::format("measured: {}", starts);
  return fmt::format("measured in {} starts, the median of them: {}", found->figures.size(),
                     starts);
}

bool TakenEvidence::holds(std::string_view term) const {
  constexpr auto kOfWeights = std::to_array<std::string_view>({"towers", "stepBuffers"});
  constexpr auto kSlots = std::to_array<std::string_view>({"adapters", "draft"});
  constexpr auto kOutside =
      std::to_array<std::string_view>({"cudaContext", "communicators", "graphs"});
  if (is_empty() || find(term) != nullptr) return false;
  const bool is_of_weights = is_among(term, kOfWeights) || (has_slots_ && is_among(term, kSlots));
  if (is_of_weights) return find("weights") != nullptr;
  const bool is_outside = term == "collectives" || (is_one_figure_ && is_among(term, kOutside));
  return is_outside && find("nonTorch") != nullptr;
}

bool TakenEvidence::is_same(const TakenEvidence& other) const {
  return std::ranges::equal(taken_, other.taken_, {}, &Taken::term, &Taken::term);
}

}  // namespace gpushape::estimate
