// Encoders with a decoder behind them, whose layers attend to what they give. What a field means:
// families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

constexpr Traits kT5{.ties_embeddings = true};
// BART and its kin: LayerNorm.
constexpr Traits kBart{.ties_embeddings = true, .norm_bias = true};

constexpr auto kEncoderDecoderFamilies = std::to_array<Family>({
    {.model_types = "t5", .stems = "T5 T5Encoder", .read = read_t5, .traits = kT5},
    {.model_types = "mt5", .stems = "MT5 MT5Encoder", .read = read_t5, .traits = kT5},
    {.model_types = "umt5", .stems = "UMT5 UMT5Encoder", .read = read_t5, .traits = kT5},
    {.model_types = "longt5", .stems = "LongT5 LongT5Encoder", .read = read_t5, .traits = kT5},
    {.model_types = "switch_transformers",
     .stems = "SwitchTransformers SwitchTransformersEncoder",
     .read = read_t5,
     .traits = kT5},
    {.model_types = "bart florence2_language", .stems = "Bart", .read = read_bart, .traits = kBart},
    {.model_types = "mbart", .stems = "MBart", .read = read_bart, .traits = kBart},
    {.model_types = "m2m_100", .stems = "M2M100", .read = read_bart, .traits = kBart},
    {.model_types = "marian", .stems = "Marian MarianMTModel", .read = read_bart, .traits = kBart},
    {.model_types = "pegasus", .stems = "Pegasus", .read = read_bart, .traits = kBart},
    {.model_types = "pegasus_x", .stems = "PegasusX", .read = read_bart, .traits = kBart},
    {.model_types = "bigbird_pegasus",
     .stems = "BigBirdPegasus",
     .read = read_bart,
     .traits = kBart},
    {.model_types = "blenderbot", .stems = "Blenderbot", .read = read_bart, .traits = kBart},
    {.model_types = "blenderbot-small",
     .stems = "BlenderbotSmall",
     .read = read_bart,
     .traits = kBart},
    {.model_types = "led", .stems = "LED", .read = read_bart, .traits = kBart},
    {.model_types = "plbart", .stems = "PLBart", .read = read_bart, .traits = kBart},
    {.model_types = "fsmt", .stems = "FSMT", .read = read_bart, .traits = kBart},
    {.model_types = "prophetnet xlm-prophetnet",
     .stems = "ProphetNet XLMProphetNet",
     .read = read_prophetnet,
     .traits = kBart},
    {.model_types = "whisper",
     .stems = "Whisper",
     .read = read_whisper,
     .traits = {.ties_embeddings = true, .norm_bias = true},
     .role = Role::Speech},
    {.model_types = "speech_to_text",
     .stems = "Speech2Text",
     .read = read_speech_to_text,
     .traits = kBart,
     .role = Role::Speech},
    {.model_types = "moonshine",
     .stems = "Moonshine",
     .read = read_moonshine,
     .traits = {.ties_embeddings = true, .rotary_share = 0.9, .context = 512},
     .role = Role::Speech},
    {.model_types = "cohere_asr",
     .stems = "CohereAsr",
     .read = read_cohere_asr,
     .traits = {.qkv_bias = true, .mlp_bias = true},
     .role = Role::Speech},
});

}  // namespace

std::span<const Family> encoder_decoders() { return kEncoderDecoderFamilies; }

}  // namespace gpushape::catalog
