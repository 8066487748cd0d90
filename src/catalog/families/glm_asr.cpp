// GLM-ASR: Whisper's encoder with rotated positions in place of stored ones; four frames side by
// side become one token behind two matrices. Sources: vLLM 0.23 model_executor/models/glmasr.py and
// GlmAsrConfig of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

void add_glm_asr(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  constexpr std::int64_t kBins = 128;  // GlmAsrEncoderConfig
  domain::Tower tower = whisper_tower(Fields(*reader), kBins);
  tower.kind = domain::TowerKind::Audio;
  tower.rotates_copies = true;
  tower.parameters -= tower.inner_tokens * tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters += linear_values(tower.width, 2 * out) + linear_values(2 * out, out);
  tower.output_tokens = tower.inner_tokens * tower.hidden_size / tower.width;
  // The longest sound that vLLM makes ready for: 655 s in pieces of 30.
  constexpr std::int64_t kPieces = 21;
  tower.inner_tokens *= kPieces;
  tower.output_tokens *= kPieces;
  tower.input_values *= kPieces;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
