// MD-01: own memory path and fault domain. P3, GPU Mode, 4; P8, introduction.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> md_01(const Facts& facts, const Thresholds& /*thresholds*/) {
  const bool is_hard = facts.isolation == domain::Isolation::Hard;
  if (!is_hard && facts.tenants <= 1) return std::nullopt;
  return Verdict{
      .says = fmt::format("{}: only hardware instances have a memory path and a fault "
                          "domain of their own",
                          is_hard ? "isolation is hard"
                                  : fmt::format("{} tenants share the device", facts.tenants)),
      .mode = FractionMode::Mig};
}

}  // namespace gpushape::advise::rules_of
