// Two estimates of the same workload side by side, term by term: what an upgrade of the engine
// changes. Made by the room estimate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/estimate.hpp"

namespace gpushape::domain {

/// An input or a setting that differs, as text. Empty: it is not there.
struct Difference {
  std::string name;
  std::string before;
  std::string after;

  bool operator==(const Difference&) const = default;
};

struct TermChange {
  std::string name;
  Part part = Part::Weights;
  std::optional<Range> before;  ///< absent where the term does not apply
  std::optional<Range> after;
  std::vector<Difference> inputs;  ///< what differs among the inputs of its formula
  std::string source;              ///< of the figure after

  [[nodiscard]] Bytes change() const {
    return (after ? after->expected : Bytes(0)) - (before ? before->expected : Bytes(0));
  }

  bool operator==(const TermChange&) const = default;
};

struct EstimateComparison {
  Estimate before;
  Estimate after;
  std::vector<Difference> settings;  ///< that differ
  std::vector<TermChange> terms;     ///< of both, in the order of the terms

  bool operator==(const EstimateComparison&) const = default;
};

}  // namespace gpushape::domain
