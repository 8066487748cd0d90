#include "advise/device_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "advise/precision.hpp"
#include "advise/software_shares.hpp"
#include "advise/words.hpp"
#include "domain/profile_memory.hpp"

namespace gpushape::advise {

using domain::FitsAt;
using domain::Part;

namespace {

Bytes most_of_whole(const DeviceCase& device_case) {
  return most_of_device(device_case.facts, device_case.request.thresholds);
}

/// What must be held, as far as it is known.
Bytes known_need(const Need& need) { return need.need_bytes.value_or(need.static_bytes); }

bool holds(const DeviceCase& device_case, const Candidate& candidate, const Need& need) {
  return known_need(need) <= most_of_whole(device_case) &&
         fit_of(candidate, need).at != FitsAt::None;
}

const domain::EngineSettings& settings(const AdviceRequest& request) {
  return request.workload.engine;
}

/// The layout that the flags ask for; one GPU along every axis that they leave open.
domain::Parallelism asked_parallelism(const AdviceRequest& request) {
  const auto value = [](const std::optional<domain::Fact<std::int64_t>>& fact) {
    return fact ? fact->value : 1;
  };
  const domain::EngineSettings& engine = settings(request);
  return {.tensor = value(engine.tensor),
          .pipeline = value(engine.pipeline),
          .data = value(engine.data),
          .expert = value(engine.expert)};
}

bool asks_for_layout(const AdviceRequest& request) {
  const domain::EngineSettings& engine = settings(request);
  return engine.tensor || engine.pipeline || engine.data;
}

std::int64_t gpus_of(const domain::Parallelism& parallelism) {
  return parallelism.tensor * parallelism.pipeline * parallelism.data;
}

bool is_training(const AdviceRequest& request) {
  const auto& role = request.workload.role;
  return role && role->value == domain::Role::FineTune;
}

/// Servers that run one instance as stages, each on some GPUs.
bool has_stages(const AdviceRequest& request) {
  const std::string& engine = settings(request).engine.value;
  return engine == "vllm" || engine == "sglang" || engine == "tensorrt-llm";
}

/// The GPUs of one host that share each layer (tensor parallel), and the stages that follow one
/// another (pipeline parallel): layers are shared within a link domain where there is a choice
/// (MG-04), and by a number that divides the heads.
domain::Parallelism layout_on_host(const DeviceCase& device_case, std::int64_t gpus) {
  const AdviceRequest& request = device_case.request;
  domain::Parallelism parallelism = asked_parallelism(request);
  if (asks_for_layout(request)) return parallelism;
  // A trainer deals weights and states out to data parallel GPUs (ZeRO, FSDP) before it splits
  // layers.
  if (is_training(request)) {
    parallelism.data = gpus;
    return parallelism;
  }
  parallelism.tensor = gpus;
  if (!request.model || !has_stages(request)) return parallelism;
  const Facts& facts = device_case.facts;
  const std::int64_t heads = facts.attention_heads;
  const auto halve = [&] {
    parallelism.tensor /= 2;
    parallelism.pipeline *= 2;
  };
  while (!has_hypervisor(facts.platform) && parallelism.tensor > 1 &&
         parallelism.tensor > facts.link_domain_size) {
    halve();
  }
  while (heads > 0 && parallelism.tensor % 2 == 0 && heads % parallelism.tensor != 0) halve();
  return parallelism;
}

void find_largest_fraction(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  const FractionMode mode = preferred_mode(device_case);
  const Fired* refusal = nullptr;
  for (const Candidate& fraction : device_case.fractions) {
    if (const Fired* refuses = refusing_mode_rule(device_case, fraction)) {
      refusal = refuses;
      continue;
    }
    if (facts.largest_fraction.empty() && mode_of(fraction.shape) == mode) {
      facts.largest_fraction = fraction.shape.profile_short;
      facts.largest_fraction_bytes = fraction.shape.memory_bytes;
    }
  }
  if (!facts.largest_fraction.empty()) return;
  facts.why_no_fraction = refusal != nullptr
                              ? fmt::format("{} has no fraction for it: {} ({})", facts.device,
                                            refusal->verdict.says, refusal->id)
                              : fmt::format("{} has no profile that leaves it shareable on {}",
                                            facts.device, name_of(facts.platform));
}

/// The smallest usable size of a mode that holds the need.
std::optional<Bytes> smallest_holding(const DeviceCase& device_case, FractionMode mode) {
  std::optional<Bytes> smallest;
  if (!device_case.facts.need_bytes) return smallest;
  for (const Candidate& fraction : device_case.fractions) {
    const Bytes usable = fraction.shape.memory_bytes;
    if (!fraction.nests || mode_of(fraction.shape) != mode) continue;
    if (usable < *device_case.facts.need_bytes) continue;
    smallest = std::min(smallest.value_or(usable), usable);
  }
  return smallest;
}

void take_need(Facts& facts, const Need& need) {
  facts.static_bytes = need.static_bytes;
  facts.dynamic_bytes = need.dynamic_bytes;
  facts.dynamic_is_ceiling = need.dynamic_is_ceiling;
  facts.ceiling_bytes = need.ceiling_bytes;
  facts.need_bytes = need.need_bytes;
}

/// Where neither a vGPU nor a MIG instance is to be had, or one is asked for.
bool wants_software_shares(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (has_hypervisor(facts.platform) || device_case.request.profile) return false;
  return device_case.fractions.empty() || !facts.image_supports_mig ||
         (facts.asked_technology && is_software_share(*facts.asked_technology));
}

Group sized_group(const DeviceCase& device_case, const Layout& layout) {
  const Wish& wish = device_case.wish;
  Group group;
  group.layout = layout;
  group.candidate =
      *group_candidate(wish, device_case.facts.platform, layout.parallelism, layout.gpus);
  if (layout.nodes > 1) {
    group.candidate.shape.nodes = layout.nodes;
    group.candidate.shape.interconnect = "network";
  }
  const std::int64_t heads = device_case.facts.attention_heads;
  if (heads > 0 && heads % layout.parallelism.tensor != 0) {
    group.refusal =
        fmt::format("{} attention heads do not divide by {}", heads, layout.parallelism.tensor);
    return group;
  }
  Result<Need> need = size_workload(device_case.request, device_case.facts, layout,
                                    memory_of(wish, group.candidate));
  if (!need) {
    group.refusal = need.error().front().message;
    return group;
  }
  group.fits = holds(device_case, group.candidate, *need);
  group.need = *std::move(need);
  if (!group.fits) {
    const Fit fit = fit_of(group.candidate, *group.need);
    group.refusal =
        !fit.refusal.empty()
            ? fit.refusal
            : fmt::format("{} on each of {} exceeds {}", size_text(known_need(*group.need)),
                          layout.gpus,
                          most_of_device_text(device_case.facts, device_case.request.thresholds));
  }
  return group;
}

std::int64_t most_gpus(const DeviceCase& device_case) {
  const std::int64_t on_host = gpus_on_host(device_case.wish);
  return on_host > 0 ? std::min(device_case.wish.most, on_host) : device_case.wish.most;
}

/// vGPUs exchange data over NVLink only (MG-04).
bool links_allow(const DeviceCase& device_case, std::int64_t gpus) {
  return gpus <= device_case.facts.link_domain_size || !has_hypervisor(device_case.facts.platform);
}

constexpr std::int64_t kMostNodes = 8;  // ours: more hosts for one instance are no usual layout

/// GPUs of one host that a group over several of them takes: the largest power of two.
std::int64_t gpus_of_each_host(const DeviceCase& device_case) {
  std::int64_t gpus = 1;
  while (gpus * 2 <= std::min<std::int64_t>(gpus_on_host(device_case.wish), kGroupSizes.back())) {
    gpus *= 2;
  }
  return gpus;
}

void size_groups(DeviceCase& device_case) {
  if (!device_case.full) return;
  const bool is_asked = asks_for_layout(device_case.request);
  for (const std::int64_t gpus : kGroupSizes) {
    const domain::Parallelism parallelism = layout_on_host(device_case, gpus);
    if (is_asked ? gpus_of(parallelism) != gpus : gpus > most_gpus(device_case)) continue;
    device_case.groups.push_back(sized_group(device_case, {parallelism, gpus, 1}));
  }
  if (!is_asked || has_hypervisor(device_case.facts.platform)) return;
  // The layout that is asked for goes over several hosts.
  const domain::Parallelism asked = asked_parallelism(device_case.request);
  const std::int64_t of_host = gpus_of_each_host(device_case);
  const std::int64_t total = gpus_of(asked);
  if (total <= kGroupSizes.back() || total % of_host != 0 || total / of_host > kMostNodes) return;
  device_case.groups.push_back(sized_group(device_case, {asked, total, 1, total / of_host}));
}

/// What no host holds: the same stages on further hosts, as vLLM does with Ray or a
/// LeaderWorkerSet. A VM does not span hosts.
void size_over_hosts(DeviceCase& device_case) {
  const AdviceRequest& request = device_case.request;
  if (!device_case.full || asks_for_layout(request) || is_training(request)) return;
  if (!request.model || !has_stages(request) || gpus_on_host(device_case.wish) < 1) return;
  const std::int64_t of_host = gpus_of_each_host(device_case);
  // Of GPUs that nobody named, only those whose hosts are one link domain.
  if (device_case.wish.is_any && device_case.facts.link_domain_size < kGroupSizes.back()) return;
  for (std::int64_t nodes = 2; nodes <= kMostNodes; ++nodes) {
    const std::int64_t gpus = of_host * nodes;
    if (device_case.wish.is_counted && gpus > device_case.wish.most) return;
    Layout layout{layout_on_host(device_case, of_host), gpus, 1, nodes};
    layout.parallelism.pipeline *= nodes;
    Group group = sized_group(device_case, layout);
    if (!group.fits) continue;
    if (has_hypervisor(device_case.facts.platform)) {
      group.fits = false;
      group.refusal = fmt::format(
          "{} GPUs over {} hosts would hold it (tensor {} x pipeline {}), but a VM does not span "
          "hosts: ask for --platform kubernetes, a lower precision or a larger GPU",
          gpus, nodes, layout.parallelism.tensor, layout.parallelism.pipeline);
    }
    device_case.groups.push_back(std::move(group));
    return;
  }
}

void find_gpus_needed(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  facts.gpus_needed = 0;
  facts.why_not_one = fit_of(device_case.whole(), *device_case.need).refusal;
  if (asks_for_layout(device_case.request)) {
    facts.gpus_needed = gpus_of(asked_parallelism(device_case.request));
    facts.layout_is_asked = facts.gpus_needed > 1;
  } else if (holds(device_case, device_case.whole(), *device_case.need)) {
    facts.gpus_needed = 1;
  }
  // A device that holds the need only at the expected value is no safe answer: look at groups too.
  const bool is_safe =
      facts.gpus_needed == 1 && fit_of(device_case.whole(), *device_case.need).at == FitsAt::High;
  if (!is_safe) size_groups(device_case);
  if (facts.gpus_needed != 0) return;
  if (std::ranges::none_of(device_case.groups, &Group::fits)) size_over_hosts(device_case);
  for (const Group& group : device_case.groups) {
    if (!group.fits || !links_allow(device_case, group.layout.gpus)) continue;
    facts.gpus_needed = group.layout.gpus;
    return;
  }
  // None that the links allow: name the size that would do, for the refusal.
  for (const Group& group : device_case.groups) {
    if (group.fits && facts.gpus_needed == 0) facts.gpus_needed = group.layout.gpus;
  }
}

constexpr std::int64_t kMostCopies = 1024;  // ours: past it the load was mistyped
constexpr std::int64_t kTries = 4;          // ours: activation does not shrink with the load

/// The most GPUs that copies may take: as many as one instance, or what the wish allows.
std::int64_t most_gpus_of_copies(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (facts.gpus_needed > 1 && links_allow(device_case, facts.gpus_needed)) {
    return facts.gpus_needed;
  }
  return device_case.wish.is_counted ? device_case.wish.most : kMostCopies;
}

/// MG-05: copies that share the load, each of the smallest shape that holds the weights and its
/// part: several GPUs make the bin larger, copies make more bins, and one that fails takes less
/// along.
void find_copies(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  if (facts.gpus_needed == 1 || facts.layout_is_asked || !device_case.full) return;
  if (facts.role == domain::Role::FineTune) return;  // copies would share no load
  const std::int64_t most = most_gpus_of_copies(device_case);
  const double limit = static_cast<double>(most_of_whole(device_case).count());
  const double guard = 1 + guard_of(facts, device_case.request.thresholds).value;
  for (const std::int64_t gpus : {1, 2, 4, 8}) {
    if (device_case.copies || gpus > most_gpus(device_case) || !links_allow(device_case, gpus)) {
      break;
    }
    Layout layout{layout_on_host(device_case, gpus), gpus, 1};
    const Group alone = sized_group(device_case, layout);
    if (!alone.need || !alone.need->dynamic_bytes) continue;
    const double room = limit - static_cast<double>(alone.need->static_bytes.count());
    if (room <= 0) continue;
    const double copies =
        std::ceil(static_cast<double>(alone.need->dynamic_bytes->count()) * guard / room);
    layout.copies = std::max<std::int64_t>(
        2, static_cast<std::int64_t>(std::min(copies, static_cast<double>(kMostCopies))));
    for (std::int64_t attempt = 0; attempt < kTries; ++attempt, ++layout.copies) {
      const auto& concurrency = device_case.request.workload.concurrency;
      if (gpus * layout.copies > most) break;
      if (concurrency && layout.copies > concurrency->value) break;
      Group group = sized_group(device_case, layout);
      if (!group.fits || fit_of(group.candidate, *group.need).at != FitsAt::High) continue;
      device_case.copies = std::move(group);
      break;
    }
  }
  if (!device_case.copies) return;
  facts.copies = device_case.copies->layout.copies;
  facts.gpus_of_a_copy = device_case.copies->layout.gpus;
  facts.sequences_in_one =
      concurrency_of(device_case.request.workload, device_case.copies->layout).value_or(0);
}

void describe_group(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  for (const Group& group : device_case.groups) {
    if (group.layout.gpus != facts.gpus_needed || !group.need) continue;
    facts.need_of_each_bytes = known_need(*group.need);
    facts.group = group.candidate.shape.device_group;
    facts.interconnect = group.candidate.shape.interconnect;
    facts.tensor = group.layout.parallelism.tensor;
    facts.nodes = group.layout.nodes;
  }
}

}  // namespace

domain::VisibleMemory memory_of(const Wish& wish, const Candidate& candidate) {
  domain::VisibleMemory memory = domain::visible_memory(wish.device, candidate.profile);
  if (!is_software_share(candidate.shape.technology)) return memory;
  memory.profile = candidate.shape.profile_short;
  memory.bytes = domain::exactly(candidate.shape.memory_bytes);
  memory.source = "the limit of the share";
  return memory;
}

const Fired* refusing_mode_rule(const DeviceCase& device_case, const Candidate& fraction) {
  // MD-03 prefers a mode, the others refuse the other one. MIG instances outside a vGPU are the
  // only fraction of their platform; what asks for MIG cannot refuse them.
  const FractionMode mode = mode_of(fraction.shape);
  for (const Fired& fired : device_case.mode_rules) {
    if (fired.id != "MD-03" && fired.verdict.mode != mode) return &fired;
  }
  return nullptr;
}

FractionMode preferred_mode(const DeviceCase& device_case) {
  const std::optional<domain::Technology>& asked = device_case.facts.asked_technology;
  FractionMode mode = FractionMode::TimeSliced;
  if (!device_case.mode_rules.empty()) {
    mode = *device_case.mode_rules.front().verdict.mode;
  } else if (asked == domain::Technology::Mig || asked == domain::Technology::MigBackedVgpu ||
             asked == domain::Technology::Partition) {
    mode = FractionMode::Mig;
  }
  const bool is_there = std::ranges::any_of(device_case.fractions, [&](const Candidate& fraction) {
    return mode_of(fraction.shape) == mode && refusing_mode_rule(device_case, fraction) == nullptr;
  });
  if (is_there) return mode;
  return mode == FractionMode::Mig ? FractionMode::TimeSliced : FractionMode::Mig;
}

const Fired* deciding_rule(const DeviceCase& device_case) {
  for (const Fired& fired : device_case.shape_rules) {
    if (fired.verdict.model) return &fired;
  }
  return nullptr;
}

Fit fit_of(const Candidate& candidate, const Need& need) {
  const Bytes usable = candidate.shape.memory_bytes;
  Fit fit;
  if (!need.estimate || !need.estimate->capacity) {
    fit.headroom_bytes = usable - known_need(need);
    fit.at = fit.headroom_bytes.count() >= 0 ? FitsAt::High : FitsAt::None;
    if (fit.at == FitsAt::None) {
      fit.refusal =
          need.static_bytes > usable
              ? fmt::format("the static part of {} alone exceeds {}", size_text(need.static_bytes),
                            size_text(usable))
              : fmt::format("the need of {} exceeds {} by {}", size_text(known_need(need)),
                            size_text(usable), size_text(known_need(need) - usable));
    }
    return fit;
  }
  const domain::Estimate& estimate = *need.estimate;
  const domain::Capacity& capacity = *estimate.capacity;
  fit.at = capacity.fits_at;
  const Bytes cache = domain::part_bytes(estimate, Part::KvCache).high +
                      domain::part_bytes(estimate, Part::State).high;
  fit.headroom_bytes = capacity.kv_pool_bytes.low - cache;
  if (domain::is_training(estimate))
    fit.headroom_bytes = capacity.visible_bytes.low - estimate.total_bytes.high;
  if (fit.at != FitsAt::None) return fit;
  const Bytes visible = capacity.visible_bytes.expected;
  const Bytes weights = domain::part_bytes(estimate, Part::Weights).expected;
  if (weights > visible) {
    fit.refusal = fmt::format("weights {} alone exceed {}", size_text(weights), size_text(visible));
  } else {
    const Bytes pool = std::max(Bytes(0), capacity.kv_pool_bytes.expected);
    const Bytes wanted = domain::part_bytes(estimate, Part::KvCache).expected +
                         domain::part_bytes(estimate, Part::State).expected;
    fit.refusal =
        wanted > pool
            ? fmt::format("the cache of {} exceeds {} left beside weights {} and activation by {}",
                          size_text(wanted), size_text(pool), size_text(weights),
                          size_text(wanted - pool))
            : fmt::format("{} in all exceed {}", size_text(estimate.total_bytes.expected),
                          size_text(visible));
  }
  return fit;
}

Result<DeviceCase> examine(const AdviceRequest& request, const Wish& wish, const Facts& declared) {
  DeviceCase device_case{.request = request,
                         .wish = wish,
                         .facts = declared,
                         .fractions = {},
                         .full = {},
                         .passthrough = {},
                         .need = {},
                         .groups = {},
                         .copies = {},
                         .shape_rules = {},
                         .mode_rules = {}};
  Facts& facts = device_case.facts;
  facts.device = wish.device.id;
  facts.mig_instances = wish.device.mig_max_instances;
  facts.link_domain_size = link_domain_size(wish);
  device_case.fractions =
      fraction_candidates(wish, facts.platform, request.profile, request.thresholds);
  if (wants_software_shares(device_case)) {
    std::ranges::move(
        software_shares(wish, facts.platform, facts.asked_technology, request.thresholds),
        std::back_inserter(device_case.fractions));
    std::ranges::stable_sort(device_case.fractions, std::ranges::greater{},
                             [](const Candidate& fraction) { return fraction.shape.memory_bytes; });
  }
  facts.has_time_sliced = std::ranges::any_of(device_case.fractions, [](const Candidate& fraction) {
    return mode_of(fraction.shape) == FractionMode::TimeSliced;
  });
  device_case.full = full_candidate(wish, facts.platform);
  if (has_hypervisor(facts.platform)) device_case.passthrough = passthrough_candidate(wish);
  facts.device_bytes = device_case.whole().shape.memory_bytes;
  facts.physical_bytes = device_case.wish.device.visible_bytes.expected;

  device_case.mode_rules = fired_mode_rules(facts, request.thresholds);
  find_largest_fraction(device_case);

  const Layout alone{};
  Result<Need> whole = size_workload(request, facts, alone, memory_of(wish, device_case.whole()));
  if (!whole) return std::unexpected(whole.error());
  device_case.need = *std::move(whole);
  find_gpus_needed(device_case);
  find_copies(device_case);
  describe_group(device_case);
  find_narrower_layout(device_case);
  take_need(facts, *device_case.need);
  // In a fraction the engine takes a smaller batch; what the rules compare is the need there.
  for (const Candidate& fraction : device_case.fractions) {
    if (facts.gpus_needed != 1 || fraction.shape.profile_short != facts.largest_fraction) continue;
    if (Result<Need> need = size_workload(request, facts, alone, memory_of(wish, fraction))) {
      take_need(facts, *need);
    }
    break;
  }
  facts.time_sliced_bytes = smallest_holding(device_case, FractionMode::TimeSliced);
  facts.mig_bytes = smallest_holding(device_case, FractionMode::Mig);
  device_case.mode_rules = fired_mode_rules(facts, request.thresholds);
  device_case.shape_rules = fired_shape_rules(facts, request.thresholds);
  return device_case;
}

}  // namespace gpushape::advise
