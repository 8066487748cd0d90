// The rule book as people read it: every rule of advice and review in one form, with the thresholds
// that take part and their values at the moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/review.hpp"

namespace gpushape::domain {

/// A number that decides rules, or a constant of the VM contract.
struct RuleNumber {
  std::string name;
  double value = 0;
  std::string unit;
  std::string meaning;
  std::string from;    ///< the place in a rules file that set it; empty: the default
  std::string source;  ///< of the default; empty: chosen by this project

  bool operator==(const RuleNumber&) const = default;
};

struct RuleEntry {
  std::string id;
  std::string group;                 ///< "CM"
  std::optional<Severity> severity;  ///< of a finding; absent for rules of advice
  bool is_off = false;               ///< by a rules file
  std::string title;
  std::string condition;  ///< empty where the title says it
  std::string outcome;    ///< what follows; of a finding: the fix
  std::string reason;
  std::string source;
  std::vector<RuleNumber> numbers;
  std::string example;  ///< a command line, or a manifest that the rule finds fault with
  bool is_manifest = false;

  bool operator==(const RuleEntry&) const = default;
};

struct RuleGroup {
  std::string name;  ///< "CM"
  std::string title;

  bool operator==(const RuleGroup&) const = default;
};

struct RuleBook {
  std::vector<RuleGroup> groups;
  std::vector<RuleEntry> rules;        ///< in the order of the groups
  std::vector<RuleNumber> thresholds;  ///< all of them
  std::vector<RuleNumber> constants;   ///< of the VM contract

  bool operator==(const RuleBook&) const = default;
};

}  // namespace gpushape::domain
