#include "review/offered_contracts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "domain/profile_memory.hpp"
#include "review/granted_shape.hpp"
#include "review/noted_contracts.hpp"

namespace gpushape::review {

using document::Document;
using document::Node;
using domain::ResourceContract;
using domain::Shape;

namespace {

SourceSpan span_of(const Document& document, const Node& node) {
  return document.source->span(node.position());
}

/// The same but for the name, and how often it runs.
bool is_same_contract(ResourceContract a, ResourceContract b) {
  for (ResourceContract* each : {&a, &b}) {
    each->name.clear();
    each->replicas = 1;
    each->alternatives.clear();
    each->notes.clear();
  }
  return a == b;
}

bool is_told(const ResourceContract& contract, const std::vector<AskedContract>& asked) {
  return std::ranges::any_of(asked, [&contract](const AskedContract& each) {
    return each.contract && is_same_contract(*each.contract, contract);
  });
}

/// Claims that a pod of the documents names or takes.
struct UsedClaims {
  std::set<std::string, std::less<>> names;
  std::set<std::string, std::less<>> template_names;
  std::set<const Claim*> claims;

  explicit UsedClaims(const Deployment& deployment) {
    for (const PodRequest& pod : deployment.pods) {
      for (const PodClaim& row : pod.claims) {
        if (row.claim) names.insert(row.claim->value);
        if (row.claim_template) template_names.insert(row.claim_template->value);
      }
      for (const GpuAsk& ask : pod.gpus) claims.insert(ask.claim);
    }
  }
  [[nodiscard]] bool has(const Claim& claim) const {
    return claims.contains(&claim) ||
           (claim.is_template ? template_names : names).contains(claim.name);
  }
};

const ClaimRequest& first_choice(const ClaimRequest& request) {
  return request.alternatives.empty() ? request : request.alternatives.front();
}

bool is_for_gpus(const ClaimRequest& request) {
  const ClaimRequest& first = first_choice(request);
  if (!first.device_class) return false;
  const ClassMeaning meaning = meaning_of_class(first.device_class->value);
  return meaning == ClassMeaning::WholeGpu || meaning == ClassMeaning::MigInstance ||
         meaning == ClassMeaning::Passthrough;
}

/// What the claim alone says: the first wish, the others as its alternatives.
std::optional<ResourceContract> plain_claim(const Claim& claim, PublishedTable& published) {
  for (const ClaimRequest& request : claim.requests) {
    if (!is_for_gpus(request)) continue;
    ResourceContract contract;
    const auto shape = claimed_shape(first_choice(request), published);
    if (!shape) return std::nullopt;
    contract.shape = *shape;
    for (std::size_t i = 1; i < request.alternatives.size(); ++i) {
      if (auto other = claimed_shape(request.alternatives[i], published)) {
        contract.alternatives.push_back(std::move(*other));
      }
    }
    contract.needs_efi = false;
    return contract;
  }
  return std::nullopt;
}

/// GPUs that the claim's requests count together; nothing where it takes all there are.
std::optional<std::int64_t> devices_of(const Claim& claim) {
  std::int64_t count = 0;
  for (const ClaimRequest& request : claim.requests) {
    if (!is_for_gpus(request)) continue;
    const ClaimRequest& first = first_choice(request);
    if (first.takes_all) return std::nullopt;
    count += first.count;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

void add_claims(const Deployment& deployment, std::vector<AskedContract>& asked) {
  const UsedClaims used(deployment);
  for (const Claim& claim : deployment.claims) {
    if (used.has(claim) || claim.requests.empty()) continue;
    std::optional<ResourceContract> contract = plain_claim(claim, *deployment.published);
    if (auto noted = noted_contract(*claim.root)) {
      if (contract) noted->alternatives = std::move(contract->alternatives);
      contract = std::move(*noted);
    }
    if (!contract) continue;
    const auto count = devices_of(claim);
    if (count && contract->shape.nodes <= 1) contract->shape.count = *count;
    contract->name = claim.name;
    asked.push_back({(claim.is_template ? "ResourceClaimTemplate " : "ResourceClaim ") + claim.name,
                     span_of(*claim.document, claim.place()),
                     std::move(contract),
                     {}});
  }
}

void add_machines(const Deployment& deployment, std::vector<AskedContract>& asked) {
  std::set<std::string, std::less<>> classes;
  for (const VirtualMachine& vm : deployment.vms) {
    if (!vm.vm_class || deployment.find_vm_class(vm.vm_class->value) != nullptr) continue;
    if (!classes.insert(vm.vm_class->value).second) continue;
    auto contract = noted_contract(find_name(vm.annotations, kContractNote));
    if (!contract) continue;
    contract->replicas = std::ranges::count_if(deployment.vms, [&vm](const VirtualMachine& each) {
      return each.vm_class && each.vm_class->value == vm.vm_class->value;
    });
    contract->name = vm.vm_class->value;
    asked.push_back(
        {"VirtualMachine " + vm.name, span_of(*vm.document, *vm.root), std::move(contract), {}});
  }
  for (const KubernetesCluster& cluster : deployment.clusters) {
    const auto of_cluster = noted_contract(*cluster.root);
    bool is_first = true;
    for (const NodePool& pool : cluster.pools) {
      auto contract = noted_contract(find_name(pool.annotations, kContractNote));
      if (!contract && std::exchange(is_first, false)) contract = of_cluster;
      if (!contract || pool.replicas == 0) continue;
      if (pool.vm_class && deployment.find_vm_class(pool.vm_class->value) != nullptr) continue;
      contract->replicas = pool.replicas;
      contract->name = pool.name;
      asked.push_back({cluster.kind + " " + cluster.name + " (" + pool.name + ")",
                       span_of(*cluster.document, *pool.node),
                       std::move(contract),
                       {}});
    }
  }
}

// ---- what only offers ----

void add_offer(std::string object, SourceSpan place, ResourceContract contract,
               std::vector<AskedContract>& asked) {
  if (is_told(contract, asked)) return;
  asked.push_back({std::move(object), std::move(place), std::move(contract), {}, false});
}

/// Kinds that hold the contract of what they offer in an annotation, and those that have no
/// metadata, by the titles of their readers.
constexpr auto kAnnotatedKinds =
    std::to_array<std::string_view>({"DeviceClass", "ClusterPolicy", "ConfigMap"});
constexpr auto kCommentedKinds = std::to_array<std::string_view>(
    {"device plugin configuration", "GPU layouts", "vCluster values"});

bool is_kind_among(const std::string& kind, std::span<const std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

void add_noted_offers(const Deployment& deployment, std::vector<AskedContract>& asked) {
  for (const Object& object : deployment.objects) {
    const SourceSpan place = span_of(*object.document, *object.root);
    if (is_kind_among(object.kind, kAnnotatedKinds)) {
      auto noted = noted_contract(*object.root);
      if (!noted) continue;
      noted->name = object.name;
      add_offer(object.kind + " " + object.name, place, std::move(*noted), asked);
    } else if (object.api_version.empty() && is_kind_among(object.kind, kCommentedKinds)) {
      for (ResourceContract& noted :
           commented_contracts(*object.document, object.root->position().line)) {
        add_offer(object.kind, place, std::move(noted), asked);
      }
    }
  }
}

void add_plain_classes(const Deployment& deployment, std::vector<AskedContract>& asked) {
  for (const DeviceClass& row : deployment.device_classes) {
    if (noted_contract(*row.root)) continue;
    ClaimRequest request;
    request.selectors = row.selectors;
    const auto shape = claimed_shape(request, *deployment.published);
    if (!shape) continue;
    ResourceContract contract;
    contract.name = row.name;
    contract.shape = *shape;
    contract.needs_efi = false;
    add_offer("DeviceClass " + row.name, span_of(*row.document, *row.root), std::move(contract),
              asked);
  }
}

/// "0x233010DE" is device 2330 of vendor 10de.
bool is_in_filter(const domain::Device& device, const std::vector<std::string>& filter) {
  if (filter.empty()) return true;
  return std::ranges::any_of(filter, [&device](const std::string& row) {
    const auto is_it = [&row](const std::string& id) {
      return row.size() == 10 && std::ranges::equal(row.substr(2, 4), id, {}, [](char c) {
               return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
             });
    };
    return std::ranges::any_of(device.pci_devices, is_it);
  });
}

/// The one device of the filter that has that profile; nothing where several have.
std::optional<Shape> partition(const std::string& profile, const GpuLayout& layout,
                               std::span<const domain::Device> devices) {
  std::optional<Shape> found;
  for (const domain::Device& device : devices) {
    if (!is_in_filter(device, layout.device_filter)) continue;
    for (const domain::Profile& row : device.profiles) {
      if (row.name != profile && row.type != profile) continue;
      if (found) return std::nullopt;
      found = granted_shape({&device, &row, {}, {}}, row.technology, 1);
    }
  }
  return found;
}

void add_plain_layouts(const Deployment& deployment, std::vector<AskedContract>& asked) {
  for (const LayoutConfig& config : deployment.layouts) {
    if (!commented_contracts(*config.document, 1).empty()) continue;
    for (const GpuLayout& layout : config.layouts) {
      for (const ProfileCount& row : layout.profiles) {
        const auto shape = partition(row.profile.value, layout, deployment.request->devices);
        const auto is_offered = [&shape](const AskedContract& each) {
          return each.contract && each.contract->shape.device == shape->device &&
                 each.contract->shape.profile == shape->profile;
        };
        if (!shape || std::ranges::any_of(asked, is_offered)) continue;
        ResourceContract contract;
        contract.name = config.name;
        contract.shape = *shape;
        contract.needs_efi = false;
        add_offer("layout " + config.name, config.document->source->span(row.position),
                  std::move(contract), asked);
      }
    }
  }
}

}  // namespace

void add_asked_by_reference(const Deployment& deployment, std::vector<AskedContract>& asked) {
  std::vector<AskedContract> further;
  add_claims(deployment, further);
  add_machines(deployment, further);
  std::ranges::move(further, std::back_inserter(asked));
}

void add_offered(const Deployment& deployment, std::vector<AskedContract>& asked) {
  add_noted_offers(deployment, asked);
  add_plain_classes(deployment, asked);
  add_plain_layouts(deployment, asked);
}

}  // namespace gpushape::review
