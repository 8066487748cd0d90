// The document form of predictions beside measurements: kind Calibration, one entry a log.
#include <utility>

#include "domain/calibration.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;
using domain::Calibration;

namespace {

Node term_node(const domain::CalibratedTerm& term) {
  Node node = Node::mapping();
  node.set("name", term.name);
  node.set("predictedBytes", to_node(term.predicted));
  if (term.measured) {
    node.set("measuredBytes", to_node(*term.measured));
    node.set("differenceBytes", term.measured->expected - term.predicted.expected);
    node.set("isOff", term.is_off);
  }
  if (!term.ranks.empty()) {
    Node ranks = Node::sequence();
    for (const Bytes bytes : term.ranks) ranks.add(bytes);
    node.set("rankBytes", std::move(ranks));
  }
  if (!term.causes.empty()) node.set("causes", texts_node(term.causes));
  return node;
}

Node log_node(const Calibration& calibration) {
  Node node = Node::mapping();
  node.set("log", calibration.log);
  Node settings = Node::sequence();
  for (const domain::CalibratedSetting& setting : calibration.settings) {
    Node one = Node::mapping();
    one.set("name", setting.name);
    one.set("value", setting.value);
    one.set("from", setting.from);
    settings.add(std::move(one));
  }
  node.set("settings", std::move(settings));
  Node terms = Node::sequence();
  for (const domain::CalibratedTerm& term : calibration.terms) terms.add(term_node(term));
  node.set("terms", std::move(terms));
  if (calibration.tokens) {
    Node tokens = Node::mapping();
    tokens.set("least", calibration.tokens->least);
    tokens.set("most", calibration.tokens->most);
    tokens.set("printed", calibration.tokens->printed);
    node.set("kvPoolTokens", std::move(tokens));
  }
  node.set("agrees", calibration.agrees());
  node.set("verdict", calibration.verdict);
  if (!calibration.asks.empty()) node.set("asks", texts_node(calibration.asks));
  if (!calibration.notes.empty()) node.set("notes", texts_node(calibration.notes));
  return node;
}

}  // namespace

Node calibration_node(const std::vector<Calibration>& calibrations) {
  Node node = new_document("Calibration");
  Node logs = Node::sequence();
  for (const Calibration& calibration : calibrations) logs.add(log_node(calibration));
  node.set("logs", std::move(logs));
  return node;
}

}  // namespace gpushape::schema
