// gpushape plan: the fewest hosts for a mix; and gpushape profiles plan: the few sizes that serve
// one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <tuple>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/mix.hpp"
#include "cli/named_host.hpp"
#include "cli/output.hpp"
#include "cli/profiles.hpp"
#include "document/text_format.hpp"
#include "domain/cluster.hpp"
#include "place/complete.hpp"
#include "place/demand.hpp"
#include "place/plan_hosts.hpp"
#include "place/plan_profiles.hpp"
#include "place/plan_shapes.hpp"
#include "render/plan_view.hpp"
#include "schema/plan_documents.hpp"

namespace gpushape::cli {
namespace {

using document::Node;

constexpr std::size_t kMostInstances = 4000;  // of a mix that hosts are planned for

int write_plan(std::string text, const Node& node, const Invocation& invocation,
               const Terminal& terminal, bool has_plan) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  Piece piece{"plan", "txt", std::move(text)};
  if (*format != "text") {
    piece.extension = *format;
    piece.text = *format == "json" ? document::write_json(node) : document::write_yaml(node);
  }
  const auto written = write_pieces({piece}, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  return has_plan ? kDone : kAnswerIsNo;
}

/// Whether both ask hosts for the same, copy by copy.
bool asks_the_same(const place::ShapeOption& a, const place::ShapeOption& b) {
  return std::ranges::equal(a.copies, b.copies, {}, &place::MixRequest::request,
                            &place::MixRequest::request);
}

/// One request for each copy of the contract in that shape.
place::ShapeOption option_of(const std::string& name, const domain::ResourceContract& contract,
                             const domain::Shape& shape, std::span<const domain::Device> devices) {
  const domain::PlacementRequest request = place::request_of(contract, shape, devices);
  const std::int64_t replicas =
      std::clamp<std::int64_t>(contract.replicas, 1, static_cast<std::int64_t>(kMostInstances) + 1);
  place::ShapeOption option{.words = place::words_of(request), .copies = {}};
  if (replicas > 1) option.words = fmt::format("{} times {}", replicas, option.words);
  for (std::int64_t copy = 0; copy < replicas; ++copy) {
    option.copies.push_back({replicas > 1 ? fmt::format("{}-{}", name, copy) : name, request});
  }
  return option;
}

/// Each workload with all of its shapes, and every copy with a name of its own.
Result<std::vector<place::MixChoice>> choices_of_mix(
    const std::vector<std::vector<domain::ResourceContract>>& choices,
    std::span<const domain::Device> devices) {
  const auto name_of_choice = [](const std::vector<domain::ResourceContract>& contracts) {
    return contracts.front().name;
  };
  std::vector<place::MixChoice> mix;
  std::size_t instances = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::string own = name_of_choice(choices[i]);
    const std::string name = own.empty() ? fmt::format("contract-{}", i + 1) : own;
    const bool is_repeated = std::ranges::count(choices, own, name_of_choice) > 1;
    place::MixChoice choice{.name = is_repeated ? fmt::format("{}.{}", name, i + 1) : name,
                            .shapes = {}};
    const auto add = [&](const domain::ResourceContract& contract, const domain::Shape& shape) {
      place::ShapeOption option = option_of(choice.name, contract, shape, devices);
      const bool is_known = std::ranges::any_of(
          choice.shapes, [&](const auto& known) { return asks_the_same(known, option); });
      if (!is_known) choice.shapes.push_back(std::move(option));
    };
    for (const domain::ResourceContract& contract : choices[i]) {
      add(contract, contract.shape);
      for (const domain::Shape& shape : contract.alternatives) add(contract, shape);
    }
    instances += choice.shapes.front().copies.size();
    if (instances > kMostInstances) {
      return failure(fmt::format("the mix has more than {} instances", kMostInstances));
    }
    mix.push_back(std::move(choice));
  }
  return mix;
}

/// The server as one empty host, with the devices that it holds.
struct HostModel {
  domain::ClusterHost host;
  std::vector<domain::Device> devices;
};

Result<HostModel> host_model(const Invocation& invocation, const profiles::Profiles& profiles) {
  Result<domain::Host> host = named_host(
      invocation.host, profiles,
      invocation.workload.gpus.empty() ? std::string() : invocation.workload.gpus.front());
  if (!host) return std::unexpected(host.error());
  HostModel model;
  for (const domain::HostGpu& gpu : host->gpus) {
    if (std::ranges::find(model.devices, gpu.device, &domain::Device::id) != model.devices.end()) {
      continue;
    }
    Result<domain::Device> device = profiles.find(gpu.device);
    if (!device) return std::unexpected(device.error());
    model.devices.push_back(*std::move(device));
  }
  domain::Cluster cluster = domain::cluster_of(*host);
  place::complete(cluster, model.devices);
  model.host = std::move(cluster.hosts.front());
  return model;
}

void rank_plans(std::vector<domain::HostPlan>& plans) {
  std::ranges::stable_sort(plans, [](const domain::HostPlan& a, const domain::HostPlan& b) {
    const auto key = [](const domain::HostPlan& plan) {
      return std::make_tuple(!plan.refusal.empty(), plan.hosts);
    };
    return key(a) < key(b);
  });
}

}  // namespace

int run_plan(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> files = invocation.files;
  std::ranges::copy(parsed.positionals, std::back_inserter(files));
  if (files.empty() || invocation.host.empty() == invocation.clusters.empty()) {
    return refuse({complaint("plan needs workloads, and either a server or a cluster",
                             "name them: -f WORKLOAD… --host NAME, or --cluster INVENTORY")},
                  terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  place::HostPlanInput input;
  std::vector<domain::Device> devices;
  std::string host_name;
  if (!invocation.clusters.empty()) {
    Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
    if (!loaded) return refuse(loaded.error(), terminal);
    terminal.err << to_text(loaded->notes);
    devices = std::move(loaded->devices);
    host_name = loaded->cluster.name.empty() ? loaded->cluster.source : loaded->cluster.name;
    input.pool = std::move(loaded->cluster.hosts);
    std::ranges::stable_sort(input.pool, std::greater{},
                             [](const domain::ClusterHost& host) { return host.gpus.size(); });
  } else {
    Result<HostModel> model = host_model(invocation, *profiles);
    if (!model) return refuse(model.error(), terminal);
    devices = std::move(model->devices);
    host_name = model->host.name;
    input.pool.push_back(std::move(model->host));
    input.is_model = true;
    if (invocation.workload.gpus.empty()) {
      for (const domain::Device& device : devices) invocation.workload.gpus.push_back(device.id);
    }
  }
  input.devices = devices;
  const auto choices = read_contract_choices(files, invocation);
  if (!choices) return refuse(choices.error(), terminal);
  const Result<std::vector<place::MixChoice>> mix = choices_of_mix(*choices, devices);
  if (!mix) return refuse(mix.error(), terminal);

  std::vector<domain::HostPlan> plans = {place::plan_hosts(input, *mix)};
  if (auto mixed = place::in_mixed_size(input.pool, devices); !mixed.empty()) {
    input.pool = std::move(mixed);
    plans.push_back(place::plan_hosts(input, *mix));
  }
  for (domain::HostPlan& plan : plans) plan.host = host_name;
  rank_plans(plans);
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  return write_plan(render::host_plans_text(plans, style), schema::host_plans_node(plans),
                    invocation, terminal, plans.front().refusal.empty());
}

int plan_sizes(const profiles::Profiles& profiles, const Invocation& invocation,
               const Terminal& terminal) {
  std::vector<std::string> files = invocation.files;
  std::ranges::copy(invocation.positionals | std::views::drop(1), std::back_inserter(files));
  if (files.empty()) {
    return refuse({complaint("profiles plan needs workloads",
                             "name them: profiles plan -f WORKLOAD… --gpu NAME")},
                  terminal);
  }
  const Result<std::vector<MixDocument>> documents = mix_documents(files);
  if (!documents) return refuse(documents.error(), terminal);
  const std::vector<std::string> wished =
      invocation.workload.gpus.empty() ? wished_gpus(*documents) : invocation.workload.gpus;
  if (wished.empty()) {
    return refuse({complaint("the workloads wish for no GPU", "name one or several with --gpu")},
                  terminal);
  }
  std::vector<domain::ProfilePlan> plans;
  Diagnostics faults;
  for (const std::string& name : wished) {
    const Result<domain::Device> device = profiles.find(name);
    if (!device) return refuse(device.error(), terminal);
    const Result<std::vector<domain::MixItem>> mix = read_mix(*documents, device->id, invocation);
    if (!mix) {
      std::ranges::copy(mix.error(), std::back_inserter(faults));
      continue;
    }
    std::ranges::move(place::plan_profiles(*device, *mix), std::back_inserter(plans));
  }
  if (plans.empty()) return refuse(faults, terminal);
  terminal.err << to_text(faults);
  std::ranges::stable_sort(plans, [](const domain::ProfilePlan& a, const domain::ProfilePlan& b) {
    const auto key = [](const domain::ProfilePlan& plan) {
      return std::make_tuple(!plan.refusal.empty(), plan.devices,
                             (plan.stranded_bytes + plan.surplus_bytes).count());
    };
    return key(a) < key(b);
  });
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  return write_plan(render::profile_plans_text(plans, style), schema::profile_plans_node(plans),
                    invocation, terminal, plans.front().refusal.empty());
}

}  // namespace gpushape::cli
