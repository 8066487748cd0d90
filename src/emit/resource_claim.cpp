// The target `resource-claim`: a ResourceClaim of Kubernetes Dynamic Resource Allocation. Formats:
// resource.k8s.io as each Kubernetes release serves it (KEP-4381; ordered lists KEP-4816).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/edit_distance.hpp"
#include "emit/labels.hpp"
#include "emit/manifest.hpp"
#include "emit/published_device.hpp"

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
constexpr std::string_view kRequestName = "gpu";

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

/// Class, selectors and count, set on `request`.
void fill_request(Node& request, const Wish& wish, const Commenter& comment) {
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
  const Shape& shape = wish.picked->shape;
  request.set("count", comment.behind(Node(shape.count),
                                      shape.count > 1 ? fmt::format("tensor {} x pipeline {}",
                                                                    shape.parallelism.tensor,
                                                                    shape.parallelism.pipeline)
                                                      : std::string()));
}

Node single_request(const Wish& wish, const KubernetesRelease& release, const Commenter& comment) {
  Node request = Node::mapping();
  request.set("name", kRequestName);
  if (release.is_flat) {
    fill_request(request, wish, comment);
    return request;
  }
  Node exactly = Node::mapping();
  fill_request(exactly, wish, comment);
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
    fill_request(alternative, wish, comment);
    alternatives.add(std::move(alternative));
  }
  Node request = Node::mapping();
  request.set("name", kRequestName);
  request.set("firstAvailable", std::move(alternatives));
  return request;
}

Result<std::vector<Wish>> selected(const EmitRequest& request) {
  std::vector<Wish> wishes;
  Diagnostics diagnostics;
  for (const RankedShape* picked : request.picked) {
    const domain::Device& device = device_of(request, picked->shape);
    Result<DeviceSelector> selector = select_published(
        picked->shape, device, profile_of(device, picked->shape), request.advice->platform);
    if (!selector) {
      diagnostics.insert(diagnostics.end(), selector.error().begin(), selector.error().end());
      continue;
    }
    wishes.push_back({picked, std::move(*selector)});
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return wishes;
}

/// The wishes that a claim of this release can hold, and a note on what was left out.
std::string keep_what_fits(std::vector<Wish>& wishes, const KubernetesRelease& release) {
  const std::size_t most = release.has_ordered ? kMostAlternatives : 1;
  if (wishes.size() <= most) return {};
  std::string left_out;
  for (std::size_t i = most; i < wishes.size(); ++i) {
    left_out +=
        fmt::format("{}{}", left_out.empty() ? "" : ", ", shape_label(wishes[i].picked->shape));
  }
  wishes.erase(wishes.begin() + static_cast<std::ptrdiff_t>(most), wishes.end());
  return release.has_ordered
             ? fmt::format("a request takes {} alternatives; left out: {}", most, left_out)
             : fmt::format(
                   "Kubernetes {} has no ordered list (firstAvailable, from 1.34); left "
                   "out: {}",
                   release.release, left_out);
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

std::string claim_comment(const std::vector<Wish>& wishes, const std::string& left_out) {
  std::string text;
  for (const Wish& wish : wishes) text += headline(*wish.picked) + "\n";
  if (wishes.size() > 1) text += "the wishes in order; the first that a node can give wins\n";
  text += left_out + "\n" + replicas_note(wishes);
  return text;
}

}  // namespace

Result<Emitted> emit_resource_claim(const EmitRequest& request) {
  Diagnostics diagnostics = check_names(request);
  const Result<KubernetesRelease> release = release_of(request.kubernetes);
  if (!release) {
    diagnostics.insert(diagnostics.end(), release.error().begin(), release.error().end());
  }
  Result<std::vector<Wish>> wishes = selected(request);
  if (!wishes) {
    diagnostics.insert(diagnostics.end(), wishes.error().begin(), wishes.error().end());
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));

  Emitted emitted;
  const std::string name = shared_name(request);
  const std::string left_out = keep_what_fits(*wishes, *release);
  if (!left_out.empty()) emitted.notes.push_back(fmt::format("{}: {}", name, left_out));
  for (const Wish& wish : *wishes) {
    if (wish.selector.caveat.empty()) continue;
    std::string note = fmt::format("{}: {}", name, wish.selector.caveat);
    if (std::ranges::find(emitted.notes, note) == emitted.notes.end()) {
      emitted.notes.push_back(std::move(note));
    }
  }

  if (const std::string replicas = replicas_note(*wishes); !replicas.empty()) {
    emitted.notes.push_back(fmt::format("{}: {}", name, replicas));
  }

  const Commenter comment(request);
  Node requests = Node::sequence();
  requests.add(wishes->size() == 1 ? single_request(wishes->front(), *release, comment)
                                   : ordered_request(*wishes, comment));
  Node devices = Node::mapping();
  devices.set("requests", std::move(requests));
  Node spec = Node::mapping();
  spec.set("devices", std::move(devices));
  Node root = Node::mapping();
  root.set("apiVersion", comment.above(release->api, claim_comment(*wishes, left_out)));
  root.set("kind", "ResourceClaim");
  root.set("metadata", metadata(request, name, *wishes->front().picked));
  root.set("spec", std::move(spec));
  comment.close(root, request);
  emitted.documents.push_back(std::move(root));
  return emitted;
}

}  // namespace gpushape::emit
