// The document form of two estimates side by side: kind EstimateComparison.
#include <utility>

#include "domain/estimate_comparison.hpp"
#include "schema/estimate_fields.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;
using domain::EstimateComparison;

namespace {

Node differences_node(const std::vector<domain::Difference>& differences) {
  Node node = Node::sequence();
  for (const domain::Difference& difference : differences) {
    Node one = Node::mapping();
    one.set("name", difference.name);
    set_text(one, "before", difference.before);
    set_text(one, "after", difference.after);
    node.add(std::move(one));
  }
  return node;
}

Node change_node(const domain::TermChange& change) {
  Node node = Node::mapping();
  node.set("name", change.name);
  set_choice(node, "part", change.part);
  if (change.before) node.set("beforeBytes", to_node(*change.before));
  if (change.after) node.set("afterBytes", to_node(*change.after));
  node.set("changeBytes", change.change());
  node.set("inputs", differences_node(change.inputs));
  set_text(node, "source", change.source);
  return node;
}

Node side_node(const domain::Estimate& estimate) {
  Node node = Node::mapping();
  node.set("engineVersion", to_text(estimate.settings.version.value));
  node.set("totalBytes", to_node(estimate.total_bytes));
  if (estimate.capacity) node.set("capacity", capacity_node(estimate));
  if (!estimate.notes.empty()) {
    Node notes = Node::sequence();
    for (const std::string& note : estimate.notes) notes.add(note);
    node.set("notes", std::move(notes));
  }
  return node;
}

}  // namespace

Node to_node(const EstimateComparison& comparison) {
  Node node = new_document("EstimateComparison");
  Node model = Node::mapping();
  model.set("id", comparison.after.model_id);
  node.set("model", std::move(model));
  set_text(node, "engine", comparison.after.engine.value);
  node.set("before", side_node(comparison.before));
  node.set("after", side_node(comparison.after));
  node.set("settings", differences_node(comparison.settings));
  Node terms = Node::sequence();
  for (const domain::TermChange& change : comparison.terms) terms.add(change_node(change));
  node.set("terms", std::move(terms));
  node.set("changeBytes",
           comparison.after.total_bytes.expected - comparison.before.total_bytes.expected);
  if (comparison.before.capacity && comparison.after.capacity) {
    node.set("kvPoolChangeBytes", comparison.after.capacity->kv_pool_bytes.expected -
                                      comparison.before.capacity->kv_pool_bytes.expected);
  }
  return node;
}

}  // namespace gpushape::schema
