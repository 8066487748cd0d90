// The document form of a Workload, both ways. Only what somebody stated is written, so that a fact
// that was defaulted stays one when the file is read again.
#include <fmt/format.h>

#include "base/calendar.hpp"
#include "document/reader.hpp"
#include "schema/fields.hpp"
#include "schema/header.hpp"
#include "schema/kinds.hpp"
#include "schema/limits.hpp"
#include "schema/placement_terms.hpp"
#include "schema/token_count.hpp"
#include "schema/traffic_fields.hpp"

namespace gpushape::schema {

using document::IntegerBounds;
using document::Node;
using document::Reader;
using domain::EngineSettings;
using domain::Fact;
using domain::Origin;
using domain::Workload;

namespace {

// ---- writing ----

Node value_node(const std::string& value) { return value; }
Node value_node(std::int64_t value) { return value; }
Node value_node(double value) { return value; }
Node value_node(bool value) { return value; }
Node value_node(Bytes value) { return value; }
Node value_node(const domain::EngineVersion& value) { return to_text(value); }
template <class E>
  requires std::is_enum_v<E>
Node value_node(E value) {
  return name_of(value);
}

template <class T>
void set_stated(Node& node, std::string name, const Fact<T>& fact) {
  if (fact.origin != Origin::Default) node.set(std::move(name), value_node(fact.value));
}
template <class T>
void set_stated(Node& node, std::string name, const std::optional<Fact<T>>& fact) {
  if (fact) set_stated(node, std::move(name), *fact);
}

void set_filled(Node& node, std::string name, Node mapping) {
  if (!mapping.entries().empty()) node.set(std::move(name), std::move(mapping));
}

void set_texts(Node& node, std::string name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  Node list = Node::sequence();
  for (const std::string& text : texts) list.add(text);
  node.set(std::move(name), std::move(list));
}

Node engine_node(const EngineSettings& engine) {
  Node node = Node::mapping();
  set_stated(node, "name", engine.engine);
  set_stated(node, "version", engine.version);
  set_stated(node, "tensor", engine.tensor);
  set_stated(node, "pipeline", engine.pipeline);
  set_stated(node, "data", engine.data);
  set_stated(node, "expert", engine.expert);
  set_stated(node, "contextParallel", engine.context_parallel);
  set_stated(node, "draftTokens", engine.draft_tokens);
  if (engine.draft_model) set_stated(node, "draftModel", engine.draft_model->name);
  set_stated(node, "gpuLayers", engine.gpu_layers);
  set_stated(node, "flashAttention", engine.flash_attention);
  set_stated(node, "prefixCaching", engine.prefix_caching);
  set_stated(node, "blockTokens", engine.block_tokens);
  set_stated(node, "maxNumSeqs", engine.max_num_seqs);
  set_stated(node, "maxNumBatchedTokens", engine.max_num_batched_tokens);
  set_stated(node, "gpuMemoryUtilization", engine.gpu_memory_utilization);
  set_stated(node, "kvCacheMemoryBytes", engine.kv_cache_memory_bytes);
  set_stated(node, "enforceEager", engine.enforce_eager);
  return node;
}

Node adapters_node(const domain::Adapters& adapters) {
  Node node = Node::mapping();
  set_stated(node, "count", adapters.count);
  set_stated(node, "rank", adapters.rank);
  set_stated(node, "modules", adapters.modules);
  return node;
}

Node training_node(const domain::Training& training) {
  Node node = Node::mapping();
  set_stated(node, "method", training.method);
  set_stated(node, "optimizer", training.optimizer);
  set_stated(node, "precision", training.precision);
  set_stated(node, "checkpointing", training.checkpointing);
  set_stated(node, "loss", training.loss);
  set_stated(node, "microBatch", training.micro_batch);
  set_stated(node, "gradientAccumulation", training.gradient_accumulation);
  set_stated(node, "zeroStage", training.zero_stage);
  set_stated(node, "sequenceParallel", training.sequence_parallel);
  set_stated(node, "flashAttention", training.flash_attention);
  set_stated(node, "optimizerOffload", training.optimizer_offload);
  set_stated(node, "optimizerInBackward", training.optimizer_in_backward);
  return node;
}

Node demand_node(const domain::Demand& demand) {
  Node node = Node::mapping();
  set_known(node, "staticBytes", demand.static_bytes);
  set_known(node, "dynamicP50Bytes", demand.dynamic_p50_bytes);
  set_known(node, "dynamicP99Bytes", demand.dynamic_p99_bytes);
  set_known(node, "ceilingBytes", demand.ceiling_bytes);
  return node;
}

Node wishes_node(const domain::ContractWishes& wishes) {
  Node node = Node::mapping();
  set_stated(node, "tier", wishes.tier);
  set_stated(node, "qos", wishes.qos);
  set_stated(node, "loader", wishes.loader);
  set_stated(node, "apiServers", wishes.api_servers);
  set_stated(node, "workers", wishes.workers);
  set_stated(node, "kvOffloadBytes", wishes.kv_offload_bytes);
  set_stated(node, "cpuOffloadBytes", wishes.cpu_offload_bytes);
  set_stated(node, "toleratedPauseSeconds", wishes.tolerated_pause_seconds);
  return node;
}

// ---- reading ----

template <class T>
Fact<T> stated(const Reader& reader, std::string_view field, T value) {
  return {std::move(value), Origin::File, reader.place_of(field)};
}

/// Puts a value that was read into its fact, and leaves the fact as it is where there was none.
template <class Target, class T>
void take(Target& fact, const Reader& reader, std::string_view field, std::optional<T> value) {
  if (value) fact = stated(reader, field, std::move(*value));
}

/// A number of tokens, as an integer or as a text with k or m ("32k").
std::optional<std::int64_t> read_tokens(Reader& reader, std::string_view field) {
  const Node* node = reader.node(field);
  if (node == nullptr || !node->is(Node::Kind::String)) return reader.integer(field, kTokensBounds);
  const std::optional<std::int64_t> tokens = token_count(node->text());
  if (tokens && *tokens >= kTokensBounds.least && *tokens <= kTokensBounds.most) return tokens;
  reader.complain(
      field, fmt::format("{} is '{}', which is no number of tokens", field, node->text()),
      fmt::format("write a whole number from {} to {}, or one with k or m: 32k is 32768",
                  kTokensBounds.least, kTokensBounds.most));
  return std::nullopt;
}

/// A fraction in (0, 1].
std::optional<double> read_fraction(Reader& reader, std::string_view field) {
  const std::optional<double> fraction = reader.number(field, kShareBounds);
  if (!fraction || *fraction > 0) return fraction;
  reader.complain(field, fmt::format("{} is 0, which leaves nothing", field),
                  "write a number above 0 and up to 1");
  return std::nullopt;
}

std::optional<std::int64_t> read_duration(Reader& reader, std::string_view field) {
  const std::optional<std::string> text = reader.text(field);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> seconds = parse_duration(*text);
  if (!seconds) {
    reader.complain(field, fmt::format("{} is '{}', which is no duration", field, *text),
                    "write a number and s, m, h or d: 8h, 90m, 14d");
  }
  return seconds;
}

std::optional<domain::EngineVersion> read_version(Reader& reader, std::string_view field) {
  const std::optional<std::string> text = reader.text(field);
  if (!text) return std::nullopt;
  const std::optional<domain::EngineVersion> version = domain::engine_version(*text);
  if (!version) {
    reader.complain(field, fmt::format("'{}' is no engine version", *text),
                    "write it in quotes, for instance \"0.19.1\"");
  }
  return version;
}

void read_engine(Reader& reader, EngineSettings& engine) {
  const auto take_integer = [&](auto& fact, std::string_view field, IntegerBounds bounds) {
    take(fact, reader, field, reader.integer(field, bounds));
  };
  take(engine.engine, reader, "name", reader.filled_text("name"));
  take(engine.version, reader, "version", read_version(reader, "version"));
  take_integer(engine.tensor, "tensor", kGpusBounds);
  take_integer(engine.pipeline, "pipeline", kGpusBounds);
  take_integer(engine.data, "data", kGpusBounds);
  take_integer(engine.expert, "expert", kGpusBounds);
  take_integer(engine.context_parallel, "contextParallel", kGpusBounds);
  take_integer(engine.draft_tokens, "draftTokens", kDraftBounds);
  if (auto name = reader.filled_text("draftModel"))
    engine.draft_model = {.name = stated(reader, "draftModel", std::move(*name)), .model = nullptr};
  take_integer(engine.gpu_layers, "gpuLayers", kGpuLayerBounds);
  take(engine.flash_attention, reader, "flashAttention", reader.boolean("flashAttention"));
  take(engine.prefix_caching, reader, "prefixCaching", reader.boolean("prefixCaching"));
  take_integer(engine.block_tokens, "blockTokens", kBlockBounds);
  take_integer(engine.max_num_seqs, "maxNumSeqs", kSequencesBounds);
  take(engine.max_num_batched_tokens, reader, "maxNumBatchedTokens",
       read_tokens(reader, "maxNumBatchedTokens"));
  take(engine.gpu_memory_utilization, reader, "gpuMemoryUtilization",
       read_fraction(reader, "gpuMemoryUtilization"));
  take(engine.kv_cache_memory_bytes, reader, "kvCacheMemoryBytes",
       read_bytes(reader, "kvCacheMemoryBytes"));
  take(engine.enforce_eager, reader, "enforceEager", reader.boolean("enforceEager"));
  reader.finish();
}

domain::Adapters read_adapters(Reader& reader) {
  domain::Adapters adapters;
  take(adapters.count, reader, "count", reader.integer("count", kAdaptersBounds));
  take(adapters.rank, reader, "rank", reader.integer("rank", kRankBounds));
  take(adapters.modules, reader, "modules", reader.choice<domain::AdapterModules>("modules"));
  reader.finish();
  return adapters;
}

void read_training(Reader& reader, domain::Training& training) {
  const auto take_boolean = [&](Fact<bool>& fact, std::string_view field) {
    take(fact, reader, field, reader.boolean(field));
  };
  take(training.method, reader, "method", reader.choice<domain::TrainingMethod>("method"));
  take(training.optimizer, reader, "optimizer", reader.choice<domain::Optimizer>("optimizer"));
  take(training.precision, reader, "precision",
       reader.choice<domain::TrainingPrecision>("precision"));
  take(training.checkpointing, reader, "checkpointing",
       reader.choice<domain::Checkpointing>("checkpointing"));
  take(training.loss, reader, "loss", reader.choice<domain::LossKernel>("loss"));
  take(training.micro_batch, reader, "microBatch", reader.integer("microBatch", kOneOrMoreBounds));
  take(training.gradient_accumulation, reader, "gradientAccumulation",
       reader.integer("gradientAccumulation", kOneOrMoreBounds));
  take(training.zero_stage, reader, "zeroStage", reader.integer("zeroStage", kZeroStageBounds));
  take_boolean(training.sequence_parallel, "sequenceParallel");
  take_boolean(training.flash_attention, "flashAttention");
  take_boolean(training.optimizer_offload, "optimizerOffload");
  take_boolean(training.optimizer_in_backward, "optimizerInBackward");
  reader.finish();
}

domain::Demand read_demand(Reader& reader, std::string from) {
  domain::Demand demand;
  demand.static_bytes = read_bytes(reader, "staticBytes");
  demand.dynamic_p50_bytes = read_bytes(reader, "dynamicP50Bytes");
  demand.dynamic_p99_bytes = read_bytes(reader, "dynamicP99Bytes");
  demand.ceiling_bytes = read_bytes(reader, "ceilingBytes");
  demand.from = std::move(from);
  if (demand.dynamic_p50_bytes && demand.dynamic_p99_bytes &&
      *demand.dynamic_p50_bytes > *demand.dynamic_p99_bytes) {
    reader.complain(
        "dynamicP50Bytes",
        fmt::format("dynamicP50Bytes ({}) is above dynamicP99Bytes ({})",
                    demand.dynamic_p50_bytes->count(), demand.dynamic_p99_bytes->count()),
        "the 99th percentile is at least the median: swap the two?");
  }
  reader.finish();
  return demand;
}

void read_wishes(Reader& reader, domain::ContractWishes& wishes) {
  take(wishes.tier, reader, "tier", reader.choice<domain::Tier>("tier"));
  take(wishes.qos, reader, "qos", reader.choice<domain::Qos>("qos"));
  take(wishes.loader, reader, "loader", reader.choice<domain::Loader>("loader"));
  take(wishes.api_servers, reader, "apiServers", reader.integer("apiServers", kGpusBounds));
  take(wishes.workers, reader, "workers",
       reader.integer("workers", {.least = 0, .most = kGpusBounds.most}));
  take(wishes.kv_offload_bytes, reader, "kvOffloadBytes", read_bytes(reader, "kvOffloadBytes"));
  take(wishes.cpu_offload_bytes, reader, "cpuOffloadBytes", read_bytes(reader, "cpuOffloadBytes"));
  take(wishes.tolerated_pause_seconds, reader, "toleratedPauseSeconds",
       reader.number("toleratedPauseSeconds", kSecondsBounds));
  reader.finish();
}

void read_model_fields(Reader& reader, Workload& workload) {
  workload.name = reader.filled_text("name").value_or("");
  take(workload.model, reader, "model", reader.filled_text("model"));
  take(workload.quantization, reader, "quantization",
       reader.choice<domain::Quantization>("quantization"));
  take(workload.kv_cache_type, reader, "kvCacheType",
       reader.choice<domain::KvCacheType>("kvCacheType"));
  take(workload.context_tokens, reader, "contextTokens", read_tokens(reader, "contextTokens"));
  take(workload.concurrency, reader, "concurrency",
       reader.integer("concurrency", kSequencesBounds));
  take(workload.images, reader, "images", reader.integer("images", kImagesBounds));
  read_traffic(reader, workload.traffic);
  if (auto engine = reader.mapping("engine")) read_engine(*engine, workload.engine);
  if (auto adapters = reader.mapping("adapters")) workload.adapters = read_adapters(*adapters);
  if (auto training = reader.mapping("training")) read_training(*training, workload.training);
  if (const Node* node = reader.node("demand"); node != nullptr) {
    std::string from = reader.place_of("demand");
    if (auto demand = reader.mapping("demand")) {
      workload.demand = read_demand(*demand, std::move(from));
    }
  }
}

void read_deciding_facts(Reader& reader, Workload& workload) {
  const auto take_boolean = [&](Fact<bool>& fact, std::string_view field) {
    take(fact, reader, field, reader.boolean(field));
  };
  take(workload.role, reader, "role", reader.choice<domain::Role>("role"));
  take(workload.isolation, reader, "isolation", reader.choice<domain::Isolation>("isolation"));
  take(workload.tenants, reader, "tenants", reader.integer("tenants", kOneOrMoreBounds));
  take(workload.latency_slo, reader, "latencySlo", reader.choice<domain::LatencySlo>("latencySlo"));
  take(workload.session, reader, "session", reader.choice<domain::Session>("session"));
  take(workload.change_rate, reader, "changeRate", reader.choice<domain::ChangeRate>("changeRate"));
  take_boolean(workload.needs_ha, "needsHa");
  take_boolean(workload.needs_live_migration, "needsLiveMigration");
  take_boolean(workload.appliance, "appliance");
  take_boolean(workload.mixture_of_experts, "mixtureOfExperts");
  take_boolean(workload.image_supports_mig, "imageSupportsMig");
  take(workload.replicas, reader, "replicas", reader.integer("replicas", kOneOrMoreBounds));
  take(workload.evidence, reader, "evidenceLevel",
       reader.choice<domain::Evidence>("evidenceLevel"));
  take(workload.spread, reader, "spread", reader.number("spread", kSpreadBounds));
  take(workload.compute_share, reader, "computeShare", reader.number("computeShare", kShareBounds));
  take(workload.consumption_model, reader, "consumptionModel",
       reader.choice<domain::ConsumptionModel>("consumptionModel"));
  take(workload.technology, reader, "technology", reader.choice<domain::Technology>("technology"));
  take(workload.platform, reader, "platform", reader.choice<domain::Platform>("platform"));
  take(workload.hardware_label, reader, "hardwareLabel", reader.filled_text("hardwareLabel"));
  take(workload.lifetime_seconds, reader, "lifetime", read_duration(reader, "lifetime"));
}

}  // namespace

Node to_node(const Workload& workload) {
  Node node = new_document("Workload");
  set_text(node, "name", workload.name);
  set_stated(node, "model", workload.model);
  set_stated(node, "quantization", workload.quantization);
  set_stated(node, "kvCacheType", workload.kv_cache_type);
  set_stated(node, "contextTokens", workload.context_tokens);
  set_stated(node, "concurrency", workload.concurrency);
  set_stated(node, "images", workload.images);
  write_traffic(workload.traffic, node);
  set_filled(node, "engine", engine_node(workload.engine));
  if (workload.adapters) node.set("adapters", adapters_node(*workload.adapters));
  set_filled(node, "training", training_node(workload.training));
  if (workload.demand) node.set("demand", demand_node(*workload.demand));
  set_stated(node, "role", workload.role);
  set_stated(node, "isolation", workload.isolation);
  set_stated(node, "tenants", workload.tenants);
  set_stated(node, "latencySlo", workload.latency_slo);
  set_stated(node, "session", workload.session);
  set_stated(node, "changeRate", workload.change_rate);
  set_stated(node, "needsHa", workload.needs_ha);
  set_stated(node, "needsLiveMigration", workload.needs_live_migration);
  set_stated(node, "appliance", workload.appliance);
  set_stated(node, "mixtureOfExperts", workload.mixture_of_experts);
  set_stated(node, "imageSupportsMig", workload.image_supports_mig);
  set_stated(node, "replicas", workload.replicas);
  set_stated(node, "evidenceLevel", workload.evidence);
  set_stated(node, "spread", workload.spread);
  set_stated(node, "computeShare", workload.compute_share);
  set_stated(node, "consumptionModel", workload.consumption_model);
  set_stated(node, "technology", workload.technology);
  set_stated(node, "platform", workload.platform);
  set_stated(node, "hardwareLabel", workload.hardware_label);
  if (workload.lifetime_seconds) {
    set_stated(node, "lifetime",
               Fact<std::string>{duration_text(workload.lifetime_seconds->value),
                                 workload.lifetime_seconds->origin,
                                 {}});
  }
  set_filled(node, "contract", wishes_node(workload.contract));
  set_filled(node, "placement", terms_node(workload.placement));
  set_texts(node, "gpus", workload.gpus);
  set_texts(node, "requires", workload.requires_);
  return node;
}

Result<Workload> read_workload(const document::Document& document) {
  Workload workload;
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "Workload");
  if (!read_header(reader, "Workload")) return failure(std::move(diagnostics));
  read_model_fields(reader, workload);
  read_deciding_facts(reader, workload);
  if (auto wishes = reader.mapping("contract")) read_wishes(*wishes, workload.contract);
  if (auto terms = reader.mapping("placement")) {
    workload.placement = read_terms(*terms);
    terms->finish();
  }
  workload.gpus = reader.texts("gpus");
  workload.requires_ = reader.texts("requires");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return workload;
}

}  // namespace gpushape::schema
