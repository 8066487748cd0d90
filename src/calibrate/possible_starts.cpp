#include "calibrate/possible_starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <utility>

#include "calibrate/as_started.hpp"
#include "calibrate/free_memory.hpp"
#include "calibrate/nearest_release.hpp"
#include "calibrate/prediction.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/spread.hpp"

namespace gpushape::calibrate {
namespace {

using domain::EngineVersion;

/// What people set where they do not leave the default: of 93 published starts that state it, two
/// thirds lie between (https://github.com/vllm-project/vllm/issues and repositories, 2023 to 2026).
constexpr std::array<double, 2> kUsualUtilizations = {0.85, 0.95};
/// What FastLanguageModel.from_pretrained takes by itself, and the most of its notebooks: Unsloth's
/// unsloth/models/loader.py, gpu_memory_utilization.
constexpr std::array<double, 2> kUnslothUtilizations = {0.5, 0.95};
constexpr double kRoundedAway = 0.005;  ///< at most, of a share in two digits
/// Of free memory: TensorRT-LLM's examples/llm-api/quickstart_multimodal.py takes 0.6, the commands
/// of its performance overview 0.95.
constexpr std::array<double, 2> kUsualFractions = {0.6, 0.95};
/// Recipes for one user on one or two GPUs of players (https://github.com/noonghunna/club-3090).
constexpr std::int64_t kFewSequences = 2;
/// Unsloth's choice, by what weights leave of the memory: 160 on a T4, 224 to 288 on an L4, 320 to
/// 368 on 80 GB (notebooks of https://github.com/unslothai and others, 2025).
constexpr std::array<std::int64_t, 2> kUnslothSequences = {128, 384};
/// TensorRT-LLM's blocks; a step holds at least one request of the longest sequence.
constexpr std::int64_t kBlockTokens = 32;
/// The default of servers on smaller GPUs, and what the documents advise: "for optimal throughput,
/// we recommend setting max_num_batched_tokens > 8192" (vLLM docs/configuration/optimization.md).
constexpr std::array<std::int64_t, 2> kUsualBatches = {2048, 8192};
/// Recipes of models with one layer that predicts (https://recipes.vllm.ai): 1 to 3.
constexpr std::int64_t kFewDrafts = 3;

/// From the release before to the one behind, where a build between releases is stated; from two
/// before, where there is only a month: people run what they installed. All where there is none.
std::vector<EngineVersion> possible_releases(const EngineStart& start, EngineVersion version,
                                             const Unstated& unstated,
                                             const domain::Engine& engine) {
  if (unstated.any_release) return releases_around(version, engine, kAllReleases);
  if (unstated.release) return releases_around(version, engine, {.before = 2, .behind = 1});
  if (unstated.build) return releases_of_build(start, version, engine);
  return {version};
}

bool has_two_digits(double share) {
  constexpr double kHundred = 100;
  constexpr double kAlmostNone = 1e-6;
  return std::abs(share * kHundred - std::round(share * kHundred)) < kAlmostNone;
}

std::vector<std::optional<double>> utilizations(const EngineStart& start,
                                                const Unstated& unstated) {
  std::vector<std::optional<double>> values = {start.utilization};
  const auto& usual = start.engine == "tensorrt-llm" ? kUsualFractions : kUsualUtilizations;
  if (unstated.utilization) std::ranges::copy(usual, std::back_inserter(values));
  if (unstated.utilization && start.is_by_unsloth)
    std::ranges::copy(kUnslothUtilizations, std::back_inserter(values));
  // Unsloth works its share out, and vLLM prints two digits of it; more are its own.
  const bool is_worked_out = start.is_by_unsloth || start.may_be_by_unsloth;
  if (is_worked_out && start.utilization && start.engine == "vllm" &&
      has_two_digits(*start.utilization)) {
    for (const double rest : {-kRoundedAway, kRoundedAway})
      values.emplace_back(*start.utilization + rest);
  }
  return values;
}

/// Where a source does not tell GPU, release and share of the memory, who does not tell the most
/// sequences tells few other settings: whether the engine was started from a program, which makes
/// other defaults, took text alone, or shares images out among ranks instead of towers. vLLM's
/// graphs, sampler and steps hang on them.
bool leaves_sequences_open(const EngineStart& start, const Unstated& unstated) {
  return unstated.limits && start.engine == "vllm" && !start.max_num_seqs &&
         !start.has_default_sequences;
}

/// Nor whether a model's own layers draft, which then are loaded with it.
bool may_draft(const EngineStart& start, const Unstated& unstated) {
  const bool says_none = start.notes.contains("speculative_config=None") ||
                         start.notes.contains("speculative_config: None");
  return leaves_sequences_open(start, unstated) && !start.draft_model && !says_none;
}

/// From this release on some models run in a second runner, unless a setting that it lacks brings
/// back the first. Who tells his settings has not asked for the first: all of 22 whole logs by
/// releases from 0.22 to 0.31 run in that which the release takes; builds between them do not.
bool has_two_runners(const EngineStart& start, const Unstated& unstated, EngineVersion version) {
  return start.engine == "vllm" && version >= kSecondRunner && (unstated.limits || unstated.build);
}

std::vector<std::optional<std::int64_t>> sequences(const EngineStart& start,
                                                   const Unstated& unstated,
                                                   EngineVersion version) {
  std::vector<std::optional<std::int64_t>> values = {start.max_num_seqs};
  // Of the first generation's ranks one samples, and the record may hold another's figures.
  constexpr EngineVersion kAllSample{0, 8, 0};
  const bool is_one_of_many = start.tensor_parallel > 1 && version < kAllSample;
  const bool may_not_sample = start.engine == "vllm" && is_one_of_many;
  if (chooses_sequences(start)) std::ranges::copy(kUnslothSequences, std::back_inserter(values));
  if (leaves_sequences_open(start, unstated) || (may_not_sample && !start.max_num_seqs))
    values.emplace_back(kFewSequences);
  return values;
}

std::vector<std::optional<std::int64_t>> batches(const EngineStart& start,
                                                 const Unstated& unstated) {
  std::vector<std::optional<std::int64_t>> values = {start.max_num_batched_tokens};
  const bool is_open = unstated.settings && !start.max_num_batched_tokens;
  const bool goes_by_device = unstated.device && start.engine == "vllm";
  if ((leaves_sequences_open(start, unstated) || goes_by_device) && !start.max_num_batched_tokens)
    std::ranges::copy(kUsualBatches, std::back_inserter(values));
  if (is_open && start.engine == "tensorrt-llm" && start.context_tokens)
    values.emplace_back((*start.context_tokens + kBlockTokens - 1) / kBlockTokens * kBlockTokens);
  return values;
}

std::vector<std::optional<std::int64_t>> ranks(const EngineStart& start, const Unstated& unstated) {
  std::vector<std::optional<std::int64_t>> values = {start.adapter_rank};
  if (unstated.adapter_rank) std::ranges::copy(kUsualRanks, std::back_inserter(values));
  return values;
}

/// A GPU of 80 GB without a name is an A100 as well, for which vLLM takes smaller batches than for
/// others as large. Source: vLLM engine/arg_utils.py, get_batch_defaults.
void add_a100(std::vector<std::optional<domain::VisibleMemory>>& values,
              const domain::VisibleMemory& memory) {
  constexpr std::array<double, 2> kTotals = {78.5, 80.0};  // GiB, as drivers leave them
  const double total = memory.bytes.expected.gib();
  if (total < kTotals.front() || total > kTotals.back() || memory.vendor == "amd") return;
  domain::VisibleMemory a100 = memory;
  a100.product_name = "NVIDIA A100 80GB";
  a100.compute_capability = "8.0";
  values.emplace_back(std::move(a100));
}

/// A total that is only known to lie between two values is one of them, not their mean.
std::vector<std::optional<domain::VisibleMemory>> memories(const RecordGpu& gpu) {
  std::vector<std::optional<domain::VisibleMemory>> values = {gpu.memory};
  if (!gpu.memory) return values;
  for (const Bytes bytes : {gpu.memory->bytes.low, gpu.memory->bytes.high}) {
    if (bytes == gpu.memory->bytes.expected) continue;
    domain::VisibleMemory memory = *gpu.memory;
    memory.bytes = {.low = bytes, .expected = bytes, .high = bytes};
    values.emplace_back(std::move(memory));
  }
  if (!gpu.is_named) add_a100(values, *gpu.memory);
  return values;
}

/// Stages of a pipeline differ, an estimate speaks of the one with the largest total, and a start
/// prints any of them: the one whose weights are nearest to what is printed.
domain::Range of_printed_stage(const domain::Range& weights, const domain::Estimate& estimate,
                               const std::optional<double>& printed_gib) {
  if (!printed_gib || !estimate.all_gpus || weights.expected == Bytes(0)) return weights;
  const std::vector<domain::StageHolding>& stages = estimate.all_gpus->stages;
  const auto largest = std::ranges::max_element(stages, {}, &domain::StageHolding::total);
  domain::Range nearest = weights;
  for (const domain::StageHolding& stage : stages) {
    const Bytes more = stage.weights - largest->weights;
    const domain::Range here{.low = std::max(Bytes(0), weights.low + more),
                             .expected = weights.expected + more,
                             .high = weights.high + more};
    const auto off = [&](const domain::Range& range) {
      return std::abs(range.expected.gib() - *printed_gib);
    };
    if (off(here) < off(nearest)) nearest = here;
  }
  return nearest;
}

/// The engine as each of some possible starts was told to run it, made once for all that were told
/// the same: making the tables of its facts takes longer than an estimate.
class ToldEngines {
 public:
  explicit ToldEngines(const domain::Engine& engine) : engine_(engine) {}

  const domain::Engine& of(const PossibleStart& possible) {
    const bool is_whole = possible.start.keeps_towers_whole;
    const bool is_amd = possible.start.vendor == kAmd && !possible.memory;
    std::optional<domain::Engine>& told = told_[(is_whole ? 2U : 0U) + (is_amd ? 1U : 0U)];
    if (!told) {
      told = on_vendor(is_whole ? as_started(engine_, possible.start) : engine_, possible.start,
                       possible.memory);
    }
    return *told;
  }

 private:
  const domain::Engine& engine_;
  std::array<std::optional<domain::Engine>, 4> told_;  ///< by the two truths of `of`
};

/// As the engine prints it, with what it sets aside for graphs where that is not told apart.
domain::Range printed_peak(const domain::Estimate& estimate, const EngineStart& start) {
  const domain::Range peak = term_bytes(estimate, "activation");
  if (!start.peak_holds_graphs) return peak;
  return estimate::independent_sum(std::array{peak, estimate.capacity
                                                        ? estimate.capacity->graphs_counted
                                                        : term_bytes(estimate, "graphs")});
}

/// An engine that has no pool to size does not profile itself, and what its first step makes counts
/// as graphs. Source: vLLM v1/engine/core.py, _initialize_kv_caches (has_kv_cache).
domain::Range captured_graphs(const domain::Estimate& estimate) {
  const domain::Range graphs = term_bytes(estimate, "graphs");
  const bool is_profiled =
      estimate.kv_bytes_per_token > Bytes(0) || estimate.engine.value != "vllm";
  if (is_profiled || graphs.high == Bytes(0)) return graphs;
  const domain::Range first_step = estimate::independent_sum(
      std::array{graphs, term_bytes(estimate, "activation"), term_bytes(estimate, "nonTorch")});
  return {.low = graphs.low, .expected = first_step.expected, .high = first_step.high};
}

std::optional<PredictedFigures> figures_of(const PossibleStart& possible,
                                           const domain::Model& model, ToldEngines& engines) {
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(model, workload_of(possible.start, model, possible.version),
                                engines.of(possible), possible.memory);
  if (!estimate) return std::nullopt;
  PredictedFigures figures{
      .weights = of_printed_stage(loaded_bytes(*estimate), *estimate, possible.start.weights_gib),
      .activation = printed_peak(*estimate, possible.start),
      .non_torch = non_torch_bytes(*estimate),
      .graphs = captured_graphs(*estimate),
      .pool = {}};
  if (estimate->capacity) figures.pool = estimate->capacity->kv_pool_bytes;
  figures.weights = as_read(figures.weights, "weights", possible.start, possible.memory);
  figures.non_torch = as_read(figures.non_torch, "nonTorch", possible.start, possible.memory);
  figures.graphs = as_read(figures.graphs, "graphs", possible.start, possible.memory);
  if (figures.pool)
    figures.pool = as_read(*figures.pool, "kvPool", possible.start, possible.memory);
  return figures;
}

/// Every start with every value; those with the first value stand first.
template <typename Value>
void vary(std::vector<PossibleStart>& starts, Value EngineStart::*setting,
          const std::vector<Value>& values) {
  const std::size_t count = starts.size();
  for (const Value& value : values | std::views::drop(1)) {
    for (std::size_t i = 0; i < count; ++i) {
      starts.push_back(starts[i]);
      starts.back().start.*setting = value;
    }
  }
}

/// Every start once more, with its towers left out.
void add_without_images(std::vector<PossibleStart>& starts) {
  const std::size_t count = starts.size();
  for (std::size_t i = 0; i < count; ++i) {
    starts.push_back(starts[i]);
    starts.back().start.takes_no_images = true;
    starts.back().start.takes_no_videos = true;
  }
}

/// What stands beside the most sequences in a command line that is not shown.
void add_open_settings(std::vector<PossibleStart>& starts, const EngineStart& start) {
  if (!start.chunks_prompts) vary(starts, &EngineStart::chunks_prompts, {std::nullopt, false});
  if (start.tensor_parallel > 1 && !start.keeps_towers_whole)
    vary(starts, &EngineStart::keeps_towers_whole, {false, true});
  if (!start.is_library) vary(starts, &EngineStart::is_library, {false, true});
  if (!start.takes_no_images) add_without_images(starts);
}

/// Of the eleven notebooks of https://github.com/unslothai/notebooks whose starts are published
/// with their rank six train adapters of 32, three of 64 and two of 16.
constexpr std::int64_t kNotebookRank = 32;

/// Every start as Unsloth makes it: with adapters, and as many sequences as it chooses.
void add_for_training(std::vector<PossibleStart>& starts) {
  const std::size_t count = starts.size();
  for (const std::int64_t sequences : kUnslothSequences) {
    for (const std::int64_t rank : kUsualRanks) {
      for (std::size_t i = 0; i < count; ++i) {
        EngineStart& start = starts.emplace_back(starts[i]).start;
        start.max_num_seqs = sequences;
        start.has_adapters = true;
        start.adapter_rank = rank;
      }
    }
  }
}

}  // namespace

bool chooses_sequences(const EngineStart& start) {
  const bool is_unsloth = start.is_by_unsloth || start.may_be_by_unsloth;
  return start.engine == "vllm" && !start.max_num_seqs && is_unsloth;
}

domain::Range widened(const domain::Range& first, const domain::Range& other) {
  return {.low = std::min(first.low, other.low),
          .expected = first.expected,
          .high = std::max(first.high, other.high)};
}

std::vector<PossibleStart> possible_starts(const EngineStart& start, const Unstated& unstated,
                                           EngineVersion version, const domain::Engine& engine,
                                           const RecordGpu& gpu) {
  std::vector<PossibleStart> starts;
  for (const EngineVersion release : possible_releases(start, version, unstated, engine)) {
    for (const auto& memory : memories(gpu))
      starts.push_back({.start = start, .version = release, .memory = memory});
  }
  // Of 148 published starts that leave out whose GPU it is, seven are AMD's by other words of
  // theirs or of their repositories.
  const bool is_anybodys = start.gpu.empty() || start.gpu == "unknown";
  if (unstated.device && !gpu.memory && is_anybodys && start.vendor.empty())
    vary(starts, &EngineStart::vendor, {start.vendor, std::string(kAmd)});
  vary(starts, &EngineStart::utilization, utilizations(start, unstated));
  vary(starts, &EngineStart::max_num_seqs, sequences(start, unstated, version));
  vary(starts, &EngineStart::max_num_batched_tokens, batches(start, unstated));
  if (unstated.adapter_rank && start.source.contains("github.com/unslothai/")) {
    for (PossibleStart& possible : starts) possible.start.adapter_rank = kNotebookRank;
  }
  if (leaves_sequences_open(start, unstated)) add_open_settings(starts, start);
  if (start.may_be_by_unsloth && !start.max_num_seqs) add_for_training(starts);
  if (has_two_runners(start, unstated, version) && !start.has_second_runner)
    vary(starts, &EngineStart::has_second_runner, {std::nullopt, false});
  vary(starts, &EngineStart::adapter_rank, ranks(start, unstated));
  if (unstated.drafts || may_draft(start, unstated))
    vary(starts, &EngineStart::draft_tokens, {std::nullopt, kFewDrafts});
  return starts;
}

PredictedFigures predicted_figures(const std::vector<PossibleStart>& starts,
                                   const domain::Model& model, const domain::Engine& engine) {
  ToldEngines engines(engine);
  PredictedFigures figures =
      figures_of(starts.front(), model, engines).value_or(PredictedFigures{});
  for (const PossibleStart& possible : starts) {
    const auto other = figures_of(possible, model, engines);
    if (!other) continue;
    figures.weights = widened(figures.weights, other->weights);
    figures.activation = widened(figures.activation, other->activation);
    figures.non_torch = widened(figures.non_torch, other->non_torch);
    figures.graphs = widened(figures.graphs, other->graphs);
    if (figures.pool && other->pool) figures.pool = widened(*figures.pool, *other->pool);
  }
  return figures;
}

}  // namespace gpushape::calibrate
