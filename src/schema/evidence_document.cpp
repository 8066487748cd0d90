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

/// Sizes of 1 and switches as they are by default stay out, where files of before have no field.
void set_parallelism(Node& node, const Measurement& measurement) {
  node.set("tensorParallel", measurement.tensor);
  node.set("pipelineParallel", measurement.pipeline);
  node.set("dataParallel", measurement.data);
  node.set("expertParallel", measurement.expert);
  if (measurement.context_parallel > 1) node.set("contextParallel", measurement.context_parallel);
}

void set_settings(Node& node, const Measurement& measurement) {
  set_count(node, "maxNumSeqs", measurement.max_num_seqs);
  set_count(node, "maxNumBatchedTokens", measurement.max_num_batched_tokens);
  set_count(node, "contextTokens", measurement.context_tokens);
  if (measurement.kv_cache_type) set_choice(node, "kvCacheType", *measurement.kv_cache_type);
  node.set("enforceEager", measurement.enforce_eager);
  if (measurement.adapters) {
    Node adapters = Node::mapping();
    adapters.set("count", measurement.adapters->count);
    adapters.set("rank", measurement.adapters->rank);
    node.set("adapters", std::move(adapters));
  }
  set_text(node, "draftModel", measurement.draft_model);
  set_count(node, "draftTokens", measurement.draft_tokens);
  if (!measurement.takes_images) node.set("images", false);
  if (!measurement.takes_videos) node.set("videos", false);
  if (measurement.keeps_towers_whole) node.set("towersWhole", true);
  if (measurement.offloaded_bytes > Bytes(0))
    node.set("offloadedBytes", measurement.offloaded_bytes);
  set_known(node, "ngramTablesOnHost", measurement.has_tables_on_host);
  set_known(node, "gpuLayers", measurement.gpu_layers);
  if (measurement.is_first_generation) node.set("firstGeneration", true);
  set_known(node, "secondRunner", measurement.has_second_runner);
}

Node start_node(const Measurement& measurement) {
  Node node = Node::mapping();
  node.set("model", measurement.model);
  if (measurement.quantization) set_choice(node, "quantization", *measurement.quantization);
  node.set("engine", measurement.engine);
  node.set("engineVersion", to_text(measurement.version));
  set_text(node, "gpu", measurement.gpu);
  set_text(node, "migProfile", measurement.mig_profile);
  set_parallelism(node, measurement);
  set_settings(node, measurement);
  Node terms = Node::sequence();
  for (const MeasuredTerm& term : measurement.terms) {
    Node one = Node::mapping();
    one.set("name", term.name);
    one.set("measuredBytes", to_node(term.bytes));
    terms.add(std::move(one));
  }
  node.set("terms", std::move(terms));
  set_text(node, "source", measurement.source);
  if (!measurement.notes.empty()) node.set("notes", texts_node(measurement.notes));
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
    const bool is_nothing = bytes->has("expected") && term.bytes.expected == Bytes(0);
    if (is_nothing && term.name == "weights")
      bytes->complain("expected", "weights of 0 bytes are none that were measured",
                      "write what the engine printed, or leave the term out");
    bytes->finish();
  }
  reader.finish();
  return term;
}

std::vector<MeasuredTerm> read_terms(Reader& start) {
  std::vector<MeasuredTerm> terms;
  for (Reader& reader : start.mappings("terms")) {
    MeasuredTerm term = read_term(reader);
    const bool is_again = !term.name.empty() &&
                          std::ranges::find(terms, term.name, &MeasuredTerm::name) != terms.end();
    if (is_again)
      reader.complain("name", "'" + term.name + "' stands twice in one start",
                      "write a start for each of the figures");
    terms.push_back(std::move(term));
  }
  return terms;
}

void read_parallelism(Reader& reader, Measurement& measurement) {
  const auto size_of = [&](std::string_view name) {
    return reader.integer(name, {.least = 1, .most = kMostGpus}).value_or(1);
  };
  measurement.tensor = size_of("tensorParallel");
  measurement.pipeline = size_of("pipelineParallel");
  measurement.data = size_of("dataParallel");
  measurement.expert = size_of("expertParallel");
  measurement.context_parallel = size_of("contextParallel");
}

void read_beside(Reader& reader, Measurement& measurement) {
  if (auto adapters = reader.mapping("adapters")) {
    measurement.adapters.emplace();
    measurement.adapters->count =
        adapters->required_integer("count", {.least = 1, .most = kMostSequences});
    measurement.adapters->rank =
        adapters->required_integer("rank", {.least = 1, .most = kMostSequences});
    adapters->finish();
  }
  measurement.draft_model = reader.filled_text("draftModel").value_or("");
  measurement.draft_tokens =
      reader.integer("draftTokens", {.least = 1, .most = kMostTokens}).value_or(0);
  measurement.takes_images = reader.boolean("images").value_or(true);
  measurement.takes_videos = reader.boolean("videos").value_or(true);
  measurement.keeps_towers_whole = reader.boolean("towersWhole").value_or(false);
  measurement.offloaded_bytes = reader.bytes("offloadedBytes").value_or(Bytes(0));
  measurement.has_tables_on_host = reader.boolean("ngramTablesOnHost");
}

void read_settings(Reader& reader, Measurement& measurement) {
  measurement.max_num_seqs =
      reader.integer("maxNumSeqs", {.least = 1, .most = kMostSequences}).value_or(0);
  measurement.max_num_batched_tokens =
      reader.integer("maxNumBatchedTokens", {.least = 1, .most = kMostTokens}).value_or(0);
  measurement.context_tokens =
      reader.integer("contextTokens", {.least = 1, .most = kMostTokens}).value_or(0);
  measurement.kv_cache_type = reader.choice<domain::KvCacheType>("kvCacheType");
  if (measurement.kv_cache_type == domain::KvCacheType::Auto) measurement.kv_cache_type.reset();
  measurement.enforce_eager = reader.boolean("enforceEager").value_or(false);
  measurement.gpu_layers = reader.integer("gpuLayers", {.least = 0, .most = kMostSequences});
  measurement.is_first_generation = reader.boolean("firstGeneration").value_or(false);
  measurement.has_second_runner = reader.boolean("secondRunner");
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
  measurement.mig_profile = reader.text("migProfile").value_or("");
  read_parallelism(reader, measurement);
  read_settings(reader, measurement);
  read_beside(reader, measurement);
  measurement.terms = read_terms(reader);
  measurement.source = reader.text("source").value_or(reader.place_of("model"));
  measurement.notes = reader.texts("notes");
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
