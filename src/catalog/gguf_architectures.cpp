#include "catalog/gguf_architectures.hpp"

#include <algorithm>
#include <array>

namespace gpushape::catalog {
namespace {

using domain::Quantization;

// llama.cpp, src/llama-arch.cpp (LLM_ARCH_NAMES), and what ollama names its own conversions
// (gptoss, mllama, olmo3, qwen25vl).
constexpr auto kGgufArchitectures = std::to_array<GgufArchitecture>({
    {"afmoe"},
    {"apertus"},
    {"arcee"},
    {"arctic"},
    {"arwkv7"},
    {"baichuan"},
    {"bailingmoe"},
    {"bailingmoe2"},
    {"bert"},
    {"bitnet"},
    {"bloom"},
    {"chameleon"},
    {"chatglm"},
    {"codeshell"},
    {"cogvlm"},
    {"cohere2"},
    {"cohere2moe"},
    {"command-r", "cohere"},
    {"dbrx"},
    {"deci"},
    {"deepseek"},
    {"deepseek2", "deepseek_v3"},
    {"deepseek2-ocr"},
    {"deepseek32"},
    {"deepseek4"},
    {"dflash"},
    {"dots1"},
    {"dream"},
    {"eagle3"},
    {"ernie4_5"},
    {"ernie4_5-moe"},
    {"eurobert"},
    {"exaone"},
    {"exaone-moe"},
    {"exaone4"},
    {"falcon"},
    {"falcon-h1", "falcon_h1"},
    {"gemma"},
    {"gemma-embedding"},
    {"gemma2"},
    {"gemma3", "gemma3_text"},
    {"gemma3n"},
    {"gemma4"},
    {"gemma4-assistant"},
    {"glm-dsa"},
    {"glm4"},
    {"glm4moe", "glm4_moe"},
    {"gpt-oss", "gpt_oss"},
    {"gpt2"},
    {"gptj"},
    {"gptneox"},
    {"gptoss", "gpt_oss"},
    {"granite"},
    {"granitehybrid", "granitemoehybrid"},
    {"granitemoe"},
    {"grok"},
    {"grovemoe"},
    {"hunyuan-dense"},
    {"hunyuan-moe"},
    {"hunyuan_vl"},
    {"hy_v3"},
    {"internlm2"},
    {"jais"},
    {"jais2"},
    {"jamba"},
    {"jina-bert-v2"},
    {"jina-bert-v3"},
    {"kimi-linear"},
    {"laguna"},
    {"lfm2"},
    {"lfm2moe"},
    {"llada"},
    {"llada-moe"},
    {"llama"},
    {"llama-embed"},
    {"llama4"},
    {"maincoder"},
    {"mamba"},
    {"mamba2"},
    {"mellum"},
    {"mimo2"},
    {"minicpm"},
    {"minicpm3"},
    {"minimax-m2"},
    {"mistral3"},
    {"mistral4"},
    {"mllama"},
    {"modern-bert"},
    {"mpt"},
    {"nemotron"},
    {"nemotron_h"},
    {"nemotron_h_moe"},
    {"neo-bert"},
    {"nomic-bert"},
    {"nomic-bert-moe"},
    {"olmo"},
    {"olmo2"},
    {"olmo3"},
    {"olmoe"},
    {"openelm"},
    {"orion"},
    {"paddleocr"},
    {"pangu-embedded"},
    {"phi2"},
    {"phi3"},
    {"phimoe"},
    {"plamo"},
    {"plamo2"},
    {"plamo3"},
    {"plm"},
    {"qwen"},
    {"qwen2"},
    {"qwen25vl", "qwen2_5_vl"},
    {"qwen2moe", "qwen2_moe"},
    {"qwen2vl", "qwen2_vl"},
    {"qwen3"},
    {"qwen35"},
    {"qwen35moe"},
    {"qwen3moe", "qwen3_moe"},
    {"qwen3next", "qwen3_next"},
    {"qwen3vl"},
    {"qwen3vlmoe"},
    {"refact"},
    {"rnd1"},
    {"rwkv6"},
    {"rwkv6qwen2"},
    {"rwkv7"},
    {"seed_oss"},
    {"smallthinker"},
    {"smollm3"},
    {"stablelm"},
    {"starcoder"},
    {"starcoder2"},
    {"step35"},
    {"t5"},
    {"t5encoder"},
    {"talkie"},
    {"wavtokenizer-dec"},
    {"xverse"},
});

// llama.cpp, include/llama.h (enum llama_ftype).
struct FileType {
  std::int64_t number = 0;
  Quantization quantization;
};
constexpr auto kFileTypes = std::to_array<FileType>({
    {0, Quantization::Fp32},     {1, Quantization::Fp16},      {2, Quantization::Q4_0},
    {3, Quantization::Q4_1},     {7, Quantization::Q8_0},      {8, Quantization::Q5_0},
    {9, Quantization::Q5_1},     {10, Quantization::Q2K},      {11, Quantization::MixQ3KS},
    {12, Quantization::MixQ3KM}, {13, Quantization::MixQ3KL},  {14, Quantization::MixQ4KS},
    {15, Quantization::MixQ4KM}, {16, Quantization::MixQ5KS},  {17, Quantization::MixQ5KM},
    {18, Quantization::Q6K},     {19, Quantization::Iq2Xxs},   {20, Quantization::Iq2Xs},
    {21, Quantization::MixQ2KS}, {22, Quantization::MixIq3Xs}, {23, Quantization::Iq3Xxs},
    {24, Quantization::Iq1S},    {25, Quantization::Iq4Nl},    {26, Quantization::Iq3S},
    {27, Quantization::MixIq3M}, {28, Quantization::Iq2S},     {29, Quantization::MixIq2M},
    {30, Quantization::Iq4Xs},   {31, Quantization::Iq1M},     {32, Quantization::Bf16},
    {36, Quantization::Tq1_0},   {37, Quantization::Tq2_0},    {38, Quantization::MixMxfp4},
    {40, Quantization::Q1_0},
});
// Set where the writer counted tensors rather than was told.
constexpr std::int64_t kGuessed = 1024;

}  // namespace

std::span<const GgufArchitecture> gguf_architectures() { return kGgufArchitectures; }

const GgufArchitecture* gguf_architecture(std::string_view name) {
  const auto found = std::ranges::find(kGgufArchitectures, name, &GgufArchitecture::name);
  return found == kGgufArchitectures.end() ? nullptr : &*found;
}

std::optional<Quantization> gguf_file_type(std::int64_t number) {
  if (number >= kGuessed) number -= kGuessed;
  const auto found = std::ranges::find(kFileTypes, number, &FileType::number);
  return found == kFileTypes.end() ? std::nullopt : std::optional(found->quantization);
}

}  // namespace gpushape::catalog
