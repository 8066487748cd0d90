#include "calibrate/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/planned_start.hpp"
#include "calibrate/started_draft.hpp"

namespace gpushape::calibrate {
namespace {

/// Each name once, in the order of the text: "Qwen/Qwen3-8B (3 times)".
std::vector<std::string> counted(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) continue;
    const auto times = std::count(name, names.end(), *name);
    once.push_back(times == 1 ? *name : fmt::format("{} ({} times)", *name, times));
  }
  return once;
}

}  // namespace

void ask(const EngineLog& log, const Surroundings& surroundings, domain::Calibration& calibration) {
  if (plans_buffers(log.start.engine)) return;  // the log says all that its buffers depend on
  const bool has_device = surroundings.gpu && !surroundings.gpu->device.empty();
  if (!has_device) {
    calibration.asks.push_back(fmt::format(
        "the log does not name the GPU: --gpu NAME gives the defaults and figures of that GPU{}",
        surroundings.gpu ? "" : "; without it the pool, the peak and the graphs are not compared"));
  }
  if (log.is_excerpt) {
    std::vector<std::string> flags;
    if (log.start.tensor_parallel == 1) flags.emplace_back("--tp");
    if (!log.start.context_tokens) flags.emplace_back("--context");
    if (log.start.kv_cache_type.empty()) flags.emplace_back("--kv-cache-dtype");
    if (!log.start.max_num_seqs) flags.emplace_back("--max-num-seqs");
    if (!log.start.max_num_batched_tokens) flags.emplace_back("--max-num-batched-tokens");
    if (!flags.empty())
      calibration.asks.push_back(fmt::format(
          "the log begins behind the engine's settings, and defaults are taken for what it does "
          "not say: {}",
          fmt::join(flags, ", ")));
  }
  if (!log.start.utilization && log.start.pool_gib) {
    calibration.asks.emplace_back(
        "the log does not state the utilization, the version's default is taken: "
        "--gpu-memory-utilization F");
  }
}

void note_log(const EngineLog& log, domain::Calibration& calibration) {
  if (!log.failure.empty())
    calibration.notes.push_back(fmt::format("the engine did not start: {}", log.failure));
  if (!log.earlier_models.empty()) {
    calibration.notes.push_back(
        fmt::format("the text holds {} starts and the last one is read; before it: {}",
                    log.earlier_models.size() + 1, fmt::join(counted(log.earlier_models), ", ")));
  }
  if (log.has_cache_with_host) {
    calibration.notes.emplace_back(
        "the cache lies in host memory (--no-kv-offload), where attention runs, too: only weights "
        "are compared");
  }
  if (log.start.pipeline_parallel > 1) {
    calibration.notes.emplace_back(
        std::ssize(log.ranks) >= log.start.pipeline_parallel
            ? "stages of a pipeline differ: the one that takes most is compared"
            : "stages of a pipeline differ, so only the pool of the fullest one is compared");
  }
  if (log.start.graphs_gib.value_or(0) < 0) {
    calibration.notes.emplace_back(
        "the figure of the graphs is negative, a difference of free memory: something else freed "
        "memory while they were captured");
  }
  if (log.start.has_adapters && !log.start.adapter_rank)
    calibration.notes.emplace_back(
        "the rank of LoRA adapters is not stated: the default is taken, and ranges go from 8 to "
        "128");
  if (has_unknown_drafts(log)) {
    calibration.notes.push_back(
        fmt::format("speculative decoding is configured, with {} that is not modelled: what is "
                    "printed as loaded holds it, and the cache its layers, so that neither is "
                    "compared",
                    log.start.draft_model
                        ? fmt::format("a draft model, '{}',", log.start.draft_model->name.value)
                        : std::string("a draft model")));
  }
  if (const auto& draft = log.start.draft_model;
      draft && draft->model && draft->model->origin == kDraftByMethod) {
    calibration.notes.push_back(
        fmt::format("the draft '{}' is none of the catalog: it is taken for what {} trains, one "
                    "layer in the sizes of the model{}",
                    draft->name.value, log.start.draft_method,
                    log.start.draft_checkpoint_gib ? " and a head by the size of its files" : ""));
  }
  if (log.has_warm_cache == true)
    calibration.notes.emplace_back("compiled graphs came from a warm cache");
  if (log.graph_estimate_gib) {
    calibration.notes.push_back(
        fmt::format("the engine's own graph estimate: {:.2f} GiB{}", *log.graph_estimate_gib,
                    log.is_graph_estimate_subtracted ? ", taken off the pool" : ""));
  }
}

}  // namespace gpushape::calibrate
