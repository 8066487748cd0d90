#include "estimate/compare_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace gpushape::estimate {
namespace {

using domain::Difference;
using domain::Estimate;
using domain::Input;
using domain::Term;
using domain::TermChange;

const Term* find_term(const Estimate& estimate, const std::string& name) {
  const auto term = std::ranges::find(estimate.terms, name, &Term::name);
  return term == estimate.terms.end() ? nullptr : &*term;
}

std::string text_of(const Term* term, std::string_view name) {
  if (term == nullptr) return {};
  const auto input = std::ranges::find(term->inputs, name, &Input::name);
  if (input == term->inputs.end()) return {};
  return std::visit(
      [](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, double>) {
          constexpr double kWhole = 1000;  // bytes: no digits behind the point
          return value >= kWhole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
        } else {
          return fmt::format("{}", value);
        }
      },
      input->value);
}

/// Names of both terms' inputs, those of the later first.
std::vector<std::string_view> input_names(const Term* before, const Term* after) {
  std::vector<std::string_view> names;
  for (const Term* term : {after, before}) {
    if (term == nullptr) continue;
    for (const Input& input : term->inputs) {
      if (std::ranges::find(names, input.name) == names.end()) names.push_back(input.name);
    }
  }
  return names;
}

TermChange change_of(const std::string& name, const Term* before, const Term* after) {
  TermChange change;
  change.name = name;
  change.part = after != nullptr ? after->part : before->part;
  if (before != nullptr) change.before = before->bytes;
  if (after != nullptr) {
    change.after = after->bytes;
    change.source = after->source;
  }
  for (const std::string_view input : input_names(before, after)) {
    const std::string was = text_of(before, input);
    const std::string is = text_of(after, input);
    if (was != is) change.inputs.push_back({.name = std::string(input), .before = was, .after = is});
  }
  return change;
}

void note_setting(std::vector<Difference>& settings, std::string name, std::string before,
                  std::string after) {
  if (before != after)
    settings.push_back(
        {.name = std::move(name), .before = std::move(before), .after = std::move(after)});
}

}  // namespace

domain::EstimateComparison compare_estimates(Estimate before, Estimate after) {
  domain::EstimateComparison comparison;
  const domain::ResolvedSettings& was = before.settings;
  const domain::ResolvedSettings& is = after.settings;
  note_setting(comparison.settings, "engineVersion", to_text(was.version.value),
               to_text(is.version.value));
  note_setting(comparison.settings, "gpuMemoryUtilization",
               fmt::format("{}", was.gpu_memory_utilization.value),
               fmt::format("{}", is.gpu_memory_utilization.value));
  note_setting(comparison.settings, "maxNumSeqs", fmt::format("{}", was.max_num_seqs.value),
               fmt::format("{}", is.max_num_seqs.value));
  note_setting(comparison.settings, "maxNumBatchedTokens",
               fmt::format("{}", was.max_num_batched_tokens.value),
               fmt::format("{}", is.max_num_batched_tokens.value));
  const auto counts = [](const Estimate& estimate) {
    if (!estimate.capacity) return "";
    return estimate.capacity->counts_requests ? "what requests of the longest context hold"
                                              : "all blocks";
  };
  note_setting(comparison.settings, "printedTokens", counts(before), counts(after));
  for (const Term& term : before.terms)
    comparison.terms.push_back(change_of(term.name, &term, find_term(after, term.name)));
  for (const Term& term : after.terms) {
    if (find_term(before, term.name) == nullptr)
      comparison.terms.push_back(change_of(term.name, nullptr, &term));
  }
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  return comparison;
}

}  // namespace gpushape::estimate
