// How SGLang deals out the memory of its pools: recurrent states first, then keys and values, with
// fewer tokens for layers that look back on a window only. Source: SGLang
// python/sglang/srt/model_executor/model_runner_kv_cache_mixin.py (handle_max_mamba_cache,
// set_num_tokens_hybrid_swa), mem_cache/memory_pool.py.
#pragma once

#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {

struct SglangPool {
  domain::Range kv_bytes;  ///< of keys and values, what the engine prints
  Held held;
};

/// `pool` holds states, keys and values.
SglangPool sglang_pool(const Situation& situation, const domain::Range& pool);

/// Requests that it runs at once when nobody says, for a pool of `tokens`.
std::int64_t sglang_running_requests(const Plan& plan, std::int64_t tokens);

}  // namespace gpushape::estimate::engines
