// The document form of measured starts: kind Evidence, one entry a start.
#include <algorithm>
#include <utility>

#include "document/reader.hpp"
#include "domain/measurement.hpp"
#include "schema/fields.hpp"
#include "schema/header.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::MeasuredTerm;
using domain::Measurement;

namespace {

constexpr std::int64_t kMostGpus = 4096;
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;

Node start_node(const Measurement& measurement) {
  Node node = Node::mapping();
  node.set("model", measurement.model);
  if (measurement.quantization) set_choice(node, "quantization", *measurement.quantization);
  node.set("engine", measurement.engine);
  node.set("engineVersion", to_text(measurement.version));
  set_text(node, "gpu", measurement.gpu);
  node.set("tensorParallel", measurement.tensor);
  node.set("pipelineParallel", measurement.pipeline);
  set_count(node, "maxNumSeqs", measurement.max_num_seqs);
  set_count(node, "maxNumBatchedTokens", measurement.max_num_batched_tokens);
  node.set("enforceEager", measurement.enforce_eager);
  Node terms = Node::sequence();
  for (const MeasuredTerm& term : measurement.terms) {
    Node one = Node::mapping();
    one.set("name", term.name);
    one.set("measuredBytes", to_node(term.bytes));
    terms.add(std::move(one));
  }
  node.set("terms", std::move(terms));
  set_text(node, "source", measurement.source);
  return node;
}

MeasuredTerm read_term(Reader reader) {
  MeasuredTerm term;
  term.name = reader.required_text("name");
  const std::vector<std::string> names = {"weights", "activation", "nonTorch", "graphs"};
  if (!term.name.empty() && std::ranges::find(names, term.name) == names.end()) {
    reader.complain(
        "name", "'" + term.name + "' is no measured term",
        suggestion(term.name, names, "expected weights, activation, nonTorch or graphs"));
  }
  if (auto bytes = reader.required_mapping("measuredBytes")) {
    term.bytes.low = bytes->required_bytes("low");
    term.bytes.expected = bytes->required_bytes("expected");
    term.bytes.high = bytes->required_bytes("high");
    const bool is_ordered =
        term.bytes.low <= term.bytes.expected && term.bytes.expected <= term.bytes.high;
    if (!is_ordered) bytes->complain("low, expected and high are not in that order");
    bytes->finish();
  }
  reader.finish();
  return term;
}

Measurement read_start(Reader reader) {
  Measurement measurement;
  measurement.model = reader.required_text("model");
  measurement.quantization = reader.choice<domain::Quantization>("quantization");
  measurement.engine = reader.required_text("engine");
  const std::string version = reader.required_text("engineVersion");
  if (const auto read = domain::engine_version(version)) {
    measurement.version = *read;
  } else if (!version.empty()) {
    reader.complain("engineVersion", "'" + version + "' is no version", "write 0.19 or 0.19.1");
  }
  measurement.gpu = reader.text("gpu").value_or("");
  measurement.tensor =
      reader.integer("tensorParallel", {.least = 1, .most = kMostGpus}).value_or(1);
  measurement.pipeline =
      reader.integer("pipelineParallel", {.least = 1, .most = kMostGpus}).value_or(1);
  measurement.max_num_seqs =
      reader.integer("maxNumSeqs", {.least = 1, .most = kMostSequences}).value_or(0);
  measurement.max_num_batched_tokens =
      reader.integer("maxNumBatchedTokens", {.least = 1, .most = kMostTokens}).value_or(0);
  measurement.enforce_eager = reader.boolean("enforceEager").value_or(false);
  for (const Reader& term : reader.mappings("terms")) measurement.terms.push_back(read_term(term));
  measurement.source = reader.text("source").value_or(reader.place_of("model"));
  reader.finish();
  return measurement;
}

}  // namespace

Node evidence_node(const std::vector<Measurement>& measurements) {
  Node node = new_document("Evidence");
  node.set("evidenceLevel", "E1");
  Node starts = Node::sequence();
  for (const Measurement& measurement : measurements) starts.add(start_node(measurement));
  node.set("starts", std::move(starts));
  return node;
}

Result<std::vector<Measurement>> read_evidence(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "evidence");
  read_header(reader, "Evidence");
  static_cast<void>(reader.choice<domain::Evidence>("evidenceLevel"));
  std::vector<Measurement> measurements;
  for (const Reader& start : reader.mappings("starts")) measurements.push_back(read_start(start));
  if (measurements.empty() && diagnostics.empty())
    reader.complain(std::string("the evidence holds no start"), "write starts: with at least one");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return measurements;
}

}  // namespace gpushape::schema
