#include "advise/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advise/contract_of.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::FitsAt;
using domain::Reason;
using domain::Shape;
using domain::Technology;

namespace {

constexpr std::int64_t kNoRule = 100;  // behind every rule of the table

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
  [[nodiscard]] ConsumptionModel decided() const { return *decider_->verdict.model; }
  [[nodiscard]] bool is_multi() const { return facts_.gpus_needed != 1; }

  void reject(const Candidate& candidate, std::string_view rule, std::string says) {
    result_.rejected.push_back(
        {.shape = candidate.shape, .reason = {.rule = std::string(rule), .says = std::move(says)}});
  }

  /// Place among the rules that fired of the first that leads to this model.
  [[nodiscard]] std::int64_t rule_rank(ConsumptionModel model) const {
    std::int64_t place = 0;
    for (const Fired& fired : case_.shape_rules) {
      if (!fired.verdict.model) continue;
      if (*fired.verdict.model == model) return place;
      ++place;
    }
    return kNoRule;
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
    if (is_multi()) return reject(fraction, decider_->id, decider_->verdict.says);
    if (const Fired* mode = refusing_mode_rule(case_, fraction)) {
      return reject(fraction, mode->id, mode->verdict.says);
    }
    Result<Need> need =
        size_workload(case_.request, facts_, Layout{}, memory_of(case_.wish, fraction));
    if (!need) return reject(fraction, "layout", need.error().front().message);
    const Bytes usable = fraction.shape.memory_bytes;
    const Bytes wanted = need->need_bytes.value_or(need->static_bytes);
    const bool rule_is_about_size = decider_->id == "CM-05" || decider_->id == "CM-08";
    if (need->static_bytes > usable) {
      return reject(fraction, rule_is_about_size ? decider_->id : "fit",
                    fmt::format("the static part of {} alone exceeds {}",
                                size_text(need->static_bytes), size_text(usable)));
    }
    if (wanted > usable) {
      return reject(fraction, rule_is_about_size ? decider_->id : "fit",
                    fmt::format("the need of {} exceeds {} by {}", size_text(wanted),
                                size_text(usable), size_text(wanted - usable)));
    }
    const Fit fit = fit_of(fraction, *need);
    if (fit.at == FitsAt::None) return reject(fraction, "fit", fit.refusal);
    const std::int64_t rank = rule_rank(ConsumptionModel::Fractional);
    if (rank == kNoRule && !is_asked(fraction)) {
      return reject(fraction, decider_->id, decider_->verdict.says);
    }
    add(fraction, *need, fit, Layout{});
  }

  void offer_full(const Candidate& full) {
    if (is_filtered(full)) return;
    if (is_multi()) return reject(full, refusal_of_one().first, refusal_of_one().second);
    const Fit fit = fit_of(full, *case_.need);
    if (fit.at == FitsAt::None) return reject(full, "fit", fit.refusal);
    add(full, *case_.need, fit, Layout{});
  }

  /// Why one device does not do: the term that is too large, or the rule.
  [[nodiscard]] std::pair<std::string_view, std::string> refusal_of_one() const {
    const Fit fit = fit_of(case_.whole(), *case_.need);
    if (!facts_.layout_is_asked && fit.at == FitsAt::None) return {"CM-02", fit.refusal};
    return {decider_->id, decider_->verdict.says};
  }

  void offer_passthrough(const Candidate& candidate) {
    if (is_filtered(candidate)) return;
    const std::int64_t rank = rule_rank(ConsumptionModel::Passthrough);
    const bool is_only_way = !case_.full.has_value();
    if (facts_.needs_live_migration) {
      return reject(candidate, "LC-01", "live migration is needed, and passthrough has none");
    }
    if (is_multi()) return reject(candidate, refusal_of_one().first, refusal_of_one().second);
    if (rank == kNoRule && !is_only_way) {
      return reject(candidate, passthrough_is_asked(facts_) ? "CM-04" : "CM-03",
                    passthrough_obstacle(facts_));
    }
    Result<Need> need =
        size_workload(case_.request, facts_, Layout{}, memory_of(case_.wish, candidate));
    if (!need) return reject(candidate, "layout", need.error().front().message);
    const Fit fit = fit_of(candidate, *need);
    if (fit.at == FitsAt::None) return reject(candidate, "fit", fit.refusal);
    add(candidate, *need, fit, Layout{});
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
      reject(candidate, "MG-01", group.refusal);
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
    if (need.estimate && need.estimate->capacity) take_settings(*need.estimate, ranked);
    ranked.reasons = reasons_for(candidate, need, fit, layout);
    ranked.to_change = to_change(ranked.shape);
    ranked.contract = contract_of(case_, ranked, need, layout);

    offer.rule_rank = layout.copies > 1 ? 0 : rule_rank(candidate.shape.consumption_model);
    offer.is_other_mode = is_other_mode(candidate);
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

  static void take_settings(const domain::Estimate& estimate, domain::RankedShape& ranked) {
    ranked.max_concurrency = estimate.capacity->max_concurrency_at_context;
    ranked.max_num_seqs = estimate.settings.max_num_seqs.value;
    ranked.max_num_batched_tokens = estimate.settings.max_num_batched_tokens.value;
    ranked.gpu_memory_utilization = estimate.settings.gpu_memory_utilization.value;
  }

  [[nodiscard]] bool is_other_mode(const Candidate& candidate) const {
    return candidate.shape.consumption_model == ConsumptionModel::Fractional &&
           mode_of(candidate.shape) != preferred_mode(case_);
  }

  std::vector<Reason> reasons_for(const Candidate& candidate, const Need& need, const Fit& fit,
                                  const Layout& layout) {
    std::vector<Reason> reasons;
    const ConsumptionModel model = candidate.shape.consumption_model;
    const bool leads_here = layout.copies > 1 || rule_rank(model) != kNoRule;
    if (!leads_here) reasons.push_back(speaking_against(candidate));
    for (const Fired& fired : case_.shape_rules) {
      if (leads_here) reasons.push_back(to_reason(fired));
    }
    if (model == ConsumptionModel::Fractional) {
      add_mode_reasons(candidate, reasons);
      reasons.push_back(profile_reason(candidate));
    }
    if (model == ConsumptionModel::MultiGpu) add_group_reasons(layout, reasons);
    add_lifecycle_reasons(candidate, reasons);
    if (fit.at == FitsAt::Expected) {
      reasons.push_back({"fit",
                         "fits at the expected value only: not safe at the high end of the "
                         "estimate"});
    }
    if (need.estimate && need.estimate->capacity) {
      reasons.push_back({"settings", settings_text(*need.estimate)});
    }
    return reasons;
  }

  /// A shape that no rule leads to: what it costs beside the decided one, or why it is not that.
  [[nodiscard]] Reason speaking_against(const Candidate& candidate) const {
    if (candidate.shape.consumption_model == ConsumptionModel::Full &&
        decided() != ConsumptionModel::Full) {
      return {std::string(decider_->id), fmt::format("more than the rules ask for, which is {}: {}",
                                                     name_of(decided()), decider_->verdict.says)};
    }
    if (candidate.shape.consumption_model == ConsumptionModel::Passthrough) {
      return {"platform",
              fmt::format("{} has no vGPU profile: passthrough is the only way", facts_.device)};
    }
    if (candidate.shape.consumption_model == ConsumptionModel::MultiGpu) {
      return {"fit", "one device holds the need at the expected value only"};
    }
    return {std::string(decider_->id),
            fmt::format("asked for; against it: {}", decider_->verdict.says)};
  }

  void add_mode_reasons(const Candidate& candidate, std::vector<Reason>& reasons) const {
    const bool is_other = is_other_mode(candidate);
    for (const Fired& fired : case_.mode_rules) {
      if (is_other || fired.verdict.mode == mode_of(candidate.shape)) {
        reasons.push_back(to_reason(fired));
      }
    }
    constexpr std::array<std::string_view, 1> kNotes = {"MD-06"};
    for (const Fired& fired : fired_rules(kNotes, facts_, case_.request.thresholds)) {
      reasons.push_back(to_reason(fired));
    }
  }

  /// Section 6: the size, how many stand side by side, what is stranded here and beside it.
  [[nodiscard]] Reason profile_reason(const Candidate& candidate) const {
    std::string says = fmt::format("{}: {} to a device, {} stranded", candidate.shape.profile_short,
                                   candidate.per_device, size_text(candidate.stranded_bytes));
    if (!candidate.nests) says += "; its size does not nest in the halves of the device";
    const Candidate* smaller = nullptr;
    const Candidate* larger = nullptr;
    for (const Candidate& other : case_.fractions) {
      if (mode_of(other.shape) != mode_of(candidate.shape)) continue;
      if (other.shape.memory_bytes > candidate.shape.memory_bytes) larger = &other;
      if (other.shape.memory_bytes < candidate.shape.memory_bytes && smaller == nullptr) {
        smaller = &other;
      }
    }
    for (const Candidate* neighbour : {smaller, larger}) {
      if (neighbour == nullptr) continue;
      says += fmt::format("; {} {} would strand {}", neighbour == smaller ? "smaller" : "larger",
                          neighbour->shape.profile_short, size_text(neighbour->stranded_bytes));
    }
    return {"profile", std::move(says)};
  }

  void add_group_reasons(const Layout& layout, std::vector<Reason>& reasons) const {
    Facts here = facts_;
    here.gpus_needed = layout.gpus;
    for (const Group& group : case_.groups) {
      if (group.layout.gpus == layout.gpus && group.need) {
        here.need_of_each_bytes = group.need->need_bytes.value_or(group.need->static_bytes);
        here.group = group.candidate.shape.device_group;
        here.interconnect = group.candidate.shape.interconnect;
      }
    }
    if (layout.copies <= 1) here.copies = 1;
    constexpr std::array<std::string_view, 5> kGroupRules = {"MG-05", "MG-01", "MG-02", "MG-04",
                                                             "MD-04"};
    for (const Fired& fired : fired_rules(kGroupRules, here, case_.request.thresholds)) {
      reasons.push_back(to_reason(fired));
    }
  }

  void add_lifecycle_reasons(const Candidate& candidate, std::vector<Reason>& reasons) const {
    const bool is_passthrough = candidate.shape.technology == Technology::Passthrough;
    if (facts_.needs_live_migration && has_hypervisor(facts_.platform) && !is_passthrough) {
      reasons.push_back({"LC-01", rules_text("LC-01")});
    }
    if (facts_.needs_ha && is_passthrough) reasons.push_back({"LC-02", rules_text("LC-02")});
  }

  [[nodiscard]] std::string rules_text(std::string_view id) const {
    const auto verdict = rule(id).function(facts_, case_.request.thresholds);
    return verdict ? verdict->says : std::string();
  }

  static std::string settings_text(const domain::Estimate& estimate) {
    const domain::ResolvedSettings& settings = estimate.settings;
    const auto from = [](const auto& fact) {
      return fact.from.empty() ? std::string(name_of(fact.origin)) : fact.from;
    };
    return fmt::format(
        "max-num-seqs {} ({}), max-num-batched-tokens {} ({}), "
        "gpu-memory-utilization {:.2f} ({})",
        settings.max_num_seqs.value, from(settings.max_num_seqs),
        settings.max_num_batched_tokens.value, from(settings.max_num_batched_tokens),
        settings.gpu_memory_utilization.value, from(settings.gpu_memory_utilization));
  }

  static std::string to_change(const Shape& shape) {
    switch (shape.technology) {
      case Technology::TimeSliced:
        return "power off and on in another VM class; another size needs a device that is empty or "
               "in mixed-size mode";
      case Technology::MigBackedVgpu:
        return "power off and on in another VM class; other instance sizes need their slices "
               "empty, "
               "leaving MIG mode an empty device";
      case Technology::Mig:
        return "recreate the instance: its slices must be empty, leaving MIG mode needs an empty "
               "device";
      case Technology::FullVgpu:
        return shape.count > 1 ? "power off and on in another VM class; another group needs its "
                                 "devices free in one link domain"
                               : "power off and on in another VM class";
      case Technology::Passthrough:
        return "stop the VM and reconfigure the host";
      case Technology::WholeGpu:
      case Technology::Mps:
      case Technology::SoftwareShare:
        break;
    }
    return "restart with another request; a fraction needs a device that is set up for it";
  }

  const DeviceCase& case_;
  const Facts& facts_;
  const Fired* decider_;
  DeviceOffers result_;
};

}  // namespace

DeviceOffers offers_of(const DeviceCase& device_case) { return Offering(device_case).make(); }

std::string shape_text(const Shape& shape) {
  const std::string name = shape.technology == Technology::Passthrough ? "passthrough"
                           : shape.profile_short.empty()               ? "the whole device"
                                                                       : shape.profile_short;
  return shape.count > 1 ? fmt::format("{} x {}", shape.count, name) : name;
}

}  // namespace gpushape::advise
