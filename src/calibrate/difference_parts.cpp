#include "calibrate/difference_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace gpushape::calibrate {

double input(const domain::Estimate& estimate, std::string_view term, std::string_view name) {
  for (const domain::Term& one : estimate.terms) {
    if (one.name != term) continue;
    for (const domain::Input& value : one.inputs) {
      if (value.name != name) continue;
      if (const auto* count = std::get_if<std::int64_t>(&value.value))
        return static_cast<double>(*count);
      if (const auto* number = std::get_if<double>(&value.value)) return *number;
    }
  }
  return 0;
}

double term_gib(const domain::Estimate& estimate, std::string_view name) {
  const auto term = std::ranges::find(estimate.terms, name, &domain::Term::name);
  return term == estimate.terms.end() ? 0 : term->bytes.expected.gib();
}

const domain::CalibratedTerm* other_term(const Difference& difference, std::string_view name) {
  for (const domain::CalibratedTerm& term : difference.calibration->terms) {
    if (term.name == name && term.measured) return &term;
  }
  return nullptr;
}

}  // namespace gpushape::calibrate
