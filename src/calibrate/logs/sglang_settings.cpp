#include "calibrate/logs/sglang_settings.hpp"

#include <optional>
#include <string>
#include <utility>

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

}  // namespace gpushape::calibrate::logs
