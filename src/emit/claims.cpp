// The body of claims: what a ResourceClaim of Kubernetes Dynamic Resource Allocation asks for.
// Formats: resource.k8s.io as each Kubernetes release serves it (KEP-4381; ordered lists KEP-4816).

#include "emit/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/edit_distance.hpp"
#include "emit/engine_args.hpp"
#include "emit/labels.hpp"
#include "emit/manifest.hpp"
#include "emit/published_device.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

using document::Node;
using domain::RankedShape;
using domain::Shape;

namespace {

struct KubernetesRelease {
  std::string_view release;
  std::string_view api;
  bool is_flat;      ///< the request's fields stand beside its name (v1beta1)
  bool has_ordered;  ///< `firstAvailable` is on by default (DRAPrioritizedList, from 1.34)
};
constexpr auto kReleases = std::to_array<KubernetesRelease>({
    {"1.32", "resource.k8s.io/v1beta1", true, false},
    {"1.33", "resource.k8s.io/v1beta2", false, false},
    {"1.34", "resource.k8s.io/v1", false, true},
    {"1.35", "resource.k8s.io/v1", false, true},
    {"1.36", "resource.k8s.io/v1", false, true},
});
constexpr std::size_t kMostAlternatives = 8;  // resource.k8s.io: FirstAvailableDeviceRequestMaxSize

Result<KubernetesRelease> release_of(const std::string& asked) {
  const std::string_view wanted = std::string_view(asked).substr(asked.starts_with('v') ? 1 : 0);
  std::vector<std::string> known;
  for (const KubernetesRelease& row : kReleases) {
    if (row.release == wanted) return row;
    known.emplace_back(row.release);
  }
  return failure(fmt::format("no Kubernetes release '{}' that claims are written for", asked),
                 suggestion(wanted, known, "known are 1.32 to 1.36"));
}

/// One picked shape with the devices it means.
struct Wish {
  const RankedShape* picked = nullptr;
  DeviceSelector selector;
};

std::string why_several(const Shape& shape) {
  const std::string layout =
      fmt::format("tensor {} x pipeline {}", shape.parallelism.tensor, shape.parallelism.pipeline);
  return shape.nodes > 1 ? fmt::format("of one of {} nodes; {}", shape.nodes, layout) : layout;
}

/// Class, selectors and count, set on `request`.
void fill_request(Node& request, const Wish& wish, std::int64_t count, const Commenter& comment) {
  request.set("deviceClassName", wish.selector.device_class);
  Node selectors = Node::sequence();
  for (const Condition& condition : wish.selector.conditions) {
    Node cel = Node::mapping();
    cel.set("expression", condition.expression);
    Node selector = Node::mapping();
    selector.set("cel", std::move(cel));
    selectors.add(comment.above(std::move(selector), condition.why));
  }
  request.set("selectors", std::move(selectors));
  request.set("count", comment.behind(Node(count),
                                      count > 1 ? why_several(wish.picked->shape) : std::string()));
}

Node single_request(const std::string& name, const Wish& wish, std::int64_t count,
                    const KubernetesRelease& release, const Commenter& comment) {
  Node request = Node::mapping();
  request.set("name", name);
  if (release.is_flat) {
    fill_request(request, wish, count, comment);
    return request;
  }
  Node exactly = Node::mapping();
  fill_request(exactly, wish, count, comment);
  request.set("exactly", std::move(exactly));
  return request;
}

/// The wishes in order; the scheduler takes the first that fits a node.
Node ordered_request(const std::vector<Wish>& wishes, const Commenter& comment) {
  Node alternatives = Node::sequence();
  std::map<std::string, int> seen;
  for (const Wish& wish : wishes) {
    const std::string label = shape_label(wish.picked->shape);
    const int times = ++seen[label];
    Node alternative = Node::mapping();
    alternative.set("name", times > 1 ? fitted_label(fmt::format("{}-{}", label, times)) : label);
    fill_request(alternative, wish, devices_of_pod(wish.picked->shape), comment);
    alternatives.add(std::move(alternative));
  }
  Node request = Node::mapping();
  request.set("name", kClaimRequest);
  request.set("firstAvailable", std::move(alternatives));
  return request;
}

Result<std::vector<Wish>> selected(const EmitRequest& request) {
  std::vector<Wish> wishes;
  Diagnostics diagnostics;
  for (const RankedShape* picked : request.picked) {
    const domain::Device& device = device_of(request, picked->shape);
    Shape shape = picked->shape;
    // A VM takes the card itself, through the driver's VFIO class.
    if (is_written(request, "kubevirt") && shape.technology == domain::Technology::WholeGpu)
      shape.technology = domain::Technology::Passthrough;
    Result<DeviceSelector> selector =
        select_published(shape, device, profile_of(device, shape), request.advice->platform);
    if (!selector) {
      diagnostics.insert(diagnostics.end(), selector.error().begin(), selector.error().end());
      continue;
    }
    wishes.push_back({picked, std::move(*selector)});
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return wishes;
}

std::string names_of(std::span<const Wish> wishes) {
  std::string names;
  for (const Wish& wish : wishes) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", shape_label(wish.picked->shape));
  }
  return names;
}

/// The wishes that a claim of this release can hold, and a note on what was left out.
std::string keep_what_fits(std::vector<Wish>& wishes, const KubernetesRelease& release) {
  const std::size_t most = release.has_ordered ? kMostAlternatives : 1;
  if (wishes.size() <= most) return {};
  const std::string left_out = names_of(std::span<const Wish>(wishes).subspan(most));
  wishes.erase(wishes.begin() + static_cast<std::ptrdiff_t>(most), wishes.end());
  return release.has_ordered
             ? fmt::format("a request takes {} alternatives; left out: {}", most, left_out)
             : fmt::format(
                   "Kubernetes {} has no ordered list (firstAvailable, from 1.34); left "
                   "out: {}",
                   release.release, left_out);
}

bool holds_engine(const EmitRequest& request) {
  return std::ranges::any_of(request.targets, [](const std::string& name) {
    const TargetRow* row = find_target(name);
    return row != nullptr && row->holds_engine;
  });
}

/// One container is written, whatever the claim gives it: only wishes that an engine with the first
/// one's flags uses exactly may stand beside it.
Result<std::string> keep_what_agrees(std::vector<Wish>& wishes, const EmitRequest& request) {
  if (wishes.size() < 2 || !holds_engine(request)) return std::string();
  std::vector<Wish> kept = {wishes.front()};
  std::vector<Wish> dropped;
  const Result<EngineStart> first = engine_start(request, *wishes.front().picked);
  if (!first) return failure(first.error());
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    const Result<EngineStart> other = engine_start(request, *wishes[i].picked);
    const bool agrees = !is_written(request, "kueue") &&
                        wishes[i].picked->shape.nodes == wishes.front().picked->shape.nodes &&
                        other && arguments_of(*other) == arguments_of(*first) &&
                        wishes[i].picked->shape.count == wishes.front().picked->shape.count;
    (agrees ? kept : dropped).push_back(wishes[i]);
  }
  wishes = std::move(kept);
  if (dropped.empty()) return std::string();
  return fmt::format("left out, since the engine beside it starts with other flags there{}: {}",
                     is_written(request, "kueue") ? " and Kueue counts one wish" : "",
                     names_of(dropped));
}

/// A claim that a Deployment names is one claim for all of its pods.
std::string replicas_note(const std::vector<Wish>& wishes) {
  std::string counts;
  for (const Wish& wish : wishes) {
    const std::int64_t replicas = wish.picked->contract.replicas;
    if (replicas <= 1) continue;
    counts += fmt::format("{}{} of {}", counts.empty() ? "" : ", or ", replicas,
                          shape_label(wish.picked->shape));
  }
  if (counts.empty()) return {};
  return fmt::format("replicas: {}; each takes a claim of its own", counts);
}

/// A card of its own for every GPU, on the same PCIe root: what passes between nodes then takes the
/// shortest way. A constraint over several GPUs at once could never be met: on servers of eight
/// each has a root of its own. In a guest the roots are the hypervisor's, and say nothing.
void add_nics(Node& requests, Node& devices, const std::vector<std::string>& gpus,
              const EmitRequest& request, const KubernetesRelease& release) {
  const Commenter comment(request);
  const bool has_roots = request.advice->platform == domain::Platform::Kubernetes ||
                         request.advice->platform == domain::Platform::BareMetal;
  Node constraints = Node::sequence();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string name = fmt::format("nic-{}", i);
    Node nic = Node::mapping();
    nic.set("name", name);
    Node fields = map({{"deviceClassName", request.nic_class}, {"count", 1}});
    if (release.is_flat) {
      for (const Node::Entry& entry : fields.entries()) nic.set(entry.name, entry.value);
    } else {
      nic.set("exactly", std::move(fields));
    }
    requests.add(std::move(nic));
    constraints.add(map({{"requests", list(std::vector<std::string>{gpus[i], name})},
                         {"matchAttribute", "resource.kubernetes.io/pcieRoot"}}));
  }
  if (has_roots)
    devices.set("constraints",
                comment.above(std::move(constraints), "GPU and card below one PCIe root"));
}

std::string claim_comment(const std::vector<Wish>& wishes, const std::string& left_out) {
  std::string text;
  for (const Wish& wish : wishes) text += headline(*wish.picked) + "\n";
  if (wishes.size() > 1) text += "the wishes in order; the first that a node can give wins\n";
  text += left_out;
  return text;
}

}  // namespace

std::vector<std::string> request_names(const EmitRequest& request, const Shape& shape) {
  const bool has_pairs = !request.nic_class.empty();
  if (!has_pairs && (!is_written(request, "kubevirt") || shape.count < 2))
    return {std::string(kClaimRequest)};
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < devices_of_pod(shape); ++i)
    names.push_back(fmt::format("{}-{}", kClaimRequest, i));
  return names;
}

std::string claim_name(const EmitRequest& request) { return shared_name(request); }

Result<std::string> claim_api(const std::string& kubernetes) {
  const Result<KubernetesRelease> release = release_of(kubernetes);
  if (!release) return failure(release.error());
  return std::string(release->api);
}

namespace {

void add_note(ClaimBody& body, const std::string& says) {
  if (says.empty()) return;
  std::string note = fmt::format("{}: {}", body.name, says);
  if (std::ranges::find(body.notes, note) == body.notes.end())
    body.notes.push_back(std::move(note));
}

/// KubeVirt hands a card through legacy VFIO groups; the API device is how it finds them.
Node vfio_config(const std::vector<std::string>& names) {
  return list({map(
      {{"requests", list(names)},
       {"opaque", map({{"driver", "gpu.nvidia.com"},
                       {"parameters", map({{"apiVersion", "resource.nvidia.com/v1beta1"},
                                           {"kind", "VfioDeviceConfig"},
                                           {"iommu", map({{"backendPolicy", "LegacyOnly"},
                                                          {"enableAPIDevice", true}})}})}})}})});
}

}  // namespace

Result<ClaimBody> claim_body(const EmitRequest& request) {
  Diagnostics diagnostics = check_names(request);
  const Result<KubernetesRelease> release = release_of(request.kubernetes);
  if (!release) {
    diagnostics.insert(diagnostics.end(), release.error().begin(), release.error().end());
  }
  Result<std::vector<Wish>> wishes = selected(request);
  if (!wishes) {
    diagnostics.insert(diagnostics.end(), wishes.error().begin(), wishes.error().end());
  }
  if (!request.nic_class.empty() && !is_qualified_name(request.nic_class))
    diagnostics.push_back(
        complaint(fmt::format("--nic-class '{}' is no name of a DeviceClass", request.nic_class),
                  "`kubectl get deviceclasses` shows them"));
  if (!request.nic_class.empty() && is_written(request, "kueue"))
    diagnostics.push_back(complaint("kueue cannot count a claim with constraints (--nic-class)",
                                    "leave one of the two out"));
  if (!diagnostics.empty()) return failure(std::move(diagnostics));

  ClaimBody body;
  body.api = release->api;
  body.name = claim_name(request);
  const Result<std::string> unlike = keep_what_agrees(*wishes, request);
  if (!unlike) return failure(unlike.error());
  if (request_names(request, wishes->front().picked->shape).front() != kClaimRequest &&
      wishes->size() > 1) {
    add_note(body, fmt::format("every card has a request of its own, for the first wish alone; "
                               "left out: {}",
                               names_of(std::span<const Wish>(*wishes).subspan(1))));
    wishes->erase(wishes->begin() + 1, wishes->end());
  }
  const std::string left_out = keep_what_fits(*wishes, *release);
  add_note(body, *unlike);
  add_note(body, left_out);
  for (const Wish& wish : *wishes) add_note(body, wish.selector.caveat);
  const Commenter comment(request);
  Node requests = Node::sequence();
  const std::vector<std::string> names = request_names(request, wishes->front().picked->shape);
  const std::int64_t of_pod = devices_of_pod(wishes->front().picked->shape);
  const bool is_one_by_one = names.front() != kClaimRequest;
  if (wishes->size() > 1 && !is_one_by_one) {
    requests.add(ordered_request(*wishes, comment));
  } else {
    for (const std::string& name : names)
      requests.add(
          single_request(name, wishes->front(), is_one_by_one ? 1 : of_pod, *release, comment));
  }
  Node devices = Node::mapping();
  const bool has_nics = !request.nic_class.empty();
  Node constrained = Node::mapping();
  if (has_nics) add_nics(requests, constrained, names, request, *release);
  devices.set("requests", std::move(requests));
  for (const Node::Entry& entry : constrained.entries()) devices.set(entry.name, entry.value);
  if (is_written(request, "kubevirt")) devices.set("config", vfio_config(names));
  body.spec.set("devices", std::move(devices));
  body.head = claim_comment(*wishes, *unlike + "\n" + left_out);
  body.first = wishes->front().picked;
  body.replicas_note = replicas_note(*wishes);
  return body;
}

}  // namespace gpushape::emit
