// Telemetry of engines and GPUs from Prometheus' answers (query_range): how full the cache pool
// was, how many sequences ran, preemptions; and what the DCGM exporter tells of the device.
//
// vLLM, docs/usage/metrics: vllm:kv_cache_usage_perc (before v0.10 vllm:gpu_cache_usage_perc), 1 is
// full; vllm:num_requests_running; vllm:num_preemptions_total; vllm:cache_config_info, whose labels
// name the blocks of the pool. SGLang, docs/references/production_metrics: sglang:token_usage,
// sglang:num_running_reqs, sglang:max_total_num_tokens.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/telemetry.hpp"
#include "domain/usage.hpp"

namespace gpushape::inventory {

/// An answer of Prometheus, whatever it holds.
bool is_prometheus_answer(const document::Document& document);

/// Several answers are read as one. Other metrics are passed over.
Result<domain::EngineTelemetry> read_engine_telemetry(
    std::span<const document::Document> documents);

/// One figure of several series; `from` names their files.
domain::DeviceTelemetry device_telemetry(std::span<const domain::UsageSeries> series,
                                         std::string from);

}  // namespace gpushape::inventory
