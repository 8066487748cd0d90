#include "calibrate/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "calibrate/as_started.hpp"
#include "calibrate/causes.hpp"
#include "calibrate/evidence.hpp"
#include "calibrate/free_memory.hpp"
#include "calibrate/mapped_file.hpp"
#include "calibrate/nearest_release.hpp"
#include "calibrate/planned_start.hpp"
#include "calibrate/pool_count.hpp"
#include "calibrate/possible_starts.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/record_gpu.hpp"
#include "calibrate/remarks.hpp"
#include "calibrate/verdict.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

using domain::CalibratedTerm;
using domain::Calibration;
using domain::Range;

struct Row {
  std::string_view name;
  std::string_view description;
  std::optional<double> EngineStart::*printed;
  std::optional<double> RankReading::*of_rank;
  Range (*predicted)(const domain::Estimate&);
};

constexpr auto kRows = std::to_array<Row>({
    {"weights", "parameters as loaded", &EngineStart::weights_gib, &RankReading::weights_gib,
     [](const domain::Estimate& estimate) { return loaded_bytes(estimate); }},
    {"activation", "peak of the profiling step", &EngineStart::activation_gib,
     &RankReading::activation_gib,
     [](const domain::Estimate& estimate) { return term_bytes(estimate, "activation"); }},
    {"kvCache", "cache of every slot", &EngineStart::cache_gib, &RankReading::cache_gib,
     [](const domain::Estimate& estimate) { return term_bytes(estimate, "kvCache"); }},
    {"state", "recurrent state of every slot", &EngineStart::state_gib, &RankReading::state_gib,
     [](const domain::Estimate& estimate) { return term_bytes(estimate, "state"); }},
    {"computeBuffer", "planned for the largest step", &EngineStart::compute_gib,
     &RankReading::compute_gib,
     [](const domain::Estimate& estimate) { return term_bytes(estimate, "computeBuffer"); }},
    {"nonTorch", "buffers past the framework, collectives with them", &EngineStart::non_torch_gib,
     &RankReading::non_torch_gib,
     [](const domain::Estimate& estimate) { return non_torch_bytes(estimate); }},
    {"graphs", "captured CUDA graphs", &EngineStart::graphs_gib, &RankReading::graphs_gib,
     [](const domain::Estimate& estimate) { return term_bytes(estimate, "graphs"); }},
    {"kvPool", "left for the KV cache", &EngineStart::pool_gib, &RankReading::pool_gib,
     [](const domain::Estimate& estimate) {
       return estimate.capacity ? estimate.capacity->kv_pool_bytes : Range{};
     }},
});

std::string origin(bool is_of_log) { return is_of_log ? "the log" : "default"; }

void state_settings(const EngineLog& log, const Surroundings& surroundings,
                    const domain::Estimate& estimate, bool is_format_of_log,
                    Calibration& calibration) {
  const EngineStart& start = log.start;
  const auto add = [&](std::string name, std::string value, std::string from) {
    if (value.empty()) return;
    if (const auto flag = surroundings.of_flags.find(name); flag != surroundings.of_flags.end())
      from = flag->second;
    calibration.settings.push_back({std::move(name), std::move(value), std::move(from)});
  };
  add("engine", fmt::format("{} {}", start.engine, start.engine_version),
      log.version_from.empty() ? "the log" : log.version_from);
  add("model", surroundings.model.id, surroundings.model_from);
  if (start.draft_model && start.draft_model->model)
    add("draftModel", start.draft_model->model->id, "the log");
  if (start.draft_tokens) add("draftTokens", std::to_string(*start.draft_tokens), "the log");
  if (surroundings.gpu) {
    const std::string& device = surroundings.gpu->device;
    add("gpu",
        device.empty() ? fmt::format("{:.2f} GiB", surroundings.gpu->bytes.expected.gib()) : device,
        surroundings.gpu_from);
  }
  const auto ranks = [&](std::string name, std::int64_t count) {
    add(std::move(name), std::to_string(count), origin(count > 1 || !log.is_excerpt));
  };
  ranks("tensorParallel", start.tensor_parallel);
  ranks("pipelineParallel", start.pipeline_parallel);
  if (start.data_parallel > 1) ranks("dataParallel", start.data_parallel);
  if (start.expert_parallel > 1) ranks("expertParallel", start.expert_parallel);
  if (start.context_parallel) ranks("contextParallel", *start.context_parallel);
  if (start.free_gib)
    add("freeBeforeLoading", fmt::format("{:.2f} GiB", *start.free_gib), "the log");
  if (start.context_tokens) add("contextTokens", std::to_string(*start.context_tokens), "the log");
  add("maxNumSeqs", std::to_string(estimate.settings.max_num_seqs.value),
      log.sequences_from.empty() ? origin(start.max_num_seqs.has_value()) : log.sequences_from);
  add("maxNumBatchedTokens", std::to_string(estimate.settings.max_num_batched_tokens.value),
      log.step_tokens_from.empty() ? origin(start.max_num_batched_tokens.has_value())
                                   : log.step_tokens_from);
  if (estimate.settings.gpu_memory_utilization.value > 0) {
    add("gpuMemoryUtilization",
        fmt::format("{:.6g}", estimate.settings.gpu_memory_utilization.value),
        origin(start.utilization.has_value()));
  }
  add("kvCacheType", std::string(name_of(estimate.kv_cache_type.value)),
      start.kv_cache_type == "auto" ? "the model, as the log asks"
                                    : origin(!start.kv_cache_type.empty()));
  add("quantization", std::string(name_of(estimate.quantization.value)),
      is_format_of_log ? "the log" : "the model");
  if (!plans_buffers(start.engine))
    add("enforceEager", start.enforce_eager ? "true" : "false",
        origin(start.enforce_eager || !log.is_excerpt));
}

/// Which of its weights SGLang leaves in host memory is not modelled.
bool offloads_unknown(const EngineStart& start) {
  return start.offload_gib && start.engine == "sglang";
}

/// The stages of a pipeline differ: the fullest is known where every one of them is in the log.
bool is_compared(const Row& row, const EngineLog& log,
                 const std::optional<domain::VisibleMemory>& gpu) {
  const bool is_cache_row = row.name == std::string_view("kvCache") ||
                            row.name == std::string_view("state") ||
                            row.name == std::string_view("computeBuffer");
  if (plans_buffers(log.start.engine)) {
    if (log.has_cache_with_host && is_cache_row) return false;
    // Several GPUs are summed, which compute buffers are not.
    if (row.name == std::string_view("computeBuffer")) return log.ranks.size() < 2;
    return is_cache_row || row.name == std::string_view("weights");
  }
  if (is_cache_row) return false;
  const bool needs_gpu = row.name != std::string_view("weights");
  // What proposes tokens is loaded, and printed, with the model.
  if (!needs_gpu && has_unknown_drafts(log)) return false;
  if (!needs_gpu && offloads_unknown(log.start)) return false;
  if (needs_gpu && !gpu) return false;
  if (row.name == std::string_view("kvPool")) return log.failure.empty() || log.start.pool_gib;
  const std::int64_t stages = log.start.pipeline_parallel;
  return stages == 1 || std::ssize(log.ranks) >= stages;
}

bool overlap(const Range& one, const Range& other) {
  return one.high >= other.low && one.low <= other.high;
}

/// A pool below nought is none, as it is in the prediction: the engine refuses to start.
bool agrees(const CalibratedTerm& term) {
  const Range& measured = *term.measured;
  const bool is_short = term.name == "kvPool" && measured.high < Bytes(0);
  return overlap(is_short ? Range{} : measured, term.predicted);
}

/// With the ranks of adapters that the log may not have said.
std::vector<domain::Estimate> with_usual_ranks(const EngineStart& start,
                                               const Surroundings& surroundings,
                                               domain::Workload workload) {
  std::vector<domain::Estimate> estimates;
  if (!workload.adapters || start.adapter_rank) return estimates;
  for (const std::int64_t rank : kUsualRanks) {
    workload.adapters->rank.value = rank;
    Result<domain::Estimate> estimate = estimate::estimate_memory(
        surroundings.model, workload, surroundings.engine, surroundings.gpu);
    if (estimate) estimates.push_back(*std::move(estimate));
  }
  return estimates;
}

/// By the releases that a build stands between.
std::vector<domain::Estimate> by_neighbours(const EngineStart& start,
                                            const Surroundings& surroundings,
                                            domain::EngineVersion version) {
  std::vector<domain::Estimate> estimates;
  if (!is_between_releases(start)) return estimates;
  for (const domain::EngineVersion release :
       releases_of_build(start, version, surroundings.engine)) {
    if (release == version) continue;
    Result<domain::Estimate> estimate = estimate::estimate_memory(
        surroundings.model, workload_of(start, surroundings.model, release), surroundings.engine,
        surroundings.gpu);
    if (estimate) estimates.push_back(*std::move(estimate));
  }
  return estimates;
}

/// `others` are as likely as `estimate`: the ranges hold theirs.
std::vector<CalibratedTerm> compare_terms(const EngineLog& log, const Surroundings& surroundings,
                                          const domain::Estimate& estimate,
                                          const std::vector<domain::Estimate>& others) {
  std::vector<CalibratedTerm> terms;
  for (const Row& row : kRows) {
    if (!is_compared(row, log, surroundings.gpu)) continue;
    CalibratedTerm term;
    term.name = row.name;
    term.description = row.description;
    term.predicted = row.predicted(estimate);
    for (const domain::Estimate& other : others)
      term.predicted = widened(term.predicted, row.predicted(other));
    term.predicted = as_read(term.predicted, row.name, log.start, surroundings.gpu);
    if (row.name == std::string_view("weights"))
      term.predicted = as_mapped(term.predicted, log.start, surroundings.model, estimate);
    // A difference of free memory can come out negative: that measures nothing.
    const std::optional<double>& figure = log.start.*(row.printed);
    const bool is_pool = row.name == std::string_view("kvPool");
    if (figure && (*figure >= 0 || is_pool)) term.measured = printed(*figure);
    for (const RankReading& rank : log.ranks) {
      if (const auto& gib = rank.*(row.of_rank)) term.ranks.push_back(gib_of(*gib));
    }
    if (term.ranks.size() < 2) term.ranks.clear();
    term.is_off = term.measured && !agrees(term);
    const bool was_predicted = term.predicted.expected != Bytes(0);
    if (was_predicted || term.measured) terms.push_back(std::move(term));
  }
  return terms;
}

void explain(const EngineLog& log, const Surroundings& surroundings,
             const domain::Estimate& estimate, Calibration& calibration) {
  for (CalibratedTerm& term : calibration.terms) {
    if (!term.is_off) continue;
    const Difference difference{
        .log = &log,
        .estimate = &estimate,
        .calibration = &calibration,
        .term = &term,
        .has_shared_memory = surroundings.gpu && shares_memory(*surroundings.gpu)};
    for (const CauseRow& row : causes()) {
      std::optional<std::string> words = row.explain(difference);
      if (!words) continue;
      if (term.withheld.empty() && speaks_against(row.name)) term.withheld = *words;
      term.causes.push_back(*std::move(words));
    }
  }
}

/// Sizes of a step that vLLM chooses among, by device, release and how it is started: maxNumSeqs
/// and maxNumBatchedTokens of catalog/engines/vllm.yaml, likely pairs first.
constexpr auto kBatches = std::to_array<std::pair<std::int64_t, std::int64_t>>({{256, 2048},
                                                                                {1024, 8192},
                                                                                {256, 8192},
                                                                                {1024, 16384},
                                                                                {128, 2048},
                                                                                {256, 4096},
                                                                                {256, 5120},
                                                                                {256, 512},
                                                                                {128, 8192},
                                                                                {512, 8192},
                                                                                {256, 16384},
                                                                                {1024, 2048}});

bool holds_terms(const domain::Estimate& estimate, const Calibration& calibration) {
  return std::ranges::all_of(kRows, [&](const Row& row) {
    const auto term = std::ranges::find(calibration.terms, row.name, &CalibratedTerm::name);
    if (term == calibration.terms.end() || !term->measured || row.name == "weights") return true;
    return overlap(*term->measured, row.predicted(estimate));
  });
}

/// Other sizes of a step than the defaults, where the log does not state them: the first that
/// leave nothing off.
void explain_batches(const EngineLog& log, const Surroundings& surroundings,
                     const domain::Workload& workload, Calibration& calibration) {
  const EngineStart& start = log.start;
  const bool is_open = !start.max_num_seqs || !start.max_num_batched_tokens;
  const auto worst = std::ranges::find_if(calibration.terms, [](const CalibratedTerm& term) {
    return term.is_off && (term.name == "activation" || term.name == "kvPool");
  });
  if (start.engine != "vllm" || !is_open || worst == calibration.terms.end()) return;
  // A cause that the log speaks for stands; a guess gives way.
  if (!worst->causes.empty() && !worst->causes.front().starts_with("perhaps")) return;
  for (const auto& [sequences, tokens] : kBatches) {
    domain::Workload other = workload;
    if (!start.max_num_seqs) other.engine.max_num_seqs = {sequences, domain::Origin::Measured, {}};
    if (!start.max_num_batched_tokens)
      other.engine.max_num_batched_tokens = {tokens, domain::Origin::Measured, {}};
    const Result<domain::Estimate> estimate =
        estimate::estimate_memory(surroundings.model, other, surroundings.engine, surroundings.gpu);
    if (!estimate || !holds_terms(*estimate, calibration)) continue;
    std::string words = fmt::format(
        "other sizes of a step than this GPU's defaults leave nothing off: give{}{}",
        start.max_num_seqs ? "" : fmt::format(" --max-num-seqs {}", sequences),
        start.max_num_batched_tokens ? "" : fmt::format(" --max-num-batched-tokens {}", tokens));
    if (worst->withheld.empty()) worst->withheld = words;
    worst->causes.insert(worst->causes.begin(), std::move(words));
    return;
  }
}

/// Where the checkpoint's size told what the name leaves open, and whose recipe it is that of.
void note_size(const EngineStart& start, const domain::Model& stated, const domain::Model& started,
               Calibration& calibration) {
  if (!stated.stored.empty() || started.stored.empty() || !start.checkpoint_gib) return;
  std::string note = fmt::format("the checkpoint's {:.2f} GiB tell what its name leaves open",
                                 *start.checkpoint_gib);
  if (started.weights.doubt) {
    note += ", but for a part that no known recipe explains";
  } else if (started.sources.size() > stated.sources.size()) {
    note += fmt::format(": {}", started.sources.back().source);
  }
  calibration.notes.push_back(std::move(note));
}

/// A format that is told by a name, or by that of a mix, is a guess at the publisher's own recipe.
void explain_recipe(const EngineLog& log, const domain::Model& model,
                    const domain::Estimate& estimate, Calibration& calibration) {
  const auto weights = std::ranges::find(calibration.terms, "weights", &CalibratedTerm::name);
  if (weights == calibration.terms.end() || !weights->is_off) return;
  if (plans_buffers(log.start.engine)) {
    if (std::string words = why_other_file(log.start, estimate); !words.empty())
      weights->causes.push_back(std::move(words));
    return;
  }
  for (const std::string& note : model.notes) {
    if (note.contains("because its name ends in"))
      weights->causes.push_back(fmt::format(
          "{}: give --model with its config.json, which says what stays in 16 bits", note));
  }
}

}  // namespace

Result<Calibration> calibrate(const EngineLog& read, const Surroundings& stated) {
  EngineLog log = read;
  const Result<NearestRelease> release = release_for(log);
  if (!release) return std::unexpected(release.error());
  const domain::EngineVersion version = release->version;
  Surroundings surroundings = stated;
  surroundings.model = as_started(stated.model, log.start);
  surroundings.gpu = as_found(std::move(surroundings.gpu), log.start);
  surroundings.engine = on_vendor(as_started(stated.engine, log.start), log.start, stated.gpu);
  const domain::Workload workload = workload_of(log.start, surroundings.model, version);
  const Result<domain::Estimate> estimate = estimate::estimate_memory(
      surroundings.model, workload, surroundings.engine, surroundings.gpu);
  if (!estimate) return std::unexpected(estimate.error());
  Calibration calibration;
  calibration.log = log.start.id;
  tell_pool(log.start, surroundings, workload, calibration);
  state_settings(log, surroundings, *estimate, workload.quantization.has_value(), calibration);
  std::vector<domain::Estimate> others = with_usual_ranks(log.start, surroundings, workload);
  std::ranges::move(by_neighbours(log.start, surroundings, version), std::back_inserter(others));
  calibration.terms = compare_terms(log, surroundings, *estimate, others);
  explain(log, surroundings, *estimate, calibration);
  explain_recipe(log, surroundings.model, *estimate, calibration);
  explain_batches(log, surroundings, workload, calibration);
  compare_count(log, surroundings, workload, version, calibration);
  if (std::string words = why_read_otherwise(log.start, surroundings.gpu); !words.empty())
    calibration.notes.push_back(std::move(words));
  if (offloads_unknown(log.start))
    calibration.notes.emplace_back(
        "a part of the weights is left in host memory (--cpu-offload-gb): what is printed as "
        "loaded is not compared");
  if (!release->is_stated)
    calibration.notes.push_back(fmt::format(
        "the log is of a build between releases, {}: {} is taken, by {}; --engine-version says "
        "otherwise",
        log.start.engine_version, domain::to_text(version), release->from));
  ask(log, surroundings, calibration);
  note_log(log, calibration);
  note_size(log.start, stated.model, surroundings.model, calibration);
  for (const std::string& note : estimate->notes) calibration.notes.push_back(note);
  calibration.measurement = evidence_of(log, surroundings, workload, *estimate, calibration);
  calibration.has_started = log.failure.empty();
  calibration.verdict = verdict_of(calibration, log.failure);
  return calibration;
}

}  // namespace gpushape::calibrate
