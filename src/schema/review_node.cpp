// The document form of a review: kind Review. It is what --baseline reads again.
#include <utility>

#include "domain/review.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;

namespace {

Node edit_node(const domain::TextEdit& edit) {
  Node node = Node::mapping();
  node.set("line", edit.line);
  node.set("column", edit.column);
  node.set("length", edit.length);
  node.set("text", edit.text);
  return node;
}

Node finding_node(const domain::Finding& finding) {
  Node node = Node::mapping();
  node.set("rule", finding.rule);
  set_choice(node, "severity", finding.severity);
  node.set("file", finding.place.file);
  node.set("line", finding.place.line);
  node.set("column", finding.place.column);
  node.set("length", finding.place.length);
  set_text(node, "object", finding.object);
  set_text(node, "path", finding.path);
  node.set("message", finding.message);
  set_text(node, "why", finding.why);
  set_text(node, "fix", finding.fix);
  if (!finding.edits.empty()) {
    Node edits = Node::sequence();
    for (const domain::TextEdit& edit : finding.edits) edits.add(edit_node(edit));
    node.set("edits", std::move(edits));
  }
  return node;
}

Node workload_node(const domain::UnderstoodWorkload& workload) {
  Node node = Node::mapping();
  node.set("object", workload.object);
  node.set("file", workload.place.file);
  node.set("line", workload.place.line);
  set_text(node, "engine", workload.engine);
  set_text(node, "model", workload.model);
  set_text(node, "gpu", workload.gpu);
  set_number(node, "gpus", workload.gpus);
  set_known(node, "needBytes", workload.need_bytes);
  set_known(node, "visibleBytes", workload.visible_bytes);
  if (workload.fits_at) node.set("fitsAt", *workload.fits_at);
  set_text(node, "gap", workload.gap);
  Node assumptions = Node::sequence();
  for (const domain::ReviewAssumption& each : workload.assumptions) {
    Node one = Node::mapping();
    one.set("fact", each.fact);
    one.set("value", each.value);
    set_text(one, "why", each.why);
    set_text(one, "flag", each.flag);
    assumptions.add(std::move(one));
  }
  if (!assumptions.items().empty()) node.set("assumptions", std::move(assumptions));
  return node;
}

Node answer_node(const domain::ChecklistAnswer& answer) {
  Node node = Node::mapping();
  node.set("number", answer.number);
  node.set("group", answer.group);
  node.set("question", answer.question);
  if (answer.is_yes) node.set("answer", *answer.is_yes);
  set_text(node, "because", answer.because);
  set_text(node, "ask", answer.ask);
  if (answer.place.line > 0) {
    node.set("file", answer.place.file);
    node.set("line", answer.place.line);
  }
  return node;
}

}  // namespace

Node to_node(const domain::Review& review) {
  Node node = new_document("Review");
  Node files = Node::sequence();
  for (const std::string& file : review.files) files.add(file);
  node.set("files", std::move(files));
  node.set("documents", review.documents);
  Node findings = Node::sequence();
  for (const domain::Finding& finding : review.findings) findings.add(finding_node(finding));
  node.set("findings", std::move(findings));
  Node workloads = Node::sequence();
  for (const domain::UnderstoodWorkload& each : review.workloads)
    workloads.add(workload_node(each));
  node.set("workloads", std::move(workloads));
  Node kinds = Node::sequence();
  for (const domain::KindCount& each : review.unknown_kinds) {
    Node one = Node::mapping();
    one.set("kind", each.kind);
    one.set("count", each.count);
    kinds.add(std::move(one));
  }
  node.set("unknownKinds", std::move(kinds));
  node.set("ignored", review.ignored);
  node.set("known", review.known);
  if (!review.checklist.empty()) {
    Node answers = Node::sequence();
    for (const domain::ChecklistAnswer& each : review.checklist) answers.add(answer_node(each));
    node.set("checklist", std::move(answers));
  }
  return node;
}

}  // namespace gpushape::schema
