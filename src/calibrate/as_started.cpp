#include "calibrate/as_started.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/checkpoint_size.hpp"
#include "domain/modules.hpp"

namespace gpushape::calibrate {
namespace {

constexpr std::string_view kGiven = "engine start";

/// A checkpoint of images and text that is loaded by the class of its text: "LlamaForCausalLM" for
/// LLaVA in its authors' own format.
bool is_loaded_as_text(const domain::Model& model, std::string_view architecture) {
  constexpr std::string_view kText = "ForCausalLM";
  return architecture.ends_with(kText) && !architecture.starts_with("Transformers") &&
         !model.architecture.ends_with(kText);
}

/// A checkpoint whose layers were chosen one by one: those that the engine lists, and no others.
void keep_listed(domain::Model& model, const std::vector<std::string>& modules) {
  const domain::Quantization stored = model.weights.linear;
  if (stored != domain::Quantization::BnbNf4 && stored != domain::Quantization::BnbNf4Double)
    return;
  model.weights.kept = modules;
  model.weights.richer = 0;
  domain::resolve_modules(model);
}

/// The engine with its facts as `change` leaves them.
template <class Change>
domain::Engine with_facts(domain::Engine engine, const Change& change) {
  std::vector<domain::EngineFacts> rows(engine.facts.rows().begin(), engine.facts.rows().end());
  change(rows);
  engine.facts = std::move(rows);
  return engine;
}

/// Marlin's kernels want widths of NVFP4 experts to 64.
void take_marlin(std::vector<domain::EngineFacts>& rows) {
  constexpr double kTile = 64;
  for (domain::EngineFacts& facts : rows) {
    for (domain::EngineConstant& constant : facts.constants) {
      if (constant.name != "expertWidthUnit" || !constant.when.contains("nvfp4=1")) continue;
      constant.low = constant.expected = constant.high = kTile;
      constant.source =
          "vLLM quantization/utils/marlin_utils_fp4.py, prepare_nvfp4_moe_layer_for_marlin: widths "
          "to 64 by Marlin, which the start was told to take";
    }
  }
}

/// The constants of `given`, whatever the engine's own rows say of them.
void take_given(std::vector<domain::EngineFacts>& rows, domain::EngineFacts given) {
  for (domain::EngineFacts& facts : rows) {
    std::erase_if(facts.constants, [&](const domain::EngineConstant& constant) {
      return std::ranges::find(given.constants, constant.name, &domain::EngineConstant::name) !=
             given.constants.end();
    });
  }
  rows.insert(rows.begin(), std::move(given));
}

/// Rows of AMD's GPUs hold where no GPU is given, too.
void take_amd(std::vector<domain::EngineFacts>& rows) {
  constexpr std::string_view kOnAmd = "amd=1";
  for (domain::EngineFacts& facts : rows) {
    std::vector<domain::EngineConstant> without_gpu;
    for (const domain::EngineConstant& constant : facts.constants) {
      const std::size_t at = constant.when.find(kOnAmd);
      if (at == std::string::npos) continue;
      without_gpu.push_back(constant);
      without_gpu.back().when.replace(at, kOnAmd.size(), "gpu=0");
    }
    std::ranges::move(without_gpu, std::back_inserter(facts.constants));
  }
}

}  // namespace

domain::Model as_started(domain::Model model, const EngineStart& start) {
  if (start.kept_modules) keep_listed(model, *start.kept_modules);
  if (start.checkpoint_gib) {
    const bool loads_drafts = start.draft_tokens.value_or(0) > 0 && !start.draft_model;
    model = of_checkpoint_size(std::move(model), *start.checkpoint_gib, loads_drafts);
  }
  if (is_loaded_as_text(model, start.architecture)) model.towers.clear();
  for (domain::LayerRun& run : model.layers) {
    if (start.state_bits && run.layer.recurrent)
      run.layer.recurrent->state_bits = *start.state_bits;
  }
  const std::int64_t context = start.context_tokens.value_or(0);
  if (context <= model.max_context_tokens) return model;
  // Whoever overrides the scaling of the rope gets as many more angles.
  const auto stretch = [&](domain::Rope& rope) {
    if (rope.positions >= model.max_context_tokens)
      rope.positions = std::max(context, rope.positions);
  };
  stretch(model.rope);
  std::ranges::for_each(model.further_ropes, stretch);
  model.max_context_tokens = context;
  return model;
}

domain::Engine as_started(domain::Engine engine, const EngineStart& start) {
  domain::EngineFacts given{.engine = engine.name, .since = {}, .constants = {}};
  const auto give = [&](std::string_view name, const std::optional<double>& value) {
    if (!value) return;
    given.constants.push_back({.name = std::string(name),
                               .low = *value,
                               .expected = *value,
                               .high = *value,
                               .when = {},
                               .unit = {},
                               .source = std::string(kGiven)});
  };
  give("windowShare", start.window_share);
  give("stateShare", start.state_share);
  give("stateSlots", start.state_slots);
  if (start.keeps_towers_whole) give("towersWhole", 1);
  if (start.is_synchronous) give("stepsInFlight", 1);
  if (start.keeps_one_table) give("oneCacheTable", 1);
  if (start.has_tables_elsewhere) give("ngramTablesOnHost", *start.has_tables_elsewhere ? 1 : 0);
  const bool has_marlin = start.expert_backend == "marlin";
  if (given.constants.empty() && !has_marlin) return engine;
  return with_facts(std::move(engine), [&](std::vector<domain::EngineFacts>& rows) {
    if (has_marlin) take_marlin(rows);
    if (!given.constants.empty()) take_given(rows, std::move(given));
  });
}

domain::Engine on_vendor(domain::Engine engine, const EngineStart& start,
                         const std::optional<domain::VisibleMemory>& gpu) {
  if (start.vendor != kAmd || gpu) return engine;
  return with_facts(std::move(engine), take_amd);
}

}  // namespace gpushape::calibrate
