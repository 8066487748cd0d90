#include "calibrate/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "calibrate/as_started.hpp"
#include "calibrate/calibration.hpp"
#include "calibrate/nearest_release.hpp"
#include "calibrate/obstacles.hpp"
#include "calibrate/own_arguments.hpp"
#include "calibrate/planned_start.hpp"
#include "calibrate/possible_starts.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/record_gpu.hpp"
#include "calibrate/started_draft.hpp"
#include "calibrate/started_model.hpp"
#include "calibrate/token_causes.hpp"
#include "calibrate/unstated_ranks.hpp"
#include "domain/estimate.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

bool has_plain_cache(const domain::Model& model) {
  return std::ranges::all_of(model.layers, [](const domain::LayerRun& run) {
    const domain::LayerKind kind = run.layer.attention.kind;
    return (kind == domain::LayerKind::Full || kind == domain::LayerKind::Latent) &&
           !run.layer.recurrent && !run.layer.cross_attention;
  });
}

Unstated unstated_of(const EngineStart& start, const NearestRelease& release, bool has_release,
                     const RecordGpu& gpu) {
  // A benchmark's harness gives settings of its own, which the record does not hold; a step of
  // TensorRT-LLM takes as many tokens as the engine was built or started for.
  const bool is_harness = start.notes.contains("MLPerf") || chooses_sequences(start);
  // Who does not tell the context tells no other setting.
  const bool is_excerpt = start.engine == "vllm" && !start.context_tokens;
  const bool is_inferred = start.notes.contains("version inferred");
  const bool has_open_step = start.engine == "tensorrt-llm" && !start.max_num_batched_tokens;
  const bool has_open_settings = is_harness || has_open_step || is_excerpt;
  const bool tells_the_rest = start.utilization && gpu.is_named && release.is_stated;
  return {.release = !release.is_stated || is_inferred,
          .build = is_between_releases(start),
          .any_release = !has_release,
          .utilization = !start.utilization && start.engine != "sglang",
          .settings = has_open_settings,
          .limits = has_open_settings || !tells_the_rest,
          .device = !gpu.is_named,
          .adapter_rank = start.has_adapters && !start.adapter_rank,
          .drafts = start.speaks_of_drafts && !start.draft_tokens};
}

constexpr std::string_view kUnknownDraft = "the draft model is not named, or not in the catalog";

/// Tokens are drafted by a model that the record does not name, or that nobody knows: its own
/// layers do not predict.
bool has_unnamed_draft(const EngineStart& start, const domain::Model& model) {
  if (start.draft_model) return start.draft_model->model == nullptr;
  return start.speaks_of_drafts && !model.multi_token_prediction;
}

/// Different GPUs share the model, and the printed pool is of one of them: the smallest decides how
/// many tokens there are.
bool has_unequal_gpus(const EngineStart& start) { return start.gpu.contains('+'); }

/// A record of a pipeline holds the pool of one stage, and the count is that of the stage with
/// least: fewer than the printed pool holds are another's.
void drop_other_stage(const EngineStart& start, std::optional<TokenCheck>& check) {
  if (check && start.pipeline_parallel > 1 && check->printed < check->least) check.reset();
}

/// SGLang leaves what its fraction is short of the whole, and a pool that was told its size leaves
/// more: of 73 published starts 70 at most 0.02 GiB, three 11.7 and up.
bool leaves_more(const EngineStart& start, const RecordGpu& gpu) {
  if (start.engine != "sglang" || !start.utilization || !start.free_behind_pool_gib) return false;
  constexpr double kFarMore = 2;  // GiB
  const double left = (1 - *start.utilization) * gpu.memory->bytes.high.gib();
  return *start.free_behind_pool_gib > left + kFarMore;
}

/// What was printed of one GPU is more than it has: it was another.
bool overfills(const EngineStart& start, std::optional<double> pool_gib, const RecordGpu& gpu) {
  return gpu.memory && start.weights_gib.value_or(0) + pool_gib.value_or(0) >
                           gpu.memory->bytes.high.gib() + start.offload_gib.value_or(0);
}

std::string why_without_pool(const EngineStart& start, std::optional<double> pool_gib,
                             const domain::Model& model, const RecordGpu& gpu) {
  if (!pool_gib) return "prints no pool";
  if (!gpu.memory) return "neither GPU nor its total is stated";
  if (!gpu.reason.empty()) return gpu.reason;
  // SGLang prints pools that it has made; what failed came after.
  if (!start.is_complete && start.engine != "sglang") return "the engine did not start";
  if (start.most_tokens || start.told_pool_bytes || start.notes.contains("max-total-tokens") ||
      leaves_more(start, gpu))
    return "the pool was told its size";
  if (*pool_gib <= 0) return "nothing was left for the pool";
  if (std::string reason = why_unlike_releases(start); !reason.empty()) return reason;
  if (has_unnamed_draft(start, model)) return std::string(kUnknownDraft);
  return {};
}

/// The printed pool in GiB, or that which a printed count of tokens or blocks fills.
std::optional<double> pool_of(const EngineStart& start, const domain::Estimate& estimate,
                              bool has_plain_cache) {
  if (start.pool_gib || !has_plain_cache || start.engine != "vllm") return start.pool_gib;
  const auto tokens = start.pool_tokens ? start.pool_tokens : tokens_of_blocks(start);
  if (!tokens) return std::nullopt;
  return (estimate.kv_bytes_per_token * *tokens).gib();
}

/// Blocks of the printed pool, as the count of tokens that this engine makes of them.
std::optional<TokenCheck> check_blocks(const EngineStart& start, const domain::Estimate& estimate) {
  const std::optional<std::int64_t> counted = tokens_of_blocks(start);
  if (!start.pool_gib || !counted || estimate.kv_bytes_per_token <= Bytes(0)) return std::nullopt;
  const std::int64_t tokens = *counted;
  const auto bytes_per_token = static_cast<double>(estimate.kv_bytes_per_token.count());
  const auto tokens_in = [&](double gib) {
    // A pool below zero has no block.
    const Bytes pool = gib_of(std::max(0.0, gib));
    return static_cast<std::int64_t>(static_cast<double>(pool.count()) / bytes_per_token);
  };
  return TokenCheck{.least = tokens_in(*start.pool_gib - kHalfOfLastDecimal) - kUsualBlock,
                    .most = tokens_in(*start.pool_gib + kHalfOfLastDecimal) + kUsualBlock,
                    .printed = tokens};
}

/// The first start's count; of the others that what is not stated allows, one that holds the
/// printed tokens. Layers with a window or a state hold more of a request where steps are larger,
/// and states are kept for prefixes.
std::optional<TokenCheck> check_tokens_of(const std::vector<PossibleStart>& starts,
                                          const domain::Model& model,
                                          const domain::Engine& engine) {
  const auto check = [&](const PossibleStart& possible) {
    return check_tokens(possible.start, model, workload_of(possible.start, model, possible.version),
                        engine, possible.memory);
  };
  const std::optional<TokenCheck> first = check(starts.front());
  if (!first || first->holds()) return first;
  for (PossibleStart possible : starts) {
    for (const bool shares_prefixes : {true, false}) {
      if (!starts.front().start.prefix_caching) possible.start.prefix_caching = shares_prefixes;
      const auto other = check(possible);
      if (other && other->holds()) return other;
    }
  }
  return first;
}

/// What the causes of calibration say of figures outside their ranges.
std::vector<std::string> causes_of(const EngineStart& start, const domain::Model& model,
                                   const domain::Engine& engine,
                                   const std::optional<domain::VisibleMemory>& gpu,
                                   domain::EngineVersion version) {
  EngineLog log;
  log.start = start;
  log.start.engine_version = to_text(version);
  RankReading rank;
  rank.total_gib = start.gpu_total_gib;
  log.ranks = {rank};
  const Result<domain::Calibration> calibration = calibrate(
      log, {.model = model, .engine = engine, .gpu = gpu, .model_from = {}, .gpu_from = {}});
  std::vector<std::string> causes;
  if (!calibration) return causes;
  for (const domain::CalibratedTerm& term : calibration->terms) {
    for (const std::string& cause : term.causes)
      causes.push_back(fmt::format("{}: {}", term.name, cause));
  }
  return causes;
}

}  // namespace

std::optional<Figure> figure(const domain::Range& predicted, const std::optional<double>& gib) {
  if (!gib) return std::nullopt;
  return Figure{.predicted = predicted, .measured_gib = *gib};
}

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "no reason given" : diagnostics.front().message;
}

double Figure::error() const {
  return measured_gib == 0 ? 0 : (predicted.expected.gib() - measured_gib) / measured_gib;
}

double Figure::width() const {
  return measured_gib <= 0 ? 0 : (predicted.high - predicted.low).gib() / measured_gib;
}

bool Figure::is_in_range() const {
  return predicted.low.gib() - kHalfOfLastDecimal <= measured_gib &&
         measured_gib <= predicted.high.gib() + kHalfOfLastDecimal;
}

Comparison compare(const EngineStart& stated, const catalog::Catalog& catalog,
                   const profiles::Profiles& profiles) {
  if (plans_buffers(stated.engine)) return compare_planned(stated, catalog, profiles);
  Comparison comparison;
  comparison.start = stated;
  EngineStart start = stated;
  Result<domain::Engine> engine = catalog.engine(start.engine);
  if (!engine) {
    comparison.excluded = fmt::format("there are no facts of the engine {}", start.engine);
    return comparison;
  }
  // Weights and counts hardly depend on the release, so that the newest will do for them.
  std::optional<NearestRelease> release = nearest_release(start);
  const bool has_release = release.has_value();
  if (!has_release && !engine->known_versions.empty())
    release =
        NearestRelease{.version = engine->known_versions.back(), .is_stated = false, .from = {}};
  if (!release) {
    comparison.excluded = "no release of the engine is known";
    return comparison;
  }
  Result<domain::Model> model = find_started_model(start.model, catalog, start.quantization);
  if (!model) {
    comparison.excluded = first_message(model.error());
    return comparison;
  }
  find_draft(start, catalog, *model);
  model = as_started(*std::move(model), start);
  engine = as_started(*std::move(engine), start);
  if (const auto reason = obstacle_of(start, Affects::Everything); !reason.empty()) {
    comparison.excluded = reason;
    return comparison;
  }
  if (start.has_other_sizes) {
    comparison.excluded = kOtherSizes;
    return comparison;
  }
  if (const std::string argument = own_argument(start); !argument.empty()) {
    comparison.excluded =
        fmt::format("no release of {} takes '{}': {}", start.engine, argument, kOwnBuild);
    return comparison;
  }
  if (start.offload_gib && start.engine != "vllm") {
    comparison.excluded = "weights are partly in host memory";
    return comparison;
  }
  if (is_format_unstated(start, *model)) {
    comparison.excluded =
        fmt::format("'{}' does not tell the format of the weights", start.quantization);
    return comparison;
  }
  RecordGpu gpu = gpu_of(start, profiles);
  gpu.memory = as_found(std::move(gpu.memory), start);
  // What was free is printed, whatever the page cache holds.
  if (gpu.memory && gpu.memory->free_bytes && shares_memory(*gpu.memory)) gpu.reason.clear();
  engine = on_vendor(*std::move(engine), start, gpu.memory);
  bool has_default_ranks = false;
  if (!start.is_parallelism_stated) {
    const auto ranks = unstated_ranks(start, *model, *engine, release->version, gpu.memory);
    if (!ranks) {
      comparison.excluded = "how many GPUs share the model is not stated";
      return comparison;
    }
    start.tensor_parallel = ranks->tensor_parallel;
    has_default_ranks = ranks->is_default;
  }
  const domain::Workload workload = workload_of(start, *model, release->version);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu.memory);
  if (!estimate) {
    comparison.excluded = first_message(estimate.error());
    return comparison;
  }
  const Unstated unstated = unstated_of(start, *release, has_release, gpu);
  comparison.knowledge =
      unstated.limits || has_default_ranks ? Knowledge::Parts : Knowledge::Settings;
  const std::vector<PossibleStart> possible =
      possible_starts(start, unstated, release->version, *engine, gpu);
  const PredictedFigures predicted = predicted_figures(possible, *model, *engine);
  if (gpu.memory && !start.offload_gib && predicted.weights.low > gpu.memory->bytes.high) {
    comparison.excluded =
        "the model as it is named does not fit the GPU: the format of the copy that ran is not "
        "told";
    return comparison;
  }
  const std::optional<double> pool_gib = pool_of(start, *estimate, has_plain_cache(*model));
  if (overfills(start, pool_gib, gpu)) {
    comparison.excluded = "what is printed is more than the GPU has: it was another";
    return comparison;
  }
  if (has_plain_cache(*model) && holds_another_model(start, predicted.weights, *estimate)) {
    comparison.excluded =
        "neither its weights nor its bytes of a token are those of the model it names: the folder "
        "holds another";
    return comparison;
  }
  comparison.weight_bits = domain::scheme(estimate->quantization.value).weight_bits;
  comparison.has_open_recipe = estimate->has_open_recipe;
  comparison.has_experts_or_towers = domain::has_experts(*model) || !model->towers.empty();
  comparison.has_plain_cache = has_plain_cache(*model);
  // What drafts is loaded, and printed, with the model.
  if (has_unnamed_draft(start, *model)) {
    comparison.without_weights = kUnknownDraft;
  } else {
    comparison.weights = figure(predicted.weights, start.weights_gib);
  }
  comparison.without_pool = why_without_pool(start, pool_gib, *model, gpu);
  // A stated fraction of SGLang leaves nothing to the release.
  const bool needs_release = start.engine != "sglang" || !start.utilization;
  if (!has_release && needs_release && comparison.without_pool.empty())
    comparison.without_pool = "neither a release of the engine nor a date is stated";
  if (comparison.without_pool.empty() && predicted.pool)
    comparison.pool = figure(*predicted.pool, pool_gib);
  // Stages of a pipeline differ, and a record holds one of them.
  const bool has_terms =
      has_release && gpu.memory && gpu.reason.empty() && why_unlike_releases(start).empty();
  if (has_terms && start.pipeline_parallel == 1) {
    comparison.activation = figure(predicted.activation, start.activation_gib);
    comparison.non_torch = figure(predicted.non_torch, start.non_torch_gib);
    if (start.graphs_gib && *start.graphs_gib > 0)
      comparison.graphs = figure(predicted.graphs, start.graphs_gib);
  }
  const bool has_drafts =
      has_unnamed_draft(start, *model) ||
      (!start.draft_tokens && (start.speaks_of_drafts || start.id.ends_with("-mtp")));
  // Of hybrids the count has two meanings, by release.
  const bool is_partial = start.notes.contains("old behaviour: printed size");
  const bool is_countable = !has_drafts && !is_partial && !has_unequal_gpus(start) &&
                            (has_release || comparison.has_plain_cache);
  if (start.pool_tokens && why_unlike_releases(start) == kOwnBuild) {
    comparison.without_tokens = kOwnBuild;
  } else if (start.told_blocks) {
    comparison.without_tokens = kToldBlocks;
  } else if (is_countable) {
    comparison.tokens = check_tokens_of(possible, *model, *engine);
  }
  drop_other_stage(start, comparison.tokens);
  if (comparison.tokens && !comparison.tokens->holds())
    comparison.token_cause = cause_of_tokens(start, *model, *engine, release->version, gpu.memory);
  if (comparison.has_plain_cache && !start.told_blocks)
    comparison.blocks = check_blocks(start, *estimate);
  drop_other_stage(start, comparison.blocks);
  comparison.causes = causes_of(start, *model, *engine, gpu.memory, release->version);
  return comparison;
}

std::vector<EngineStart> distinct(std::span<const EngineStart> starts) {
  std::vector<EngineStart> result;
  for (const EngineStart& start : starts) {
    const bool is_known = std::ranges::any_of(result, [&](const EngineStart& other) {
      EngineStart same = start;  // equal but for what it printed and where it stands
      same.id = other.id;
      same.source = other.source;
      same.date = other.date;
      same.notes = other.notes;
      same.arguments = other.arguments;
      same.weights_gib = other.weights_gib;
      same.pool_gib = other.pool_gib;
      same.activation_gib = other.activation_gib;
      same.non_torch_gib = other.non_torch_gib;
      same.graphs_gib = other.graphs_gib;
      same.pool_tokens = other.pool_tokens;
      same.pool_blocks = other.pool_blocks;
      return same == other;
    });
    if (!is_known) result.push_back(start);
  }
  return result;
}

bool is_controlled(std::span<const EngineStart> starts) {
  return !starts.empty() && std::ranges::all_of(starts, [](const EngineStart& start) {
    return start.gpu_total_gib && start.utilization && release_of(start.engine_version) &&
           start.weights_gib && start.activation_gib && start.non_torch_gib && start.pool_gib &&
           !start.gpu.empty();
  });
}

}  // namespace gpushape::calibrate
