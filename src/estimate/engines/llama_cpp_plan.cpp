// What llama.cpp and Ollama run with when nobody says: build, file type, slots, batch, flash
// attention, where the layers lie. Source: llama.cpp common/common.h and common/arg.cpp (defaults),
// src/llama-context.cpp; Ollama envconfig/config.go, llm/llama_server.go, server/sched.go.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/engines.hpp"
#include "estimate/ggml/encoder_graph.hpp"
#include "estimate/ggml/quantize_mix.hpp"
#include "estimate/plan_parts.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;
using domain::KvCacheType;
using domain::Origin;
using domain::Quantization;

constexpr std::string_view kFromHeader = "GGUF header";
/// The least context that llama.cpp leaves when it fits a model by itself (common/common.h,
/// fit_params_min_ctx).
constexpr std::int64_t kLeastContext = 4096;

// ---- the file

struct FileChoice {
  Fact<Quantization> quantization;
  std::optional<Quantization> mix;
  std::vector<std::string> notes;
};

/// What the name of the file's type leaves open.
void note_recipe(FileChoice& choice) {
  if (!choice.mix || !ggml::is_recipe(*choice.mix)) return;
  choice.notes.push_back(fmt::format(
      "{} is a recipe of its own for each model: sized by what published files of that name take; "
      "give the file's header to have it exact",
      name_of(*choice.mix)));
}

Result<FileChoice> choose_file(const Request& request) {
  const domain::Model& model = *request.model;
  const Quantization stored = model.weights.linear;
  const bool is_file = model.origin == kFromHeader;
  FileChoice choice;
  if (const auto& asked = request.workload->quantization) {
    if (!ggml::is_file_type(asked->value)) {
      return failure(
          fmt::format("{} has no file type {}", request.engine->name, name_of(asked->value)),
          "give a GGUF type or mix (q4_k_m, q5_k_m, q6_k, q8_0, iq4_xs …), bf16, fp16 or fp32");
    }
    choice.quantization = *asked;
    if (is_file && asked->value == stored) return choice;
    choice.mix = asked->value;
    if (is_file)
      choice.notes.push_back(
          fmt::format("{} is stored as {}; sized as quantize would make it in {}", model.id,
                      name_of(stored), name_of(asked->value)));
    note_recipe(choice);
    return choice;
  }
  if (is_file) {
    choice.quantization = {stored, Origin::Catalog, "the file's header"};
    return choice;
  }
  Quantization type = stored;
  if (stored == Quantization::Mxfp4) {
    type = Quantization::MixMxfp4;
  } else if (!ggml::is_file_type(stored)) {
    type = Quantization::Bf16;
    choice.notes.push_back(
        fmt::format("{} is stored as {}, which no GGUF file holds: sized as a file of 16 bits",
                    model.id, name_of(stored)));
  }
  choice.quantization = precision_of(model.weights, type);
  choice.mix = type;
  note_recipe(choice);
  return choice;
}

// ---- the cache

Fact<KvCacheType> choose_cache_type(const Request& request) {
  const Fact<KvCacheType>& asked = request.workload->kv_cache_type;
  if (asked.value != KvCacheType::Auto) return asked;
  return {KvCacheType::Fp16, Origin::Computed, "what the engine takes"};
}

KvCacheType value_type_of(const Request& request, KvCacheType of_keys) {
  const auto& asked = request.workload->engine.value_cache_type;
  return asked ? asked->value : of_keys;
}

bool is_in_blocks(KvCacheType type);

/// Source: llama.cpp src/llama-context.cpp ("V cache quantization requires flash_attn").
Diagnostics complaints_about_cache(const Request& request, KvCacheType type) {
  const auto& asked = request.workload->engine.flash_attention;
  if (!asked || asked->value || !is_in_blocks(type)) return {};
  return {
      complaint(fmt::format("a cache with values of {} needs flash attention, and {} turns it off",
                            name_of(type), asked->from),
                "leave one of them out, or use a cache of fp16")};
}

bool is_in_blocks(KvCacheType type) { return domain::kv_cache_format(type).key.block > 0; }

// ---- where the layers lie

std::int64_t gpus_of(const Request& request) {
  const domain::EngineSettings& engine = request.workload->engine;
  const std::int64_t asked = value_or_one(engine.tensor) * value_or_one(engine.pipeline);
  const bool is_on_gpus = request.gpu != nullptr || asked > 1 || engine.gpu_layers.has_value();
  // A GPU that is there computes large batches although no layer lies on it.
  const bool is_kept_off =
      engine.gpu_layers && engine.gpu_layers->value == 0 && request.gpu == nullptr;
  return is_on_gpus && !is_kept_off ? asked : 0;
}

Conditions conditions_with(const Request& request, const FileChoice& file, std::int64_t gpus) {
  Conditions conditions = conditions_of(request);
  conditions.is_mix_named = file.mix ? 1 : 0;
  if (file.mix) {
    conditions.is_recipe_named = ggml::is_recipe(*file.mix) ? 1 : 0;
    conditions.mix_bits = domain::bits_per_weight(domain::scheme(*file.mix));
  }
  conditions.gpu_given = gpus > 0 ? 1 : 0;
  return conditions;
}

/// Families whose checkpoints name a window that llama.cpp passes over.
bool passes_over_windows(std::string_view family) {
  constexpr auto kFamilies = std::to_array<std::string_view>(
      {"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen3",
       "qwen3_moe", "phi3", "phimoe", "starcoder2"});
  return std::ranges::find(kFamilies, family) != kFamilies.end();
}

std::vector<Stage> stages_of(const ggml::Needs& needs, std::int64_t gpus) {
  const std::int64_t count = std::max<std::int64_t>(1, gpus);
  std::vector<Stage> stages;
  for (std::int64_t i = 0; i < count; ++i) {
    const ggml::DeviceNeeds& device = needs.devices[static_cast<std::size_t>(i)];
    stages.push_back({.index = i,
                      .first_layer = device.first_layer,
                      .layers = device.layers,
                      .has_embedding = gpus == 0,
                      .has_head = device.has_head});
  }
  return stages;
}

// ---- the settings

Fact<std::int64_t> count_of(const Facts& facts, NameKey name, const std::string& where) {
  return {std::llround(facts.expected(name)), Origin::Default, where};
}

/// Settings that advice computes are another engine's habits.
bool is_given(const std::optional<Fact<std::int64_t>>& fact) {
  return fact && fact->origin != Origin::Computed;
}

struct Slots {
  std::int64_t count = 1;
  bool is_shared = false;
};

Slots llama_slots_of(const Request& request, const Facts& facts) {
  const domain::Workload& workload = *request.workload;
  if (workload.engine.max_num_seqs) return {workload.engine.max_num_seqs->value, false};
  if (workload.concurrency) return {workload.concurrency->value, false};
  return {std::llround(facts.expected("slots")), facts.expected("slotsShareCache") != 0};
}

Fact<std::int64_t> slots_fact(const Request& request, const Plan& plan, const std::string& where) {
  const domain::Workload& workload = *request.workload;
  if (workload.engine.max_num_seqs) return *workload.engine.max_num_seqs;
  if (workload.concurrency) return {plan.max_num_seqs, Origin::Computed, "the sequences in flight"};
  return {plan.max_num_seqs, Origin::Default, where};
}

void note_settings(const Plan& plan, std::vector<std::string>& notes) {
  const std::int64_t trained = plan.model->max_context_tokens;
  if (trained > 0 && plan.load.context > trained)
    notes.push_back(
        fmt::format("the model was made for {} tokens: the engine warns and goes on", trained));
  if (!plan.context_tokens)
    notes.push_back(
        fmt::format("no context is given: buffers are those of {} tokens", plan.load.context));
  // llama.cpp tools/server: "input is too large to process. increase the physical batch size".
  if (plan.context_tokens && ggml::is_encoder(*plan.model) &&
      plan.load.context > plan.max_num_batched_tokens)
    notes.push_back(
        fmt::format("an encoder takes a text in one step: of {} tokens here, so that longer ones "
                    "are refused (--max-num-batched-tokens)",
                    plan.max_num_batched_tokens));
  if (plan.load.is_shared && plan.load.slots > 1 && !ggml::is_encoder(*plan.model))
    notes.push_back(fmt::format("the {} slots share one cache of the context", plan.load.slots));
  if (plan.needs->window_cells > 0)
    notes.push_back(
        fmt::format("layers with a window keep {} cells a slot", plan.needs->window_cells));
}

void note_host(const Plan& plan, std::vector<std::string>& notes) {
  if (plan.offload->gpus == 0) {
    notes.emplace_back(
        "no GPU is given: sized for the CPU back end, everything in host memory; --gpu NAME sizes "
        "a GPU");
    return;
  }
  const ggml::DeviceNeeds& host = plan.needs->devices.back();
  notes.push_back(fmt::format(
      "beside the GPU, host memory holds {:.2f} GiB of weights and {:.2f} GiB of buffers{}",
      Bytes(host.weights).gib(), Bytes(host.compute).gib(),
      host.cache > 0 ? fmt::format(", {:.2f} GiB of cache", Bytes(host.cache).gib()) : ""));
}

ggml::BuildHabits habits_of(const Facts& facts, const std::optional<Fact<bool>>& flash_attention,
                            bool is_cache_in_blocks) {
  const auto holds = [&](NameKey name) { return facts.expected(name) != 0; };
  const bool is_on = flash_attention ? flash_attention->value : holds("flashAttention");
  return {.flash_attention = is_on || is_cache_in_blocks,
          .has_half_mask = holds("halfMask"),
          .has_embedding_input = holds("embeddingInput"),
          .rotates_quantized = holds("rotatesQuantized"),
          .writes_rows = holds("writesRows"),
          .fuses_gates = holds("fusesGates"),
          .copies_split_heads = holds("copiesSplitHeads"),
          .is_latent_compressed = holds("latentCache"),
          .encoders_make_heads_first = holds("encoderHeadsFirst")};
}

ggml::Offload offload_of(const Request& request, const Plan& plan, const FileChoice& file,
                         KvCacheType cache_type, std::int64_t gpus) {
  const Facts& facts = plan.facts;
  const KvCacheType value_type = value_type_of(request, cache_type);
  const domain::EngineSettings& engine = request.workload->engine;
  ggml::Offload offload;
  offload.mix = file.mix;
  offload.gpus = gpus;
  std::int64_t layers = 1;
  for (const domain::LayerRun& run : request.model->layers) layers += run.count;
  offload.gpu_layers = engine.gpu_layers ? engine.gpu_layers->value : layers;
  offload.is_head_first = facts.expected("headFirst") != 0;
  offload.micro_batch = plan.max_num_batched_tokens;
  offload.context_unit = std::max<std::int64_t>(1, std::llround(facts.expected("contextUnit")));
  offload.window_unit = std::max<std::int64_t>(1, std::llround(facts.expected("windowUnit")));
  offload.has_window_cache = facts.expected("windowCache") != 0 && !engine.whole_windows.value &&
                             !passes_over_windows(request.model->family);
  offload.encoders_keep_cells = facts.expected("encoderCache") != 0;
  offload.keeps_tied_head =
      facts.expected("shortConvHeadOnHost") != 0 && ggml::has_short_convolutions(*request.model);
  const bool is_pipeline = gpus > 1 && offload.gpu_layers >= layers;
  offload.copies = is_pipeline ? std::llround(facts.expected("pipelineCopies")) : 1;
  if (engine.draft_tokens) offload.state_copies = 1 + engine.draft_tokens->value;
  if (facts.expected("outputsOfSlots") != 0) offload.outputs_of_slot = offload.state_copies;
  offload.key_type = cache_type;
  offload.value_type = value_type;
  offload.habits = habits_of(facts, engine.flash_attention, is_in_blocks(value_type));
  const double least_batch = facts.expected("offloadedBatch");
  offload.habits.offloads_products =
      least_batch > 0 && static_cast<double>(offload.micro_batch) >= least_batch;
  return offload;
}

}  // namespace

void settle_llama_cpp(const Request& request, Plan& plan) {
  take_load(request, plan);
  const Slots slots = llama_slots_of(request, plan.facts);
  plan.max_num_seqs = slots.count;
  const std::int64_t longest = std::max<std::int64_t>(1, request.model->max_context_tokens);
  plan.load = {.context = plan.context_tokens.value_or(std::min(longest, kLeastContext)),
               .slots = slots.count,
               .is_shared = slots.is_shared};
  const domain::Model& model = *request.model;
  plan.needs =
      request.shared != nullptr
          ? request.shared->needs.of(model, *plan.offload, plan.load)
          : std::make_shared<const ggml::Needs>(ggml::needs_of(model, *plan.offload, plan.load));
}

Result<ResolvedPlan> plan_llama_cpp(const Request& request) {
  const domain::Workload& workload = *request.workload;
  const VersionChoice version = choose_version(request);
  Result<FileChoice> file = choose_file(request);
  if (!file) return std::unexpected(file.error());
  const Fact<KvCacheType> cache_type = choose_cache_type(request);
  const KvCacheType value_type = value_type_of(request, cache_type.value);
  if (Diagnostics faults = complaints_about_cache(request, value_type); !faults.empty())
    return failure(std::move(faults));

  ResolvedPlan resolved;
  resolved.quantization = file->quantization;
  resolved.kv_cache_type = cache_type;
  resolved.notes = std::move(file->notes);
  if (!version.note.empty()) resolved.notes.push_back(version.note);
  const std::int64_t gpus = gpus_of(request);
  Plan& plan = resolved.plan;
  plan.model = request.model;
  plan.facts = Facts(*request.engine, version.facts_of, conditions_with(request, *file, gpus));
  constexpr std::array<NameKey, 3> kNeeded = {"microBatch", "slots", "contextUnit"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty()) {
    return failure(std::move(missing));
  }
  // Split by layers, as llama.cpp does unless told otherwise, however the GPUs are asked for.
  plan.parallelism = {
      .tensor = 1,
      .pipeline = value_or_one(workload.engine.tensor) * value_or_one(workload.engine.pipeline),
      .data = value_or_one(workload.engine.data)};
  if (value_or_one(workload.engine.tensor) > 1)
    resolved.notes.emplace_back(
        "the GPUs share the layers, as llama.cpp splits by itself (--split-mode layer)");
  const std::string where =
      fmt::format("what {} {} takes", request.engine->name, to_text(version.facts_of));
  const Fact<std::int64_t> batch = is_given(workload.engine.max_num_batched_tokens)
                                       ? *workload.engine.max_num_batched_tokens
                                       : count_of(plan.facts, "microBatch", where);
  plan.max_num_batched_tokens = batch.value;
  plan.utilization = 1;
  plan.offload = offload_of(request, plan, *file, cache_type.value, gpus);
  // Who sends images starts with the encoder's file, too.
  plan.weights.loads_towers = workload.images && workload.images->value > 0;
  settle_llama_cpp(request, plan);
  resolved.settings = {.version = version.version,
                       .max_num_seqs = slots_fact(request, plan, where),
                       .max_num_batched_tokens = batch,
                       .gpu_memory_utilization = {}};
  plan.stages = stages_of(*plan.needs, gpus);
  if (is_in_blocks(value_type) && plan.facts.expected("flashAttention") == 0 &&
      !workload.engine.flash_attention)
    resolved.notes.emplace_back("a cache in blocks needs flash attention: taken to be on (-fa)");
  note_settings(plan, resolved.notes);
  note_host(plan, resolved.notes);
  return resolved;
}

}  // namespace gpushape::estimate::engines
