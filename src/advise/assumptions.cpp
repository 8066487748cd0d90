#include "advise/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "advise/sizing.hpp"
#include "advise/words.hpp"
#include "base/calendar.hpp"
#include "domain/engine.hpp"

namespace gpushape::advise {

using domain::Assumption;
using domain::Fact;
using domain::Origin;

namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(double value) { return fmt::format("{:g}", value); }
std::string text_of(const std::string& value) { return value; }
template <class E>
  requires std::is_enum_v<E>
std::string text_of(E value) {
  return std::string(name_of(value));
}

class Listing {
 public:
  template <class T>
  void add(std::string name, const Fact<T>& fact, std::string flag) {
    add(std::move(name), text_of(fact.value), fact.origin, fact.from, std::move(flag));
  }
  /// `otherwise` stands in, with the reason for it.
  template <class T>
  void add(std::string name, const std::optional<Fact<T>>& fact, const T& otherwise,
           const std::string& why, std::string flag) {
    if (fact) return add(std::move(name), *fact, std::move(flag));
    add(std::move(name), text_of(otherwise), Origin::Default, why, std::move(flag));
  }
  void add(std::string name, std::string value, Origin origin, const std::string& from,
           std::string flag) {
    list_.push_back({.fact = std::move(name),
                     .value = std::move(value),
                     .origin = origin,
                     .from = source_text(origin, from),
                     .flag = std::move(flag)});
  }

  std::vector<Assumption> take() { return std::move(list_); }

 private:
  static std::string source_text(Origin origin, const std::string& from) {
    if (origin == Origin::Default) return from.empty() ? "default" : "default: " + from;
    if (from.empty()) return std::string(name_of(origin));
    const bool is_given = origin == Origin::Flag || origin == Origin::File;
    return is_given ? "from " + from : from;
  }

  std::vector<Assumption> list_;
};

/// What the quantile of the sequences in flight rests on.
void add_traffic(const domain::Traffic& traffic, const domain::CacheDemand& demand, Listing& list) {
  list.add("tokensInFlight", std::to_string(std::llround(demand.together_level_tokens)),
           Origin::Computed,
           fmt::format("P{:g} of the sequences together", demand.service_level * 100), "evidence");
  list.add("sequenceLengths", std::string(name_of(demand.basis)), Origin::Computed, demand.from,
           "--input-tokens, --output-tokens");
  list.add("serviceLevel", fmt::format("P{:g}", demand.service_level * 100),
           traffic.service_level.origin, traffic.service_level.from, "--service-level");
  if (demand.stated_token_seconds)
    list.add("tokenSeconds", *demand.stated_token_seconds, "--token-seconds");
  if (demand.stated_prefix_tokens)
    list.add("commonPrefixTokens", *demand.stated_prefix_tokens, "--common-prefix");
}

void add_load(const AdviceRequest& request, const domain::Estimate* estimate, Listing& list) {
  const domain::Workload& workload = request.workload;
  if (has_demand(workload)) {
    const domain::Demand& demand = *workload.demand;
    const auto add = [&](const char* name, const std::optional<Bytes>& bytes) {
      if (bytes) list.add(name, size_text(*bytes), Origin::File, demand.from, "demand");
    };
    add("demand.static", demand.static_bytes);
    add("demand.dynamicP50", demand.dynamic_p50_bytes);
    add("demand.dynamicP99", demand.dynamic_p99_bytes);
    add("demand.ceiling", demand.ceiling_bytes);
    if (demand.static_bytes && !demand.dynamic_p99_bytes && !demand.ceiling_bytes) {
      list.add("demand.dynamicP99", "not known", Origin::Default, "nobody measured it", "demand");
    }
  }
  if (!request.model || estimate == nullptr) return;
  list.add("quantization", estimate->quantization, "--quant");
  if (!domain::is_training(*estimate))
    list.add("kvCacheType", estimate->kv_cache_type, "--kv-cache-dtype");
  if (workload.adapters && !domain::is_training(*estimate)) {
    list.add("adapters", workload.adapters->count, "--lora");
    list.add("adapterRank", workload.adapters->rank, "--lora rank=");
  }
  if (workload.engine.draft_model)
    list.add("draftModel", workload.engine.draft_model->name, "--draft-model");
  if (estimate->training) {
    for (domain::TrainingFact& fact : domain::facts_of(workload.training, workload.adapters))
      list.add(std::move(fact.name), std::move(fact.value), fact.origin, fact.from,
               std::move(fact.flag));
    if (!workload.training.zero_stage)
      list.add("zeroStage", "3 on several GPUs", Origin::Default, "they share all of the state",
               "--zero-stage");
    if (estimate->context_tokens && !workload.context_tokens)
      list.add("context", *estimate->context_tokens, "--context");
  }
  if (workload.context_tokens) list.add("context", *workload.context_tokens, "--context");
  if (workload.concurrency) list.add("concurrency", *workload.concurrency, "--concurrency");
  if (estimate->traffic && estimate->traffic->service_level < 1 && !has_demand(workload)) {
    add_traffic(workload.traffic, *estimate->traffic, list);
  } else if (workload.context_tokens && workload.concurrency && !has_demand(workload)) {
    list.add("tokensInFlight",
             std::to_string(workload.context_tokens->value * workload.concurrency->value),
             Origin::Computed, "every sequence at its full context: the deterministic ceiling",
             "evidence");
  }
  list.add("engine", workload.engine.engine, "--engine");
  list.add("engineVersion", domain::to_text(estimate->settings.version.value),
           estimate->settings.version.origin, estimate->settings.version.from, "--engine-version");
}

/// By the last part of its name, whatever its case; true where no name was told.
bool is_served_as(const domain::Model& model, std::string_view served) {
  const auto tail = [](std::string_view name) { return name.substr(name.rfind('/') + 1); };
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return served.empty() || std::ranges::equal(tail(served), tail(model.id), {}, lower, lower);
}

void add_facts(const AdviceRequest& request, const Facts& declared,
               const domain::Estimate* estimate, Listing& list) {
  const domain::Workload& workload = request.workload;
  list.add("platform", workload.platform, domain::Platform::Vsphere, "nothing implies another",
           "--platform");
  list.add("role", workload.role, declared.role,
           request.model ? "what the model is for" : "nothing says another", "--role");
  list.add("isolation", workload.isolation, "--isolation");
  list.add("tenants", workload.tenants, "--tenants");
  list.add("latencySlo", workload.latency_slo, "--latency-slo");
  list.add("session", workload.session, "--session");
  list.add("changeRate", workload.change_rate, declared.change_rate,
           declared.is_appliance ? "an appliance has a fixed set-up" : "served models change",
           "--change-rate");
  list.add("appliance", workload.appliance, "--appliance");
  list.add("needsHa", workload.needs_ha, "--needs-ha");
  list.add("needsLiveMigration", workload.needs_live_migration, "--needs-live-migration");
  if (!workload.mixture_of_experts.value && declared.is_mixture_of_experts) {
    list.add("mixtureOfExperts", "true", Origin::Catalog, "the model routes tokens to experts", {});
  } else {
    list.add("mixtureOfExperts", workload.mixture_of_experts, "--mixture-of-experts");
  }
  list.add("imageSupportsMig", workload.image_supports_mig, "--no-mig-image");
  list.add("replicas", workload.replicas, "--replicas");
  if (const auto& lifetime = workload.lifetime_seconds)
    list.add("lifetime", duration_text(lifetime->value), lifetime->origin, lifetime->from,
             "--lifetime");
  list.add("evidence", workload.evidence, "--evidence-level");
  if (request.telemetry && request.model &&
      !is_served_as(*request.model, request.telemetry->model)) {
    list.add("measuredModel", request.telemetry->model, Origin::Computed,
             fmt::format("telemetry; taken for {} all the same, whose served name is free",
                         request.model->id),
             "--evidence");
  }
  if (!declared.measured_share_says.empty()) {
    list.add("measuredOn", declared.measured_share_says,
             request.measured_on.empty() ? Origin::Computed : Origin::Flag, "telemetry",
             "--measured-on");
  }
  if (workload.spread) {
    list.add("spread", *workload.spread, "--spread");
  } else if (declared.spread) {
    list.add("spread", fmt::format("{:.3g}", *declared.spread), Origin::Computed,
             estimate != nullptr && estimate->traffic
                 ? "P99 / P50 of what the sequences in flight hold"
                 : "dynamic P99 / P50 of the demand",
             "--spread");
  } else {
    list.add("spread", "not known", Origin::Default, "not predictable without it", "--spread");
  }
  if (workload.compute_share) list.add("computeShare", *workload.compute_share, "computeShare");
  if (workload.consumption_model) {
    list.add("consumptionModel", *workload.consumption_model, "--consumption-model");
  }
  if (workload.technology) list.add("technology", *workload.technology, "--technology");
  list.add("guard", percent_text(guard_of(declared, request.thresholds).value), Origin::Default,
           to_text(guard_of(declared, request.thresholds)), {});
}

void add_contract(const domain::ContractWishes& wishes, Listing& list) {
  list.add("tier", wishes.tier, "--tier");
  list.add("qos", wishes.qos, "--qos");
  list.add("loader", wishes.loader, "--loader");
  if (wishes.tolerated_pause_seconds) {
    list.add("toleratedPauseSeconds", *wishes.tolerated_pause_seconds, "--tolerated-pause");
  }
}

void add_hosts(const AdviceRequest& request, Listing& list) {
  std::vector<std::string> named;
  for (const Wish& wish : request.wishes) {
    const domain::Host& host = wish.host;
    if (wish.is_any || host.name.empty() || std::ranges::find(named, host.name) != named.end()) {
      continue;
    }
    named.push_back(host.name);
    // What the server's figures rest on stands behind the colon, and in its profile.
    const std::string source = host.source.substr(0, host.source.find(": "));
    list.add("host", host.name, wish.is_usual_host ? Origin::Default : Origin::File, source,
             "--host");
  }
}

}  // namespace

std::vector<Assumption> assumptions_of(const AdviceRequest& request, const Facts& declared,
                                       const domain::Estimate* estimate) {
  Listing list;
  add_load(request, estimate, list);
  add_facts(request, declared, estimate, list);
  add_contract(request.workload.contract, list);
  add_hosts(request, list);
  return list.take();
}

std::vector<domain::Ask> asks_of(const AdviceRequest& request) {
  const domain::Workload& workload = request.workload;
  std::vector<domain::Ask> asks;
  if (has_demand(workload)) return asks;
  if (!request.model) {
    asks.push_back(
        {"model", "nothing says how much memory the workload holds", "MODEL or --memory-ceiling"});
    return asks;
  }
  if (workload.role && workload.role->value == domain::Role::FineTune) {
    return asks;  // what is not said has a default
  }
  if (!workload.context_tokens) {
    asks.push_back({"context", "the cache grows with every token of a sequence", "--context"});
  }
  if (!workload.concurrency) {
    asks.push_back(
        {"concurrency", "the cache grows with every sequence in flight", "--concurrency"});
  }
  return asks;
}

}  // namespace gpushape::advise
