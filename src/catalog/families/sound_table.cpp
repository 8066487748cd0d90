// Decoders that hear: an encoder of sound beside them, and of nothing else. What a field means:
// families.hpp.
#include <array>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

constexpr auto kSoundFamilies = std::to_array<Family>({
    {.model_types = "qwen2_audio",
     .stems = "Qwen2Audio",
     .decoder = "qwen2",
     .add_towers = add_qwen2_audio},
    {.model_types = "audioflamingo3",
     .stems = "AudioFlamingo3",
     .decoder = "qwen2",
     .add_towers = add_audio_flamingo},
    {.model_types = "voxtral", .stems = "Voxtral", .decoder = "llama", .add_towers = add_voxtral},
    {.model_types = "qwen3_asr",
     .stems = "Qwen3ASR Qwen3ASRThinker",
     .decoder = "qwen3",
     .add_towers = add_qwen_omni,
     .role = Role::Speech,
     .sectioned_rope = true},
    {.model_types = "voxtral_realtime",
     .stems = "VoxtralRealtime VoxtralRealtimeGeneration",
     .decoder = "voxtral_realtime_text",
     .add_towers = add_voxtral_realtime,
     .role = Role::Speech},
    {.model_types = "granite_speech granite_speech_plus",
     .stems = "GraniteSpeech GraniteSpeechPlus",
     .decoder = "granite",
     .add_towers = add_granite_speech,
     .role = Role::Speech},
    {.model_types = "ultravox",
     .stems = "UltravoxModel",
     .decoder = "llama",
     .add_towers = add_ultravox},
    {.model_types = "glmasr",
     .stems = "GlmAsr",
     .decoder = "llama",
     .add_towers = add_glm_asr,
     .role = Role::Speech},
    {.model_types = "musicflamingo",
     .stems = "MusicFlamingo",
     .decoder = "qwen2",
     .add_towers = add_audio_flamingo},
    {.model_types = "kimi_audio moonshot_kimia",
     .stems = "MoonshotKimiaForCausalLM MoonshotKimia",
     .decoder = "qwen2",
     .add_towers = add_kimi_audio},
    {.model_types = "midashenglm",
     .stems = "MiDashengLMModel",
     .decoder = "qwen2",
     .add_towers = add_midasheng},
    {.model_types = "moss_audio",
     .stems = "MossAudioModel",
     .decoder = "qwen3",
     .add_towers = add_moss_audio},
    {.model_types = "funasr",
     .stems = "FunASR",
     .decoder = "qwen3",
     .add_towers = add_fun_asr,
     .role = Role::Speech},
    {.model_types = "fireredasr2",
     .stems = "FireRedASR2",
     .decoder = "qwen2",
     .add_towers = add_fire_red,
     .role = Role::Speech},
});

}  // namespace

std::span<const Family> sound_composites() { return kSoundFamilies; }

}  // namespace gpushape::catalog
