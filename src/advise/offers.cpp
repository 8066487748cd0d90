#include "advise/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "advise/contract_of.hpp"
#include "advise/shape_reasons.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::FitsAt;

namespace {

class Offering {
 public:
  explicit Offering(const DeviceCase& device_case)
      : case_(device_case), facts_(device_case.facts), decider_(deciding_rule(device_case)) {}

  DeviceOffers make() {
    if (decider_ == nullptr) return {};
    for (const Candidate& fraction : case_.fractions) offer_fraction(fraction);
    if (case_.full) offer_full(*case_.full);
    if (case_.passthrough) offer_passthrough(*case_.passthrough);
    offer_groups();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_multi() const { return facts_.gpus_needed != 1; }

  void reject(const Candidate& candidate, std::string_view rule, std::string says) {
    result_.rejected.push_back(
        {.shape = candidate.shape, .reason = {.rule = std::string(rule), .says = std::move(says)}});
  }

  [[nodiscard]] bool is_asked(const Candidate& candidate) const {
    if (case_.request.profile) return true;  // what is not of that name was refused before
    return facts_.asked_model == candidate.shape.consumption_model ||
           facts_.asked_technology == candidate.shape.technology;
  }

  /// --profile names another one.
  bool is_filtered(const Candidate& candidate) {
    if (!case_.request.profile) return false;
    if (candidate.profile != nullptr && goes_by(*candidate.profile, *case_.request.profile)) {
      return false;
    }
    reject(candidate, "asked", fmt::format("only {} is asked for", *case_.request.profile));
    return true;
  }

  void offer_fraction(const Candidate& fraction) {
    if (is_filtered(fraction)) return;
    if (is_multi()) {
      reject(fraction, decider_->id, decider_->verdict.says);
      return;
    }
    if (const Fired* mode = refusing_mode_rule(case_, fraction)) {
      reject(fraction, mode->id, mode->verdict.says);
      return;
    }
    if (std::string refusal = refusal_by_size(fraction); !refusal.empty()) {
      const bool rule_is_about_size = decider_->id == "CM-05" || decider_->id == "CM-08";
      {
        reject(fraction, rule_is_about_size ? decider_->id : "fit", std::move(refusal));
        return;
      }
    }
    if (rule_rank(case_, ConsumptionModel::Fractional) == kNoRule && !is_asked(fraction)) {
      reject(fraction, decider_->id, decider_->verdict.says);
      return;
    }
    offer_alone(fraction);
  }

  /// By the need in the largest fraction: in a smaller one it is no smaller.
  [[nodiscard]] std::string refusal_by_size(const Candidate& fraction) const {
    const Bytes usable = fraction.shape.memory_bytes;
    const Bytes need = facts_.need_bytes.value_or(*facts_.static_bytes);
    if (*facts_.static_bytes > usable) {
      return fmt::format("the static part of {} alone exceeds {}", size_text(*facts_.static_bytes),
                         size_text(usable));
    }
    if (need <= usable) return {};
    return fmt::format("the need of {} exceeds {} by {}", size_text(need), size_text(usable),
                       size_text(need - usable));
  }

  /// Sizes the workload on one candidate, and offers it where it fits.
  void offer_alone(const Candidate& candidate) {
    const Result<Need> need =
        size_workload(case_.request, facts_, Layout{}, memory_of(case_.wish, candidate));
    if (!need) {
      reject(candidate, "layout", need.error().front().message);
      return;
    }
    offer_if_it_fits(candidate, *need);
  }

  void offer_if_it_fits(const Candidate& candidate, const Need& need) {
    const Fit fit = fit_of(candidate, need);
    // What matches the size that was full is no larger one.
    const double matching = facts_.measured_share_bytes
                                ? static_cast<double>(facts_.measured_share_bytes->count()) *
                                      case_.request.thresholds.size_mismatch.value
                                : 0;
    if (static_cast<double>(candidate.shape.memory_bytes.count()) <= matching) {
      const auto full =
          fired_rules(std::array<std::string_view, 1>{"EV-02"}, facts_, case_.request.thresholds);
      if (!full.empty()) {
        reject(candidate, "EV-02", full.front().verdict.says);
        return;
      }
    }
    if (fit.at == FitsAt::None) {
      reject(candidate, "fit", fit.refusal);
      return;
    }
    add(candidate, need, fit, Layout{});
  }

  void offer_full(const Candidate& full) {
    if (is_filtered(full)) return;
    if (is_multi()) {
      reject(full, refusal_of_one().first, refusal_of_one().second);
      return;
    }
    offer_if_it_fits(full, *case_.need);
  }

  /// Why one device does not do: the term that is too large, or the rule.
  [[nodiscard]] std::pair<std::string_view, std::string> refusal_of_one() const {
    const Fit fit = fit_of(case_.whole(), *case_.need);
    if (!facts_.layout_is_asked && fit.at == FitsAt::None) return {"CM-02", fit.refusal};
    return {decider_->id, decider_->verdict.says};
  }

  void offer_passthrough(const Candidate& candidate) {
    if (is_filtered(candidate)) return;
    const bool is_led_to = rule_rank(case_, ConsumptionModel::Passthrough) != kNoRule;
    const bool is_only_way = !case_.full.has_value();
    if (facts_.needs_live_migration) {
      reject(candidate, "LC-01", "live migration is needed, and passthrough has none");
      return;
    }
    if (is_multi()) {
      reject(candidate, refusal_of_one().first, refusal_of_one().second);
      return;
    }
    if (!is_led_to && !is_only_way) {
      reject(candidate, passthrough_is_asked(facts_) ? "CM-04" : "CM-03",
             passthrough_obstacle(facts_));
      return;
    }
    // Where there is no full vGPU, the need was sized for this shape.
    if (is_only_way) {
      offer_if_it_fits(candidate, *case_.need);
    } else {
      offer_alone(candidate);
    }
  }

  void offer_groups() {
    const bool one_is_safe = !is_multi() && fit_of(case_.whole(), *case_.need).at == FitsAt::High;
    if (one_is_safe) return;
    if (is_multi() && std::ranges::none_of(case_.groups, [&](const Group& group) {
          return group.layout.gpus == facts_.gpus_needed;
        })) {
      refuse_every_group();
    }
    bool is_found = false;
    for (const Group& group : case_.groups) {
      if (is_filtered(group.candidate)) continue;
      is_found = offer_group(group, is_found);
    }
    if (case_.copies && !is_filtered(case_.copies->candidate)) offer_copies(*case_.copies);
    if (case_.narrower && !is_filtered(case_.narrower->candidate)) offer_narrower(*case_.narrower);
  }

  /// MG-03: with other weights than the checkpoint's, so behind whatever holds these. Where
  /// somebody asked for a precision it stays a finding.
  void offer_narrower(const Group& narrower) {
    if (case_.request.workload.quantization) return;
    add(narrower.candidate, *narrower.need, fit_of(narrower.candidate, *narrower.need),
        narrower.layout);
    Offer& offer = result_.offers.back();
    offer.ranked.quantization = narrower.quantization;
    offer.ranked.reasons = reasons_for_narrower(case_, narrower);
    offer.rule_rank = kNoRule;
  }

  /// True once a smaller group holds the workload.
  bool offer_group(const Group& group, bool is_found) {
    const Candidate& candidate = group.candidate;
    const std::int64_t gpus = group.layout.gpus;
    if (is_found) {
      reject(candidate, "MG-01", "a smaller group holds the need");
      return true;
    }
    if (!group.fits) {
      reject(candidate, group.layout.nodes > 1 ? "platform" : "MG-01", group.refusal);
      return false;
    }
    if (gpus > facts_.link_domain_size && has_hypervisor(facts_.platform)) {
      reject(candidate, "MG-02",
             fmt::format("{} GPUs exceed the link domain of {}, and a vGPU has peer traffic over "
                         "NVLink only (MG-04)",
                         gpus, facts_.link_domain_size));
      return false;
    }
    add(candidate, *group.need, fit_of(candidate, *group.need), group.layout);
    return true;
  }

  void offer_copies(const Group& copies) {
    add(copies.candidate, *copies.need, fit_of(copies.candidate, *copies.need), copies.layout);
  }

  /// No group of a size that exists: three GPUs, or more than the device has.
  void refuse_every_group() {
    if (!case_.full || !facts_.layout_is_asked) return;
    const Candidate candidate =
        *group_candidate(case_.wish, facts_.platform, {}, facts_.gpus_needed);
    reject(candidate, "MG-01",
           fmt::format("{} GPUs cannot form one NVLink partition: partitions hold 1, 2, 4 or 8",
                       facts_.gpus_needed));
  }

  void add(const Candidate& candidate, const Need& need, const Fit& fit, const Layout& layout) {
    Offer offer;
    domain::RankedShape& ranked = offer.ranked;
    ranked.shape = candidate.shape;
    if (layout.copies > 1 && layout.gpus == 1) {
      ranked.shape = case_.whole().shape;  // one device each: no group, no links
    }
    ranked.wish = case_.wish.rank;
    ranked.fits_at = fit.at;
    ranked.fits = fit.at == FitsAt::High;
    ranked.need_bytes = need.need_bytes.value_or(need.static_bytes);
    ranked.headroom_bytes = fit.headroom_bytes;
    ranked.stranded_bytes = candidate.stranded_bytes;
    ranked.per_device = candidate.per_device;
    ranked.replicas = facts_.replicas * layout.copies;
    ranked.concurrency = concurrency_of(case_.request.workload, layout);
    ranked.estimate = need.estimate;
    if (need.estimate) take_settings(*need.estimate, case_.request.workload, ranked);
    ranked.reasons = reasons_for(case_, candidate, need, layout);
    if (layout.copies > 1) put_first(ranked.reasons, "MG-05");  // it led to the replicas
    ranked.to_change = to_change(ranked.shape);
    ranked.contract = contract_of(case_, ranked, need, layout);

    offer.rule_rank = layout.copies > 1 ? 0 : rule_rank(case_, candidate.shape.consumption_model);
    offer.is_other_mode = is_other_mode(case_, candidate);
    offer.is_outside_catalog = !candidate.nests;
    const double memory_share =
        static_cast<double>(ranked.shape.memory_bytes.count()) /
        static_cast<double>(std::max<std::int64_t>(1, facts_.device_bytes.count()));
    const auto devices = static_cast<double>(ranked.shape.count * layout.copies);
    const bool is_fraction = ranked.shape.consumption_model == ConsumptionModel::Fractional;
    offer.gpu_share =
        devices * (is_fraction ? std::max(memory_share, ranked.shape.compute_share) : 1.0);
    offer.taken_bytes = ranked.shape.memory_bytes * (ranked.shape.count * layout.copies);
    result_.offers.push_back(std::move(offer));
  }

  /// Readers take the first reason for the one that decided.
  static void put_first(std::vector<domain::Reason>& reasons, std::string_view rule) {
    const auto found = std::ranges::find(reasons, rule, &domain::Reason::rule);
    if (found != reasons.end()) std::rotate(reasons.begin(), found, std::next(found));
  }

  const DeviceCase& case_;
  const Facts& facts_;
  const Fired* decider_;
  DeviceOffers result_;
};

}  // namespace

void take_settings(const domain::Estimate& estimate, const domain::Workload& workload,
                   domain::RankedShape& ranked) {
  if (!estimate.capacity || domain::is_training(estimate)) return;
  // Each data parallel rank serves sequences of its own.
  ranked.max_concurrency = estimate.capacity->max_concurrency_at_context *
                           static_cast<double>(ranked.shape.parallelism.data);
  ranked.max_num_seqs = estimate.settings.max_num_seqs.value;
  ranked.max_num_batched_tokens = estimate.settings.max_num_batched_tokens.value;
  // A pool that is given stands in place of the share.
  if (const auto& pool = workload.engine.kv_cache_memory_bytes) {
    ranked.kv_cache_memory_bytes = pool->value;
  } else if (estimate.settings.gpu_memory_utilization.value > 0) {
    ranked.gpu_memory_utilization = estimate.settings.gpu_memory_utilization.value;
  }
}

DeviceOffers offers_of(const DeviceCase& device_case) { return Offering(device_case).make(); }

}  // namespace gpushape::advise
