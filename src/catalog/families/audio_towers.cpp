// Encoders of sound beside a decoder. Sources: Qwen2AudioForConditionalGeneration and
// Qwen2_5OmniThinkerForConditionalGeneration of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {

// Whisper's encoder, every second frame of its output, one matrix.
void add_qwen2_audio(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  domain::Tower tower = whisper_tower(Fields(*reader));
  tower.kind = domain::TowerKind::Audio;
  tower.parameters += linear_values(tower.hidden_size, parts.model().hidden_size);
  tower.output_tokens = tower.inner_tokens / 2;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

// Engines serve the thinker: its decoder, and encoders of images and sound. Positions of the sound
// are computed rather than stored; two further rows mark where sound begins and ends.
void add_qwen_omni(ConfigParts& parts) {
  auto thinker = parts.root().mapping("thinker_config");
  if (!thinker) return;
  const Fields fields(*thinker);
  const std::int64_t out = parts.model().hidden_size;
  if (auto reader = fields.mapping("vision_config")) {
    parts.model().towers.push_back(qwen2_tower(Fields(*reader), out));
    parts.from_config("towers");
  }
  if (auto reader = fields.mapping("audio_config")) {
    domain::Tower tower = whisper_tower(Fields(*reader));
    tower.kind = domain::TowerKind::Audio;
    tower.parameters +=
        linear_values(tower.hidden_size, out) + 2 * out - tower.inner_tokens * tower.hidden_size;
    tower.output_tokens = tower.inner_tokens / 2;
    parts.model().towers.push_back(tower);
  }
  // What speaks is served apart, or not at all.
  static_cast<void>(parts.root().first_given({"talker_config"}));
  if (parts.root().given("talker_config"))
    parts.model().notes.emplace_back(
        "talker and token2wav are not counted: engines load the thinker alone");
}

}  // namespace gpushape::catalog
