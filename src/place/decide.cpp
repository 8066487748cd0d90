#include "place/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "place/demand.hpp"
#include "place/exact.hpp"
#include "place/fragmentation.hpp"
#include "place/happiness.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

using domain::PlacementAttempt;
using domain::PlacementDecision;
using domain::PlacementRequest;
using domain::ResourceContract;

namespace {

domain::RefusedHost refused_host(const Snapshot& snapshot, std::size_t host, const Request& request,
                                 domain::Refusal refusal) {
  const auto row = std::ranges::find(filters(), refusal, &FilterRow::refusal);
  const WantedFound words = row->words(snapshot, host, request);
  return {.host = snapshot.host(host).name,
          .refusal = refusal,
          .wanted = words.wanted,
          .found = words.found};
}

/// Every host refused with its reason, or with its goodness.
PlacementAttempt attempt(const Snapshot& snapshot, const Request& request,
                         const Distribution& distribution, const DecideInput& input,
                         std::optional<Choice>& best) {
  PlacementAttempt result;
  result.shape = words_of(request.asked);
  result.request = request.asked;
  const bool weighs_touch = input.policy.name.ends_with("touch");
  Offers offers(snapshot.states(), distribution);
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (const auto refusal = refusal_of(snapshot, host, request)) {
      result.refused.push_back(refused_host(snapshot, host, request, *refusal));
      continue;
    }
    const HostChoice choice =
        input.policy.best_on_host({.snapshot = snapshot,
                                   .host = host,
                                   .request = request,
                                   .distribution = distribution,
                                   .weights = input.weights,
                                   .offers = offers,
                                   .serving = serving_gpus(snapshot, host, request)});
    const HostRow& row = snapshot.row(host);
    const std::vector<StateId> gpus = gpus_after(snapshot, row, request, choice.option);
    const Fragmentation before = fragmentation_of(snapshot.states(), view_of(row), distribution);
    const Fragmentation after =
        fragmentation_of(snapshot.states(), view_after(row, request, gpus), distribution);
    result.candidates.push_back(
        {.host = snapshot.host(host).name,
         .goodness = 100 * goodness(snapshot, host, request, choice.option, input.weights),
         .parts = explain_goodness(snapshot, host, request, choice.option, input.weights),
         .fragmentation_change =
             weighs_touch ? after.touch - before.touch : after.fill - before.fill});
    if (!best || choice.key > best->key) {
      best = {.host = host, .option = choice.option, .key = choice.key};
    }
  }
  return result;
}

std::string gpu_names(const Snapshot& snapshot, const Choice& choice) {
  std::vector<std::string> names;
  for (const int gpu : gpus_of(choice.option.gpus)) {
    names.push_back(snapshot.host(choice.host).gpus[static_cast<std::size_t>(gpu)].id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string why(const Snapshot& snapshot, const Request& request, const Choice& choice,
                const PolicyRow& policy, std::size_t candidates) {
  const bool is_whole =
      request.gpus > 1 ||
      snapshot.states()
          .fit(snapshot.row(choice.host)
                   .gpus[static_cast<std::size_t>(gpus_of(choice.option.gpus).front())],
               request.shape)
          .is_whole;
  const std::string_view device_rule = is_whole && !policy.weighs_distribution
                                           ? std::string_view("fewest free link domains broken")
                                           : policy.device_rule;
  return fmt::format(
      "{}: {}; {}: {}", snapshot.host(choice.host).name,
      candidates == 1 ? std::string_view("the only compatible host") : policy.host_rule,
      gpu_names(snapshot, choice), device_rule);
}

void tell_consequence(PlacementDecision& decision, const Expected& expected,
                      const Fragmentation& before, const Fragmentation& after) {
  decision.fragmentation = {.idle_before = before.idle,
                            .idle_after = after.idle,
                            .touch_before = before.touch,
                            .touch_after = after.touch,
                            .fill_before = before.fill,
                            .fill_after = after.fill};
  for (std::size_t i = 0; i < expected.shapes.size(); ++i) {
    decision.slots.push_back({.shape = words_of(expected.shapes[i].second),
                              .before = before.shapes[i].slots,
                              .after = after.shapes[i].slots});
  }
}

/// One request for each profile of the device, GPUs alone: CPU and memory take no part.
Distribution profiles_of(const Snapshot& snapshot, const DeviceGeometry& device) {
  Distribution profiles;
  const auto add = [&](domain::GpuUse use, const std::string& profile) {
    PlacementRequest request;
    request.use = use;
    request.profile = profile;
    request.devices = {device.id};
    profiles.push_back({.probability = 0, .request = snapshot.compile(request)});
  };
  for (const ProfileGeometry& profile : device.profiles) add(profile.use, profile.name);
  add(domain::GpuUse::Passthrough, {});
  return profiles;
}

void tell_profiles(PlacementDecision& decision, const Distribution& profiles,
                   const Fragmentation& before, const Fragmentation& after) {
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    decision.profile_slots.push_back({.shape = words_of(profiles[i].request.asked),
                                      .before = before.shapes[i].slots,
                                      .after = after.shapes[i].slots});
  }
}

/// The new VM's own, and whose it lowers.
void tell_happiness(PlacementDecision& decision, const std::map<std::string, Happiness>& before,
                    const std::map<std::string, Happiness>& after) {
  constexpr double kRounding = 1e-9;
  for (const auto& [name, now] : after) {
    const auto then = before.find(name);
    const bool is_new = then == before.end();
    if (!is_new && then->second.value - now.value < kRounding) continue;
    domain::HappinessChange change{.vm = name,
                                   .before = is_new ? now.value : then->second.value,
                                   .after = now.value,
                                   .fact = now.fact};
    decision.happiness.insert(is_new ? decision.happiness.begin() : decision.happiness.end(),
                              std::move(change));
  }
}

/// What it costs to be bound to a device: the hosts that would have served it dynamically.
void note_binding(PlacementDecision& decision, const Snapshot& snapshot,
                  const ResourceContract& contract, const Request& bound) {
  if (!bound.asked.is_static) return;
  PlacementRequest dynamic = bound.asked;
  dynamic.is_static = false;
  dynamic.pci_addresses.clear();
  const Request request = snapshot.compile(dynamic);
  std::size_t hosts = 0;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    hosts += takes(snapshot, host, request) ? 1 : 0;
  }
  decision.notes.push_back(fmt::format(
      "bound to the device at {}: it restarts on this host alone, it cannot move, and no other VM "
      "gets the device while this one is powered off; as dynamic passthrough (vendor, device, "
      "label) {} host{} would have taken it",
      fmt::join(bound.asked.pci_addresses, " and "), hosts, hosts == 1 ? "" : "s"));
  if (contract.needs_ha) {
    decision.notes.emplace_back(
        "the contract asks for a restart on another host, which a bound device rules out");
  }
}

/// The first wish that some host takes; placed in the snapshot.
PlacementDecision decide_one(Snapshot& snapshot, const ResourceContract& contract,
                             const std::string& vm, const DecideInput& input,
                             const std::optional<Choice>& proven = std::nullopt) {
  PlacementDecision decision;
  decision.contract = contract.name;
  decision.vm = vm;
  const Distribution distribution = snapshot.compile(input.expected.shapes);
  for (const PlacementRequest& wish : requests_of(contract, input.devices)) {
    const Request request = snapshot.compile(wish);
    std::optional<Choice> best;
    decision.attempts.push_back(attempt(snapshot, request, distribution, input, best));
    if (!best) continue;
    if (proven) best = proven;
    decision.chosen = domain::ChosenGpus{.host = snapshot.host(best->host).name,
                                         .gpus = gpus_of(best->option.gpus),
                                         .start = best->option.start};
    for (const int gpu : decision.chosen->gpus) {
      decision.gpu_ids.push_back(snapshot.host(best->host).gpus[static_cast<std::size_t>(gpu)].id);
    }
    decision.why = proven ? std::string("part of the best joint placement that the search found")
                          : why(snapshot, request, *best, input.policy,
                                decision.attempts.back().candidates.size());
    const Fragmentation before = fragmentation_of(snapshot, distribution);
    const auto happy_before = happiness_on(snapshot, best->host);
    const auto first_gpu = static_cast<std::size_t>(decision.chosen->gpus.front());
    GpuStates& states = snapshot.states();
    const Distribution profiles =
        profiles_of(snapshot, states.geometry(snapshot.row(best->host).gpus[first_gpu]));
    const Fragmentation profiles_before =
        fragmentation_of(states, view_of(snapshot.row(best->host)), profiles);
    note_binding(decision, snapshot, contract, request);
    snapshot.place(vm, request, best->host, best->option);
    tell_happiness(decision, happy_before, happiness_on(snapshot, best->host));
    tell_consequence(decision, input.expected, before, fragmentation_of(snapshot, distribution));
    tell_profiles(decision, profiles, profiles_before,
                  fragmentation_of(states, view_of(snapshot.row(best->host)), profiles));
    const StateId state = snapshot.row(best->host).gpus[first_gpu];
    if (const auto mode = states.state(state).mode) decision.mode = name_of(*mode);
    break;
  }
  return decision;
}

std::string instance_name(const Snapshot& snapshot, const ResourceContract& contract,
                          std::int64_t replica) {
  const std::string base = contract.name.empty() ? "vm" : contract.name;
  std::string name = contract.replicas == 1 ? base : fmt::format("{}-{}", base, replica + 1);
  for (int more = 2; snapshot.vms().contains(name); ++more) {
    name = fmt::format("{}-{}", base, replica + more);
  }
  return name;
}

std::string all_or_none(const ResourceContract& contract, std::int64_t failed) {
  return fmt::format("replica {} of {} finds no place, and replicas are placed all or none",
                     failed + 1, contract.replicas);
}

/// The replicas that found a place give it back.
void take_back(std::vector<PlacementDecision>& decisions, const ResourceContract& contract,
               std::int64_t failed) {
  for (PlacementDecision& earlier : decisions) {
    if (!earlier.is_placed()) continue;
    earlier.chosen.reset();
    earlier.happiness.clear();
    earlier.is_taken_back = true;
    earlier.notes.push_back(fmt::format("taken back: {}", all_or_none(contract, failed)));
  }
}

}  // namespace

std::vector<PlacementDecision> decide(Snapshot& snapshot, const ResourceContract& contract,
                                      const DecideInput& input) {
  Snapshot next = snapshot;
  std::vector<PlacementDecision> decisions;
  for (std::int64_t replica = 0; replica < contract.replicas; ++replica) {
    decisions.push_back(decide_one(next, contract, instance_name(next, contract, replica), input));
    if (decisions.back().is_placed()) continue;
    take_back(decisions, contract, replica);
    for (std::int64_t rest = replica + 1; rest < contract.replicas; ++rest) {
      PlacementDecision& untried = decisions.emplace_back();
      untried.contract = contract.name;
      untried.vm = instance_name(next, contract, rest);
      untried.is_taken_back = true;
      untried.notes.push_back(fmt::format("not tried: {}", all_or_none(contract, replica)));
    }
    return decisions;
  }
  snapshot = std::move(next);
  return decisions;
}

namespace {

/// Ours: host states that one search compares, so that a large cluster takes no longer than a small
/// one.
constexpr std::int64_t kMostHostsCompared = 20'000'000;

std::vector<Batch> batches_of(const Snapshot& snapshot, std::span<const ResourceContract> contracts,
                              const DecideInput& input) {
  std::vector<Batch> batches;
  std::set<std::string> names;
  for (const ResourceContract& contract : contracts) {
    Batch batch{.request = snapshot.compile(request_of(contract, contract.shape, input.devices)),
                .names = {}};
    for (std::int64_t replica = 0; replica < contract.replicas; ++replica) {
      std::string vm = instance_name(snapshot, contract, replica);
      while (!names.insert(vm).second) vm += "-more";
      batch.names.push_back(std::move(vm));
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

/// What the search knows of its answer, in words.
std::string proof_of(const BestJoint& best, std::size_t contracts, std::size_t placed) {
  const std::string found = fmt::format(
      "{} of {} contracts and {:.4g} of {:.4g} GPUs placed, {:.4g} GPUs of "
      "fragmentation by fill",
      placed, contracts, best.value.placed, best.asked, best.value.fragmentation);
  if (best.is_proven) {
    return fmt::format(
        "proven: {}; no joint placement in the first shapes places more, or as much with less "
        "fragmentation",
        found);
  }
  return fmt::format(
      "best found after {} states: {}; not proven: no joint placement passes {:.4g} GPUs, nor "
      "{:.4g} of fragmentation with as many (gap {:.4g} GPUs placed, {:.4g} of fragmentation)",
      best.steps, found, best.bound.placed, std::max(best.bound.fragmentation, 0.0),
      best.bound.placed - best.value.placed,
      best.value.fragmentation - std::max(best.bound.fragmentation, 0.0));
}

}  // namespace

std::vector<PlacementDecision> decide_jointly(Snapshot& snapshot,
                                              std::span<const ResourceContract> contracts,
                                              const DecideInput& input) {
  const std::vector<Batch> batches = batches_of(snapshot, contracts, input);
  const auto hosts = static_cast<std::int64_t>(std::max<std::size_t>(snapshot.size(), 1));
  const BestJoint best =
      best_joint(snapshot, batches, snapshot.compile(input.expected.shapes),
                 std::clamp<std::int64_t>(kMostHostsCompared / hosts, 1'000, kExactSteps));
  std::map<std::string, const Restart*> places;
  for (const Restart& place : best.places) places.emplace(place.vm, &place);
  std::vector<std::vector<PlacementDecision>> by_contract(contracts.size());
  std::size_t placed = 0;
  for (std::size_t i = 0; i < contracts.size(); ++i) {
    if (!places.contains(batches[i].names.front())) continue;
    ++placed;
    for (const std::string& vm : batches[i].names) {
      const Restart& place = *places.at(vm);
      by_contract[i].push_back(decide_one(snapshot, contracts[i], vm, input,
                                          Choice{.host = place.host, .option = place.option}));
    }
  }
  // What is left may still go in another of its shapes, and is told what stands against it.
  for (std::size_t i = 0; i < contracts.size(); ++i) {
    if (by_contract[i].empty()) by_contract[i] = decide(snapshot, contracts[i], input);
  }
  std::vector<PlacementDecision> decisions;
  for (std::vector<PlacementDecision>& rows : by_contract) {
    std::ranges::move(rows, std::back_inserter(decisions));
  }
  const std::string proof = proof_of(best, contracts.size(), placed);
  for (PlacementDecision& decision : decisions) decision.notes.push_back(proof);
  return decisions;
}

}  // namespace gpushape::place
