#include "advise/rule_settings.hpp"

namespace gpushape::advise {

std::vector<domain::NumberRow> threshold_rows() {
  static const Thresholds kDefaults;
  std::vector<domain::NumberRow> rows;
  for (const Threshold* threshold : kDefaults.all())
    rows.push_back({threshold->name, threshold->least, threshold->most, false});
  return rows;
}

std::vector<domain::NumberRow> constant_rows() {
  static const ContractConstants kDefaults;
  std::vector<domain::NumberRow> rows;
  for (const ContractConstant* constant : kDefaults.all())
    rows.push_back({constant->key, constant->least, constant->most, constant->is_whole});
  return rows;
}

void apply(const domain::RuleSettings& settings, Thresholds& thresholds,
           ContractConstants& constants) {
  for (const domain::SetNumber& number : settings.thresholds) {
    if (Threshold* threshold = thresholds.find(number.name)) {
      threshold->value = number.value;
      threshold->from = number.from;
    }
  }
  for (const domain::SetNumber& number : settings.contract) {
    if (ContractConstant* constant = constants.find(number.name)) {
      constant->value = number.value;
      constant->from = number.from;
    }
  }
}

}  // namespace gpushape::advise
