#include <algorithm>

#include "schema/fields.hpp"
#include "schema/kinds.hpp"
#include "schema/plan_documents.hpp"

namespace gpushape::schema {
namespace {

using document::Node;

Node gpus_node(const domain::PlannedGpus& gpus) {
  Node node = Node::mapping();
  node.set("mode", name_of(gpus.mode));
  node.set("count", gpus.count);
  Node& shares = node.set("shares", Node::sequence());
  for (const domain::PlannedShare& share : gpus.shares) {
    Node& row = shares.add(Node::mapping());
    row.set("profile", share.profile);
    row.set("start", std::int64_t{share.start});
    row.set("size", std::int64_t{share.size});
  }
  node.set("freeBytes", gpus.free_bytes);
  node.set("strandedBytes", gpus.stranded_bytes);
  return node;
}

Node plan_node(const domain::ProfilePlan& plan) {
  Node node = Node::mapping();
  node.set("gpu", plan.device);
  node.set("mode", name_of(plan.mode));
  if (!plan.refusal.empty()) {
    node.set("refusal", plan.refusal);
    return node;
  }
  node.set("devices", plan.devices);
  node.set("leastDevices", plan.least_devices);
  node.set("proven", plan.is_proven);
  node.set("strandedBytes", plan.stranded_bytes);
  node.set("surplusBytes", plan.surplus_bytes);
  Node& sizes = node.set("sizes", Node::sequence());
  for (const domain::PlannedSize& size : plan.sizes) {
    Node& row = sizes.add(Node::mapping());
    row.set("profile", size.profile);
    row.set("copies", size.copies);
    Node& items = row.set("items", Node::sequence());
    for (const std::string& item : size.items) items.add(Node(item));
  }
  Node& gpus = node.set("gpus", Node::sequence());
  for (const domain::PlannedGpus& row : plan.gpus) gpus.add(gpus_node(row));
  Node& notes = node.set("notes", Node::sequence());
  for (const std::string& note : plan.notes) notes.add(Node(note));
  return node;
}

Node used_host_node(const domain::ClusterHost& host) {
  Node node = Node::mapping();
  node.set("name", host.name);
  node.set("millicores", host.millicores);
  node.set("usedMillicores", host.used_millicores);
  node.set("memoryBytes", host.memory_bytes);
  node.set("usedMemoryBytes", host.used_memory_bytes);
  Node& gpus = node.set("gpus", Node::sequence());
  for (const domain::Gpu& gpu : host.gpus) {
    Node& row = gpus.add(Node::mapping());
    row.set("id", gpu.id);
    row.set("device", gpu.device);
    if (gpu.mode) row.set("mode", name_of(*gpu.mode));
    if (!gpu.profile.empty()) row.set("profile", gpu.profile);
    Node& allocations = row.set("allocations", Node::sequence());
    for (const domain::GpuAllocation& share : gpu.allocations) {
      Node& one = allocations.add(Node::mapping());
      one.set("vm", share.vm);
      if (!share.profile.empty()) one.set("profile", share.profile);
      one.set("start", std::int64_t{share.start});
      one.set("size", std::int64_t{share.size});
    }
  }
  return node;
}

Node host_plan_node(const domain::HostPlan& plan) {
  Node node = Node::mapping();
  node.set("host", plan.host);
  node.set("mode", name_of(plan.mode));
  if (!plan.refusal.empty()) {
    node.set("refusal", plan.refusal);
    return node;
  }
  node.set("hosts", plan.hosts);
  node.set("leastHosts", plan.least_hosts);
  node.set("proven", plan.is_proven);
  node.set("copies", plan.copies);
  node.set("shapeChoices", plan.shape_choices);
  if (!plan.other_shapes.empty()) {
    Node& others = node.set("otherShapes", Node::sequence());
    for (const domain::OtherShape& other : plan.other_shapes) {
      Node& row = others.add(Node::mapping());
      row.set("workload", other.workload);
      row.set("shape", other.shape);
      row.set("insteadOf", other.instead_of);
      row.set("forced", other.is_forced);
    }
  }
  Node& bounds = node.set("bounds", Node::sequence());
  for (const domain::HostBound& bound : plan.bounds) {
    Node& row = bounds.add(Node::mapping());
    row.set("resource", bound.resource);
    row.set("hosts", bound.hosts);
    row.set("says", bound.says);
  }
  Node& used = node.set("used", Node::sequence());
  for (const domain::ClusterHost& host : plan.used) used.add(used_host_node(host));
  return node;
}

}  // namespace

Node profile_plans_node(const std::vector<domain::ProfilePlan>& plans) {
  Node node = new_document("ProfilePlan");
  Node& list = node.set("plans", Node::sequence());
  for (const domain::ProfilePlan& plan : plans) list.add(plan_node(plan));
  return node;
}

Node host_plans_node(const std::vector<domain::HostPlan>& plans) {
  Node node = new_document("HostPlan");
  Node& list = node.set("plans", Node::sequence());
  for (const domain::HostPlan& plan : plans) list.add(host_plan_node(plan));
  return node;
}

}  // namespace gpushape::schema
