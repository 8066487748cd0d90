#include "advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "advise/assumptions.hpp"
#include "advise/candidates.hpp"
#include "advise/capability.hpp"
#include "advise/device_case.hpp"
#include "advise/evidence.hpp"
#include "advise/facts.hpp"
#include "advise/findings.hpp"
#include "advise/flip.hpp"
#include "advise/neighbours.hpp"
#include "advise/offers.hpp"
#include "advise/potential.hpp"
#include "advise/ranking.hpp"
#include "advise/sizing.hpp"
#include "base/edit_distance.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::advise {

using domain::Advice;

namespace {

/// What no answer can be given to. Devices, models and numbers were checked where they were read.
Diagnostics complaints_about(const AdviceRequest& request) {
  Diagnostics complaints;
  if (request.wishes.empty()) {
    complaints.push_back(complaint("no GPU is asked for", "name one with --gpu, or any"));
  }
  if (request.model && !request.engine) {
    complaints.push_back(complaint("a model is given without an engine that serves it"));
  }
  std::vector<std::string> known;
  for (const CapabilityRow& row : capabilities()) known.emplace_back(row.name);
  for (const std::string& required : request.workload.requires_) {
    if (is_capability(required)) continue;
    complaints.push_back(complaint(
        fmt::format("unknown capability '{}'", required),
        suggestion(required, known,
                   fmt::format("one of {}, or a memory as 80gb", fmt::join(known, ", ")))));
  }
  if (request.profile && !request.wishes.empty()) {
    const bool is_known = std::ranges::any_of(request.wishes, [&](const Wish& wish) {
      return std::ranges::any_of(wish.device.profiles, [&](const domain::Profile& profile) {
        return goes_by(profile, *request.profile);
      });
    });
    if (!is_known) {
      const auto found = domain::find_profile(request.wishes.front().device, *request.profile);
      if (!found) complaints.insert(complaints.end(), found.error().begin(), found.error().end());
    }
  }
  return complaints;
}

/// The memory that holds anywhere: what stands in where no shape does.
Result<std::optional<domain::Estimate>> bare_estimate(const AdviceRequest& request) {
  if (!request.model || !request.engine) return std::nullopt;
  Result<domain::Estimate> estimate =
      estimate::estimate_memory(*request.model, request.workload, *request.engine, std::nullopt);
  if (!estimate) return std::unexpected(estimate.error());
  return std::optional(*std::move(estimate));
}

domain::Shape whole_shape(const Wish& wish, domain::Platform platform) {
  const std::optional<Candidate> full = full_candidate(wish, platform);
  return full ? full->shape : passthrough_candidate(wish).shape;
}

/// Of a device that nobody named, one refusal of each kind is enough.
void keep_telling(const Wish& wish, std::vector<domain::RejectedShape>& rejected) {
  if (!wish.is_any) return;
  std::set<std::tuple<domain::Technology, std::int64_t, std::string>> seen;
  std::erase_if(rejected, [&](const domain::RejectedShape& shape) {
    return !seen.emplace(shape.shape.technology, shape.shape.count, shape.reason.rule).second;
  });
}

void append_new(std::vector<domain::Reason>& all, std::vector<domain::Reason> more) {
  for (domain::Reason& reason : more) {
    if (std::ranges::find(all, reason) == all.end()) all.push_back(std::move(reason));
  }
}

void ask_for_dynamic(const DeviceCase& device_case, Advice& advice) {
  if (deciding_rule(device_case) != nullptr || !advice.asks.empty()) return;
  advice.asks.push_back({"demand.dynamicP99",
                         "the static part alone does not decide: say what the traffic holds",
                         "demand"});
}

Result<Advice> without_shapes(const AdviceRequest& request, const Facts& declared, Advice advice) {
  advice.potentials = potentials_of(request, declared);
  advice.findings.push_back(to_reason(
      fired_rules(std::array<std::string_view, 1>{"CM-01"}, declared, request.thresholds).front()));
  return advice;
}

}  // namespace

Result<Advice> advise(const AdviceRequest& asked) {
  if (Diagnostics complaints = complaints_about(asked); !complaints.empty()) {
    return failure(std::move(complaints));
  }
  std::optional<AdviceRequest> with;  // the list of GPUs is long: no copy of it without need
  if (asked.telemetry || asked.usage) {
    Result<AdviceRequest> measured = with_evidence(asked);
    if (!measured) return std::unexpected(measured.error());
    with = *std::move(measured);
  }
  const AdviceRequest& request = with ? *with : asked;
  Facts declared = declared_facts(request.workload, request.model ? &*request.model : nullptr,
                                  request.thresholds);
  Advice advice;
  advice.platform = declared.platform;
  advice.evidence = declared.evidence;
  advice.asks = asks_of(request);
  auto bare = bare_estimate(request);
  if (!bare) return std::unexpected(bare.error());
  advice.estimate = *std::move(bare);
  if (advice.estimate && advice.estimate->traffic)
    take_spread(request.workload, *advice.estimate->traffic, request.thresholds, declared);
  take_evidence(request, measured_share(asked), declared);
  advice.assumptions =
      assumptions_of(request, declared, advice.estimate ? &*advice.estimate : nullptr);
  if (!advice.asks.empty()) {
    declared.load_is_known = !request.model.has_value();
    return without_shapes(request, declared, std::move(advice));
  }

  std::vector<DeviceCase> cases;
  std::vector<Offer> offers;
  for (const Wish& wish : request.wishes) {
    if (auto missing = missing_capability(request, wish)) {
      advice.rejected.push_back({whole_shape(wish, declared.platform), *std::move(missing)});
      continue;
    }
    Result<DeviceCase> examined = examine(request, wish, declared);
    if (!examined) return std::unexpected(examined.error());
    cases.push_back(*std::move(examined));
    DeviceOffers made = offers_of(cases.back());
    std::ranges::move(made.offers, std::back_inserter(offers));
    keep_telling(wish, made.rejected);
    std::ranges::move(made.rejected, std::back_inserter(advice.rejected));
    if (!wish.is_any) append_new(advice.findings, findings_of(cases.back()));
    ask_for_dynamic(cases.back(), advice);
  }
  rank(offers);
  for (Offer& offer : offers) advice.shapes.push_back(std::move(offer.ranked));
  if (advice.shapes.empty()) return advice;

  const domain::RankedShape& best = advice.shapes.front();
  if (best.estimate) advice.estimate = best.estimate;
  advice.review_after_days = best.contract.review_after_days;
  for (const DeviceCase& device_case : cases) {
    if (device_case.wish.device.id != best.shape.device || device_case.wish.rank != best.wish) {
      continue;
    }
    if (device_case.wish.is_any) append_new(advice.findings, findings_of(device_case));
    append_new(advice.findings, findings_of(device_case, best));
    advice.flip = flip_of(device_case, best);
    advice.neighbours = neighbours_of(device_case, best);
    break;
  }
  return advice;
}

}  // namespace gpushape::advise
