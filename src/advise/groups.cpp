#include "advise/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "advise/layouts.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::FitsAt;

namespace {

Bytes most_of_whole(const DeviceCase& device_case) {
  return most_of_device(device_case.facts, device_case.request.thresholds);
}

bool holds(const DeviceCase& device_case, const Candidate& candidate, const Need& need) {
  return known_need(need) <= most_of_whole(device_case) &&
         fit_of(candidate, need).at != FitsAt::None;
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

/// The first layout of so many GPUs that holds the need safely, else one that holds it at the
/// expected value, else the refusal of the first.
Group best_group(const DeviceCase& device_case, std::int64_t gpus) {
  std::optional<Group> best;
  for (const LayoutChoice& choice : layouts_on_host(device_case, gpus)) {
    Group group = sized_group(device_case,
                              {.parallelism = choice.parallelism, .gpus = gpus, .why = choice.why});
    const bool is_safe = group.fits && fit_of(group.candidate, *group.need).at == FitsAt::High;
    if (!best || is_safe || (group.fits && !best->fits)) best = std::move(group);
    if (is_safe) break;
  }
  return *std::move(best);
}

/// A group that nobody takes, since a smaller one holds the need: refused as it is.
Group unsized_group(const DeviceCase& device_case, std::int64_t gpus) {
  Group group;
  group.layout = {.parallelism = layouts_on_host(device_case, gpus).front().parallelism,
                  .gpus = gpus};
  group.candidate = *group_candidate(device_case.wish, device_case.facts.platform,
                                     group.layout.parallelism, gpus);
  return group;
}

void size_groups(DeviceCase& device_case) {
  if (!device_case.full) return;
  const bool is_asked = asks_for_layout(device_case.request);
  for (const std::int64_t gpus : kGroupSizes) {
    const bool is_open = gpus <= most_gpus(device_case);
    const bool is_it = gpus_of(asked_parallelism(device_case.request)) == gpus;
    if (is_asked ? !is_it : !is_open) continue;
    const bool is_found = std::ranges::any_of(device_case.groups, [&](const Group& group) {
      return group.fits && links_allow(device_case, group.layout.gpus);
    });
    device_case.groups.push_back(is_found ? unsized_group(device_case, gpus)
                                          : best_group(device_case, gpus));
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
    std::optional<Group> found;
    for (const LayoutChoice& choice : layouts_on_host(device_case, of_host)) {
      if (choice.parallelism.data > 1) continue;  // sequences of their own on each host: copies
      Layout layout{.parallelism = choice.parallelism, .gpus = gpus, .nodes = nodes};
      layout.parallelism.pipeline *= nodes;
      found = sized_group(device_case, layout);
      if (found->fits) break;
    }
    if (!found || !found->fits) continue;
    Group group = *std::move(found);
    const Layout& layout = group.layout;
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
constexpr std::int64_t kCopyTries = 4;      // ours: activation does not shrink with the load

/// The most GPUs that copies may take: as many as one instance, or what the wish allows.
std::int64_t most_gpus_of_copies(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (facts.gpus_needed > 1 && links_allow(device_case, facts.gpus_needed)) {
    return facts.gpus_needed;
  }
  return device_case.wish.is_counted ? device_case.wish.most : kMostCopies;
}

/// The whole load on one copy: as it was sized before, where it was.
std::optional<Need> need_of_one(const DeviceCase& device_case, const Layout& layout) {
  if (layout.gpus == 1 && layout.parallelism == domain::Parallelism{}) return device_case.need;
  for (const Group& group : device_case.groups) {
    if (group.need && group.layout.gpus == layout.gpus && group.layout.nodes == 1 &&
        group.layout.parallelism == layout.parallelism) {
      return group.need;
    }
  }
  return sized_group(device_case, layout).need;
}

/// The fewest copies of so many GPUs each that carry the load, at most `most` GPUs in all.
std::optional<Group> fewest_copies(const DeviceCase& device_case, const LayoutChoice& choice,
                                   std::int64_t gpus, std::int64_t most) {
  const Facts& facts = device_case.facts;
  const double limit = static_cast<double>(most_of_whole(device_case).count());
  const double guard = 1 + guard_of(facts, device_case.request.thresholds).value;
  Layout layout{.parallelism = choice.parallelism, .gpus = gpus, .why = choice.why};
  const std::optional<Need> alone = need_of_one(device_case, layout);
  if (!alone || !alone->dynamic_bytes) return std::nullopt;
  const double room = limit - static_cast<double>(alone->static_bytes.count());
  if (room <= 0) return std::nullopt;
  const double copies =
      std::ceil(static_cast<double>(alone->dynamic_bytes->count()) * guard / room);
  layout.copies = std::max<std::int64_t>(
      2, static_cast<std::int64_t>(std::min(copies, static_cast<double>(kMostCopies))));
  for (std::int64_t attempt = 0; attempt < kCopyTries; ++attempt, ++layout.copies) {
    const auto& concurrency = device_case.request.workload.concurrency;
    if (gpus * layout.copies > most) break;
    if (concurrency && layout.copies > concurrency->value) break;
    Group group = sized_group(device_case, layout);
    if (group.fits && fit_of(group.candidate, *group.need).at == FitsAt::High) return group;
  }
  return std::nullopt;
}

/// MG-05: copies that share the load, each of the smallest shape that holds the weights and its
/// part: several GPUs make the bin larger, copies make more bins, and one that fails takes less
/// along.
void find_copies(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  if (facts.gpus_needed == 1 || facts.layout_is_asked || !device_case.full) return;
  if (facts.role == domain::Role::FineTune) return;  // copies would share no load
  const std::int64_t most = most_gpus_of_copies(device_case);
  for (const std::int64_t gpus : {1, 2, 4, 8}) {
    if (device_case.copies || gpus > most_gpus(device_case) || !links_allow(device_case, gpus)) {
      break;
    }
    for (const LayoutChoice& choice : layouts_on_host(device_case, gpus)) {
      std::optional<Group> group = fewest_copies(device_case, choice, gpus, most);
      const auto& best = device_case.copies;
      if (group && (!best || group->layout.copies < best->layout.copies))
        device_case.copies = std::move(group);
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
    facts.data = group.layout.parallelism.data;
    facts.nodes = group.layout.nodes;
  }
}

}  // namespace

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

void find_groups(DeviceCase& device_case) {
  find_gpus_needed(device_case);
  find_copies(device_case);
  describe_group(device_case);
}

}  // namespace gpushape::advise
