// Models, engine facts and a GPU for tests of this room, made by hand. The models' numbers are
// those of their published config.json; the facts are those of vLLM 0.19 on one H100.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::example {

struct Decoder {
  std::string id;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 128;
  std::int64_t width = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  bool tied = false;
  bool qkv_bias = false;
  bool query_key_norm = false;
};

inline domain::Model model(const Decoder& decoder) {
  domain::Layer layer;
  layer.attention = {
      .kind = domain::LayerKind::Full,
      .heads = decoder.heads,
      .kv_heads = decoder.kv_heads,
      .head_dim = decoder.head_dim,
      .value_head_dim = decoder.head_dim,
      .window_tokens = 0,
      .qkv_bias = decoder.qkv_bias,
      .output_bias = false,
      .head_norm = decoder.query_key_norm ? domain::HeadNorm::Shared : domain::HeadNorm::None};
  layer.feed_forward = {.width = decoder.width, .gated = true, .bias = false};
  domain::Model model;
  model.id = decoder.id;
  model.hidden_size = decoder.hidden;
  model.vocabulary = decoder.vocabulary;
  model.max_context_tokens = decoder.context;
  model.tied_embeddings = decoder.tied;
  model.layers = {{layer, decoder.layers}};
  model.rope.rotary_dim = decoder.head_dim;
  model.rope.positions = decoder.context;
  return model;
}

inline Decoder llama_8b() {
  return {.id = "meta-llama/Llama-3.1-8B-Instruct",
          .layers = 32,
          .hidden = 4096,
          .heads = 32,
          .kv_heads = 8,
          .width = 14336,
          .vocabulary = 128256,
          .context = 131072};
}
inline Decoder qwen2_3b() {
  return {.id = "Qwen/Qwen2.5-3B",
          .layers = 36,
          .hidden = 2048,
          .heads = 16,
          .kv_heads = 2,
          .width = 11008,
          .vocabulary = 151936,
          .context = 32768,
          .tied = true,
          .qkv_bias = true};
}
inline Decoder qwen3_4b() {
  return {.id = "Qwen/Qwen3-4B",
          .layers = 36,
          .hidden = 2560,
          .heads = 32,
          .kv_heads = 8,
          .width = 9728,
          .vocabulary = 151936,
          .context = 40960,
          .tied = true,
          .query_key_norm = true};
}
/// The shape of Qwen2.5-72B, with a longer rotary table.
inline Decoder kimi_dev_72b() {
  return {.id = "moonshotai/Kimi-Dev-72B",
          .layers = 80,
          .hidden = 8192,
          .heads = 64,
          .kv_heads = 8,
          .width = 29568,
          .vocabulary = 152064,
          .context = 131072,
          .qkv_bias = true};
}

inline domain::EngineConstant constant(std::string name, double value, std::string unit = {},
                                       std::string when = {}) {
  return {.name = std::move(name),
          .low = value,
          .expected = value,
          .high = value,
          .when = std::move(when),
          .unit = std::move(unit),
          .source = "example"};
}

/// Constants without bounds, so that tests can follow the arithmetic.
inline domain::Engine vllm() {
  domain::Engine engine;
  engine.name = "vllm";
  engine.known_versions = {{0, 19, 0}, {0, 20, 0}, {0, 22, 0}};
  domain::EngineFacts facts{.engine = "vllm", .since = {0, 19, 0}, .constants = {}};
  facts.constants = {constant("gpuMemoryUtilization", 0.9),
                     constant("blockTokens", 16),
                     constant("maxNumSeqs", 256),
                     constant("maxNumSeqs", 1024, "", "deviceGib>=70,a100=0"),
                     constant("maxNumSeqs", 128, "", "gpu=0"),
                     constant("maxNumBatchedTokens", 2048),
                     constant("maxNumBatchedTokens", 8192, "", "deviceGib>=70,a100=0"),
                     constant("remainderNextToLast", 1),
                     constant("samplerBytesPerLogit", 12),
                     constant("samplerScratchBytes", 4),
                     constant("assumedMultiprocessors", 132),
                     constant("matrixWorkspace", 32, "MiB"),
                     constant("forwardHidden", 4),
                     constant("weightsRatio", 1),
                     constant("cudaContext", 0.5, "GiB"),
                     constant("nonTorch", 0.25, "GiB"),
                     constant("communicators", 1, "GiB", "tp>=2"),
                     constant("collectives", 1.75, "GiB", "tp>=2"),
                     constant("graphsProfiled", 0),
                     constant("graphBase", 0, "MiB"),
                     constant("graphPerLayerCapture", 0.25, "MiB"),
                     constant("graphLargestCapture", 256, "MiB"),
                     constant("poolTokensFromRequests", 0)};
  domain::EngineFacts later{.engine = "vllm", .since = {0, 20, 0}, .constants = {}};
  later.constants = {constant("graphsProfiled", 1)};
  domain::EngineFacts latest{.engine = "vllm", .since = {0, 22, 0}, .constants = {}};
  latest.constants = {constant("gpuMemoryUtilization", 0.92),
                      constant("poolTokensFromRequests", 1)};
  engine.facts = std::vector{facts, later, latest};
  return engine;
}

/// vllm() with further constants among its oldest.
inline domain::Engine vllm_with(const std::vector<domain::EngineConstant>& constants) {
  domain::Engine engine = vllm();
  std::vector<domain::EngineFacts> rows(engine.facts.rows().begin(), engine.facts.rows().end());
  std::vector<domain::EngineConstant>& oldest = rows.front().constants;
  oldest.insert(oldest.end(), constants.begin(), constants.end());
  engine.facts = std::move(rows);
  return engine;
}

/// 80 GiB to the byte, so that sums are round.
inline domain::VisibleMemory h100() {
  domain::VisibleMemory gpu;
  gpu.device = "h100-sxm-80";
  gpu.bytes = domain::exactly(gib(80));
  gpu.parent_bytes = gib(80);
  gpu.vendor = "nvidia";
  gpu.product_name = "NVIDIA H100 80GB HBM3";
  gpu.compute_capability = "9.0";
  gpu.multiprocessors = 132;
  return gpu;
}

template <class T>
domain::Fact<T> flag(T value) {
  return {std::move(value), domain::Origin::Flag, "test"};
}

/// What most tests of this room size, and the engine that they size it for.
inline const domain::Model kLlama = model(llama_8b());
inline const domain::Engine kVllm = vllm();

/// Of kVllm; the request is not refused.
inline domain::Estimate made(const domain::Workload& workload,
                             const std::optional<domain::VisibleMemory>& gpu = h100(),
                             const domain::Model& model = kLlama) {
  const Result<domain::Estimate> estimate = estimate::estimate_memory(model, workload, kVllm, gpu);
  REQUIRE_MESSAGE(estimate.has_value(), to_text(estimate ? Diagnostics{} : estimate.error()));
  return *estimate;
}

inline domain::Workload workload(std::int64_t context, std::int64_t concurrency) {
  domain::Workload workload;
  workload.context_tokens = flag(context);
  workload.concurrency = flag(concurrency);
  workload.engine.version = flag(domain::EngineVersion{0, 19, 0});
  return workload;
}

inline Bytes term(const domain::Estimate& estimate, std::string_view name) {
  for (const domain::Term& term : estimate.terms) {
    if (term.name == name) return term.bytes.expected;
  }
  return {};
}

inline bool has_note(const domain::Estimate& estimate, std::string_view words) {
  return std::ranges::any_of(estimate.notes,
                             [&](const std::string& note) { return note.contains(words); });
}

}  // namespace gpushape::example
