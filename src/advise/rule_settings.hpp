// What a rules file may set of this room, and taking it over.
#pragma once

#include <vector>

#include "advise/contract_constants.hpp"
#include "advise/thresholds.hpp"
#include "domain/rule_settings.hpp"

namespace gpushape::advise {

/// In the order of Thresholds::all().
std::vector<domain::NumberRow> threshold_rows();
/// In the order of ContractConstants::all().
std::vector<domain::NumberRow> constant_rows();

/// Names that this room does not know are passed over: the reader complained of them.
void apply(const domain::RuleSettings& settings, Thresholds& thresholds,
           ContractConstants& constants);

}  // namespace gpushape::advise
