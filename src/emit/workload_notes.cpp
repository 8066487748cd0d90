#include "emit/workload_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpushape::emit {

namespace {

/// What stands in host memory beside the GPU's: "64 GiB of cache, 20 GiB of weights".
std::string host_tier(const domain::ContractWishes& wishes) {
  std::string text;
  const auto add = [&text](Bytes bytes, std::string_view what) {
    if (bytes <= Bytes(0)) return;
    text += fmt::format("{}{:g} GiB of {}", text.empty() ? "" : ", ", bytes.gib(), what);
  };
  add(wishes.kv_offload_bytes.value, "cache");
  add(wishes.cpu_offload_bytes.value, "weights");
  return text;
}

}  // namespace

std::vector<WorkloadNote> workload_notes(const EmitRequest& request,
                                         const domain::ResourceContract& contract) {
  std::vector<WorkloadNote> notes;
  const auto put = [&notes](std::string_view name, std::string value) {
    if (!value.empty()) notes.push_back({name, std::move(value)});
  };
  if (const domain::Workload* workload = request.workload) {
    if (workload->isolation.value != domain::Isolation::None) {
      put("isolation", std::string(name_of(workload->isolation.value)));
    }
    if (workload->latency_slo.value != domain::LatencySlo::None) {
      put("latency-slo", std::string(name_of(workload->latency_slo.value)));
    }
    if (workload->change_rate && workload->change_rate->origin != domain::Origin::Default) {
      put("change-rate", std::string(name_of(workload->change_rate->value)));
    }
    if (const auto& pause = workload->contract.tolerated_pause_seconds) {
      put("tolerated-pause", fmt::format("{:g}", pause->value));
    }
    put("host-tier", host_tier(workload->contract));
  }
  const bool is_tight = std::ranges::any_of(request.picked, [](const domain::RankedShape* shape) {
    return shape->fits_at == domain::FitsAt::Expected;
  });
  if (is_tight) put("fits-at", "expected");
  if (contract.needs_ha) put("needs-ha", "true");
  if (contract.needs_live_migration) put("needs-live-migration", "true");
  return notes;
}

}  // namespace gpushape::emit
