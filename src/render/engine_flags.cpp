#include "render/engine_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpushape::render {
namespace {

/// Empty for a setting that the engine has no flag for.
struct Spelling {
  std::string_view engine;
  std::string_view tensor, pipeline, sequences, step, share, pool;
};
// Sources: vLLM engine/arg_utils.py; SGLang server_args.py; TensorRT-LLM commands/serve.py.
constexpr auto kSpellings = std::to_array<Spelling>({
    {.engine = "vllm",
     .tensor = "--tensor-parallel-size",
     .pipeline = "--pipeline-parallel-size",
     .sequences = "--max-num-seqs",
     .step = "--max-num-batched-tokens",
     .share = "--gpu-memory-utilization",
     .pool = "--kv-cache-memory-bytes"},
    {.engine = "sglang",
     .tensor = "--tp-size",
     .pipeline = "--pp-size",
     .sequences = "--max-running-requests",
     .step = "--chunked-prefill-size",
     .share = "--mem-fraction-static",
     .pool = ""},
    {.engine = "tensorrt-llm",
     .tensor = "--tp_size",
     .pipeline = "--pp_size",
     .sequences = "--max_batch_size",
     .step = "--max_num_tokens",
     .share = "--kv_cache_free_gpu_memory_fraction",
     .pool = ""},
    {.engine = "transformers",
     .tensor = "",
     .pipeline = "",
     .sequences = "",
     .step = "",
     .share = "",
     .pool = ""},
});

const Spelling& spelling_of(std::string_view engine) {
  const auto row = std::ranges::find(kSpellings, engine, &Spelling::engine);
  return row == kSpellings.end() ? kSpellings.front() : *row;
}

template <class T>
void append(std::string& text, std::string_view flag, const T& value) {
  if (flag.empty()) return;
  text += fmt::format("{}{} {}", text.empty() ? "" : " ", flag, value);
}

}  // namespace

std::string engine_flags(const domain::RankedShape& ranked, std::string_view engine) {
  const Spelling& flags = spelling_of(engine);
  const auto& split = ranked.shape.parallelism;
  std::string text;
  if (split.tensor > 1) append(text, flags.tensor, split.tensor);
  if (split.pipeline > 1) append(text, flags.pipeline, split.pipeline);
  if (ranked.max_num_seqs) append(text, flags.sequences, *ranked.max_num_seqs);
  if (ranked.max_num_batched_tokens) append(text, flags.step, *ranked.max_num_batched_tokens);
  if (ranked.gpu_memory_utilization) append(text, flags.share, *ranked.gpu_memory_utilization);
  if (ranked.kv_cache_memory_bytes) append(text, flags.pool, ranked.kv_cache_memory_bytes->count());
  return text;
}

}  // namespace gpushape::render
