// Which quantization the weights have in memory, and which type everything else has.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "estimate/open_recipe.hpp"
#include "estimate/plan.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Quantization;

bool is_plain(Quantization quantization) {
  return domain::scheme(quantization).granularity == domain::ScaleGranularity::None;
}

Fact<Quantization> quantization_of(const Request& request) {
  if (request.workload->quantization) return *request.workload->quantization;
  const domain::WeightFormat& stored = request.model->weights;
  const Quantization quantization = is_plain(stored.linear) ? dtype_of(request) : stored.linear;
  return precision_of(stored, quantization);
}

/// By a config.json, a header or the catalog. What the engine makes itself needs no recipe.
bool is_recipe_told(const domain::WeightFormat& stored, bool is_as_stored, bool is_converted) {
  return is_as_stored ? !stored.is_told_by_name : is_converted;
}

}  // namespace

Fact<Quantization> precision_of(const domain::WeightFormat& stored, Quantization quantization) {
  if (stored.is_usual)
    return {quantization, Origin::Default, "what llama.cpp takes of several files"};
  return {quantization, Origin::Catalog,
          stored.is_named ? "the repository's name" : "the checkpoint"};
}

Quantization dtype_of(const Request& request) {
  const auto& asked = request.workload->quantization;
  if (asked && is_plain(asked->value)) return asked->value;
  // An engine takes 32-bit checkpoints down to 16 bits unless it is told otherwise. Source: vLLM
  // config/model.py, "auto" dtype.
  const Quantization stored = request.model->weights.other;
  return stored == Quantization::Fp32 ? Quantization::Bf16 : stored;
}

WeightsChoice choose_weights(const Request& request,
                             std::span<const Quantization> converted_while_loading) {
  const domain::WeightFormat& stored = request.model->weights;
  WeightsChoice choice;
  choice.quantization = quantization_of(request);
  const Quantization wanted = choice.quantization.value;
  const bool is_as_stored =
      !request.workload->quantization || (wanted == stored.linear && !is_plain(wanted));
  choice.layout.dtype_bytes = domain::scheme(dtype_of(request)).weight_bits / 8;
  choice.layout.is_as_stored = is_as_stored;
  choice.layout.scheme =
      is_as_stored && !is_plain(wanted) ? domain::scheme_of(stored) : domain::scheme(wanted);
  choice.layout.head_quantized = is_as_stored && stored.head_quantized;
  const bool is_converted =
      std::ranges::find(converted_while_loading, wanted) != converted_while_loading.end();
  choice.layout.is_converted = is_converted && !is_as_stored;
  const bool is_told = is_recipe_told(stored, is_as_stored, is_converted);
  const bool is_kept_known = is_as_stored && is_told;
  choice.layout.is_recipe_open =
      (!is_told && has_recipes(*request.model, choice.layout)) ||
      (!is_kept_known && may_shrink_towers(*request.model, choice.layout));

  const bool is_file = choice.layout.scheme.is_interleaved && !is_told;
  if (is_file) {
    choice.file_model = shared_file_model(request, wanted);
    choice.layout.is_as_stored = true;
  }

  const std::string_view name = name_of(wanted);
  if (is_file && !is_as_stored) {
    choice.notes.push_back(
        fmt::format("{} needs a GGUF file; sized as llama.cpp's quantize makes one", name));
  } else if (is_plain(stored.linear) && !is_plain(wanted)) {
    choice.notes.push_back(
        is_converted
            ? fmt::format("the engine turns the 16-bit weights into {} while it loads them", name)
            : fmt::format("{} needs a checkpoint in that format; sized as one with 16-bit "
                          "embeddings and head",
                          name));
  } else if (!is_plain(stored.linear) && wanted != stored.linear) {
    choice.notes.push_back(
        fmt::format("{} is stored as {}; sized as a {} checkpoint of the same "
                    "architecture",
                    request.model->id, name_of(stored.linear), name));
  }
  if (stored.other == Quantization::Fp32 && dtype_of(request) == Quantization::Bf16 &&
      !request.workload->quantization) {
    choice.notes.emplace_back("the 32-bit checkpoint loads in 16 bits; ask for fp32 to keep it");
  }
  return choice;
}

}  // namespace gpushape::estimate
