// A Model as a document: the architecture layer by layer with the shapes of its tensors, where its
// parameters are, and the source of every fact.
#include "domain/parameter_parts.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {
namespace {

using document::Node;

void set_switch(Node& node, const char* name, bool is_on) {
  if (is_on) node.set(name, true);
}

Node attention_node(const domain::Attention& attention) {
  Node node = Node::mapping();
  node.set("kind", name_of(attention.kind));
  set_count(node, "attentionHeads", attention.heads);
  set_count(node, "kvHeads", attention.kv_heads);
  set_count(node, "headDim", attention.head_dim);
  set_count(node, "valueHeadDim", attention.value_head_dim);
  set_count(node, "windowTokens", attention.window_tokens);
  set_switch(node, "sharesCache", attention.shares_cache);
  set_switch(node, "borrowsWeights", attention.borrows_weights);
  set_count(node, "queryRank", attention.query_rank);
  set_count(node, "queryExperts", attention.query_experts);
  if (attention.latent) {
    Node& latent = node.set("latent", Node::mapping());
    set_count(latent, "queryRank", attention.latent->query_rank);
    set_count(latent, "kvRank", attention.latent->kv_rank);
    set_count(latent, "ropeDim", attention.latent->rope_dim);
  }
  return node;
}

Node experts_node(const domain::Experts& experts) {
  Node node = Node::mapping();
  node.set("count", experts.count);
  node.set("active", experts.active);
  node.set("width", experts.width);
  set_count(node, "sharedWidth", experts.shared_width);
  set_count(node, "latentWidth", experts.latent_width);
  return node;
}

Node tensor_node(const domain::Tensor& tensor) {
  Node node = Node::mapping();
  node.set("name", tensor.name);
  node.set("part", name_of(tensor.part));
  node.set("rows", tensor.rows);
  set_count(node, "columns", tensor.columns);
  if (tensor.copies != 1) node.set("copies", tensor.copies);
  return node;
}

Node tensors_node(const std::vector<domain::Tensor>& tensors) {
  Node list = Node::sequence();
  for (const domain::Tensor& tensor : tensors) list.add(tensor_node(tensor));
  return list;
}

Node layer_node(const domain::LayerRun& run, const domain::Model& model) {
  const domain::Layer& layer = run.layer;
  Node node = Node::mapping();
  node.set("count", run.count);
  node.set("attention", attention_node(layer.attention));
  if (layer.recurrent) node.set("recurrent", name_of(layer.recurrent->kind));
  if (layer.cross_attention) node.set("crossAttention", attention_node(*layer.cross_attention));
  set_count(node, "feedForwardWidth", layer.feed_forward.width);
  if (layer.feed_forward.experts) node.set("experts", experts_node(*layer.feed_forward.experts));
  node.set("tensors", tensors_node(domain::tensors_of(layer, model)));
  return node;
}

Node tower_node(const domain::Tower& tower) {
  Node node = Node::mapping();
  node.set("kind", name_of(tower.kind));
  set_count(node, "hiddenSize", tower.hidden_size);
  set_count(node, "layers", tower.layers);
  node.set("parameters", tower.parameters);
  return node;
}

Node parameters_node(const domain::Model& model) {
  Node node = Node::mapping();
  node.set("total", model.parameters.total);
  node.set("active", model.parameters.active);
  if (model.parameters.stored) node.set("stored", *model.parameters.stored);
  if (model.parameters.multi_token_prediction)
    node.set("mtp", *model.parameters.multi_token_prediction);
  set_count(node, "scales", model.parameters.scales);
  Node& parts = node.set("parts", Node::sequence());
  for (const domain::PartCount& row : domain::parameters_by_part(model)) {
    Node& part = parts.add(Node::mapping());
    part.set("part", name_of(row.part));
    part.set("parameters", row.values);
  }
  return node;
}

Node weights_node(const domain::WeightFormat& weights) {
  Node node = Node::mapping();
  node.set("linear", name_of(weights.linear));
  node.set("other", name_of(weights.other));
  if (!weights.kept.empty()) {
    Node& kept = node.set("kept", Node::sequence());
    for (const std::string& pattern : weights.kept) kept.add(pattern);
  }
  if (weights.modules.empty()) return node;
  Node& modules = node.set("modules", Node::sequence());
  for (const domain::ModuleFormat& format : weights.modules) {
    Node& row = modules.add(Node::mapping());
    row.set("pattern", format.pattern);
    row.set("quantization", name_of(format.quantization));
  }
  return node;
}

}  // namespace

Node to_node(const domain::Model& model) {
  Node node = new_document("Model");
  node.set("id", model.id);
  if (model.base) node.set("base", *model.base);
  if (!model.asked_as.empty()) node.set("askedAs", model.asked_as);
  node.set("source", model.origin);
  Node& aliases = node.set("aliases", Node::sequence());
  for (const std::string& alias : model.aliases) aliases.add(alias);
  node.set("family", model.family);
  node.set("architecture", model.architecture);
  node.set("role", name_of(model.role));
  node.set("parameters", parameters_node(model));
  set_count(node, "contextTokens", model.max_context_tokens);
  node.set("hiddenSize", model.hidden_size);
  set_count(node, "vocabulary", model.vocabulary);
  set_count(node, "embeddingWidth", model.embedding_width);
  set_count(node, "poolingValues", model.pooling_values);
  node.set("tiedEmbeddings", model.tied_embeddings);
  node.set("weights", weights_node(model.weights));
  if (model.checkpoint_kv_cache) node.set("kvCacheType", name_of(*model.checkpoint_kv_cache));
  Node& layers = node.set("layers", Node::sequence());
  for (const domain::LayerRun& run : model.layers) layers.add(layer_node(run, model));
  node.set("tensors", tensors_node(domain::outer_tensors(model)));
  Node& towers = node.set("towers", Node::sequence());
  for (const domain::Tower& tower : model.towers) towers.add(tower_node(tower));
  Node& sources = node.set("sources", Node::sequence());
  for (const domain::FactSource& row : model.sources) {
    Node& source = sources.add(Node::mapping());
    source.set("fact", row.fact);
    source.set("source", row.source);
  }
  Node& notes = node.set("notes", Node::sequence());
  for (const std::string& note : model.notes) notes.add(note);
  return node;
}

}  // namespace gpushape::schema
