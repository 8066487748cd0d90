// Kimi-Audio: the encoder of Whisper large-v3, four of whose frames side by side become one token
// behind two matrices and a norm. The encoder's config lies in a folder of its own. Source: vLLM
// 0.23 model_executor/models/kimi_audio.py.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

void add_kimi_audio(ConfigParts& parts) {
  constexpr domain::Tower kLargeV3{.kind = domain::TowerKind::Audio,
                                   .hidden_size = 1280,
                                   .layers = 32,
                                   .heads = 20,
                                   .width = 5120,
                                   .inner_tokens = 1500};
  constexpr std::int64_t kBins = 128;
  domain::Tower tower = whisper_of(kLargeV3, kBins);
  const std::int64_t in =
      parts.root().integer("kimia_adaptor_input_dim", kHiddenSize).value_or(5120);
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters += linear_values(in, out) + linear_values(out, out) + 2 * out;
  tower.output_tokens = tower.inner_tokens * tower.hidden_size / in;
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
  parts.model().notes.emplace_back(
      "the layers that speak are not counted: engines do not load them");
}

}  // namespace gpushape::catalog
