// Families of LLaVA-OneVision's build with a norm before the projector: R-4B, and Bee, whose
// projector is four times as wide as the decoder between its matrices. Sources: vLLM
// model_executor/models/rvl.py and bee.py.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

void add_normed_anyres(ConfigParts& parts, std::int64_t widening) {
  add_llava_onevision(parts);
  if (parts.model().towers.empty()) return;
  domain::Tower& tower = parts.model().towers.back();
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t width = widening * out;
  tower.parameters += 2 * hidden + linear_values(hidden, width) + linear_values(width, out) -
                      linear_values(hidden, out) - linear_values(out, out);
}

}  // namespace

void add_r_vision(ConfigParts& parts) { add_normed_anyres(parts, 1); }

void add_bee_vision(ConfigParts& parts) {
  constexpr std::int64_t kWidening = 4;
  add_normed_anyres(parts, kWidening);
}

}  // namespace gpushape::catalog
