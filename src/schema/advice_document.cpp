// The document form of an Advice, and the contracts in one that is read back.
#include "document/reader.hpp"
#include "schema/estimate_fields.hpp"
#include "schema/fields.hpp"
#include "schema/header.hpp"
#include "schema/kinds.hpp"
#include "schema/shape_fields.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::Advice;

namespace {

Node reason_node(const domain::Reason& reason) {
  Node node = Node::mapping();
  set_text(node, "rule", reason.rule);
  node.set("says", reason.says);
  return node;
}

Node reasons_node(const std::vector<domain::Reason>& reasons) {
  Node node = Node::sequence();
  for (const domain::Reason& reason : reasons) node.add(reason_node(reason));
  return node;
}

Node settings_node(const domain::RankedShape& ranked) {
  Node node = Node::mapping();
  set_known(node, "maxNumSeqs", ranked.max_num_seqs);
  set_known(node, "maxNumBatchedTokens", ranked.max_num_batched_tokens);
  set_number(node, "gpuMemoryUtilization", ranked.gpu_memory_utilization);
  if (ranked.kv_cache_memory_bytes) node.set("kvCacheMemoryBytes", *ranked.kv_cache_memory_bytes);
  return node;
}

Node cost_node(const domain::Cost& cost) {
  Node node = Node::mapping();
  node.set("perHour", cost.per_hour);
  set_number(node, "perMillionTokens", cost.per_million_tokens);
  node.set("currency", cost.currency);
  node.set("basis", cost.basis);
  return node;
}

Node ranked_node(const domain::RankedShape& ranked) {
  Node node = Node::mapping();
  set_shape(node, ranked.shape);
  node.set("fits", ranked.fits);
  set_choice(node, "fitsAt", ranked.fits_at);
  node.set("needBytes", ranked.need_bytes);
  node.set("headroomBytes", ranked.headroom_bytes);
  node.set("strandedBytes", ranked.stranded_bytes);
  set_number(node, "maxConcurrency", ranked.max_concurrency);
  node.set("perDevice", ranked.per_device);
  node.set("replicas", ranked.replicas);
  set_known(node, "concurrency", ranked.concurrency);
  if (ranked.quantization) set_choice(node, "quantization", *ranked.quantization);
  node.set("wish", std::int64_t{ranked.wish});
  Node settings = settings_node(ranked);
  if (!settings.entries().empty()) node.set("settings", std::move(settings));
  if (ranked.cost) node.set("cost", cost_node(*ranked.cost));
  node.set("reasons", reasons_node(ranked.reasons));
  set_text(node, "toChange", ranked.to_change);
  if (ranked.estimate) {
    node.set("perGpu", per_gpu_node(*ranked.estimate));
    if (ranked.estimate->capacity) node.set("capacity", capacity_node(*ranked.estimate));
  }
  node.set("contract", to_node(ranked.contract));
  return node;
}

Node rejected_node(const domain::RejectedShape& rejected) {
  Node node = Node::mapping();
  set_shape(node, rejected.shape);
  node.set("reason", reason_node(rejected.reason));
  return node;
}

Node ask_node(const domain::Ask& ask) {
  Node node = Node::mapping();
  node.set("fact", ask.fact);
  set_text(node, "why", ask.why);
  set_text(node, "flag", ask.flag);
  return node;
}

Node neighbour_node(const domain::Neighbour& neighbour) {
  Node node = Node::mapping();
  node.set("profile", neighbour.profile);
  node.set("chosen", neighbour.is_chosen);
  node.set("memoryBytes", neighbour.memory_bytes);
  set_choice(node, "mode", neighbour.mode);
  node.set("perDevice", neighbour.per_device);
  node.set("strandedBytes", neighbour.stranded_bytes);
  Node& beside = node.set("beside", Node::sequence());
  for (const std::string& profile : neighbour.beside) beside.add(Node(profile));
  set_text(node, "refusal", neighbour.refusal);
  return node;
}

Node potential_node(const domain::Potential& potential) {
  Node node = Node::mapping();
  node.set("device", potential.device);
  node.set("count", potential.count);
  node.set("fits", potential.fits);
  if (potential.fits) {
    node.set("freeBytes", potential.free_bytes);
    node.set("tokens", potential.tokens);
    set_count(node, "contextTokens", potential.context_tokens);
    if (potential.context_tokens > 0) node.set("sequences", potential.sequences);
  }
  set_text(node, "says", potential.says);
  node.set("wish", std::int64_t{potential.wish});
  return node;
}

Node wish_document_node(const domain::WishDocument& document) {
  Node node = Node::mapping();
  Node& places = node.set("shapes", Node::sequence());
  for (const std::size_t place : document.places)
    places.add(Node(static_cast<std::int64_t>(place) + 1));
  const domain::RankedShape& first = document.shapes.front();
  node.set("vcpus", first.contract.vcpus);
  node.set("memoryBytes", first.contract.memory_bytes);
  node.set("sharedMemoryBytes", first.contract.shared_memory_bytes);
  Node settings = settings_node(first);
  if (!settings.entries().empty()) node.set("settings", std::move(settings));
  if (!document.joint.empty()) {
    Node& joint = node.set("joint", Node::sequence());
    for (const domain::JointValue& value : document.joint) {
      Node row = Node::mapping();
      row.set("what", value.what);
      row.set("value", value.value);
      row.set("decidedBy", static_cast<std::int64_t>(document.places[value.decided_by]) + 1);
      row.set("says", value.says);
      joint.add(std::move(row));
    }
  }
  set_text(node, "whyApart", document.why_apart);
  return node;
}

Node flip_node(const domain::Flip& flip) {
  Node node = Node::mapping();
  if (flip.runner_up) node.set("runnerUp", to_node(*flip.runner_up));
  set_text(node, "rule", flip.rule);
  set_text(node, "fact", flip.fact);
  set_text(node, "change", flip.change);
  set_text(node, "outcome", flip.outcome);
  if (flip.replicas > 1) node.set("replicas", flip.replicas);
  return node;
}

}  // namespace

Node to_node(const Advice& advice) {
  Node node = new_document("Advice");
  set_choice(node, "platform", advice.platform);
  Node shapes = Node::sequence();
  for (const auto& ranked : advice.shapes) shapes.add(ranked_node(ranked));
  node.set("shapes", std::move(shapes));
  Node rejected = Node::sequence();
  for (const auto& shape : advice.rejected) rejected.add(rejected_node(shape));
  node.set("rejected", std::move(rejected));
  node.set("assumptions", facts_node(advice.assumptions));
  Node asks = Node::sequence();
  for (const auto& ask : advice.asks) asks.add(ask_node(ask));
  node.set("asks", std::move(asks));
  if (!advice.neighbours.empty()) {
    Node neighbours = Node::sequence();
    for (const auto& neighbour : advice.neighbours) neighbours.add(neighbour_node(neighbour));
    node.set("neighbours", std::move(neighbours));
  }
  if (!advice.potentials.empty()) {
    Node potentials = Node::sequence();
    for (const auto& potential : advice.potentials) potentials.add(potential_node(potential));
    node.set("potentials", std::move(potentials));
  }
  if (!advice.documents.empty()) {
    Node documents = Node::sequence();
    for (const auto& document : advice.documents) documents.add(wish_document_node(document));
    node.set("documents", std::move(documents));
  }
  node.set("findings", reasons_node(advice.findings));
  if (advice.flip) node.set("flip", flip_node(*advice.flip));
  set_choice(node, "evidence", advice.evidence);
  if (advice.review_after_days)
    node.set("reviewAfter", review_node(*advice.review_after_days, advice.review_date));
  if (advice.estimate) node.set("estimate", to_node(*advice.estimate));
  return node;
}

std::string kind_of(const document::Document& document) {
  const Node* kind = document.root.find("kind");
  return kind != nullptr && kind->is(Node::Kind::String) ? kind->text() : std::string();
}

Result<std::vector<domain::ResourceContract>> read_contracts(const document::Document& document) {
  std::vector<domain::ResourceContract> contracts;
  Diagnostics diagnostics;
  if (kind_of(document) == "Advice") {
    Reader reader(document.root, *document.source, diagnostics, "Advice");
    static_cast<void>(read_header(reader, "Advice"));  // the kind was asked above
    for (Reader& shape : reader.mappings("shapes")) {
      if (auto contract = shape.required_mapping("contract")) {
        contracts.push_back(read_contract_fields(*contract));
      }
    }
  } else {
    Reader reader(document.root, *document.source, diagnostics, "ResourceContract");
    contracts.push_back(read_contract_fields(reader));
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return contracts;
}

}  // namespace gpushape::schema
