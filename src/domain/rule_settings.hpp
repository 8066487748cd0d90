// What a user sets of the rule book: thresholds, constants of the VM contract, and how grave the
// findings of a review are. Read by schema from a document of kind Rules, taken by advise and
// review.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/review.hpp"

namespace gpushape::domain {

/// A number that may be set, and between which values.
struct NumberRow {
  std::string_view name;
  double least = 0;
  double most = 0;
  bool is_whole = false;
};

struct SetNumber {
  std::string name;
  double value = 0;
  std::string from;  ///< "rules.yaml:5"

  bool operator==(const SetNumber&) const = default;
};

struct SetSeverity {
  std::string rule;
  std::optional<Severity> severity;  ///< empty: off
  std::string from;

  bool operator==(const SetSeverity&) const = default;
};

/// In the order of the file; a later file comes behind an earlier one and wins.
struct RuleSettings {
  std::vector<SetNumber> thresholds;
  std::vector<SetNumber> contract;
  std::vector<SetSeverity> severities;

  bool operator==(const RuleSettings&) const = default;
};

}  // namespace gpushape::domain
