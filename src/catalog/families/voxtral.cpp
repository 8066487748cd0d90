// Voxtral (arXiv 2507.13264): Whisper's encoder, four of whose frames side by side become one
// token behind two matrices without biases. Source: VoxtralMultiModalProjector of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

void add_voxtral(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  constexpr std::int64_t kVoxtralBins = 128;  // VoxtralEncoderConfig
  domain::Tower tower = whisper_tower(Fields(*reader), kVoxtralBins);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t out = parts.model().hidden_size;
  // The projector takes as many values as the encoder's network is wide: those of four frames.
  tower.parameters += linear_values(tower.width, out, false) + linear_values(out, out, false);
  tower.output_tokens = tower.inner_tokens * tower.hidden_size / tower.width;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
