#include "estimate/plan_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "estimate/division.hpp"
#include "estimate/images.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate {
namespace {

bool has_static_scales(const domain::WeightFormat& weights) {
  return weights.static_activation_scales ||
         std::ranges::any_of(weights.modules, &domain::ModuleFormat::static_activation_scales);
}

using domain::EngineVersion;
using domain::Fact;
using domain::Quantization;

/// As vLLM's get_batch_defaults looks for it.
bool holds_part(std::string name, std::string_view part) {
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  });
  return name.contains(part);
}

bool is_named(const domain::VisibleMemory& gpu, std::string_view part) {
  return holds_part(gpu.product_name, part) || holds_part(gpu.device, part);
}

double capability_of(const std::string& text) {
  const std::size_t dot = text.find('.');
  double value = 0;
  for (std::size_t i = 0; i < std::min(dot, text.size()); ++i) {
    if (text[i] < '0' || text[i] > '9') return 0;
    value = value * 10 + (text[i] - '0');
  }
  if (dot == std::string::npos || dot + 1 >= text.size()) return value;
  return value + (text[dot + 1] - '0') / 10.0;
}

bool attends_to_an_encoder(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    return run.layer.cross_attention.has_value();
  });
}

}  // namespace

VersionChoice choose_version(const Request& request) {
  const std::vector<EngineVersion>& known = request.engine->known_versions;
  const auto& asked = request.workload->engine.version;
  VersionChoice choice;
  if (!asked) {
    const EngineVersion newest = known.empty() ? EngineVersion{} : known.back();
    choice.version = domain::defaulted(newest, "newest version with facts");
    choice.facts_of = newest;
    return choice;
  }
  choice.version = *asked;
  choice.facts_of = asked->value;
  const auto is_same_release = [&](const EngineVersion& version) {
    return version.major == asked->value.major && version.minor == asked->value.minor;
  };
  if (known.empty() || std::ranges::any_of(known, is_same_release)) return choice;
  const auto next = std::ranges::upper_bound(known, asked->value);
  const EngineVersion nearest = next == known.begin() ? known.front() : *std::prev(next);
  if (next == known.begin()) choice.facts_of = nearest;
  choice.note = fmt::format("no facts of {} {} itself: those of {} are used", request.engine->name,
                            to_text(asked->value), to_text(nearest));
  return choice;
}

std::int64_t value_or_one(const std::optional<Fact<std::int64_t>>& fact) {
  return fact ? fact->value : 1;
}

void take_start(const Request& request, const Facts& facts, WeightsLayout& layout) {
  const auto& images = request.workload->images;
  layout.loads_towers = !images || images->value > 0 || facts.expected("textAlone") == 0;
  layout.holds_unused_towers = facts.expected("unusedTowersLoaded") != 0;
  const domain::Model& model = *request.model;
  layout.leaves_out_layers = facts.expected("unusedLayersLeftOut") != 0;
  layout.has_unused_head = facts.expected("keepsUnusedHead") != 0 && !model.has_head &&
                           !model.tied_embeddings && model.architecture.ends_with("ForCausalLM");
}

PlannedDraft planned_draft(const Request& request, const Plan& plan) {
  const auto& asked = request.workload->engine.draft_model;
  if (!asked || !asked->model) return {};
  PlannedDraft draft;
  draft.model = asked->model.get();
  draft.weights = plan.weights;
  draft.weights.scheme = domain::scheme_of(draft.model->weights);
  draft.weights.is_as_stored = true;
  draft.weights.head_quantized = draft.model->weights.head_quantized;
  draft.weights.loads_drafts = false;
  draft.weights.has_unused_head = false;
  // A draft is not cut, whatever the large model's class does where it is.
  draft.weights.has_embedding_on_every_stage = false;
  draft.weights.has_head_on_every_stage = false;
  return draft;
}

void share_rotary_tables(Plan& plan) {
  if (plan.draft.model == nullptr) return;
  const domain::Model& target = *plan.model;
  const domain::Model& draft = *plan.draft.model;
  const auto is_of_target = [&](const domain::Rope& rope) {
    return rope == target.rope ||
           std::ranges::find(target.further_ropes, rope) != target.further_ropes.end();
  };
  if (is_of_target(draft.rope) && std::ranges::all_of(draft.further_ropes, is_of_target))
    plan.draft.weights.has_rotary_tables = false;
}

/// What the kernels of this version and GPU want of experts' sizes.
ExpertPadding expert_padding(const Facts& facts) {
  const auto unit = [&](NameKey name) {
    return std::max<std::int64_t>(1, std::llround(facts.expected(name)));
  };
  return {.width = unit("expertWidthUnit"),
          .hidden = unit("expertHiddenUnit"),
          .scale_rows = std::llround(facts.expected("expertScaleRows")),
          .keeps_scales = facts.expected("expertScalesKept") != 0,
          .has_float32_biases = facts.expected("expertBiasesFloat32") != 0,
          .row_bytes = std::llround(facts.expected("expertRowBytes")),
          .group = unit("expertGroup"),
          .is_of_shares = facts.expected("expertSharesPadded") != 0};
}

void take_experts(const domain::Model& model, Conditions& conditions) {
  for (const domain::LayerRun& run : model.layers) {
    const auto& experts = run.layer.feed_forward.experts;
    if (!experts) continue;
    conditions.has_experts = 1;
    if (experts->is_gated) conditions.has_gated_experts = 1;
    if (experts->shared_width > 0) conditions.has_shared_experts = 1;
    conditions.active_experts =
        std::max(conditions.active_experts, static_cast<double>(experts->active));
  }
}

/// Whether the start compiles its graphs, where that is known: one without graphs does not.
double compiling(const domain::EngineSettings& engine) {
  if (engine.enforce_eager.value) return 0;
  if (!engine.compiles) return Conditions::kNotTold;
  return engine.compiles->value ? 1 : 0;
}

Conditions conditions_of(const Request& request) {
  const domain::EngineSettings& engine = request.workload->engine;
  Conditions conditions;
  // Not known before the defaults are taken, and then nearly always many.
  constexpr double kManySequences = 1e9;
  conditions.sequences = kManySequences;
  conditions.has_recurrent = domain::has_recurrent_layers(*request.model) ? 1 : 0;
  const auto any_attention = [&](auto test) {
    return std::ranges::any_of(request.model->layers, [&](const domain::LayerRun& run) {
      return test(run.layer.attention);
    });
  };
  conditions.has_latents = any_attention([](const domain::Attention& attention) {
    return attention.kind == domain::LayerKind::Latent;
  })
                               ? 1
                               : 0;
  conditions.has_indexer = any_attention([](const domain::Attention& attention) {
    return attention.indexer.has_value();
  })
                               ? 1
                               : 0;
  conditions.has_compressed = any_attention([](const domain::Attention& attention) {
    return attention.kind == domain::LayerKind::Compressed;
  })
                                  ? 1
                                  : 0;
  conditions.has_static_scales = has_static_scales(request.model->weights) ? 1 : 0;
  conditions.has_narrow_values = any_attention([](const domain::Attention& attention) {
    return !attention.latent && attention.value_head_dim > 0 &&
           attention.value_head_dim < attention.head_dim;
  })
                                     ? 1
                                     : 0;
  conditions.has_towers = request.model->towers.empty() ? 0 : 1;
  conditions.has_tied_embeddings = request.model->tied_embeddings ? 1 : 0;
  conditions.has_whole_items = request.model->has_whole_items ? 1 : 0;
  conditions.has_sinks =
      std::ranges::any_of(request.model->layers,
                          [](const domain::LayerRun& run) { return run.layer.attention.has_sinks; })
          ? 1
          : 0;
  conditions.has_mistral_format = request.model->id.starts_with("mistralai/") ? 1 : 0;
  take_experts(*request.model, conditions);
  conditions.scales_residuals = request.model->family == "granite" ? 1 : 0;
  conditions.is_encoder_decoder = attends_to_an_encoder(*request.model) ? 1 : 0;
  conditions.is_first_generation = engine.first_generation.value ? 1 : 0;
  conditions.is_server = engine.server.value ? 1 : 0;
  conditions.compiles = compiling(engine);
  conditions.is_library = engine.library.value ? 1 : 0;
  if (value_or_one(engine.expert) > 1)
    conditions.expert_groups = static_cast<double>(value_or_one(engine.data));
  conditions.tensor_parallel = static_cast<double>(value_or_one(engine.tensor));
  conditions.pipeline_parallel = static_cast<double>(value_or_one(engine.pipeline));
  if (request.gpu == nullptr) return conditions;
  const domain::VisibleMemory& gpu = *request.gpu;
  conditions.gpu_given = 1;
  conditions.compute_capability = capability_of(gpu.compute_capability);
  conditions.is_a100 = is_named(gpu, "a100") ? 1 : 0;
  conditions.is_h100 = is_named(gpu, "h100") || is_named(gpu, "h200") ? 1 : 0;
  conditions.is_amd = gpu.vendor == "amd" ? 1 : 0;
  const Bytes device = std::max(gpu.parent_bytes, gpu.bytes.expected);
  conditions.device_gib = device.gib();
  return conditions;
}

AdapterSlots asked_slots(const Request& request) {
  if (!request.workload->adapters) return {};
  const domain::Adapters& adapters = *request.workload->adapters;
  return {.count = adapters.count.value,
          .rank = adapters.rank.value,
          .modules = adapters.modules.value};
}

Spread multiprocessors_of(const Request& request, const Facts& facts) {
  if (request.gpu != nullptr && request.gpu->multiprocessors)
    return certain(static_cast<double>(*request.gpu->multiprocessors));
  return facts.value("assumedMultiprocessors");
}

bool is_fp8(Quantization quantization) {
  return quantization == Quantization::Fp8 || quantization == Quantization::Fp8Channel ||
         quantization == Quantization::Fp8Block;
}

void take_weights(const WeightsChoice& weights, Conditions& conditions) {
  conditions.is_quantized =
      weights.layout.scheme.granularity == domain::ScaleGranularity::None ? 0 : 1;
  conditions.linear_bits = weights.layout.scheme.weight_bits;
  conditions.has_block_scales =
      weights.layout.scheme.granularity == domain::ScaleGranularity::Block ? 1 : 0;
  if (weights.layout.scheme.granularity == domain::ScaleGranularity::Group)
    conditions.scale_group = weights.layout.scheme.group;
  conditions.is_fp8 = is_fp8(weights.quantization.value) ? 1 : 0;
  conditions.is_mxfp4 = weights.quantization.value == Quantization::Mxfp4 ? 1 : 0;
  conditions.is_nvfp4 = weights.quantization.value == Quantization::Nvfp4 ? 1 : 0;
}

void take_load(const Request& request, Plan& plan) {
  const domain::Workload& workload = *request.workload;
  const auto value_of = [](const auto& fact) {
    return fact ? std::optional(fact->value) : std::nullopt;
  };
  plan.context_tokens = value_of(workload.context_tokens);
  // Engines that are parallel by data share the requests.
  plan.concurrency = value_of(workload.concurrency);
  if (plan.concurrency && plan.parallelism.data > 1)
    plan.concurrency = divide_up(*plan.concurrency, plan.parallelism.data);
  plan.longest_request =
      plan.context_tokens.value_or(std::max<std::int64_t>(1, request.model->max_context_tokens));
  plan.image_tokens = workload.images && plan.context_tokens
                          ? workload.images->value * image_tokens(*request.model)
                          : 0;
  plan.given_pool = value_of(workload.engine.kv_cache_memory_bytes);
  plan.in_flight = workload.in_flight.get();
  const auto& caching = workload.engine.prefix_caching;
  // Of recurrent layers a prefix is found again where its state is kept.
  const bool is_off_by_default =
      plan.facts.conditions().has_recurrent != 0 && !plan.cache.keeps_states_of_prefixes;
  const bool shares_prefixes = caching ? caching->value : !is_off_by_default;
  plan.common_prefix_tokens =
      shares_prefixes ? value_of(workload.traffic.common_prefix_tokens).value_or(0) : 0;
}

ResolvedPlan begin_plan(const Request& request, const VersionChoice& version, WeightsChoice weights,
                        const Conditions& conditions) {
  const domain::Workload& workload = *request.workload;
  ResolvedPlan resolved;
  resolved.quantization = weights.quantization;
  resolved.notes = std::move(weights.notes);
  if (!version.note.empty()) resolved.notes.push_back(version.note);
  Plan& plan = resolved.plan;
  plan.file_model = weights.file_model;
  plan.model = plan.file_model ? plan.file_model.get() : request.model;
  plan.facts = {*request.engine, version.facts_of, conditions};
  plan.parallelism = {.tensor = value_or_one(workload.engine.tensor),
                      .pipeline = value_or_one(workload.engine.pipeline),
                      .data = value_or_one(workload.engine.data),
                      .expert = value_or_one(workload.engine.expert),
                      .context = value_or_one(workload.engine.context_parallel)};
  take_load(request, plan);
  plan.enforce_eager = workload.engine.enforce_eager.value;
  plan.multiprocessors = multiprocessors_of(request, plan.facts);
  if (request.gpu != nullptr) plan.visible = request.gpu->bytes.expected;
  const auto unit = [&](NameKey name) {
    return std::max<std::int64_t>(1, std::llround(plan.facts.expected(name)));
  };
  plan.weights = weights.layout;
  plan.weights.tensor_parallel = plan.parallelism.tensor;
  plan.weights.data_parallel = plan.parallelism.data;
  plan.weights.expert_parallel = plan.parallelism.expert;
  plan.weights.expert_padding = expert_padding(plan.facts);
  plan.weights.row_bytes = std::llround(plan.facts.expected("fp8RowBytes"));
  plan.weights.drops_gptq_companions = plan.facts.expected("gptqCompanionsDropped") != 0;
  if (plan.weights.scheme.zero_bits > 0)
    plan.weights.zero_bits = static_cast<int>(plan.facts.expected("zeroPointBits"));
  plan.weights.unsplit_share = plan.facts.expected("allocatorUnsplitShare");
  plan.weights.loads_drafts =
      workload.engine.draft_tokens.has_value() && !workload.engine.draft_model;
  plan.weights.keeps_tables_on_host = plan.facts.expected("ngramTablesOnHost") != 0;
  plan.weights.shares_tables_across_data = plan.facts.expected("ngramTablesAcrossData") != 0;
  take_start(request, plan.facts, plan.weights);
  plan.weights.sectioned_rope_rows = unit("sectionedRopeRows");
  plan.weights.attention_scalars = std::llround(plan.facts.expected("attentionScalars"));
  plan.weights.rotary_bytes = std::llround(plan.facts.expected("rotaryBytes"));
  plan.weights.loads_keys_twice = plan.facts.expected("loadsKeysTwice") != 0;
  if (plan.facts.find("vocabularyUnit") != nullptr)
    plan.weights.vocabulary_unit = unit("vocabularyUnit");
  return resolved;
}

Diagnostics missing_facts(const Request& request, const Plan& plan, EngineVersion version,
                          std::span<const NameKey> needed) {
  Diagnostics missing;
  for (const NameKey name : needed) {
    if (plan.facts.find(name) != nullptr) continue;
    missing.push_back(complaint(fmt::format("engine {} {} has no fact '{}'", request.engine->name,
                                            to_text(version), name.name()),
                                "complete the engine's file of facts"));
  }
  return missing;
}

}  // namespace gpushape::estimate
