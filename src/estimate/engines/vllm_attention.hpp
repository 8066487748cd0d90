// Which kernels of attention vLLM chooses, where they take memory of their own.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/conditions.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate::engines {

/// FlashInfer's, which keep a workspace and buffers for every captured batch: where they are asked
/// for by name; else on data center Blackwell, and elsewhere where the cache has 8 bits, which
/// FlashAttention reads on Hopper alone. Not for latents, which have kernels of their own. Source:
/// vLLM platforms/cuda.py (_get_backend_priorities), v1/attention/backends/flash_attn.py
/// (supports_kv_cache_dtype), flashinfer.py (get_supported_head_sizes).
bool attends_with_flashinfer(const Request& request, const domain::Conditions& conditions,
                             domain::KvCacheType cache_type);

/// For a model with latent attention that keeps what its latents unfold to, as
/// CacheGeometry::unfolded_unit: by releases without kernels for latents, of some formats or at
/// all; where vLLM runs the model as any other; and where it is told so (VLLM_MLA_DISABLE), or
/// kernels are asked for by name that know no latents, which starts with nothing else. Nothing
/// where latents are kept, or there are none.
std::optional<std::int64_t> unfolded_unit(const Request& request, domain::EngineVersion version,
                                          const domain::Conditions& conditions);

/// The kernels of attention that were asked for lay the cache out block by block, as those that a
/// GPU of AMD has by default do not; layers that propose tokens have these all the same.
bool takes_blocks_first(const Request& request);

}  // namespace gpushape::estimate::engines
