#include "estimate/images.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpushape::estimate {

std::int64_t image_tokens(const domain::Model& model) {
  std::int64_t tokens = 0;
  for (const domain::Tower& tower : model.towers) {
    if (tower.kind == domain::TowerKind::Vision) tokens = std::max(tokens, tower.output_tokens);
  }
  return tokens;
}

std::int64_t fed_layers(const domain::Model& model) {
  std::int64_t layers = 0;
  for (const domain::Tower& tower : model.towers) layers = std::max(layers, tower.fed_layers);
  return layers;
}

Diagnostics add_images(domain::Workload& workload, const domain::Model& model) {
  if (!workload.images || workload.images->value == 0) return {};
  const std::int64_t tokens = image_tokens(model);
  if (tokens == 0) {
    return {complaint(
        fmt::format("--images: {} takes no images, or it is not known how many tokens one becomes",
                    model.id),
        "leave --images out, and count their tokens in --context")};
  }
  if (!workload.context_tokens) return {};
  domain::Fact<std::int64_t>& context = *workload.context_tokens;
  const std::int64_t text = context.value;
  context = {text + workload.images->value * tokens, domain::Origin::Computed,
             fmt::format("{} of text ({}) and {} images of {} tokens", text, context.from,
                         workload.images->value, tokens)};
  return {};
}

}  // namespace gpushape::estimate
