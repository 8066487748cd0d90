#include "catalog/renamed_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/checkpoint_values.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"
#include "domain/quantization.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;

// What stays in 16 bits beside the head: routers of mixtures, whose few values every tool leaves
// alone (llm-compressor's and AutoAWQ's own recipes), and layers that predict further tokens, which
// transformers does not load, so that tools copy them as they are (llm-compressor's examples for
// Qwen3.6: save_mtp_tensors_to_checkpoint). Publishers of FP8 in blocks and llama.cpp quantize
// those.
const std::vector<std::string> kKept = {"lm_head", "gate", "router", "shared_expert_gate"};
constexpr std::string_view kPrediction = "mtp";

/// Mixtures with latent attention whose NVFP4 config files are public keep the projections of
/// queries, keys and values out of it, all twelve of them, and eight the one behind attention, too:
/// nvidia's GLM-5, -5.1, -5.2 and -5.3, DeepSeek-V3-0324, Kimi-K2.5, -K2.6 and -K2.7-Code; not so
/// DeepSeek-R1-0528 and -R1 (v2), -V3.1 and -V3.2.
bool keeps_latent_attention(Quantization linear, const domain::Model& base) {
  return linear == Quantization::Nvfp4 && domain::has_experts(base) &&
         std::ranges::any_of(base.layers, [](const domain::LayerRun& run) {
           return run.layer.attention.latent.has_value();
         });
}

domain::WeightFormat format_of_suffix(const RepositorySuffix& suffix, const domain::Model& base) {
  domain::WeightFormat format;
  format.other = base.weights.other;
  format.linear = suffix.linear;
  const bool is_dense = !domain::has_experts(base) && !domain::has_recurrent_layers(base);
  format.group = suffix.group == 0 && is_dense ? suffix.dense_group : suffix.group;
  format.static_activation_scales = suffix.static_activation_scales;
  format.head_quantized = suffix.head_quantized;
  // vLLM's experts of compressed tensors take symmetric groups alone (CompressedTensorsWNA16MoE).
  const bool may_have_zeros = !suffix.base.empty() || !domain::has_experts(base);
  format.zero_points = suffix.zero_points && may_have_zeros;
  format.is_named = true;
  format.is_usual = suffix.names_no_type;
  format.is_told_by_name = !suffix.is_whole;
  format.richer = suffix.richer;
  if (domain::scheme(suffix.linear).granularity == domain::ScaleGranularity::None) {
    format.other = suffix.linear;
    return format;
  }
  format.kept = kKept;
  if (suffix.head_quantized) format.kept.erase(format.kept.begin());
  const bool is_file_type = domain::scheme(suffix.linear).is_interleaved;
  if (suffix.linear != Quantization::Fp8Block && !is_file_type)
    format.kept.emplace_back(kPrediction);
  if (suffix.keeps_attention || keeps_latent_attention(suffix.linear, base))
    format.kept.emplace_back(kFullAttention);
  for (const std::string_view pattern : suffix.kept) {
    if (!pattern.empty()) format.kept.emplace_back(pattern);
  }
  for (const ModulePrecision& stored : suffix.modules) {
    if (stored.pattern.empty()) continue;
    std::erase(format.kept, stored.pattern);
    format.modules.push_back({.pattern = std::string(stored.pattern),
                              .quantization = stored.quantization,
                              .static_activation_scales = suffix.static_activation_scales});
  }
  if (!domain::has_linear_attention(base)) return format;
  if (suffix.keeps_linear_attention) format.kept.emplace_back(kLinearAttention);
  if (suffix.mixers) {
    for (const std::string_view mixer : {kLinearAttention, kFullAttention}) {
      format.modules.push_back({.pattern = std::string(mixer),
                                .quantization = *suffix.mixers,
                                .static_activation_scales = suffix.static_activation_scales});
    }
  }
  return format;
}

/// What was asked for by another name remembers the entry's id.
void take_name(domain::Model& model, std::string_view repository) {
  if (!model.base) model.base = model.id;
  model.id = repository;
  model.aliases.clear();
}

domain::Model under_name(domain::Model base, std::string_view repository,
                         fmt::format_string<std::string&> how) {
  base.notes.push_back(
      fmt::format("'{}' has no entry of its own: {}", repository, fmt::format(how, base.id)));
  take_name(base, repository);
  base.weights.is_told_by_name = true;
  return base;
}

/// What the Hub's count of the repository is, which is no count of parameters. Checkpoints of tied
/// models hold the head once more or not, by the release of the tool that wrote them.
void note_checkpoint(domain::Model& model, const RepositorySuffix& suffix) {
  const bool is_packed =
      suffix.linear == Quantization::Int4 || suffix.linear == Quantization::Int8Weight;
  if (is_packed && !suffix.suffix.contains("a16")) return;
  const std::optional<std::int64_t> values = domain::checkpoint_values(model);
  if (!values || *values == model.parameters.total) return;
  std::string note = fmt::format(
      "its checkpoint holds {} values by the Hub's count, which takes {}", *values,
      is_packed ? "words of packed weights and scales one by one" : "scales for parameters");
  if (model.tied_embeddings)
    note += fmt::format("; {} where the tied head is stored once more",
                        *values + domain::vocabulary_values(model));
  model.notes.push_back(std::move(note));
}

/// Which layers a publisher chose is not public, and what the files take is.
std::vector<domain::StoredPart> parts_of_files(const RepositorySuffix& suffix) {
  if (suffix.files_gb == 0) return {};
  constexpr double kGb = 1e9;
  return {{.part = domain::TensorPart::Other,
           .dtype = "files",
           .tensors = 0,
           .values = 0,
           .bytes = std::llround(kGb * suffix.files_gb)}};
}

}  // namespace

domain::Model renamed(domain::Model base, std::string_view repository) {
  return under_name(std::move(base), repository, "read as {}, whose name it bears");
}

domain::Model lengthened(domain::Model base, std::string_view repository) {
  constexpr std::int64_t kLonger = 131'072;
  base.notes.push_back(
      fmt::format("'{}' takes {} tokens: its rope is scaled by YaRN, and its tensors are those of "
                  "{} (https://unsloth.ai/docs/models/qwen3-how-to-run-and-fine-tune)",
                  repository, kLonger, base.base.value_or(base.id)));
  take_name(base, repository);
  if (base.max_context_tokens >= kLonger) return base;
  if (base.rope.positions >= base.max_context_tokens) base.rope.positions = kLonger;
  base.max_context_tokens = kLonger;
  return base;
}

domain::Model tuned(domain::Model base, std::string_view repository) {
  return under_name(
      std::move(base), repository,
      "read as a fine-tune of {}, whose name it bears among other words, with the same "
      "tensors; give its config.json where they differ");
}

domain::Model requantized(domain::Model base, std::string_view repository,
                          const RepositorySuffix& suffix) {
  base.notes.push_back(fmt::format(
      "'{}' has no entry of its own: read as {} with {} weights, because its name {} "
      "'{}' ({})",
      repository, base.id, name_of(suffix.linear),
      folded(repository).ends_with(folded(suffix.suffix)) ? "ends in" : "says the same as",
      suffix.suffix, suffix.source));
  base.sources.push_back({"quantization", std::string(suffix.source)});
  take_name(base, repository);
  if (suffix.is_text_alone) base.towers.clear();
  if (suffix.has_two_tables) base.tied_embeddings = false;
  base.weights = format_of_suffix(suffix, base);
  base.checkpoint_kv_cache = suffix.kv_cache;
  base.parameters.stored.reset();
  base.stored = parts_of_files(suffix);
  domain::resolve_modules(base);
  domain::count_all_parameters(base);
  note_checkpoint(base, suffix);
  return base;
}

}  // namespace gpushape::catalog
