#include "place/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "place/demand.hpp"
#include "place/failover.hpp"
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
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (const auto refusal = refusal_of(snapshot, host, request)) {
      result.refused.push_back(refused_host(snapshot, host, request, *refusal));
      continue;
    }
    const HostChoice choice = input.policy.best_on_host({.snapshot = snapshot,
                                                         .host = host,
                                                         .request = request,
                                                         .distribution = distribution,
                                                         .weights = input.weights});
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

void note_binding(PlacementDecision& decision, const PlacementRequest& request) {
  if (!request.is_static) return;
  decision.notes.emplace_back(
      "bound to one physical device: it restarts on this host alone, and no other VM gets the "
      "device while this one is powered off");
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
    decision.why = proven ? std::string("part of the joint placement that the search found")
                          : why(snapshot, request, *best, input.policy,
                                decision.attempts.back().candidates.size());
    const Fragmentation before = fragmentation_of(snapshot, distribution);
    const auto happy_before = happiness_on(snapshot, best->host);
    snapshot.place(vm, request, best->host, best->option);
    tell_happiness(decision, happy_before, happiness_on(snapshot, best->host));
    tell_consequence(decision, input.expected, before, fragmentation_of(snapshot, distribution));
    const StateId state =
        snapshot.row(best->host).gpus[static_cast<std::size_t>(decision.chosen->gpus.front())];
    if (const auto mode = snapshot.states().state(state).mode) decision.mode = name_of(*mode);
    note_binding(decision, wish);
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

}  // namespace

std::vector<PlacementDecision> decide(Snapshot& snapshot, const ResourceContract& contract,
                                      const DecideInput& input) {
  Snapshot next = snapshot;
  std::vector<PlacementDecision> decisions;
  for (std::int64_t replica = 0; replica < contract.replicas; ++replica) {
    decisions.push_back(decide_one(next, contract, instance_name(next, contract, replica), input));
    if (decisions.back().is_placed()) continue;
    for (PlacementDecision& earlier : decisions) {
      if (!earlier.is_placed()) continue;
      earlier.chosen.reset();
      earlier.happiness.clear();
      earlier.notes.push_back(
          fmt::format("taken back: replica {} of {} finds no place, and replicas are placed all or "
                      "none",
                      replica + 1, contract.replicas));
    }
    return decisions;
  }
  snapshot = std::move(next);
  return decisions;
}

std::vector<PlacementDecision> decide_jointly(Snapshot& snapshot,
                                              std::span<const ResourceContract> contracts,
                                              const DecideInput& input) {
  struct Instance {
    const ResourceContract* contract = nullptr;
    std::string vm;
  };
  std::vector<Instance> instances;
  std::vector<NamedRequest> requests;
  for (const ResourceContract& contract : contracts) {
    for (std::int64_t replica = 0; replica < contract.replicas; ++replica) {
      std::string vm = instance_name(snapshot, contract, replica);
      while (std::ranges::find(instances, vm, &Instance::vm) != instances.end()) vm += "-more";
      requests.push_back(
          {.name = vm,
           .request = snapshot.compile(request_of(contract, contract.shape, input.devices))});
      instances.push_back({.contract = &contract, .vm = std::move(vm)});
    }
  }
  const JointPlacement joint = place_all(snapshot, requests);
  std::vector<PlacementDecision> decisions;
  if (joint.answer == Answer::Yes) {
    for (const Instance& instance : instances) {
      const auto place = std::ranges::find(joint.restarts, instance.vm, &Restart::vm);
      decisions.push_back(
          decide_one(snapshot, *instance.contract, instance.vm, input,
                     Choice{.host = place->host, .option = place->option, .key = {}}));
      decisions.back().notes.push_back(
          fmt::format("proven: all {} VMs fit at once, each in its first shape", instances.size()));
    }
    return decisions;
  }
  for (const ResourceContract& contract : contracts) {
    std::ranges::move(decide(snapshot, contract, input), std::back_inserter(decisions));
  }
  for (PlacementDecision& decision : decisions) {
    decision.notes.push_back(
        joint.answer == Answer::No
            ? fmt::format("proven: no placement holds all {} VMs at once in their first shapes",
                          instances.size())
            : fmt::format("not known whether all {} VMs fit at once: the search stopped after {} "
                          "states",
                          instances.size(), joint.steps));
  }
  return decisions;
}

}  // namespace gpushape::place
