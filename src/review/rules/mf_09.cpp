// MF-09: a driver configuration needs its feature gate. TimeSlicingSettings, MPSSupport and
// PassthroughSupport are off by default, and some exclude each other
// (kubernetes-sigs/dra-driver-nvidia-gpu, pkg/featuregates).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct ExclusiveRow {
  std::string_view a;
  std::string_view b;
};
constexpr auto kExclusive = std::to_array<ExclusiveRow>({
    {"DynamicMIG", "PassthroughSupport"},
    {"DynamicMIG", "NVMLDeviceHealthCheck"},
    {"DynamicMIG", "MPSSupport"},
    {"PassthroughSupport", "NVMLDeviceHealthCheck"},
    {"MPSSupport", "NVMLDeviceHealthCheck"},
});

std::string_view gate_of(const ClaimConfig& config) {
  if (config.kind == "VfioDeviceConfig") return "PassthroughSupport";
  if (!config.strategy) return {};
  if (config.strategy->value == "TimeSlicing") return "TimeSlicingSettings";
  if (config.strategy->value == "MPS") return "MPSSupport";
  return {};
}

bool is_gate_on(const DraDriverValues& driver, std::string_view gate) {
  const NamedText* row = find_name(driver.gates, gate);
  return row != nullptr && row->value == "true";
}

}  // namespace

void mf_09(const Deployment& deployment, Report& report) {
  for (const DraDriverValues& driver : deployment.dra_drivers) {
    for (const ExclusiveRow& row : kExclusive) {
      if (!is_gate_on(driver, row.a) || !is_gate_on(driver, row.b)) continue;
      report.add(*driver.document, *find_name(driver.gates, row.b)->node,
                 {.message = fmt::format("feature gates {} and {} of the driver exclude each other",
                                         row.a, row.b),
                  .fix = "switch one of them off"});
    }
  }
  for (const Claim& claim : deployment.claims) {
    for (const ClaimConfig& config : claim.configs) {
      const std::string_view gate = gate_of(config);
      if (gate.empty() || config.driver != kNvidiaDriver) continue;
      const bool is_on = std::ranges::any_of(
          deployment.dra_drivers, [&](const auto& driver) { return is_gate_on(driver, gate); });
      const document::Node& place = config.strategy ? *config.strategy->node : *config.node;
      const std::string what =
          config.strategy ? fmt::format("sharing by {}", config.strategy->value) : config.kind;
      if (is_on) continue;
      if (!deployment.dra_drivers.empty()) {
        report.add(
            *claim.document, place,
            {.message = fmt::format("claim {} wants {}, and the driver's values leave {} off",
                                    claim.name, what, gate),
             .fix = fmt::format("set featureGates.{} to true", gate)});
      } else if (config.strategy) {
        report.add(*claim.document, place,
                   {.message = fmt::format("claim {} wants {}, which works with the driver's "
                                           "feature gate {} alone, off by default",
                                           claim.name, what, gate),
                    .fix = fmt::format("set featureGates.{} to true in the driver's values", gate),
                    .severity = domain::Severity::Note});
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
