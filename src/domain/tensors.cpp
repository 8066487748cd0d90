#include "domain/tensors.hpp"

#include <algorithm>
#include <string_view>

#include "domain/tensor_list.hpp"

namespace gpushape::domain {
namespace {

// In the order in which checkpoints of four norms (Gemma 2) and of two use them.
constexpr auto kNormNames = std::to_array<std::string_view>({
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
    "post_feedforward_layernorm_1",
    "pre_feedforward_layernorm_2",
    "post_feedforward_layernorm_2",
    "further_layernorm",
});
constexpr auto kNormBiasNames = std::to_array<std::string_view>({
    "input_layernorm.bias",
    "post_attention_layernorm.bias",
    "pre_feedforward_layernorm.bias",
    "post_feedforward_layernorm.bias",
    "post_feedforward_layernorm_1.bias",
    "pre_feedforward_layernorm_2.bias",
    "post_feedforward_layernorm_2.bias",
    "further_layernorm.bias",
});

std::int64_t product(std::int64_t count, std::int64_t each) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(count, each, &result)) return kMostValues;
  return std::min(result, kMostValues);
}

// Both at most kMostValues, so that the sum itself stays in 64 bits.
std::int64_t sum(std::int64_t left, std::int64_t right) {
  return std::min(left + right, kMostValues);
}

TensorPart part_of_name(std::string_view name) {
  if (name.find("embed") != std::string_view::npos) return TensorPart::Embedding;
  if (name.find("norm") != std::string_view::npos) return TensorPart::Norm;
  return TensorPart::Other;
}

void add_extra(TensorList& list, const std::vector<ExtraTensor>& extra) {
  for (const ExtraTensor& tensor : extra) {
    Tensor& added = list.matrix(tensor.name, part_of_name(tensor.name), tensor.rows, tensor.columns,
                                tensor.is_dealt_out ? Split::Rows : Split::None);
    added.is_linear = tensor.is_linear;
    added.is_float32 = tensor.is_float32;
  }
}

void add_norms(TensorList& list, const Layer& layer, std::int64_t hidden_size) {
  for (int i = 0; i < layer.norms; ++i) {
    const std::size_t row = std::min(static_cast<std::size_t>(i), kNormNames.size() - 1);
    list.vector(kNormNames.at(row), TensorPart::Norm, hidden_size);
    if (layer.norm_bias) list.vector(kNormBiasNames.at(row), TensorPart::Norm, hidden_size);
  }
}

std::int64_t values_in(const std::vector<Tensor>& tensors) {
  std::int64_t total = 0;
  for (const Tensor& tensor : tensors) total = sum(total, tensor.values());
  return total;
}

std::int64_t values_in(const std::vector<LayerRun>& layers, const Model& model) {
  std::int64_t total = 0;
  for (const LayerRun& run : layers)
    total = sum(total, product(run.count, values_in(tensors_of(run.layer, model))));
  return total;
}

// Values of a layer's routed experts that one token does not pass, and of tables of which it reads
// a few rows.
std::int64_t idle_values(const Layer& layer, const std::vector<Tensor>& tensors) {
  const Experts experts = layer.feed_forward.experts.value_or(Experts{});
  const std::int64_t idle = std::max<std::int64_t>(0, experts.count - experts.active);
  std::int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.part == TensorPart::Embedding) total = sum(total, tensor.values());
    if (tensor.split == Split::Experts)
      total = sum(total, product(idle, tensor.values() / std::max<std::int64_t>(1, tensor.copies)));
  }
  return total;
}

/// Of towers that the model's total counts.
std::int64_t tower_values(const Model& model) {
  std::int64_t values = 0;
  for (const Tower& tower : model.towers) {
    if (!tower.is_beside_total) values = sum(values, tower.parameters);
  }
  return values;
}

}  // namespace

std::int64_t Tensor::values() const {
  return product(copies, product(rows, columns > 0 ? columns : 1));
}

std::vector<Tensor> tensors_of(const Layer& layer, const Model& model) {
  TensorList list;
  add_attention(list, layer.attention, model.hidden_size);
  if (layer.recurrent) add_recurrent(list, *layer.recurrent, model.hidden_size);
  if (layer.cross_attention) add_attention(list, *layer.cross_attention, model.hidden_size, true);
  add_feed_forward(list, layer.feed_forward, model.hidden_size);
  add_norms(list, layer, model.hidden_size);
  add_extra(list, layer.extra);
  return list.take();
}

std::vector<Tensor> outer_tensors(const Model& model) {
  TensorList list;
  if (model.vocabulary > 0)
    list.matrix("model.embed_tokens", TensorPart::Embedding, model.vocabulary,
                embedding_columns(model), Split::Vocabulary);
  if (model.has_final_norm) {
    list.vector("model.norm", TensorPart::Norm, model.hidden_size);
    if (model.final_norm_bias) list.vector("model.norm.bias", TensorPart::Norm, model.hidden_size);
  }
  if (model.has_head && !model.tied_embeddings)
    list.matrix("lm_head", TensorPart::Head, model.vocabulary, embedding_columns(model),
                Split::Vocabulary);
  add_extra(list, model.extra);
  return list.take();
}

std::int64_t count_parameters(const Model& model) {
  const std::int64_t total = sum(values_in(outer_tensors(model)), values_in(model.layers, model));
  return sum(total, tower_values(model));
}

std::int64_t count_active_parameters(const Model& model) {
  std::int64_t idle = 0;
  for (const LayerRun& run : model.layers)
    idle = sum(idle, product(run.count, idle_values(run.layer, tensors_of(run.layer, model))));
  return count_parameters(model) - sum(idle, tower_values(model));
}

std::int64_t count_multi_token_parameters(const Model& model) {
  if (!model.multi_token_prediction) return 0;
  const MultiTokenPrediction& prediction = *model.multi_token_prediction;
  TensorList list;
  add_extra(list, prediction.extra);
  std::int64_t total = sum(values_in(prediction.layers, model), values_in(list.take()));
  if (prediction.holds_embedding)
    total = sum(total, product(2, product(model.vocabulary, embedding_columns(model))));
  return total;
}

}  // namespace gpushape::domain
