// The rule book of this program: the rows of advice and review, under what a rules file sets.
#pragma once

#include <string>
#include <vector>

#include "advise/contract_constants.hpp"
#include "advise/thresholds.hpp"
#include "base/result.hpp"
#include "domain/rule_book.hpp"
#include "domain/rule_settings.hpp"

namespace gpushape::cli {

struct LoadedRules {
  advise::Thresholds thresholds;
  advise::ContractConstants constants;
  std::vector<domain::SetSeverity> severities;  ///< of review rules; the last one of a rule wins
};

/// Of the files of --rules, in their order; the defaults where there is none.
Result<LoadedRules> load_rules(const std::vector<std::string>& files);

domain::RuleBook rule_book(const LoadedRules& rules);

}  // namespace gpushape::cli
