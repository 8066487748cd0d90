#include "domain/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "domain/module_names.hpp"
#include "domain/module_pattern.hpp"
#include "domain/tensor_exceptions.hpp"

namespace gpushape::domain {
namespace {

constexpr std::int64_t kBitsPerByte = 8;

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool is_plain(Quantization quantization) {
  return scheme(quantization).granularity == ScaleGranularity::None;
}

/// The patterns of a model, ready to be asked.
class Rules {
 public:
  explicit Rules(const Model& model) : weights_(model.weights), names_(model) {
    for (const ModuleFormat& module : weights_.modules) modules_.emplace_back(module.pattern);
    for (const std::string& pattern : weights_.kept) kept_.emplace_back(pattern);
  }

  [[nodiscard]] bool speak_of_layers_apart() const {
    const auto speaks = [](const ModulePattern& pattern) { return pattern.has_numbers(); };
    return std::ranges::any_of(modules_, speaks) || std::ranges::any_of(kept_, speaks);
  }

  [[nodiscard]] WeightScheme scheme_for(const Tensor& tensor, std::int64_t layer,
                                        bool is_multi_token) const {
    const WeightScheme usual = usual_scheme(weights_, tensor);
    const bool can_be_quantized = tensor.is_linear || tensor.part == TensorPart::Head ||
                                  tensor.part == TensorPart::Router ||
                                  tensor.part == TensorPart::Embedding;
    if (!can_be_quantized) return usual;
    const std::vector<std::string> names = names_.of(tensor, layer, is_multi_token);
    const auto names_it = [&](const ModulePattern& pattern) { return pattern.matches_any(names); };
    // What is left out is asked for first. Source: vLLM layers/quantization/modelopt.py
    // (is_layer_excluded), compressed_tensors.py (should_ignore_layer).
    if (std::ranges::any_of(kept_, names_it)) return scheme(weights_.other);
    const auto own = std::ranges::find_if(modules_, names_it);
    if (own == modules_.end()) return usual;
    const ModuleFormat& format = weights_.modules[static_cast<std::size_t>(own - modules_.begin())];
    return is_plain(format.quantization) ? scheme(weights_.other)
                                         : scheme_with(format.quantization, format);
  }

 private:
  const WeightFormat& weights_;
  ModuleNames names_;
  std::vector<ModulePattern> modules_;
  std::vector<ModulePattern> kept_;
};

void resolve_layers(const Rules& rules, const std::vector<LayerRun>& runs, const Model& model,
                    bool is_multi_token, TensorExceptions& exceptions) {
  const bool is_each_asked = rules.speak_of_layers_apart();
  std::int64_t first = 0;
  for (const LayerRun& run : runs) {
    const std::vector<Tensor> tensors = tensors_of(run.layer, model);
    for (const Tensor& tensor : tensors) {
      WeightScheme found = rules.scheme_for(tensor, first, is_multi_token);
      for (std::int64_t layer = first; layer < first + run.count; ++layer) {
        if (is_each_asked && layer > first) found = rules.scheme_for(tensor, layer, is_multi_token);
        exceptions.add(tensor, layer, is_multi_token, found);
      }
    }
    first += run.count;
  }
}

const WeightScheme* exception_of(const Model& model, std::string_view tensor, std::int64_t layer,
                                 bool is_multi_token) {
  for (const TensorException& exception : model.exceptions) {
    if (exception.first_layer <= layer && layer < exception.first_layer + exception.layers &&
        exception.is_multi_token == is_multi_token && exception.tensor == tensor)
      return &exception.scheme;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> fault_of_pattern(std::string_view pattern) {
  return ModulePattern(pattern).fault();
}

bool matches_module(std::string_view pattern, std::string_view module) {
  return ModulePattern(pattern).matches(module);
}

void resolve_modules(Model& model) {
  model.exceptions.clear();
  if (model.weights.kept.empty() && model.weights.modules.empty()) return;
  const Rules rules(model);
  TensorExceptions exceptions(model);
  resolve_layers(rules, model.layers, model, false, exceptions);
  if (model.multi_token_prediction)
    resolve_layers(rules, model.multi_token_prediction->layers, model, true, exceptions);
  for (const Tensor& tensor : outer_tensors(model))
    exceptions.add(tensor, kOutsideLayers, false, rules.scheme_for(tensor, kOutsideLayers, false));
}

WeightScheme scheme_of(const Model& model, const Tensor& tensor, std::int64_t layer) {
  const WeightScheme* own = exception_of(model, tensor.name, layer, false);
  return own != nullptr ? *own : usual_scheme(model.weights, tensor);
}

WeightScheme multi_token_scheme(const Model& model, const Tensor& tensor, std::int64_t layer) {
  const WeightScheme* own = exception_of(model, tensor.name, layer, true);
  return own != nullptr ? *own : usual_scheme(model.weights, tensor);
}

std::int64_t next_change(const Model& model, std::int64_t layer, std::int64_t layers) {
  std::int64_t next = layers;
  for (const TensorException& exception : model.exceptions) {
    if (exception.is_multi_token) continue;
    for (const std::int64_t edge :
         {exception.first_layer, exception.first_layer + exception.layers}) {
      if (edge > layer) next = std::min(next, edge);
    }
  }
  return next;
}

namespace {

/// The tensor's name as ModuleNames spells it first.
std::string_view spelled(std::string_view tensor, bool has_experts_beside) {
  constexpr std::string_view kBelow = "mlp.";
  const bool is_routed = tensor.starts_with("mlp.experts.") ||
                         tensor.starts_with("mlp.shared_experts.") || tensor == "mlp.gate";
  if (has_experts_beside && is_routed) tensor.remove_prefix(kBelow.size());
  return tensor == "gate" ? "router" : tensor;
}

}  // namespace

ModuleFormat format_of(const WeightScheme& found) {
  const WeightScheme& own = scheme(found.quantization);
  ModuleFormat format{.pattern = {}, .quantization = found.quantization};
  if (own.granularity == ScaleGranularity::Group && found.granularity == ScaleGranularity::Channel)
    format.group = kWholeRow;
  else if (found.group != own.group)
    format.group = found.group;
  format.zero_points = found.zero_bits > 0 && own.zero_bits == 0;
  format.static_activation_scales = found.input_scale_bits > 0;
  return format;
}

std::vector<ModuleFormat> patterns_of_exceptions(const Model& model) {
  const bool has_experts_beside = std::ranges::any_of(model.layers, [](const LayerRun& run) {
    return run.layer.feed_forward.width > 0 && run.layer.feed_forward.experts.has_value();
  });
  std::vector<ModuleFormat> formats;
  std::vector<bool> is_taken(model.exceptions.size(), false);
  for (std::size_t i = 0; i < model.exceptions.size(); ++i) {
    if (is_taken[i]) continue;
    const TensorException& first = model.exceptions[i];
    ModuleFormat format = format_of(first.scheme);
    const std::string_view name = spelled(first.tensor, has_experts_beside);
    if (first.first_layer < 0) {
      format.pattern = name;
      formats.push_back(std::move(format));
      continue;
    }
    std::string layers;
    for (std::size_t j = i; j < model.exceptions.size(); ++j) {
      const TensorException& other = model.exceptions[j];
      if (other.tensor != first.tensor || other.is_multi_token != first.is_multi_token ||
          other.scheme != first.scheme || other.first_layer < 0)
        continue;
      is_taken[j] = true;
      layers += fmt::format("{}{}-{}", layers.empty() ? "" : ",", other.first_layer,
                            other.first_layer + other.layers - 1);
    }
    format.pattern =
        fmt::format("{}.layers.{{{}}}.{}", first.is_multi_token ? "mtp" : "model", layers, name);
    formats.push_back(std::move(format));
  }
  return formats;
}

std::int64_t stored_bytes(const Tensor& tensor, const WeightScheme& scheme) {
  const std::int64_t inputs = std::max<std::int64_t>(1, tensor.columns);
  const bool is_vector = tensor.columns == 0;
  if (is_vector && scheme.granularity != ScaleGranularity::None) return 0;
  const int bits = tensor.is_float32 ? 32 : scheme.weight_bits;
  std::int64_t bytes = divide_up(tensor.rows * inputs * bits, kBitsPerByte);
  const auto add_bits = [&](std::int64_t count, std::int64_t each) {
    bytes += divide_up(count * each, kBitsPerByte);
  };
  switch (scheme.granularity) {
    case ScaleGranularity::None:
      break;
    case ScaleGranularity::Tensor:
      add_bits(1, scheme.scale_bits);
      break;
    case ScaleGranularity::Channel:
      add_bits(tensor.rows, scheme.scale_bits + scheme.zero_bits);
      break;
    case ScaleGranularity::Block:
      add_bits(divide_up(tensor.rows, scheme.group) * divide_up(inputs, scheme.group),
               scheme.scale_bits);
      break;
    case ScaleGranularity::Group: {
      const std::int64_t scales = tensor.rows * divide_up(inputs, scheme.group);
      add_bits(scales, scheme.scale_bits + scheme.zero_bits);
      if (scheme.nested_group > 0) add_bits(divide_up(scales, scheme.nested_group), 32);
      break;
    }
  }
  add_bits(inputs, scheme.order_bits);
  add_bits(1, scheme.tensor_scale_bits);
  add_bits(1, scheme.input_scale_bits);
  return bytes * tensor.copies;
}

std::int64_t stored_bytes(const Model& model) {
  std::int64_t bytes = 0;
  const auto add_layers = [&](const std::vector<LayerRun>& runs, bool is_multi_token) {
    std::int64_t layer = 0;
    for (const LayerRun& run : runs) {
      const std::vector<Tensor> tensors = tensors_of(run.layer, model);
      for (const std::int64_t end = layer + run.count; layer < end; ++layer) {
        for (const Tensor& tensor : tensors) {
          bytes += stored_bytes(tensor, is_multi_token ? multi_token_scheme(model, tensor, layer)
                                                       : scheme_of(model, tensor, layer));
        }
      }
    }
  };
  add_layers(model.layers, false);
  for (const Tensor& tensor : outer_tensors(model))
    bytes += stored_bytes(tensor, scheme_of(model, tensor));
  const std::int64_t plain = scheme(model.weights.other).weight_bits / kBitsPerByte;
  for (const Tower& tower : model.towers) bytes += tower.parameters * plain;
  if (!model.multi_token_prediction) return bytes;
  add_layers(model.multi_token_prediction->layers, true);
  for (const ExtraTensor& extra : model.multi_token_prediction->extra)
    bytes += extra.rows * std::max<std::int64_t>(1, extra.columns) * plain;
  if (model.multi_token_prediction->holds_embedding) bytes += 2 * vocabulary_values(model) * plain;
  return bytes;
}

std::int64_t stored_prediction_bytes(const Model& model) {
  if (!model.multi_token_prediction) return 0;
  Model without = model;
  without.multi_token_prediction.reset();
  return stored_bytes(model) - stored_bytes(without);
}

std::int64_t stored_table_bytes(const Model& model) {
  return vocabulary_values(model) * scheme(model.weights.other).weight_bits / kBitsPerByte;
}

}  // namespace gpushape::domain
