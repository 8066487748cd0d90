#include "calibrate/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "calibrate/difference_parts.hpp"
#include "calibrate/model_path.hpp"
#include "calibrate/nearest_release.hpp"
#include "calibrate/obstacles.hpp"
#include "calibrate/own_arguments.hpp"
#include "calibrate/step_causes.hpp"
#include "catalog/repository_name.hpp"

namespace gpushape::calibrate {
namespace {

// ---- the pool follows from the rest

std::optional<std::string> follows_from_terms(const Difference& difference) {
  if (difference.term->name != "kvPool") return std::nullopt;
  double taken = 0;
  std::string most;
  double largest = 0;
  for (const std::string_view name : {"weights", "activation", "nonTorch"}) {
    const domain::CalibratedTerm* term = other_term(difference, name);
    if (term == nullptr) return std::nullopt;
    const double more = (term->measured->expected - term->predicted.expected).gib();
    taken += more;
    if (std::abs(more) > std::abs(largest)) {
      largest = more;
      most = name;
    }
  }
  if (std::abs(difference.gib() + taken) > kSameGib) return std::nullopt;
  return fmt::format("follows from the other terms: {} took {:.2f} GiB {} than predicted", most,
                     std::abs(largest), largest > 0 ? "more" : "less");
}

// ---- graphs

std::optional<std::string> captured_sizes(const Difference& difference) {
  if (difference.term->name != "graphs" || !difference.term->measured) return std::nullopt;
  const EngineStart& start = difference.log->start;
  if (start.max_num_seqs || !start.graph_batches.empty()) return std::nullopt;
  return "max_num_seqs decides how many sizes are captured, and the log does not say it";
}

std::optional<std::string> graph_accounting(const Difference& difference) {
  if (difference.term->name != "kvPool" || !difference.term->measured) return std::nullopt;
  if (follows_from_terms(difference)) return std::nullopt;  // nothing is left to explain
  const double graphs =
      difference.log->graph_estimate_gib.value_or(term_gib(*difference.estimate, "graphs"));
  if (graphs <= 0 || std::abs(std::abs(difference.gib()) - graphs) > kSameGib) return std::nullopt;
  return difference.gib() < 0
             ? fmt::format("the engine took its graph estimate of {:.2f} GiB off the pool", graphs)
             : fmt::format("the engine did not take {:.2f} GiB of graphs off the pool", graphs);
}

// Where GPU and host share their memory, the estimate is a difference of what the system has free.
// https://github.com/vllm-project/vllm/issues/44740
std::optional<std::string> graphs_below_zero(const Difference& difference) {
  const double estimate = difference.log->graph_estimate_gib.value_or(0);
  if (difference.term->name != "kvPool" || estimate >= 0 || difference.gib() <= 0)
    return std::nullopt;
  return fmt::format(
      "the engine estimated its graphs at {:.2f} GiB, as other memory was freed meanwhile, and "
      "gave the pool so much more than it set out for: a later allocation may fail",
      estimate);
}

// ---- other memory

/// What a GPU holds before the engine takes anything but its own context, GiB: as it is printed
/// then, or of one GPU, which talks to no other while it loads, with its weights (vLLM 0.6.4
/// worker/worker.py, initial_memory_usage).
std::optional<double> held_before(const RankReading& rank, const EngineStart& start) {
  if (rank.free_gib && rank.total_gib) return *rank.total_gib - *rank.free_gib;
  const bool is_alone = start.tensor_parallel == 1 && start.pipeline_parallel == 1;
  if (rank.used_gib && rank.weights_gib && is_alone) return *rank.used_gib - *rank.weights_gib;
  return std::nullopt;
}

/// What another process holds of it, GiB.
double held_by_others(const Difference& difference) {
  std::optional<double> most;
  for (const RankReading& rank : difference.log->ranks)
    most = std::max(most, held_before(rank, difference.log->start));
  if (!most) return 0;
  return *most - term_gib(*difference.estimate, "cudaContext") -
         term_gib(*difference.estimate, "communicators");
}

std::optional<std::string> another_tenant(const Difference& difference) {
  if (difference.term->name != "nonTorch" && difference.term->name != "kvPool") return std::nullopt;
  constexpr double kNoticeable = 0.6;  // GiB, above what contexts of driver versions differ by
  if (const double held = held_by_others(difference); held >= kNoticeable) {
    return fmt::format(
        "another process held {:.1f} GiB of the GPU when the engine started; what it takes or "
        "frees while the engine profiles itself shows up here",
        held);
  }
  // What graphs take is a difference of free memory.
  const double freed = -difference.log->start.graphs_gib.value_or(0);
  const bool lacked_it = difference.term->name == "kvPool" && difference.gib() < 0;
  if (freed < kNoticeable || !lacked_it) return std::nullopt;
  return fmt::format(
      "another process freed at least {:.1f} GiB while graphs were captured, and held them when "
      "the engine measured what is left for the pool",
      freed);
}

std::optional<std::string> shared_memory(const Difference& difference) {
  if (!difference.has_shared_memory || difference.term->name != "kvPool" || difference.gib() >= 0)
    return std::nullopt;
  return fmt::format(
      "GPU and host share one memory, of which the system, its page cache or another process held "
      "{:.1f} GiB more than told",
      -difference.gib());
}

std::optional<std::string> windows(const Difference& difference) {
  const bool is_of_gpu = difference.term->name == "nonTorch" || difference.term->name == "kvPool";
  if (!difference.log->start.is_under_wsl || !is_of_gpu) return std::nullopt;
  return "under WSL Windows draws on the same GPU, and what it holds counts as the engine's";
}

std::optional<std::string> adapters(const Difference& difference) {
  const EngineStart& start = difference.log->start;
  if (!start.has_adapters || start.adapter_rank) return std::nullopt;
  return "LoRA adapters are enabled, and the log does not say their rank";
}

std::optional<std::string> drafts(const Difference& difference) {
  if (!has_unknown_drafts(*difference.log)) return std::nullopt;
  return "speculative decoding is configured: a draft model or draft tokens take memory, too";
}

// ---- another GPU

/// What is counted stands in the share that the engine takes of a GPU, so that the GPU is no
/// smaller.
std::optional<std::string> another_gpu(const Difference& difference) {
  const auto& capacity = difference.estimate->capacity;
  const bool is_about = difference.term->name == "kvPool" && difference.term->measured;
  if (!is_about || !capacity || capacity->utilization <= 0) return std::nullopt;
  double counted = 0;
  for (const std::string_view name : {"weights", "activation", "kvPool"}) {
    const domain::CalibratedTerm* term = other_term(difference, name);
    if (term != nullptr) counted += term->measured->expected.gib();
  }
  const double least = counted / capacity->utilization;
  const double visible = capacity->visible_bytes.high.gib();
  constexpr double kRounding = 1.01;
  if (least <= kRounding * visible) return std::nullopt;
  return fmt::format(
      "what the log counts is {:.2f} of a GPU of at least {:.1f} GiB, and {} has {:.1f}: give "
      "--gpu as it ran",
      capacity->utilization, least, capacity->gpu.empty() ? "this one" : capacity->gpu, visible);
}

/// How the pool would come about though no setting of the log's own were another.
std::optional<std::string> other_flags(const Difference& difference) {
  const auto& capacity = difference.estimate->capacity;
  const bool is_about = difference.term->name == "kvPool" && difference.term->measured &&
                        !difference.has_shared_memory;
  if (!is_about || !capacity || capacity->utilization <= 0) return std::nullopt;
  const std::vector<domain::CalibratedSetting>& settings = difference.calibration->settings;
  const auto is_by_flag = [&](std::string_view name, std::string_view flag) {
    const auto setting = std::ranges::find(settings, name, &domain::CalibratedSetting::name);
    return setting != settings.end() && setting->from == flag;
  };
  const bool is_gpu_told = is_by_flag("gpu", "--gpu");
  const bool is_share_told = is_by_flag("gpuMemoryUtilization", "--gpu-memory-utilization");
  if (!is_gpu_told && !is_share_told) return std::nullopt;
  const double visible = capacity->visible_bytes.expected.gib();
  const double share = capacity->utilization + difference.gib() / visible;
  const double total = visible + difference.gib() / capacity->utilization;
  // Another size of a GPU, or share of it, stands farther off than what terms differ by.
  constexpr double kLeastChange = 0.02;
  if (share <= 0 || share > 1 || std::abs(share - capacity->utilization) < kLeastChange)
    return std::nullopt;
  std::string words = is_gpu_told ? fmt::format("a GPU of {:.1f} GiB", total) : std::string();
  if (is_share_told)
    words += fmt::format("{}a utilization of {:.2f}", words.empty() ? "" : " or ", share);
  return fmt::format("{} would leave the printed pool: {} may be another than ran", words,
                     is_gpu_told && is_share_told ? "--gpu or --gpu-memory-utilization"
                     : is_gpu_told                ? "--gpu"
                                                  : "--gpu-memory-utilization");
}

// ---- another copy of the model

std::optional<std::string> another_format(const Difference& difference) {
  constexpr double kFarLess = 0.8;
  if (difference.term->name != "weights" || !difference.term->measured) return std::nullopt;
  const double predicted = difference.term->predicted.expected.gib();
  const double measured = difference.term->measured->expected.gib();
  const double bits = input(*difference.estimate, "weights", "weightBits");
  if (measured <= 0 || measured > kFarLess * predicted || bits < 16) return std::nullopt;
  return fmt::format(
      "this is what about {:.1f} bits a parameter take: a quantized copy of the model, or more "
      "GPUs "
      "than the log tells: give --quant or --tp",
      bits * measured / predicted);
}

/// Whether the log's name of the model, or that of a folder it lies in, is the estimate's.
bool is_named_alike(const std::string& in_log, const domain::Estimate& estimate) {
  const std::vector<std::string> names = names_in_path(in_log);
  return std::ranges::any_of(names, [&](const std::string& name) {
    const std::string unmarked = catalog::unmarked_name(name);
    return unmarked == catalog::unmarked_name(estimate.model_id) ||
           (!estimate.model_base.empty() &&
            unmarked.contains(catalog::unmarked_name(estimate.model_base)));
  });
}

std::optional<std::string> another_model(const Difference& difference) {
  const std::string& named = difference.log->start.model;
  const domain::Estimate& estimate = *difference.estimate;
  if (difference.term->name != "weights" || named.empty() || estimate.model_id.empty())
    return std::nullopt;
  if (is_named_alike(named, estimate)) return std::nullopt;
  return fmt::format("the log is of '{}', and the prediction of {}: give the --model that ran",
                     named, estimate.model_id);
}

std::optional<std::string> other_sizes(const Difference& difference) {
  if (!difference.log->start.has_other_sizes) return std::nullopt;
  return fmt::format("{}: give --model a config.json that holds them", kOtherSizes);
}

/// They are loaded where they draft, in 16 bits by most quantizers.
std::optional<std::string> own_drafts(const Difference& difference) {
  const auto& layers = difference.estimate->parameters.multi_token_prediction;
  if (difference.term->name != "weights" || !layers || difference.log->start.draft_tokens)
    return std::nullopt;
  constexpr double kHalfBytes = 2;
  constexpr double kSameShare = 0.15;
  const auto ranks = static_cast<double>(difference.estimate->parallelism.tensor);
  const double loaded = static_cast<double>(*layers) * kHalfBytes / ranks / kGib;
  if (std::abs(difference.gib() - loaded) > kSameShare * loaded) return std::nullopt;
  return fmt::format(
      "the layers that predict further tokens take {:.2f} GiB in 16 bits, and are loaded where "
      "they draft: give --draft-tokens",
      loaded);
}

std::optional<std::string> utilization(const Difference& difference) {
  if (difference.term->name != "kvPool" || difference.log->start.utilization) return std::nullopt;
  return "the log does not state the utilization: give --gpu-memory-utilization";
}

// ---- the build

std::optional<std::string> own_kernels(const Difference& difference) {
  const std::string_view label = own_build(difference.log->start.engine_version);
  if (difference.term->name == "weights" || label.empty()) return std::nullopt;
  return fmt::format(
      "the build is somebody's own, '{}', whose kernels and accounting are of no release", label);
}

std::optional<std::string> own_settings(const Difference& difference) {
  const std::string argument = own_argument(difference.log->start);
  if (argument.empty()) return std::nullopt;
  return fmt::format("no release of vLLM takes '{}': the build is somebody's own", argument);
}

constexpr auto kCauses = std::to_array<CauseRow>({
    {"sampler-path", "another way of sampling", sampler_path},
    {"batch-defaults", "other batch sizes than the defaults", batch_defaults},
    {"encoder-inputs", "another number of inputs in the encoder", encoder_inputs},
    {"captured-sizes", "how many graphs are captured", captured_sizes},
    {"another-gpu", "a GPU that is too small for what the log counts", another_gpu},
    {"other-terms", "the pool is what the other terms leave", follows_from_terms},
    {"graphs-below-zero", "an estimate of the graphs below zero", graphs_below_zero},
    {"graph-accounting", "whether graphs come off the pool", graph_accounting},
    {"another-tenant", "memory that another process holds", another_tenant},
    {"shared-memory", "memory that GPU and host share", shared_memory},
    {"windows", "memory that Windows holds", windows},
    {"compile-cache", "graphs compiled in this start, or loaded from a cache", compile_cache},
    {"utilization", "a share that the log does not state", utilization},
    {"another-model", "a model that the log does not name", another_model},
    {"own-drafts", "layers of the model's own that draft", own_drafts},
    {"other-sizes", "sizes of the model that the start overrides", other_sizes},
    {"another-format", "a copy of the model in another format", another_format},
    {"adapters", "LoRA adapters", adapters},
    {"drafts", "speculative decoding", drafts},
    {"own-build", "a build of somebody's own", own_kernels},
    {"own-arguments", "arguments that no release takes", own_settings},
    {"other-flags", "a GPU or a share of it that was told, not logged", other_flags},
});

}  // namespace

double Difference::gib() const {
  return term->measured ? (term->measured->expected - term->predicted.expected).gib() : 0;
}

std::span<const CauseRow> causes() { return kCauses; }

}  // namespace gpushape::calibrate
