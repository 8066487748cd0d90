#include "advise/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ChangeRate;
using domain::Evidence;
using domain::Role;

namespace {

/// Declared, or from the percentiles of the demand.
std::optional<double> spread_of(const domain::Workload& workload) {
  if (workload.spread) return workload.spread->value;
  if (!workload.demand) return std::nullopt;
  const auto& [p50, p99] =
      std::pair(workload.demand->dynamic_p50_bytes, workload.demand->dynamic_p99_bytes);
  if (!p50 || !p99 || p50->count() <= 0) return std::nullopt;
  return static_cast<double>(p99->count()) / static_cast<double>(p50->count());
}

std::string why_unpredictable(const Facts& facts, const Thresholds& thresholds) {
  if (facts.evidence == Evidence::E0) return "the evidence is E0, declared only";
  if (!facts.spread) return "the spread of its dynamic memory is not known";
  if (*facts.spread > thresholds.highest_spread.value) {
    return fmt::format("its spread of {:.3g} is above {:.3g} ({})", *facts.spread,
                       thresholds.highest_spread.value, to_text(thresholds.highest_spread));
  }
  return {};
}

/// What experts and cache divide into: the least of every layer that keeps a cache.
void take_axes(const domain::Model& model, Facts& facts) {
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    if (run.layer.feed_forward.experts)
      facts.experts = std::max(facts.experts, run.layer.feed_forward.experts->count);
    if (attention.heads == 0 || attention.kind == domain::LayerKind::None) continue;
    const std::int64_t heads = attention.latent ? 1 : attention.kv_heads;
    if (heads > 0)
      facts.cache_heads = facts.cache_heads == 0 ? heads : std::min(facts.cache_heads, heads);
  }
}

}  // namespace

Facts declared_facts(const domain::Workload& workload, const domain::Model* model,
                     const Thresholds& thresholds) {
  Facts facts;
  if (workload.platform) facts.platform = workload.platform->value;
  facts.role = model != nullptr ? model->role : Role::Llm;
  if (workload.role) facts.role = workload.role->value;
  facts.isolation = workload.isolation.value;
  facts.latency_slo = workload.latency_slo.value;
  facts.is_appliance = workload.appliance.value;
  // A fixed GPU set-up says by itself that it seldom changes; a model that is served does not.
  facts.change_rate = facts.is_appliance ? ChangeRate::Low : ChangeRate::High;
  if (workload.change_rate) facts.change_rate = workload.change_rate->value;
  facts.evidence = workload.evidence.value;
  facts.tenants = workload.tenants.value;
  facts.replicas = workload.replicas.value;
  facts.is_mixture_of_experts =
      workload.mixture_of_experts.value || (model != nullptr && domain::has_experts(*model));
  facts.is_durable = workload.session.value == domain::Session::Durable;
  facts.needs_live_migration = workload.needs_live_migration.value;
  facts.needs_ha = workload.needs_ha.value;
  facts.image_supports_mig = workload.image_supports_mig.value;
  if (workload.consumption_model) facts.asked_model = workload.consumption_model->value;
  if (workload.technology) facts.asked_technology = workload.technology->value;
  if (workload.compute_share) facts.compute_share = workload.compute_share->value;

  facts.spread = spread_of(workload);
  facts.why_unpredictable = why_unpredictable(facts, thresholds);
  facts.is_predictable = facts.why_unpredictable.empty();
  if (model != nullptr && !model->layers.empty()) {
    facts.attention_heads = model->layers.front().layer.attention.heads;
    take_axes(*model, facts);
  }
  return facts;
}

void take_spread(const domain::Workload& workload, const domain::CacheDemand& traffic,
                 const Thresholds& thresholds, Facts& facts) {
  const bool is_known = workload.spread || spread_of(workload);
  if (is_known || !traffic.spread || traffic.service_level == 1) return;
  facts.spread = traffic.spread;
  facts.why_unpredictable = why_unpredictable(facts, thresholds);
  facts.is_predictable = facts.why_unpredictable.empty();
}

bool has_hypervisor(domain::Platform platform) {
  return platform == domain::Platform::Vsphere || platform == domain::Platform::Vks;
}

bool passthrough_is_asked(const Facts& facts) {
  return facts.is_appliance || facts.asked_model == domain::ConsumptionModel::Passthrough ||
         facts.asked_technology == domain::Technology::Passthrough;
}

std::string passthrough_obstacle(const Facts& facts) {
  if (!facts.is_appliance) {
    return "nothing declares bare-metal device behaviour or a fixed GPU set-up (--appliance)";
  }
  if (!facts.is_predictable) return facts.why_unpredictable;
  if (facts.change_rate == ChangeRate::High) {
    return "its change rate is high, and a change stops the workload and reconfigures the host";
  }
  if (facts.needs_live_migration) return "it needs live migration (LC-01)";
  return {};
}

bool has_small_footprint(Role role) {
  return role == Role::Embed || role == Role::Rerank || role == Role::Vision ||
         role == Role::Notebook || role == Role::Ci;
}

const Threshold& guard_of(const Facts& facts, const Thresholds& thresholds) {
  return facts.is_mixture_of_experts || facts.is_durable ? thresholds.spiky_guard
                                                         : thresholds.guard;
}

Bytes most_of_device(const Facts& facts, const Thresholds& thresholds) {
  const double part =
      static_cast<double>(facts.physical_bytes.count()) * thresholds.whole_device.value;
  return std::min(Bytes(static_cast<std::int64_t>(part)), facts.device_bytes);
}

std::string most_of_device_text(const Facts& facts, const Thresholds& thresholds) {
  const Bytes most = most_of_device(facts, thresholds);
  if (most == facts.device_bytes) {
    return fmt::format("{}, all that a whole {} offers", size_text(most), facts.device);
  }
  return fmt::format("{}, {} of one {} ({})", size_text(most),
                     percent_text(thresholds.whole_device.value), facts.device,
                     to_text(thresholds.whole_device));
}

}  // namespace gpushape::advise
