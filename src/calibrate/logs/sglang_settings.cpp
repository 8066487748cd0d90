#include "calibrate/logs/sglang_settings.hpp"

#include <optional>
#include <string>
#include <utility>

#include "calibrate/log_text.hpp"
#include "calibrate/logs/start_parts.hpp"

namespace gpushape::calibrate::logs {

void read_sglang_arguments(std::string_view line, EngineStart& start) {
  take_text(start.kv_cache_type, line, "kv_cache_dtype");
  take_count(start.max_num_seqs, line, "max_running_requests");
  take_count(start.max_num_batched_tokens, line, "chunked_prefill_size");
  take_count(start.block_tokens, line, "page_size");
  take_count(start.most_tokens, line, "max_total_tokens");
  take_number(start.utilization, line, "mem_fraction_static");
  take_number(start.window_share, line, "swa_full_tokens_ratio");
  take_number(start.state_share, line, "mamba_full_memory_ratio");
  take_number(start.state_slots, line, "max_mamba_cache_size");
  if (is_true(line, "disable_radix_cache")) start.prefix_caching = false;
  std::optional<double> offload;
  take_number(offload, line, "cpu_offload_gb");
  if (offload.value_or(0) > 0) start.offload_gib = offload;
  std::string speculative;
  take_text(speculative, line, "speculative_algorithm");
  std::string draft;
  take_text(draft, line, "speculative_draft_model_path");
  if (!speculative.empty()) name_draft(start, std::move(draft));
  if (is_true(line, "enable_lora")) start.has_adapters = true;
}

std::optional<double> free_before_loading(std::string_view line) {
  const auto left = behind(line, "avail mem=");
  const auto gib = left ? leading_gib(*left) : std::nullopt;
  if (!gib || !line.contains("Load weight ")) return std::nullopt;
  if (line.contains("Load weight begin")) return gib;
  const auto taken = behind(line, "mem usage=");
  const auto loaded = taken ? leading_gib(*taken) : std::nullopt;
  return loaded ? std::optional(*gib + *loaded) : std::nullopt;
}

bool leaves_scales_out(std::string_view kv_cache_type, std::string_view line) {
  return kv_cache_type.starts_with("fp4") && line.contains("KV Cache is allocated") &&
         !line.contains("dtype: ");
}

}  // namespace gpushape::calibrate::logs
