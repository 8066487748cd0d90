// A Device as a document, with its profile table and boards; and the answer whether a set of
// profiles is legal on one.
#include "domain/profile_fit.hpp"
#include "domain/release_needs.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {
namespace {

using document::Node;

template <class T>
Node list_of(const std::vector<T>& values) {
  Node list = Node::sequence();
  for (const T& value : values) list.add(Node(value));
  return list;
}

Node range_node(const domain::Range& range) {
  Node node = Node::mapping();
  node.set("low", range.low);
  node.set("expected", range.expected);
  node.set("high", range.high);
  return node;
}

Node profile_node(const domain::Profile& profile) {
  Node node = Node::mapping();
  node.set("name", profile.name);
  node.set("type", profile.type);
  node.set("shortName", profile.short_name);
  node.set("technology", name_of(profile.technology));
  node.set("frameBufferBytes", profile.frame_buffer_bytes);
  node.set("visibleBytes", range_node(profile.visible_bytes));
  node.set("usableBytes", profile.usable_bytes);
  node.set("maxPerGpu", profile.max_per_gpu);
  set_known(node, "maxPerGpuMixed", profile.max_per_gpu_mixed);
  if (!profile.placement_ids.empty()) {
    node.set("starts", list_of(profile.placement_ids));
    node.set("size", profile.placement_size);
  }
  if (profile.compute_slices > 0) node.set("computeSlices", profile.compute_slices);
  if (profile.memory_slices > 0) node.set("memorySlices", profile.memory_slices);
  set_known(node, "multiprocessors", profile.multiprocessors);
  set_text(node, "migProfile", profile.mig_profile);
  if (profile.is_full_size) node.set("fullSize", true);
  if (profile.peer_to_peer) node.set("peerToPeer", true);
  set_text(node, "requires", profile.requires_release);
  if (!profile.aliases.empty()) node.set("aliases", list_of(profile.aliases));
  return node;
}

Node types_node(const domain::Device& device) {
  Node types = Node::sequence();
  if (device.supports_bf16) types.add(Node("bf16"));
  if (device.supports_fp8) types.add(Node("fp8"));
  if (device.supports_fp4) types.add(Node("fp4"));
  if (device.supports_int8) types.add(Node("int8"));
  return types;
}

}  // namespace

Node to_node(const domain::Device& device) {
  Node node = new_document("Device");
  node.set("id", device.id);
  node.set("name", device.name);
  node.set("vendor", device.vendor);
  node.set("architecture", device.architecture);
  if (!device.aliases.empty()) node.set("aliases", list_of(device.aliases));
  if (!device.product_names.empty()) node.set("productNames", list_of(device.product_names));
  node.set("nominalGb", device.nominal_gb);
  set_known(node, "nvmlBytes", device.nvml_bytes);
  node.set("visibleBytes", range_node(device.visible_bytes));
  set_known(node, "underWslBytes", device.under_wsl_bytes);
  if (device.free_at_start) node.set("freeAtStartBytes", range_node(*device.free_at_start));
  set_known(node, "memoryGigabytesPerSecond", device.memory_gigabytes_per_second);
  set_text(node, "computeCapability", device.compute_capability);
  set_known(node, "multiprocessors", device.multiprocessors);
  node.set("tensorTypes", types_node(device));
  if (!device.nvlink.kind.empty()) node.set("linkKind", device.nvlink.kind);
  node.set("linkedGpus", device.nvlink.max_domain);
  set_known(node, "mmioGib", device.mmio_gib);
  set_known(node, "watts", device.watts);
  Node& boards = node.set("boards", Node::sequence());
  for (const domain::Board& board : device.boards) boards.add(Node(board.id));
  Node& profiles = node.set("profiles", Node::sequence());
  for (const domain::Profile& profile : device.profiles) profiles.add(profile_node(profile));
  const std::vector<domain::ReleaseNeed> needs = domain::release_needs(device);
  if (!needs.empty()) {
    Node& list = node.set("needs", Node::sequence());
    for (const domain::ReleaseNeed& need : needs) {
      Node& row = list.add(Node::mapping());
      row.set("use", need.use);
      row.set("needs", need.needs);
      row.set("source", need.source);
    }
  }
  Node& sources = node.set("sources", Node::sequence());
  for (const domain::FactSource& fact : device.fact_sources) {
    Node& row = sources.add(Node::mapping());
    row.set("fact", fact.fact);
    row.set("source", fact.source);
  }
  if (!device.notes.empty()) node.set("notes", list_of(device.notes));
  return node;
}

Node to_node(const domain::ProfileFit& fit) {
  Node node = new_document("ProfileFit");
  node.set("gpu", fit.device);
  node.set("legal", fit.is_legal);
  if (!fit.is_legal) {
    node.set("why", fit.why);
    return node;
  }
  node.set("mode", name_of(fit.mode));
  Node& placed = node.set("placed", Node::sequence());
  for (const domain::FittedProfile& one : fit.placed) {
    Node& row = placed.add(Node::mapping());
    row.set("profile", one.name);
    row.set("start", std::int64_t{one.start});
    row.set("size", std::int64_t{one.size});
    Node& starts = row.set("legalStarts", Node::sequence());
    for (const int start : one.legal_starts) starts.add(Node(std::int64_t{start}));
    if (one.vgpu.empty()) continue;
    row.set("vgpu", one.vgpu);
    row.set("vgpus", std::int64_t{one.vgpus});
  }
  node.set("layouts", fit.layouts);
  node.set("exhausted", fit.is_exhausted);
  if (fit.compute > 0) {
    node.set("computeSlices", std::int64_t{fit.compute});
    node.set("computeSlicesUsed", std::int64_t{fit.compute_used});
  }
  node.set("roomFor", list_of(fit.room));
  return node;
}

}  // namespace gpushape::schema
