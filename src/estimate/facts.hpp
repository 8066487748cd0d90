// The constants of an engine that hold for one version under given conditions
// (domain/conditions.hpp).
//
// Of several rows of one name, the one with the most comparisons is taken, and of those the latest.
// Figures with a unit of memory come out in bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_places.hpp"
#include "domain/conditions.hpp"
#include "domain/engine.hpp"
#include "estimate/spread.hpp"

namespace gpushape::estimate {

using domain::Conditions;

/// The constants that hold where every `when` comes out alike, found by name in constant time: an
/// estimate asks for some sixty.
class HeldConstants {
 public:
  HeldConstants(domain::VersionedFacts facts, std::vector<int> ranks);

  void add(const domain::EngineConstant& constant, std::size_t name, int rank);
  /// nullptr where no row holds.
  [[nodiscard]] const domain::EngineConstant* find(std::string_view name) const {
    const std::size_t number = facts_.number_of(name);
    return number == NamePlaces::kUnknown ? nullptr : held_[number].constant;
  }
  /// Of every `when` (domain::When::rank).
  [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }

 private:
  struct Held {
    const domain::EngineConstant* constant = nullptr;
    int rank = 0;
  };

  domain::VersionedFacts facts_;
  std::vector<Held> held_;  ///< by the number of the name
  std::vector<int> ranks_;
};

/// All constants of a version.
class VersionFacts {
 public:
  VersionFacts(const domain::Engine& engine, domain::EngineVersion version);

  [[nodiscard]] bool is_of(const domain::Engine& engine, domain::EngineVersion version) const {
    return version == version_ && facts_.is_same(engine.facts);
  }
  /// What came out alike before is found again.
  std::shared_ptr<const HeldConstants> under(const Conditions& conditions);
  /// Whether another number of sequences leaves what holds as it is.
  [[nodiscard]] bool is_same(const HeldConstants& held, const Conditions& with_sequences) const;

 private:
  domain::VersionedFacts facts_;
  domain::EngineVersion version_;
  std::vector<std::shared_ptr<const HeldConstants>> known_;  ///< the latest last
};

/// Versions that were read before, for estimates that follow each other.
class KnownVersions {
 public:
  std::shared_ptr<VersionFacts> of(const domain::Engine& engine, domain::EngineVersion version);

 private:
  std::vector<std::shared_ptr<VersionFacts>> known_;  ///< the latest last
};

class Facts {
 public:
  Facts() = default;
  Facts(const domain::Engine& engine, domain::EngineVersion version, const Conditions& conditions);
  Facts(std::shared_ptr<VersionFacts> version, const Conditions& conditions);

  /// nullptr where no row holds.
  [[nodiscard]] const domain::EngineConstant* find(std::string_view name) const {
    return held_ == nullptr ? nullptr : held_->find(name);
  }
  /// In bytes where the unit is one of memory. 0 where no row holds.
  [[nodiscard]] Spread value(std::string_view name) const;
  [[nodiscard]] double expected(std::string_view name) const { return value(name).expected; }
  [[nodiscard]] std::string source(std::string_view name) const;

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }
  void set_sequences(double sequences);
  /// How often other constants came to hold.
  [[nodiscard]] int changes() const { return changes_; }

 private:
  std::shared_ptr<VersionFacts> version_;
  std::shared_ptr<const HeldConstants> held_;
  Conditions conditions_;
  int changes_ = 0;
};

}  // namespace gpushape::estimate
