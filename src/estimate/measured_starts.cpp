#include "estimate/measured_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/rank_tensors.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

using domain::Measurement;

// Terms that a setting decides.
using Terms = unsigned;
constexpr Terms kWeights = 1U << 0U;
constexpr Terms kActivation = 1U << 1U;
constexpr Terms kNonTorch = 1U << 2U;
constexpr Terms kGraphs = 1U << 3U;
constexpr Terms kOfTheGpu = kActivation | kNonTorch | kGraphs;

struct NamedTerm {
  std::string_view name;
  Terms bit;
};
constexpr auto kNamedTerms = std::to_array<NamedTerm>({
    {"weights", kWeights},
    {"activation", kActivation},
    {"nonTorch", kNonTorch},
    {"graphs", kGraphs},
});

constexpr std::string_view kTensorrtLlm = "tensorrt-llm";

/// "its max num seqs is 16, not 1024"; empty where both are the same.
std::string differing(std::string_view name, std::int64_t then, std::int64_t now) {
  return then == now ? std::string() : fmt::format("its {} is {}, not {}", name, then, now);
}

/// A count that is 0 where the document does not say it, and which the term hangs on.
std::string differing_or_unsaid(std::string_view name, std::int64_t then, std::int64_t now) {
  if (then == 0) return fmt::format("it does not say its {}", name);
  return differing(name, then, now);
}

// ---- the whole start

std::string parallelism(const StartPair& pair) {
  const Measurement& then = pair.then;
  const domain::Parallelism& now = pair.now.plan.parallelism;
  std::vector<std::string> words;
  const auto compare = [&](std::string_view name, std::int64_t one, std::int64_t other) {
    if (one != other) words.push_back(fmt::format("{} parallel {}, not {}", name, one, other));
  };
  compare("tensor", then.tensor, now.tensor);
  compare("pipeline", then.pipeline, now.pipeline);
  compare("data", then.data, now.data);
  compare("expert", then.expert, now.expert);
  compare("decode context", then.context_parallel, now.context);
  return words.empty() ? std::string() : fmt::format("it is of {}", fmt::join(words, ", "));
}

std::string draft_words(const std::string& model, std::int64_t tokens) {
  if (!model.empty()) return fmt::format("draft model {}", model);
  return tokens > 0 ? fmt::format("{} draft tokens", tokens) : std::string("no draft");
}

std::string drafts(const StartPair& pair) {
  const domain::EngineSettings& engine = pair.request.workload->engine;
  const std::int64_t tokens = engine.draft_tokens ? engine.draft_tokens->value : 0;
  std::string model;
  if (engine.draft_model)
    model =
        engine.draft_model->model ? engine.draft_model->model->id : engine.draft_model->name.value;
  const Measurement& then = pair.then;
  const bool is_told = then.draft_tokens > 0 && tokens > 0;
  const bool is_same =
      then.draft_model == model && (then.draft_tokens == tokens || (!model.empty() && !is_told));
  if (is_same) return {};
  if (!model.empty() && then.draft_model == model)
    return differing("draft tokens", then.draft_tokens, tokens);
  return fmt::format("it is of {}, not {}", draft_words(then.draft_model, then.draft_tokens),
                     draft_words(model, tokens));
}

// ---- where it ran

std::string gpu(const StartPair& pair) {
  if (pair.then.gpu.empty()) return "it does not say its GPU, and then the weights alone are used";
  if (pair.request.gpu == nullptr)
    return fmt::format("it is of {}, and no GPU is given", pair.then.gpu);
  const std::string& now = pair.request.gpu->device;
  if (pair.then.gpu == now) return {};
  return fmt::format("it is of {}, not {}", pair.then.gpu,
                     now.empty() ? "a GPU of which the memory alone is known" : now);
}

std::string mig_profile(const StartPair& pair) {
  const domain::VisibleMemory* gpu = pair.request.gpu;
  const std::string now = gpu != nullptr && gpu->is_mig ? gpu->profile : std::string();
  if (pair.then.mig_profile == now) return {};
  const auto words = [](const std::string& profile) {
    return profile.empty() ? std::string("no MIG instance") : "the MIG instance " + profile;
  };
  return fmt::format("it is of {}, not {}", words(pair.then.mig_profile), words(now));
}

std::string release(const StartPair& pair) {
  const domain::EngineVersion& then = pair.then.version;
  const domain::EngineVersion& now = pair.now.settings.version.value;
  if (then.major == now.major && then.minor == now.minor) return {};
  return fmt::format("it is of {} {}, not {}", pair.then.engine, to_text(then), to_text(now));
}

/// What the printed weights hold beside the model differs by release.
std::string release_of_slots(const StartPair& pair) {
  const bool is_beside = pair.then.adapters || !pair.then.draft_model.empty();
  return is_beside ? release(pair) : std::string();
}

std::string generation(const StartPair& pair) {
  const bool now = pair.request.workload->engine.first_generation.value;
  if (pair.then.is_first_generation == now) return {};
  return fmt::format("it is of vLLM's {} engine",
                     pair.then.is_first_generation ? "first" : "second");
}

std::string runner(const StartPair& pair) {
  const bool now = pair.now.plan.facts.conditions().has_second_runner != 0;
  if (pair.then.has_second_runner.value_or(now) == now) return {};
  return fmt::format("it is of vLLM's {} model runner",
                     *pair.then.has_second_runner ? "second" : "first");
}

// ---- what stands beside the model, or does not

std::string adapter_words(const std::optional<domain::MeasuredAdapters>& adapters) {
  if (!adapters) return "no adapters";
  return fmt::format("{} adapter slot{} of rank {}", adapters->count,
                     adapters->count == 1 ? "" : "s", adapters->rank);
}

std::string adapters(const StartPair& pair) {
  std::optional<domain::MeasuredAdapters> now;
  if (const auto& asked = pair.request.workload->adapters)
    now = {.count = asked->count.value, .rank = asked->rank.value};
  if (pair.then.adapters == now) return {};
  return fmt::format("it had {}, not {}", adapter_words(pair.then.adapters), adapter_words(now));
}

std::string offload(const StartPair& pair) {
  const Bytes now = pair.now.plan.offloaded;
  if (pair.then.offloaded_bytes == now) return {};
  return fmt::format("it had {:.2f} GiB of weights in host memory, not {:.2f}",
                     pair.then.offloaded_bytes.gib(), now.gib());
}

std::string tables(const StartPair& pair) {
  const bool now = pair.now.plan.weights.keeps_tables_on_host;
  if (!has_tables_in_layers(*pair.request.model)) return {};
  if (pair.then.has_tables_on_host.value_or(now) == now) return {};
  return now ? "its tables of n-grams lay on the GPUs"
             : "its tables of n-grams lay in host memory or on disk";
}

bool has_towers(const StartPair& pair) { return !pair.request.model->towers.empty(); }

bool is_for_text_alone(const StartPair& pair) {
  const auto& images = pair.request.workload->images;
  return images && images->value == 0;
}

std::string towers(const StartPair& pair) {
  const bool then = !pair.then.takes_images && !pair.then.takes_videos;
  if (!has_towers(pair) || then == is_for_text_alone(pair)) return {};
  return then ? "it was started for text alone" : "it was started for images, too";
}

/// Of a start for text and some of what the model takes beside it.
std::string inputs(const StartPair& pair) {
  if (!has_towers(pair) || pair.then.takes_images == pair.then.takes_videos) return {};
  return fmt::format("it let in no {}", pair.then.takes_images ? "videos" : "images");
}

std::string whole_towers(const StartPair& pair) {
  const bool is_shared = has_towers(pair) && pair.then.tensor > 1;
  if (!is_shared || pair.then.keeps_towers_whole == pair.now.plan.weights.towers_whole) return {};
  return pair.then.keeps_towers_whole ? "each of its ranks had whole encoders of images"
                                      : "its ranks shared the encoders of images";
}

std::string gpu_layers(const StartPair& pair) {
  const auto& now = pair.now.plan.offload;
  if (!now || !pair.then.gpu_layers) return {};
  return differing("number of layers on GPUs", *pair.then.gpu_layers, now->gpu_layers);
}

// ---- the step

std::string sequences(const StartPair& pair) {
  return differing_or_unsaid("max num seqs", pair.then.max_num_seqs, pair.now.plan.max_num_seqs);
}

std::string tokens(const StartPair& pair) {
  return differing_or_unsaid("max num batched tokens", pair.then.max_num_batched_tokens,
                             pair.now.plan.max_num_batched_tokens);
}

/// Some classes keep buffers for the tokens of a step with their weights.
std::string tokens_of_buffers(const StartPair& pair) {
  const std::string difference = tokens(pair);
  const Plan& plan = pair.now.plan;
  if (difference.empty() || pair.then.engine != "vllm") return {};
  const bool has_buffers = std::ranges::any_of(plan.stages, [&](const Stage& stage) {
    Situation situation;
    situation.plan = &plan;
    situation.stage = stage;
    return terms::has_step_buffers(situation);
  });
  return has_buffers ? difference : std::string();
}

/// A decoder profiles itself with as many tokens as a step holds, however long a sequence may be:
/// Llama-3.1-8B by vLLM 0.19 prints 14.99, 1.89, 0.25 and 0.91 GiB with 2,048 tokens as with 32,768
/// (https://github.com/llm-d-incubation/llm-d-planner/pull/205). Indexers gather keys of a whole
/// sequence, encoders take inputs as long as one, and so do engines of other ways.
bool hangs_on_context(const StartPair& pair) {
  const domain::Conditions& conditions = pair.now.plan.facts.conditions();
  return pair.then.engine != "vllm" || pair.then.is_first_generation ||
         (has_towers(pair) && !is_for_text_alone(pair)) || conditions.has_indexer != 0 ||
         conditions.has_compressed != 0 || conditions.is_encoder_decoder != 0;
}

std::string context(const StartPair& pair) {
  if (pair.then.context_tokens == 0 || !hangs_on_context(pair)) return {};
  return differing("context", pair.then.context_tokens, pair.now.plan.longest_request);
}

/// Another type is another kernel of the attention, with buffers of its own.
std::string cache_type(const StartPair& pair) {
  const domain::KvCacheType now = pair.now.kv_cache_type.value;
  if (pair.then.kv_cache_type.value_or(now) == now) return {};
  return fmt::format("its KV cache is {}, not {}", name_of(*pair.then.kv_cache_type), name_of(now));
}

/// Compiled code lays out its buffers in another way than layers that run one by one.
std::string eager(const StartPair& pair) {
  if (pair.then.enforce_eager == pair.now.plan.enforce_eager) return {};
  return pair.then.enforce_eager ? "it ran with enforce eager" : "it ran without enforce eager";
}

struct SettingRow {
  std::string_view name;
  Terms decides;
  /// The difference, in words; empty for none.
  std::string (*difference)(const StartPair&);
};
constexpr auto kSettings = std::to_array<SettingRow>({
    {"gpu", kOfTheGpu, gpu},
    {"migProfile", kOfTheGpu, mig_profile},
    {"release", kOfTheGpu, release},
    {"releaseOfSlots", kWeights, release_of_slots},
    {"generation", kOfTheGpu, generation},
    {"runner", kOfTheGpu, runner},
    {"adapters", kWeights | kActivation | kGraphs, adapters},
    {"offload", kWeights | kActivation, offload},
    {"ngramTables", kWeights, tables},
    {"towers", kWeights | kActivation, towers},
    {"inputs", kActivation, inputs},
    {"wholeTowers", kWeights | kActivation, whole_towers},
    {"gpuLayers", kWeights, gpu_layers},
    {"maxNumSeqs", kActivation | kGraphs, sequences},
    {"maxNumBatchedTokens", kActivation | kGraphs, tokens},
    {"tokensOfBuffers", kWeights, tokens_of_buffers},
    {"context", kActivation, context},
    {"cacheType", kActivation | kGraphs, cache_type},
    {"eager", kActivation | kGraphs, eager},
});

/// The settings that decide it. TensorRT-LLM prints one figure for all that is outside the
/// framework, graphs with it.
Terms deciding(std::string_view term, const StartPair& pair) {
  const auto named = std::ranges::find(kNamedTerms, term, &NamedTerm::name);
  if (named == kNamedTerms.end()) return 0;
  const bool holds_graphs = named->bit == kNonTorch && pair.then.engine == kTensorrtLlm;
  return holds_graphs ? kNonTorch | kGraphs : named->bit;
}

}  // namespace

std::string why_other_start(const StartPair& pair) {
  const Measurement& then = pair.then;
  if (then.model != pair.request.model->id) return fmt::format("it is of {}", then.model);
  if (then.engine != pair.request.engine->name) return fmt::format("it is of {}", then.engine);
  if (then.quantization && *then.quantization != pair.now.quantization.value)
    return fmt::format("it is of {} weights", name_of(*then.quantization));
  if (std::string difference = parallelism(pair); !difference.empty()) return difference;
  if (then.pipeline > 1) return "stages of a pipeline differ";
  return drafts(pair);
}

std::string why_other_term(std::string_view term, const StartPair& pair) {
  const Terms decided = deciding(term, pair);
  if (decided == 0) return "no estimate has it as a term that is measured";
  for (const SettingRow& row : kSettings) {
    if ((row.decides & decided) == 0) continue;
    if (std::string difference = row.difference(pair); !difference.empty()) return difference;
  }
  return {};
}

bool weights_hold_slots(const domain::EngineVersion& version) {
  constexpr domain::EngineVersion kSlotsCounted{0, 8, 0};
  return version >= kSlotsCounted;
}

}  // namespace gpushape::estimate
