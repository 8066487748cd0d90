// Encoders of sound that stand alone, with a head of their own or none. What a field means:
// families.hpp.
#include <array>

#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

constexpr auto kSoundEncoders = std::to_array<Family>({
    {.model_types = "wav2vec2-bert",
     .stems = "Wav2Vec2Bert",
     .read = read_wav2vec2_bert,
     .traits = {.qkv_bias = true,
                .output_bias = true,
                .mlp_bias = true,
                .gated = false,
                .norm_bias = true,
                .is_multi_head = true},
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "wav2vec2",
     .stems = "Wav2Vec2",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "hubert",
     .stems = "Hubert",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "wavlm",
     .stems = "WavLM",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "unispeech",
     .stems = "UniSpeech",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "unispeech-sat",
     .stems = "UniSpeechSat",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "data2vec-audio",
     .stems = "Data2VecAudio",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
    {.model_types = "wav2vec2-conformer",
     .stems = "Wav2Vec2Conformer",
     .read = read_wav2vec2,
     .traits = kBert,
     .role = Role::Speech,
     .knows_all_heads = true},
});

}  // namespace

std::span<const Family> sound_encoders() { return kSoundEncoders; }

}  // namespace gpushape::catalog
