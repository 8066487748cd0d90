#include "advise/wish_documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "advise/contract_of.hpp"
#include "advise/device_case.hpp"
#include "advise/evidence.hpp"
#include "advise/facts.hpp"
#include "advise/offers.hpp"
#include "advise/precision.hpp"
#include "advise/sizing.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::JointValue;
using domain::RankedShape;
using domain::Shape;
using domain::WishDocument;

namespace {

/// One wish with an answer.
struct Chosen {
  std::size_t place = 0;  ///< in Advice::shapes
  const RankedShape* ranked = nullptr;
  const Wish* wish = nullptr;
};

bool has_pods(domain::Platform platform) {
  return platform == domain::Platform::Kubernetes || platform == domain::Platform::Vks;
}

/// "40C of l40s", "2 x h100-sxm-80".
std::string label_of(const Shape& shape) {
  const bool is_passthrough = shape.technology == domain::Technology::Passthrough;
  const std::string name = shape.profile_short.empty()
                               ? shape.device + (is_passthrough ? " by passthrough" : "")
                               : fmt::format("{} of {}", shape.profile_short, shape.device);
  return shape.count > 1 ? fmt::format("{} x {}", shape.count, name) : name;
}

Layout layout_of(const RankedShape& ranked, std::int64_t stated_replicas) {
  return {.parallelism = ranked.shape.parallelism,
          .gpus = ranked.shape.count,
          .copies = ranked.replicas / std::max<std::int64_t>(1, stated_replicas),
          .nodes = ranked.shape.nodes};
}

std::string layout_text(const RankedShape& ranked) {
  const domain::Parallelism& layout = ranked.shape.parallelism;
  std::string text = counted(ranked.shape.count, "GPU");
  const auto add = [&text](std::string_view axis, std::int64_t ranks) {
    if (ranks > 1) text += fmt::format(", {} {}", axis, ranks);
  };
  add("tensor", layout.tensor);
  add("pipeline", layout.pipeline);
  add("data", layout.data);
  add("expert", layout.expert);
  add("hosts", ranked.shape.nodes);
  add("replicas", ranked.replicas);
  return text;
}

/// What keeps two shapes out of one pod, whatever its flags are; empty: nothing.
std::string unlike_layout(const RankedShape& first, const RankedShape& other) {
  const bool is_alike =
      first.shape.count == other.shape.count && first.shape.nodes == other.shape.nodes &&
      first.shape.parallelism == other.shape.parallelism && first.replicas == other.replicas;
  if (is_alike && first.quantization == other.quantization) return {};
  if (is_alike)
    return fmt::format("other weights: {}",
                       other.quantization ? name_of(*other.quantization) : "as asked for");
  return fmt::format("another layout: {}, where {} has {}", layout_text(other),
                     label_of(first.shape), layout_text(first));
}

/// Settings of the engine that hold on the smallest of several devices: the smallest of each.
struct CommonSettings {
  std::optional<std::int64_t> batched_tokens;
  std::optional<double> utilization;
};

template <class T>
void take_least(std::optional<T>& least, const std::optional<T>& value) {
  if (value && (!least || *value < *least)) least = value;
}

CommonSettings common_settings(const std::vector<Chosen>& chosen) {
  CommonSettings common;
  for (const Chosen& one : chosen) {
    take_least(common.batched_tokens, one.ranked->max_num_batched_tokens);
    take_least(common.utilization, one.ranked->gpu_memory_utilization);
  }
  return common;
}

template <class T>
void set_where_open(std::optional<domain::Fact<T>>& fact, const std::optional<T>& value) {
  if (fact || !value) return;
  fact = domain::Fact<T>{.value = *value,
                         .origin = domain::Origin::Computed,
                         .from = "the least of the wishes of one pod"};
}

Candidate candidate_of(const Chosen& one) {
  Candidate candidate;
  candidate.shape = one.ranked->shape;
  const auto& profiles = one.wish->device.profiles;
  const auto found = std::ranges::find_if(profiles, [&](const domain::Profile& profile) {
    return !candidate.shape.profile.empty() && profile.name == candidate.shape.profile &&
           profile.technology == candidate.shape.technology;
  });
  if (found != profiles.end()) candidate.profile = &*found;
  return candidate;
}

/// The shape of a wish with the settings and amounts of its pod. Nothing where it does not fit as
/// well as with its own.
std::optional<RankedShape> in_pod(const AdviceRequest& request, const Facts& declared,
                                  const Chosen& one, const std::optional<PodAmounts>& pod) {
  const Result<DeviceCase> device_case = examine(request, *one.wish, declared);
  if (!device_case) return std::nullopt;
  const Candidate candidate = candidate_of(one);
  const Layout layout = layout_of(*one.ranked, declared.replicas);
  const Result<Need> need =
      size_workload(request, device_case->facts, layout, memory_of(*one.wish, candidate));
  if (!need) return std::nullopt;
  const Fit fit = fit_of(candidate, *need);
  if (fit.at > one.ranked->fits_at) return std::nullopt;
  RankedShape ranked = *one.ranked;
  ranked.fits_at = fit.at;
  ranked.headroom_bytes = fit.headroom_bytes;
  ranked.estimate = need->estimate;
  if (need->estimate) take_settings(*need->estimate, request.workload, ranked);
  ranked.contract = contract_of(*device_case, ranked, *need, layout, pod);
  return ranked;
}

std::optional<std::vector<RankedShape>> all_in_pod(const AdviceRequest& request,
                                                   const Facts& declared,
                                                   const std::vector<Chosen>& chosen,
                                                   const std::optional<PodAmounts>& pod) {
  std::vector<RankedShape> shapes;
  for (const Chosen& one : chosen) {
    std::optional<RankedShape> ranked = in_pod(request, declared, one, pod);
    if (!ranked) return std::nullopt;
    shapes.push_back(*std::move(ranked));
  }
  return shapes;
}

PodAmounts largest_amounts(const std::vector<RankedShape>& shapes) {
  PodAmounts pod;
  for (const RankedShape& ranked : shapes) {
    pod.vcpus = std::max(pod.vcpus, ranked.contract.vcpus);
    pod.memory_bytes = std::max(pod.memory_bytes, ranked.contract.memory_bytes);
    pod.shared_memory_bytes =
        std::max(pod.shared_memory_bytes, ranked.contract.shared_memory_bytes);
  }
  return pod;
}

/// What every host gives where one of them cannot give the largest amounts.
PodAmounts smallest_amounts(const std::vector<RankedShape>& shapes) {
  PodAmounts pod = largest_amounts(shapes);
  for (const RankedShape& ranked : shapes) {
    pod.vcpus = std::min(pod.vcpus, ranked.contract.vcpus);
    pod.memory_bytes = std::min(pod.memory_bytes, ranked.contract.memory_bytes);
  }
  return pod;
}

/// Shapes of one pod with equal amounts: the largest that each would have, or what the smallest
/// host gives of them. Nothing where their hosts have no amounts in common.
std::optional<std::vector<RankedShape>> with_equal_amounts(const AdviceRequest& request,
                                                           const Facts& declared,
                                                           const std::vector<Chosen>& chosen) {
  std::optional<std::vector<RankedShape>> shapes =
      all_in_pod(request, declared, chosen, std::nullopt);
  if (!shapes) return std::nullopt;
  PodAmounts wanted = largest_amounts(*shapes);
  constexpr int kTries = 3;  // the largest, what the smallest host gives, and what that rounds to
  for (int attempt = 0; attempt < kTries; ++attempt) {
    shapes = all_in_pod(request, declared, chosen, wanted);
    if (!shapes) return std::nullopt;
    const PodAmounts given = smallest_amounts(*shapes);
    if (given == largest_amounts(*shapes)) return shapes;
    wanted = given;
  }
  return std::nullopt;
}

/// Those of one pod, or nothing where no flags or amounts hold for all.
std::optional<std::vector<RankedShape>> joined(AdviceRequest request, const Facts& declared,
                                               const std::vector<Chosen>& chosen) {
  if (const auto& narrower = chosen.front().ranked->quantization)
    request = with_weights(request, *narrower);
  const CommonSettings common = common_settings(chosen);
  domain::EngineSettings& engine = request.workload.engine;
  set_where_open(engine.max_num_batched_tokens, common.batched_tokens);
  if (!engine.kv_cache_memory_bytes)
    set_where_open(engine.gpu_memory_utilization, common.utilization);
  return with_equal_amounts(request, declared, chosen);
}

using ValueOf = std::function<std::string(const RankedShape&)>;

struct JointRow {
  std::string_view what;
  ValueOf value;
};

std::vector<JointRow> joint_rows() {
  return {
      {"vCPU", [](const RankedShape& ranked) { return fmt::format("{}", ranked.contract.vcpus); }},
      {"RAM", [](const RankedShape& ranked) { return size_text(ranked.contract.memory_bytes); }},
      {"shared memory",
       [](const RankedShape& ranked) { return size_text(ranked.contract.shared_memory_bytes); }},
      {"max-num-batched-tokens",
       [](const RankedShape& ranked) {
         return ranked.max_num_batched_tokens ? fmt::format("{}", *ranked.max_num_batched_tokens)
                                              : std::string();
       }},
      {"gpu-memory-utilization",
       [](const RankedShape& ranked) {
         return ranked.gpu_memory_utilization ? fmt::format("{}", *ranked.gpu_memory_utilization)
                                              : std::string();
       }},
  };
}

/// Which wish each value comes from: the first that would have it by itself.
std::vector<JointValue> joint_values(const std::vector<RankedShape>& shapes,
                                     const std::vector<Chosen>& chosen) {
  std::vector<JointValue> values;
  for (const JointRow& row : joint_rows()) {
    const std::string value = row.value(shapes.front());
    if (value.empty()) continue;
    std::vector<std::string> others;
    std::optional<std::size_t> decided_by;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::string own = row.value(*chosen[i].ranked);
      if (own == value) {
        if (!decided_by) decided_by = i;
      } else {
        others.push_back(fmt::format("{} alone: {}", label_of(chosen[i].ranked->shape), own));
      }
    }
    JointValue joint{.what = std::string(row.what), .value = value, .decided_by = 0, .says = {}};
    joint.decided_by = decided_by.value_or(0);
    if (others.empty()) {
      joint.says = "the same for each";
    } else if (decided_by) {
      joint.says = fmt::format("decided by {}; {}", label_of(chosen[*decided_by].ranked->shape),
                               fmt::join(others, ", "));
    } else {
      joint.says = fmt::format("what all of their hosts give; {}", fmt::join(others, ", "));
    }
    values.push_back(std::move(joint));
  }
  return values;
}

std::vector<Chosen> chosen_of(const AdviceRequest& request, const domain::Advice& advice) {
  std::vector<Chosen> chosen;
  for (const std::size_t place : best_of_each_wish(advice)) {
    const RankedShape& ranked = advice.shapes[place];
    const auto wish = std::ranges::find_if(request.wishes, [&](const Wish& row) {
      return row.rank == ranked.wish && row.device.id == ranked.shape.device;
    });
    if (wish != request.wishes.end()) chosen.push_back({place, &ranked, &*wish});
  }
  return chosen;
}

/// A document under way.
struct Pod {
  std::vector<Chosen> chosen;
  std::vector<RankedShape> shapes;
  std::string why_apart;
};

/// Puts a wish into the first group that it can share a pod with, or into one of its own.
void place_wish(const AdviceRequest& request, const Facts& declared, const Chosen& one,
                std::vector<Pod>& groups) {
  std::string why_apart;
  for (Pod& group : groups) {
    std::string unlike = unlike_layout(*group.chosen.front().ranked, *one.ranked);
    if (unlike.empty()) {
      std::vector<Chosen> both = group.chosen;
      both.push_back(one);
      if (auto shapes = joined(request, declared, both)) {
        group.chosen = std::move(both);
        group.shapes = *std::move(shapes);
        return;
      }
      unlike = fmt::format("no flags and no amounts hold for it and for {} alike",
                           label_of(group.chosen.front().ranked->shape));
    }
    if (why_apart.empty()) why_apart = std::move(unlike);
  }
  groups.push_back({{one}, {*one.ranked}, std::move(why_apart)});
}

}  // namespace

std::vector<std::size_t> best_of_each_wish(const domain::Advice& advice) {
  std::vector<std::size_t> best;
  for (std::size_t place = 0; place < advice.shapes.size(); ++place) {
    const RankedShape& shape = advice.shapes[place];
    const bool has_wish = std::ranges::any_of(
        best, [&](std::size_t other) { return advice.shapes[other].wish == shape.wish; });
    if (!has_wish && shape.fits_at != domain::FitsAt::None) best.push_back(place);
  }
  std::ranges::stable_sort(best, {}, [&](std::size_t place) { return advice.shapes[place].wish; });
  return best;
}

Result<std::vector<WishDocument>> join_wishes(const AdviceRequest& asked,
                                              const domain::Advice& advice) {
  const std::vector<Chosen> chosen = chosen_of(asked, advice);
  if (chosen.size() < 2 || !has_pods(advice.platform)) return std::vector<WishDocument>{};
  const Result<AdviceRequest> request = with_evidence(asked);
  if (!request) return std::unexpected(request.error());
  Facts declared = declared_facts(request->workload, request->model ? &*request->model : nullptr,
                                  request->thresholds);
  if (advice.estimate && advice.estimate->traffic)
    take_spread(request->workload, *advice.estimate->traffic, request->thresholds, declared);
  take_evidence(*request, measured_share(asked), declared);

  std::vector<Pod> groups;
  for (const Chosen& one : chosen) place_wish(*request, declared, one, groups);
  std::vector<WishDocument> documents;
  for (Pod& group : groups) {
    WishDocument document;
    if (group.chosen.size() > 1) document.joint = joint_values(group.shapes, group.chosen);
    for (const Chosen& one : group.chosen) document.places.push_back(one.place);
    document.shapes = std::move(group.shapes);
    document.why_apart = std::move(group.why_apart);
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace gpushape::advise
