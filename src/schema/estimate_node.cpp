// The document form of an Estimate.
#include <algorithm>
#include <variant>

#include "schema/estimate_fields.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"
#include "schema/shape_fields.hpp"
#include "schema/stated_facts.hpp"

namespace gpushape::schema {

using document::Node;
using domain::Estimate;
using domain::Part;

namespace {

Node model_node(const Estimate& estimate) {
  Node parameters = Node::mapping();
  set_count(parameters, "total", estimate.parameters.total);
  set_count(parameters, "active", estimate.parameters.active);
  set_known(parameters, "stored", estimate.parameters.stored);
  set_known(parameters, "mtp", estimate.parameters.multi_token_prediction);
  Node model = Node::mapping();
  model.set("id", estimate.model_id);
  set_text(model, "base", estimate.model_base);
  set_text(model, "askedAs", estimate.model_asked_as);
  if (!parameters.entries().empty()) model.set("parameters", std::move(parameters));
  set_text(model, "source", estimate.model_source);
  return model;
}

Node workload_node(const Estimate& estimate) {
  Node workload = Node::mapping();
  const bool has_model = !estimate.model_id.empty();
  if (has_model) {
    set_choice(workload, "quantization", estimate.quantization.value);
    if (!domain::is_training(estimate))
      set_choice(workload, "kvCacheType", estimate.kv_cache_type.value);
  }
  if (estimate.context_tokens) workload.set("contextTokens", estimate.context_tokens->value);
  if (estimate.concurrency) workload.set("concurrency", estimate.concurrency->value);
  if (has_model) {
    set_text(workload, "engine", estimate.engine.value);
    workload.set("engineVersion", to_text(estimate.settings.version.value));
  }
  return workload;
}

bool has_term(const Estimate& estimate, Part part) {
  return std::ranges::find(estimate.terms, part, &domain::Term::part) != estimate.terms.end();
}

/// Sets the part's expected bytes where they are known: a term says so, or the model is known and
/// `is_known_without` such a term, and then they are 0.
void set_part(Node& node, std::string name, const Estimate& estimate, Part part,
              bool is_known_without) {
  if (!has_term(estimate, part) && !is_known_without) return;
  node.set(std::move(name), part_bytes(estimate, part).expected);
}

Node fact_node(const domain::Assumption& fact) {
  Node node = Node::mapping();
  node.set("fact", fact.fact);
  node.set("value", fact.value);
  set_choice(node, "origin", fact.origin);
  set_text(node, "from", fact.from);
  set_text(node, "flag", fact.flag);
  return node;
}

template <class T>
Node setting_node(const domain::Fact<T>& fact) {
  Node node = Node::mapping();
  node.set("value", fact.value);
  set_choice(node, "origin", fact.origin);
  set_text(node, "from", fact.from);
  return node;
}

Node settings_node(const domain::ResolvedSettings& settings) {
  Node node = Node::mapping();
  if (settings.max_num_seqs.value > 0) node.set("maxNumSeqs", setting_node(settings.max_num_seqs));
  if (settings.max_num_batched_tokens.value > 0) {
    node.set("maxNumBatchedTokens", setting_node(settings.max_num_batched_tokens));
  }
  if (settings.gpu_memory_utilization.value > 0) {
    node.set("gpuMemoryUtilization", setting_node(settings.gpu_memory_utilization));
  }
  return node;
}

}  // namespace

Node per_gpu_node(const Estimate& estimate) {
  const bool has_model = !estimate.model_id.empty();
  const bool has_demand = demand_is_known(estimate);
  Node fixed = Node::mapping();
  set_part(fixed, "weightsBytes", estimate, Part::Weights, has_model);
  set_part(fixed, "adapterBytes", estimate, Part::Adapters, false);
  set_part(fixed, "draftBytes", estimate, Part::Draft, false);
  set_part(fixed, "gradientBytes", estimate, Part::Gradients, false);
  set_part(fixed, "optimizerBytes", estimate, Part::Optimizer, false);
  Node dynamic = Node::mapping();
  const bool has_cache = has_model && has_demand && !domain::is_training(estimate);
  set_part(dynamic, "kvCacheBytes", estimate, Part::KvCache, has_cache);
  set_part(dynamic, "stateBytes", estimate, Part::State, has_cache);
  set_part(dynamic, "activationBytes", estimate, Part::Activation, has_model);
  Node runtime = Node::mapping();
  set_part(runtime, "graphBytes", estimate, Part::Graphs, has_model);
  set_part(runtime, "contextBytes", estimate, Part::Context, has_model);
  set_part(runtime, "communicationBytes", estimate, Part::Communication, has_model);

  Node node = Node::mapping();
  node.set("static", std::move(fixed));
  node.set("dynamic", std::move(dynamic));
  node.set("runtime", std::move(runtime));
  node.set(has_demand ? "totalBytes" : "withoutKvCacheBytes", to_node(estimate.total_bytes));
  return node;
}

Node capacity_node(const Estimate& estimate) {
  const domain::Capacity& capacity = *estimate.capacity;
  const bool has_pool = !domain::is_training(estimate);
  Node node = Node::mapping();
  set_text(node, "gpu", capacity.gpu);
  set_text(node, "profile", capacity.profile);
  node.set("visibleBytes", capacity.visible_bytes.expected);
  if (has_pool) {
    node.set("utilization", capacity.utilization);
    node.set("kvPoolBytes", capacity.kv_pool_bytes.expected);
    node.set("kvPoolTokens", capacity.kv_pool_tokens);
  }
  if (capacity.max_concurrency_at_context > 0) {
    set_number(node, "maxConcurrencyAtContext", capacity.max_concurrency_at_context);
  }
  node.set("fits", capacity.fits);
  set_choice(node, "fitsAt", capacity.fits_at);
  node.set("visibleRange", to_node(capacity.visible_bytes));
  if (has_pool) node.set("kvPoolRange", to_node(capacity.kv_pool_bytes));
  if (capacity.beside_share) {
    node.set("besideRange", to_node(capacity.beside_share->needed_bytes));
    node.set("besideLeftRange", to_node(capacity.beside_share->left_bytes));
  }
  return node;
}

Node all_gpus_node(const domain::AllGpus& all) {
  Node node = Node::mapping();
  node.set("gpus", all.gpus);
  node.set("weightsBytes", all.weights);
  node.set("copiedWeightsBytes", all.copies);
  node.set("totalBytes", all.total);
  if (all.stages.empty()) return node;
  Node stages = Node::sequence();
  for (const domain::StageHolding& stage : all.stages) {
    Node of_gpu = Node::mapping();
    of_gpu.set("layers", stage.layers);
    of_gpu.set("weightsBytes", stage.weights);
    of_gpu.set("totalBytes", stage.total);
    stages.add(std::move(of_gpu));
  }
  node.set("stages", std::move(stages));
  return node;
}

Node to_node(const domain::Term& term) {
  Node node = Node::mapping();
  node.set("name", term.name);
  node.set("bytes", term.bytes.expected);
  node.set("low", term.bytes.low);
  node.set("high", term.bytes.high);
  node.set("formula", term.formula);
  Node inputs = Node::mapping();
  for (const domain::Input& input : term.inputs) {
    std::visit([&](const auto& value) { inputs.set(std::string(input.name), value); }, input.value);
  }
  node.set("inputs", std::move(inputs));
  node.set("source", term.source);
  set_choice(node, "part", term.part);
  return node;
}

Node facts_node(const std::vector<domain::Assumption>& facts) {
  Node node = Node::sequence();
  for (const domain::Assumption& fact : facts) node.add(fact_node(fact));
  return node;
}

bool demand_is_known(const Estimate& estimate) {
  return has_term(estimate, Part::KvCache) || estimate.model_id.empty() ||
         domain::is_training(estimate) || (estimate.context_tokens && estimate.concurrency);
}

Node to_node(const Estimate& estimate) {
  Node node = new_document("Estimate");
  const bool has_model = !estimate.model_id.empty();
  if (has_model) node.set("model", model_node(estimate));
  node.set("workload", workload_node(estimate));
  node.set("parallelism", to_node(estimate.parallelism));
  node.set("perGpu", per_gpu_node(estimate));
  if (estimate.all_gpus) node.set("allGpus", all_gpus_node(*estimate.all_gpus));
  if (estimate.host_bytes > Bytes(0)) node.set("hostBytes", estimate.host_bytes);
  if (!estimate.host_terms.empty()) {
    Node terms = Node::sequence();
    for (const domain::Term& term : estimate.host_terms) terms.add(to_node(term));
    node.set("hostTerms", std::move(terms));
  }
  if (has_model && !domain::is_training(estimate))
    node.set("kvBytesPerToken", estimate.kv_bytes_per_token);
  if (estimate.capacity) node.set("capacity", capacity_node(estimate));
  if (estimate.traffic) node.set("traffic", traffic_node(*estimate.traffic));
  if (estimate.solution) node.set("solution", solution_node(*estimate.solution));
  Node terms = Node::sequence();
  for (const domain::Term& term : estimate.terms) terms.add(to_node(term));
  node.set("terms", std::move(terms));
  if (has_model && !domain::is_training(estimate))
    node.set("settings", settings_node(estimate.settings));
  node.set("assumptions", facts_node(stated_facts(estimate)));
  if (!estimate.notes.empty()) {
    Node notes = Node::sequence();
    for (const std::string& note : estimate.notes) notes.add(note);
    node.set("notes", std::move(notes));
  }
  return node;
}

}  // namespace gpushape::schema
