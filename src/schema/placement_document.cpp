// The document form of a Placement; write-only.
#include "domain/placement.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;
using domain::Placement;
using domain::PlacementAttempt;
using domain::PlacementDecision;

namespace {

Node request_node(const domain::PlacementRequest& request) {
  Node node = Node::mapping();
  set_choice(node, "use", request.use);
  set_text(node, "profile", request.profile);
  node.set("gpus", request.gpus);
  if (request.needs_links) node.set("links", true);
  node.set("cores", static_cast<double>(request.millicores) /
                        static_cast<double>(domain::kMillicoresPerCore));
  set_count(node, "reservedMhz", request.reserved_mhz);
  node.set("memoryBytes", request.memory_bytes);
  if (!request.devices.empty()) node.set("devices", texts_node(request.devices));
  set_known(node, "label", request.label);
  if (request.is_static) node.set("static", true);
  if (!request.pci_addresses.empty()) node.set("pciAddresses", texts_node(request.pci_addresses));
  set_count(node, "numaNodes", request.numa_nodes);
  if (!request.datastores.empty()) node.set("datastores", texts_node(request.datastores));
  if (!request.networks.empty()) node.set("networks", texts_node(request.networks));
  set_text(node, "tenant", request.tenant);
  set_text(node, "group", request.group);
  set_count(node, "mostPerHost", request.most_per_host);
  return node;
}

Node candidate_node(const domain::CandidateHost& candidate) {
  Node node = Node::mapping();
  node.set("host", candidate.host);
  node.set("goodness", candidate.goodness);
  Node& parts = node.set("parts", Node::sequence());
  for (const domain::GoodnessPart& part : candidate.parts) {
    Node& row = parts.add(Node::mapping());
    row.set("name", part.name);
    row.set("value", part.value);
    row.set("weight", part.weight);
    row.set("fact", part.fact);
  }
  node.set("fragmentationChange", candidate.fragmentation_change);
  return node;
}

Node attempt_node(const PlacementAttempt& attempt) {
  Node node = Node::mapping();
  node.set("shape", attempt.shape);
  node.set("request", request_node(attempt.request));
  Node& refused = node.set("refused", Node::sequence());
  for (const domain::RefusedHost& host : attempt.refused) {
    Node& row = refused.add(Node::mapping());
    row.set("host", host.host);
    set_choice(row, "reason", host.refusal);
    row.set("wanted", host.wanted);
    row.set("found", host.found);
  }
  Node& candidates = node.set("candidates", Node::sequence());
  for (const domain::CandidateHost& host : attempt.candidates) candidates.add(candidate_node(host));
  return node;
}

Node chosen_node(const PlacementDecision& decision) {
  Node node = Node::mapping();
  node.set("host", decision.chosen->host);
  Node& gpus = node.set("gpus", Node::sequence());
  for (const int gpu : decision.chosen->gpus) gpus.add(gpu);
  node.set("gpuIds", texts_node(decision.gpu_ids));
  node.set("start", decision.chosen->start);
  set_text(node, "mode", decision.mode);
  set_text(node, "why", decision.why);
  return node;
}

Node before_after(double before, double after) {
  Node node = Node::mapping();
  node.set("before", before);
  node.set("after", after);
  return node;
}

Node slots_node(const std::vector<domain::ShapeSlots>& shapes) {
  Node slots = Node::sequence();
  for (const domain::ShapeSlots& shape : shapes) {
    Node& row = slots.add(Node::mapping());
    row.set("shape", shape.shape);
    row.set("before", shape.before);
    row.set("after", shape.after);
  }
  return slots;
}

Node decision_node(const PlacementDecision& decision) {
  Node node = Node::mapping();
  set_text(node, "contract", decision.contract);
  node.set("vm", decision.vm);
  node.set("placed", decision.is_placed());
  if (decision.is_placed()) node.set("chosen", chosen_node(decision));
  Node& attempts = node.set("attempts", Node::sequence());
  for (const PlacementAttempt& attempt : decision.attempts) attempts.add(attempt_node(attempt));
  if (decision.is_placed()) {
    node.set("slots", slots_node(decision.slots));
    node.set("profileSlots", slots_node(decision.profile_slots));
    const domain::FragmentationChange& change = decision.fragmentation;
    Node& fragmentation = node.set("fragmentation", Node::mapping());
    fragmentation.set("idleGpus", before_after(change.idle_before, change.idle_after));
    fragmentation.set("touchGpus", before_after(change.touch_before, change.touch_after));
    fragmentation.set("fillGpus", before_after(change.fill_before, change.fill_after));
  }
  if (!decision.happiness.empty()) {
    Node& happiness = node.set("happiness", Node::sequence());
    for (const domain::HappinessChange& change : decision.happiness) {
      Node& row = happiness.add(Node::mapping());
      row.set("vm", change.vm);
      row.set("before", change.before);
      row.set("after", change.after);
      row.set("fact", change.fact);
    }
  }
  if (!decision.notes.empty()) node.set("notes", texts_node(decision.notes));
  return node;
}

}  // namespace

Node to_node(const Placement& placement) {
  Node node = new_document("Placement");
  set_text(node, "cluster", placement.cluster);
  node.set("policy", placement.policy);
  node.set("goodness", placement.goodness_preset);
  node.set("distribution", placement.distribution);
  Node& decisions = node.set("decisions", Node::sequence());
  for (const PlacementDecision& decision : placement.decisions) {
    decisions.add(decision_node(decision));
  }
  return node;
}

}  // namespace gpushape::schema
