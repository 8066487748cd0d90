// How the KV cache of a request is kept: its blocks and types, by engine, version and model.
#include <algorithm>
#include <cmath>

#include "estimate/plan.hpp"

namespace gpushape::estimate {
namespace {

using domain::Fact;
using domain::KvCacheType;
using domain::LayerKind;
using domain::Origin;
using domain::Quantization;

bool has_kind(const domain::Model& model, LayerKind kind) {
  return std::ranges::any_of(
      model.layers, [&](const domain::LayerRun& run) { return run.layer.attention.kind == kind; });
}

}  // namespace

KvCacheType cache_type_of(Quantization dtype) {
  if (dtype == Quantization::Fp32) return KvCacheType::Fp32;
  return dtype == Quantization::Fp16 ? KvCacheType::Fp16 : KvCacheType::Bf16;
}

Fact<KvCacheType> choose_kv_cache_type(const Request& request, Quantization dtype) {
  const Fact<KvCacheType>& asked = request.workload->kv_cache_type;
  // Kernels of compressed attention read one layout only, whose entries have 8 bits, or 4 bits
  // where asked. Source: vLLM models/deepseek_v4/attention.py, _resolve_dsv4_kv_cache_dtype.
  if (has_kind(*request.model, LayerKind::Compressed)) {
    if (asked.value == KvCacheType::Nvfp4Latent || asked.value == KvCacheType::Nvfp4)
      return {KvCacheType::Nvfp4Latent, asked.origin, asked.from};
    return {KvCacheType::Fp8Latent, Origin::Computed, "what compressed attention is kept in"};
  }
  if (asked.value != KvCacheType::Auto) return asked;
  if (request.model->checkpoint_kv_cache)
    return {*request.model->checkpoint_kv_cache, Origin::Catalog, "the checkpoint"};
  return {cache_type_of(dtype), Origin::Computed, "the model's dtype"};
}

CacheGeometry choose_cache_geometry(const Request& request, const Plan& plan, KvCacheType type) {
  const domain::EngineSettings& engine = request.workload->engine;
  const auto holds_fact = [&](NameKey name) { return plan.facts.expected(name) != 0; };
  CacheGeometry geometry;
  geometry.block_tokens = engine.block_tokens ? engine.block_tokens->value
                                              : std::llround(plan.facts.expected("blockTokens"));
  if (!engine.block_tokens)
    geometry.latent_block_tokens = std::llround(plan.facts.expected("latentBlockTokens"));
  geometry.latent_entry_unit =
      std::max<std::int64_t>(1, std::llround(plan.facts.expected("latentEntryUnit")));
  geometry.tensor_parallel = plan.parallelism.tensor;
  geometry.context_parallel = plan.parallelism.context;
  geometry.type = type;
  geometry.dtype_bytes = plan.weights.dtype_bytes;
  geometry.draft_tokens = engine.draft_tokens ? engine.draft_tokens->value : 0;
  geometry.keeps_states_of_prefixes =
      engine.prefix_caching ? engine.prefix_caching->value : holds_fact("statesOfPrefixesKept");
  geometry.keeps_state_of_every_block = geometry.keeps_states_of_prefixes &&
                                        geometry.draft_tokens == 0 &&
                                        holds_fact("statesAtEveryBlock");
  geometry.is_one_table = holds_fact("oneCacheTable");
  geometry.chunks_keep_everything = holds_fact("chunksKeepEverything");
  geometry.keeps_sparse_latents_plain = holds_fact("sparseLatentsPlain");
  geometry.pooled_block_tokens = engine.block_tokens
                                     ? engine.block_tokens->value
                                     : std::llround(plan.facts.expected("pooledBlockTokens"));
  geometry.is_packed = holds_fact("compressedGroupsPacked");
  geometry.has_indexer_tails = holds_fact("indexerTails");
  geometry.counts_page_sizes = holds_fact("compressedPageSizes");
  return geometry;
}

}  // namespace gpushape::estimate
