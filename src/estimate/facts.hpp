// The constants of an engine that hold for one version under given conditions (conditions.hpp).
//
// Of several rows of one name, the one with the most comparisons is taken, and of those the latest.
// Figures with a unit of memory come out in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/engine.hpp"
#include "estimate/conditions.hpp"
#include "estimate/spread.hpp"

namespace gpushape::estimate {

/// The constants that hold where every `when` comes out alike, found by name in constant time: an
/// estimate asks for some sixty.
class HeldConstants {
 public:
  /// Room for `count`.
  HeldConstants(std::size_t count, std::vector<int> ranks);

  void add(const domain::EngineConstant& constant, int rank);
  /// nullptr where no row holds.
  [[nodiscard]] const domain::EngineConstant* find(std::string_view name) const {
    return slots_[slot_of(name)].constant;
  }
  /// Of every `when` (When::rank).
  [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }

 private:
  struct Slot {
    const domain::EngineConstant* constant = nullptr;
    int rank = 0;
  };
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;

  std::vector<Slot> slots_;  ///< open addressing, a power of two, at most half full
  std::vector<int> ranks_;
};

/// All constants of a version, with their conditions read.
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
  struct Row {
    const domain::EngineConstant* constant = nullptr;
    std::size_t when = 0;  ///< kAlways without one
  };
  static constexpr std::size_t kAlways = static_cast<std::size_t>(-1);
  void add(const domain::EngineConstant& constant);
  /// The place of the text among the conditions; that of a new one where it was not seen.
  std::size_t when_of(std::string_view text);
  /// Where the text is in seen_, or would be.
  [[nodiscard]] std::size_t free_place(std::string_view text) const;

  domain::VersionedFacts facts_;
  domain::EngineVersion version_;
  std::vector<std::string_view> texts_;  ///< of whens_
  std::vector<std::uint16_t> seen_;      ///< places of texts_ by their hash, counted from 1
  std::vector<When> whens_;
  std::vector<std::size_t> by_sequences_;  ///< conditions that ask for sequences
  std::vector<Row> rows_;
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
