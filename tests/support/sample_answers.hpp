// Answers made by hand, for tests of what is done with an answer: every field that can be set is
// set in the full ones, and as few as possible in the bare ones. The figures are plausible, and
// nobody's measurement.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "domain/advice.hpp"
#include "domain/calibration.hpp"
#include "domain/contract.hpp"
#include "domain/estimate.hpp"
#include "domain/estimate_comparison.hpp"
#include "domain/workload.hpp"

namespace gpushape::samples {

using domain::Fact;
using domain::Origin;

template <class T>
Fact<T> flagged(T value, std::string flag) {
  return {std::move(value), Origin::Flag, std::move(flag)};
}

inline domain::Term term(std::string name, domain::Part part, double low, double expected,
                         double high) {
  domain::Term term;
  term.name = std::move(name);
  term.part = part;
  term.bytes = {gib_of(low), gib_of(expected), gib_of(high)};
  term.formula = "layers x (attention + feedForward) + embeddings";
  term.inputs = {{"layers", std::int64_t{32}}, {"share", 0.5}, {"scheme", std::string("fp8")}};
  term.source = "safetensors header of the checkpoint, and the engine's loader";
  return term;
}

/// 32 layers, 8 KV heads of 128, 2 bytes a value, keys and values: 131,072 bytes a token; 32
/// sequences of 8,192 tokens take 32 GiB.
inline domain::Estimate full_estimate() {
  domain::Estimate estimate;
  estimate.model_id = "meta-llama/Llama-3.1-8B-Instruct";
  estimate.model_source = "catalog";
  estimate.parameters.total = 8'030'261'248;
  estimate.parameters.active = 8'030'261'248;
  estimate.parameters.stored = 8'030'261'248;
  estimate.quantization = flagged(domain::Quantization::Fp8, "--quant");
  estimate.kv_cache_type = domain::defaulted(domain::KvCacheType::Bf16, "the model's own type");
  estimate.context_tokens = flagged<std::int64_t>(8192, "--context");
  estimate.concurrency = flagged<std::int64_t>(32, "--concurrency");
  estimate.engine = domain::defaulted<std::string>("vllm");
  estimate.settings.version = {{0, 19, 1}, Origin::Default, "newest with facts"};
  estimate.settings.max_num_seqs = {32, Origin::Computed, "the concurrency"};
  estimate.settings.max_num_batched_tokens = {8192, Origin::Default, "vLLM 0.19 on this GPU"};
  estimate.settings.gpu_memory_utilization = {0.9, Origin::Default, "vLLM 0.19"};
  using domain::Part;
  estimate.terms = {term("weights", Part::Weights, 8.48, 8.49, 8.52),
                    term("kvCache", Part::KvCache, 32, 32, 32),
                    term("forward", Part::Activation, 1.21, 1.4, 1.9),
                    term("cudaGraphs", Part::Graphs, 0.5, 0.9, 1.9),
                    term("nonTorch", Part::Context, 0.24, 0.25, 0.27)};
  estimate.total_bytes = {gib_of(42.43), gib_of(43.04), gib_of(44.59)};
  estimate.kv_bytes_per_token = Bytes(131'072);
  domain::Capacity capacity;
  capacity.gpu = "h100-sxm-80";
  capacity.visible_bytes = domain::exactly(gib_of(79.19));
  capacity.utilization = 0.9;
  capacity.kv_pool_bytes = {gib_of(58.9), gib_of(60.23), gib_of(60.91)};
  capacity.kv_pool_tokens = 493'400;
  capacity.max_concurrency_at_context = 60.23;
  capacity.fits = true;
  capacity.fits_at = domain::FitsAt::High;
  estimate.capacity = capacity;
  estimate.notes = {"CUDA graphs are not taken off the pool by this version"};
  return estimate;
}

/// The same in four stages: the first and the last have a table of 1 GiB more.
inline domain::Estimate staged_estimate() {
  domain::Estimate estimate = full_estimate();
  estimate.parallelism.pipeline = 4;
  const domain::StageHolding inner{.layers = 8, .weights = gib(3), .total = gib(11)};
  const domain::StageHolding outer{.layers = 8, .weights = gib(4), .total = gib(12)};
  estimate.all_gpus = domain::AllGpus{4, gib(14), Bytes(0), gib(46), {outer, inner, inner, outer}};
  return estimate;
}

/// A model alone: no context, no concurrency, no GPU.
inline domain::Estimate bare_estimate() {
  domain::Estimate estimate = full_estimate();
  estimate.parameters.stored.reset();
  estimate.context_tokens.reset();
  estimate.concurrency.reset();
  estimate.capacity.reset();
  estimate.notes.clear();
  std::erase_if(estimate.terms,
                [](const domain::Term& term) { return term.part == domain::Part::KvCache; });
  estimate.total_bytes = {gib_of(10.43), gib_of(11.04), gib_of(12.59)};
  return estimate;
}

inline domain::Shape full_shape() {
  domain::Shape shape;
  shape.consumption_model = domain::ConsumptionModel::Full;
  shape.technology = domain::Technology::FullVgpu;
  shape.device = "h100-sxm-80";
  shape.profile = "nvidia_h100xm-80c";
  shape.profile_short = "80C";
  shape.interconnect = "none";
  shape.memory_bytes = Bytes(80'380'000'000);
  return shape;
}

inline domain::Shape fraction_shape(std::string device, std::string profile, std::string name) {
  domain::Shape shape = full_shape();
  shape.consumption_model = domain::ConsumptionModel::Fractional;
  shape.technology = domain::Technology::TimeSliced;
  shape.device = std::move(device);
  shape.profile = std::move(profile);
  shape.profile_short = std::move(name);
  shape.compute_share = 0.5;
  shape.memory_bytes = Bytes(40'180'000'000);
  return shape;
}

inline domain::Shape pair_shape() {
  domain::Shape shape = full_shape();
  shape.consumption_model = domain::ConsumptionModel::MultiGpu;
  shape.count = 2;
  shape.interconnect = "nvswitch";
  shape.device_group = "Nvidia:2@nvidia_h100xm-80c%NVLink";
  shape.parallelism.tensor = 2;
  return shape;
}

inline domain::ResourceContract full_contract() {
  domain::ResourceContract contract;
  contract.name = "llama-3-1-8b-instruct-fp8-h100-80c";
  contract.shape = full_shape();
  contract.alternatives = {pair_shape(), fraction_shape("l40s", "nvidia_l40s-24c", "24C")};
  contract.replicas = 2;
  contract.vcpus = 10;
  contract.minimum_vcpus = 8;
  contract.memory_bytes = gib(120);
  contract.minimum_memory_bytes = gib(24);
  contract.memory_reservation_bytes = gib(120);
  contract.shared_memory_bytes = gib(2);
  contract.cpu_reservation_mhz = 6000;
  contract.reserved_cores = 3;
  contract.vcpus_per_core = 2;
  contract.qos = domain::Qos::Engine;
  contract.tier = domain::Tier::Recommended;
  domain::VirtualNuma numa;
  numa.nodes = 2;
  numa.cores_per_socket = 5;
  numa.cores_per_node = 5;
  numa.devices = {{0, 0}, {1, 1}};
  numa.nics = {{"vmnic4", 1}};
  numa.shown_from_vcpus = 10;
  contract.numa = numa;
  contract.mmio_gib = 256;
  contract.latency_sensitive = true;
  contract.pause_seconds = 6.4;
  contract.density = {8, 20, 16, 33};
  contract.host = "hgx-h100-8";
  contract.hardware_label = "gpu-pool";
  contract.needs_live_migration = true;
  contract.needs_ha = true;
  contract.notes = {{"step-2", "memory ratio for a language model: 1.5 x 80 GiB = 120 GiB"},
                    {"VC-16", "CPU runs out before the GPU slots: 2 of 8 slots stay empty"}};
  contract.model = "meta-llama/Llama-3.1-8B-Instruct";
  contract.quantization = "fp8";
  contract.context_tokens = 8192;
  contract.concurrency = 32;
  contract.engine = "vllm";
  contract.engine_version = "0.19.1";
  contract.evidence = "E0";
  contract.review_after_days = 14;
  contract.least_hardware_version = 20;
  contract.hardware_version = 21;
  return contract;
}

inline domain::ResourceContract bare_contract() {
  domain::ResourceContract contract;
  contract.shape = full_shape();
  contract.vcpus = 4;
  contract.memory_bytes = gib(24);
  return contract;
}

inline domain::RankedShape ranked(domain::Shape shape, double headroom_gib) {
  domain::RankedShape ranked;
  ranked.shape = std::move(shape);
  ranked.fits = true;
  ranked.fits_at = domain::FitsAt::High;
  ranked.need_bytes = gib_of(46.5);
  ranked.headroom_bytes = gib_of(headroom_gib);
  ranked.reasons = {{"CM-06", "evidence is E0: a full GPU absorbs what is not known yet"}};
  ranked.to_change = "power off, choose another class, power on";
  ranked.contract = full_contract();
  ranked.contract.shape = ranked.shape;
  return ranked;
}

inline std::vector<domain::Assumption> sample_assumptions() {
  return {{"quantization", "fp8", Origin::Flag, "--quant", "--quant"},
          {"contextTokens", "8192", Origin::Flag, "--context", "--context"},
          {"concurrency", "32", Origin::File, "llm.yaml:7", "--concurrency"},
          {"kvCacheType", "bf16", Origin::Default, "the model's own type", "--kv-cache-dtype"},
          {"isolation", "none", Origin::Default, "default", "--isolation"},
          {"tenants", "1", Origin::Default, "", "--tenants"},
          {"host", "hgx-h100-8", Origin::Default, "the usual server of this board", "--host"}};
}

inline domain::Advice full_advice() {
  domain::Advice advice;
  advice.estimate = full_estimate();
  domain::RankedShape first = ranked(full_shape(), 27.32);
  first.max_concurrency = 60.2;
  first.max_num_seqs = 32;
  first.max_num_batched_tokens = 8192;
  first.gpu_memory_utilization = 0.9;
  first.reasons.push_back({"LC-03", "seven more such devices are on the host"});
  first.estimate = full_estimate();
  first.concurrency = 32;
  advice.shapes = {first, ranked(pair_shape(), 90.1),
                   ranked(fraction_shape("a100-sxm4-80", "grid_a100d-40c", "40C"), 0.2)};
  advice.shapes[2].stranded_bytes = gib(8);
  advice.shapes[2].per_device = 2;
  advice.rejected = {
      {fraction_shape("h100-sxm-80", "nvidia_h100xm-40c", "40C"),
       {"CM-08", "46.5 GiB needed, 37.4 GiB (40.1 GB) usable in the largest fraction"}},
      {fraction_shape("h100-sxm-80", "nvidia_h100xm-20c", "20C"),
       {"CM-08", "46.5 GiB needed, 37.4 GiB (40.1 GB) usable in the largest fraction"}},
      {fraction_shape("l40s", "nvidia_l40s-24c", "24C"), {"fit", "46.5 GiB needed, 20.9 usable"}}};
  advice.assumptions = sample_assumptions();
  advice.findings = {{"VC-16", "CPU runs out before the GPU slots: 2 of 8 slots stay empty"}};
  domain::Flip flip;
  flip.runner_up = fraction_shape("h100-sxm-80", "nvidia_h100xm-40c", "40C");
  flip.rule = "EV-01";
  flip.fact = "evidence";
  flip.change = "evidence E2 with a spread of at most 1.5 and a need of at most 37.4 GiB";
  flip.outcome = "a 40C fraction of the same device";
  advice.flip = flip;
  advice.review_after_days = 14;
  return advice;
}

/// A model alone: nothing is chosen, two facts are asked for.
inline domain::Advice asking_advice() {
  domain::Advice advice;
  advice.estimate = bare_estimate();
  advice.assumptions = {{"quantization", "bf16", Origin::Catalog, "the checkpoint", "--quant"},
                        {"isolation", "none", Origin::Default, "", "--isolation"}};
  advice.asks = {
      {"contextTokens", "how long one conversation may get decides its cache", "--context"},
      {"concurrency", "how many run at once multiplies it", "--concurrency"}};
  advice.findings = {{"CM-01", "a shape chosen without request patterns is a guess"}};
  domain::Potential holds;
  holds.device = "h100-sxm-80";
  holds.free_bytes = gib_of(60.23);
  holds.tokens = 493'400;
  holds.context_tokens = 131'072;
  holds.sequences = 3;
  holds.fits = true;
  holds.says = "holds 3 sequences of the whole context";
  domain::Potential refuses;
  refuses.device = "t4-16";
  refuses.wish = 1;
  refuses.says = "the weights alone take more than there is";
  advice.potentials = {holds, refuses};
  return advice;
}

/// Nothing fits, and nothing is known but that.
inline domain::Advice refusing_advice() {
  domain::Advice advice;
  advice.rejected = {{full_shape(), {"fit", "812.0 GiB needed, 74.8 GiB usable"}}};
  return advice;
}

/// Every field of the document form is stated, as if read from a file.
inline domain::Workload full_workload() {
  const auto filed = [](auto value) {
    return Fact<decltype(value)>{std::move(value), Origin::File, "workload.yaml:3"};
  };
  domain::Workload workload;
  workload.name = "chat";
  workload.model = filed(std::string("meta-llama/Llama-3.1-8B-Instruct"));
  workload.quantization = filed(domain::Quantization::Fp8);
  workload.kv_cache_type = filed(domain::KvCacheType::Fp8);
  workload.context_tokens = filed(std::int64_t{32'768});
  workload.concurrency = filed(std::int64_t{64});
  workload.engine.engine = filed(std::string("vllm"));
  workload.engine.version = filed(domain::EngineVersion{0, 19, 1});
  workload.engine.tensor = filed(std::int64_t{2});
  workload.engine.pipeline = filed(std::int64_t{1});
  workload.engine.data = filed(std::int64_t{1});
  workload.engine.expert = filed(std::int64_t{1});
  workload.engine.max_num_seqs = filed(std::int64_t{64});
  workload.engine.max_num_batched_tokens = filed(std::int64_t{8192});
  workload.engine.gpu_memory_utilization = filed(0.92);
  workload.engine.kv_cache_memory_bytes = filed(gib(40));
  workload.engine.enforce_eager = filed(true);
  workload.role = filed(domain::Role::Llm);
  workload.isolation = filed(domain::Isolation::Hard);
  workload.tenants = filed(std::int64_t{3});
  workload.latency_slo = filed(domain::LatencySlo::Strict);
  workload.session = filed(domain::Session::Durable);
  workload.change_rate = filed(domain::ChangeRate::High);
  workload.needs_ha = filed(true);
  workload.needs_live_migration = filed(true);
  workload.appliance = filed(true);
  workload.mixture_of_experts = filed(true);
  workload.image_supports_mig = filed(false);
  workload.replicas = filed(std::int64_t{2});
  workload.evidence = filed(domain::Evidence::E1);
  workload.spread = filed(1.3);
  domain::Demand demand;
  demand.static_bytes = gib(16);
  demand.dynamic_p50_bytes = gib(4);
  demand.dynamic_p99_bytes = gib(6);
  demand.ceiling_bytes = gib(24);
  demand.from = "workload.yaml:3";
  workload.demand = demand;
  workload.compute_share = filed(0.2);
  workload.consumption_model = filed(domain::ConsumptionModel::Passthrough);
  workload.technology = filed(domain::Technology::Passthrough);
  workload.platform = filed(domain::Platform::Vks);
  workload.hardware_label = filed(std::string("gpu-pool"));
  workload.contract.tier = filed(domain::Tier::Performance);
  workload.contract.qos = filed(domain::Qos::Guaranteed);
  workload.contract.loader = filed(domain::Loader::Eager);
  workload.contract.api_servers = filed(std::int64_t{2});
  workload.contract.workers = filed(std::int64_t{4});
  workload.contract.kv_offload_bytes = filed(gib(64));
  workload.contract.cpu_offload_bytes = filed(gib(8));
  workload.contract.tolerated_pause_seconds = filed(2.5);
  workload.gpus = {"h100-sxm-80", "4xl40s", "any"};
  workload.requires_ = {"fp8", "nvlink"};
  return workload;
}

/// An upgrade that takes the sampler's peak down.
inline domain::EstimateComparison full_comparison() {
  domain::EstimateComparison comparison;
  comparison.before = full_estimate();
  comparison.after = full_estimate();
  comparison.settings = {{"engineVersion", "0.16", "0.19"}, {"maxNumSeqs", "", "1024"}};
  comparison.terms = {{.name = "activation",
                       .part = domain::Part::Activation,
                       .before = domain::exactly(gib(4)),
                       .after = domain::exactly(gib(2)),
                       .inputs = {{"samplerBytesPerLogit", "36", "12"}},
                       .source = "start-up logs"},
                      {.name = "collectives",
                       .part = domain::Part::Communication,
                       .before = std::nullopt,
                       .after = domain::exactly(gib(1)),
                       .inputs = {},
                       .source = ""}};
  return comparison;
}

/// A start whose activation is off.
inline domain::Calibration full_calibration() {
  domain::Calibration calibration;
  calibration.log = "start.log";
  calibration.settings = {{"maxNumSeqs", "1024", "the log"}};
  domain::CalibratedTerm off;
  off.name = "activation";
  off.description = "peak of the profiling step";
  off.predicted = domain::exactly(gib(2));
  off.measured = domain::exactly(gib(3));
  off.ranks = {gib(3), gib(2)};
  off.is_off = true;
  off.causes = {"the sampler took the torch sort"};
  domain::CalibratedTerm unknown;
  unknown.name = "graphs";
  unknown.predicted = domain::exactly(gib(1));
  calibration.terms = {off, unknown};
  calibration.tokens = domain::CalibratedTokens{.least = 1, .most = 3, .printed = 2};
  calibration.asks = {"--gpu NAME"};
  calibration.notes = {"LoRA adapters are not modelled"};
  calibration.verdict = "activation is off";
  calibration.measurement.model = "meta-llama/Llama-3.1-8B-Instruct";
  calibration.measurement.quantization = domain::Quantization::Bf16;
  calibration.measurement.engine = "vllm";
  calibration.measurement.version = {0, 19, 0};
  calibration.measurement.gpu = "h100-sxm-80";
  calibration.measurement.max_num_seqs = 1024;
  calibration.measurement.max_num_batched_tokens = 8192;
  calibration.measurement.terms = {{"activation", domain::exactly(gib(3))}};
  calibration.measurement.source = "start.log";
  return calibration;
}

}  // namespace gpushape::samples
