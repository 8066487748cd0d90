#include "estimate/facts.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace gpushape::estimate {
namespace {

using Candidate = domain::VersionedFacts::Candidate;

/// nullptr where none of the name's constants holds; `is_met` is asked for the number of a `when`.
const Candidate* first_that_holds(const domain::VersionedFacts& facts, std::size_t name,
                                  std::size_t rows, const auto& is_met) {
  const auto candidates = facts.candidates_of(name);
  const auto first = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return candidate.row < rows &&
           (candidate.when == domain::VersionedFacts::kAlways || is_met(candidate.when));
  });
  return first == candidates.end() ? nullptr : &*first;
}

}  // namespace

double fact_under(const domain::Engine& engine, domain::EngineVersion version,
                  const Conditions& conditions, const NameKey& name) {
  const domain::VersionedFacts& facts = engine.facts;
  const std::size_t number = facts.number_of(name);
  if (number == NamePlaces::kUnknown) return 0;
  const Candidate* held =
      first_that_holds(facts, number, facts.rows_of(version),
                       [&](std::size_t when) { return facts.whens()[when].holds(conditions); });
  return held == nullptr ? 0 : held->constant->expected * held->unit;
}

Facts::Facts(const domain::Engine& engine, domain::EngineVersion version,
             const Conditions& conditions)
    : facts_(engine.facts), version_(version), conditions_(conditions) {
  choose();
}

void Facts::choose() {
  const std::size_t rows = facts_.rows_of(version_);
  const std::span<const domain::When> whens = facts_.whens();
  std::vector<char> is_met(whens.size());
  for (std::size_t i = 0; i < whens.size(); ++i) is_met[i] = whens[i].holds(conditions_) ? 1 : 0;
  std::vector<Held> held(facts_.name_count());
  for (std::size_t name = 0; name < held.size(); ++name) {
    held[name] =
        first_that_holds(facts_, name, rows, [&](std::size_t when) { return is_met[when] != 0; });
  }
  held_ = std::make_shared<const std::vector<Held>>(std::move(held));
}

void Facts::set_sequences(double sequences) {
  if (sequences == conditions_.sequences) return;
  const Conditions before = conditions_;
  conditions_.sequences = sequences;
  const bool is_same = std::ranges::all_of(facts_.whens_of_sequences(), [&](std::size_t when) {
    return facts_.whens()[when].holds(before) == facts_.whens()[when].holds(conditions_);
  });
  if (is_same) return;
  choose();
  ++changes_;
}

std::string Facts::source(const NameKey& name) const {
  const domain::EngineConstant* constant = find(name);
  return constant == nullptr ? std::string() : constant->source;
}

}  // namespace gpushape::estimate
