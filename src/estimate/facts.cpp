#include "estimate/facts.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace gpushape::estimate {
namespace {

using Candidate = domain::VersionedFacts::Candidate;

/// nullptr where none holds.
const Candidate* first_that_holds(std::span<const Candidate> candidates,
                                  std::span<const domain::When> whens,
                                  const Conditions& conditions) {
  for (const Candidate& candidate : candidates) {
    if (candidate.when == domain::VersionedFacts::kAlways ||
        whens[candidate.when].holds(conditions))
      return &candidate;
  }
  return nullptr;
}

}  // namespace

double fact_under(const domain::Engine& engine, domain::EngineVersion version,
                  const Conditions& conditions, const NameKey& name) {
  const domain::VersionedFacts& facts = engine.facts;
  const std::size_t number = facts.number_of(name);
  if (number == NamePlaces::kUnknown) return 0;
  const Candidate* held =
      first_that_holds(facts.edition_of(version).candidates_of(number), facts.whens(), conditions);
  return held == nullptr ? 0 : held->constant->expected * held->unit;
}

Facts::Facts(const domain::Engine& engine, domain::EngineVersion version,
             const Conditions& conditions)
    : facts_(engine.facts), version_(version), conditions_(conditions) {
  choose();
}

void Facts::choose() {
  const domain::VersionedFacts::Edition& edition = facts_.edition_of(version_);
  std::vector<Held> held(facts_.name_count());
  for (std::size_t name = 0; name < held.size(); ++name)
    held[name] = first_that_holds(edition.candidates_of(name), facts_.whens(), conditions_);
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
