// The constants of an engine that hold for one version under given conditions
// (domain/conditions.hpp).
//
// Of several rows of one name, the one with the most comparisons is taken, and of those the latest.
// Figures with a unit of memory come out in bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/name_places.hpp"
#include "domain/conditions.hpp"
#include "domain/engine.hpp"
#include "estimate/spread.hpp"

namespace gpushape::estimate {

using domain::Conditions;

/// One constant alone, in bytes where its unit is one of memory, before all that hold are chosen. 0
/// where no row holds.
double fact_under(const domain::Engine& engine, domain::EngineVersion version,
                  const Conditions& conditions, const NameKey& name);

class Facts {
 public:
  Facts() = default;
  Facts(const domain::Engine& engine, domain::EngineVersion version, const Conditions& conditions);

  /// nullptr where no row holds.
  [[nodiscard]] const domain::EngineConstant* find(const NameKey& name) const {
    const Held held = held_under(name);
    return held == nullptr ? nullptr : held->constant;
  }
  /// In bytes where the unit is one of memory. 0 where no row holds.
  [[nodiscard]] Spread value(const NameKey& name) const {
    const Held held = held_under(name);
    if (held == nullptr) return {};
    return Spread{held->constant->low, held->constant->expected, held->constant->high} * held->unit;
  }
  [[nodiscard]] double expected(const NameKey& name) const {
    const Held held = held_under(name);
    return held == nullptr ? 0 : held->constant->expected * held->unit;
  }
  [[nodiscard]] std::string source(const NameKey& name) const;

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }
  void set_sequences(double sequences);
  /// How often other constants came to hold.
  [[nodiscard]] int changes() const { return changes_; }

 private:
  /// nullptr: none.
  using Held = const domain::VersionedFacts::Candidate*;

  [[nodiscard]] Held held_under(const NameKey& name) const {
    const std::size_t number = facts_.number_of(name);
    return number == NamePlaces::kUnknown ? nullptr : (*held_)[number];
  }
  void choose();

  domain::VersionedFacts facts_;
  domain::EngineVersion version_;
  Conditions conditions_;
  std::shared_ptr<const std::vector<Held>> held_;  ///< by the number of the name
  int changes_ = 0;
};

}  // namespace gpushape::estimate
