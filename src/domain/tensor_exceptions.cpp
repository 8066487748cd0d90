#include "domain/tensor_exceptions.hpp"

#include <string>

namespace gpushape::domain {

WeightScheme usual_scheme(const WeightFormat& weights, const Tensor& tensor) {
  const bool is_quantized = tensor.part == TensorPart::Head
                                ? weights.head_quantized
                                : tensor.is_linear && tensor.part != TensorPart::Embedding;
  return is_quantized ? scheme_of(weights) : scheme(weights.other);
}

void TensorExceptions::add(const Tensor& tensor, std::int64_t layer, bool is_multi_token,
                           const WeightScheme& scheme) {
  Story& story = story_of(tensor.name, is_multi_token);
  if (scheme == usual_scheme(model_.weights, tensor)) {
    story.open = kNone;
    return;
  }
  if (story.open != kNone && model_.exceptions[story.open].scheme == scheme) {
    TensorException& open = model_.exceptions[story.open];
    open.layers = layer - open.first_layer + 1;
    return;
  }
  story.open = model_.exceptions.size();
  model_.exceptions.push_back({.tensor = std::string(tensor.name),
                               .first_layer = layer,
                               .layers = 1,
                               .is_multi_token = is_multi_token,
                               .scheme = scheme});
}

TensorExceptions::Story& TensorExceptions::story_of(std::string_view tensor, bool is_multi_token) {
  for (Story& story : stories_) {
    if (story.tensor == tensor && story.is_multi_token == is_multi_token) return story;
  }
  return stories_.emplace_back(
      Story{.tensor = tensor, .is_multi_token = is_multi_token, .open = kNone});
}

}  // namespace gpushape::domain
