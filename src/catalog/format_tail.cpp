#include "catalog/format_tail.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "domain/quantization.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;

/// What a word tells; several make a format.
enum Tells : std::uint32_t {
  kNothing = 0,
  kFp8 = 1U << 0U,
  kNvfp4 = 1U << 1U,
  kMxfp4 = 1U << 2U,
  kMxfp8 = 1U << 3U,
  kEight = 1U << 4U,
  kFour = 1U << 5U,
  kInteger = 1U << 6U,  ///< of which type the bits are
  kWeightsAlone = 1U << 7U,
  kInputsInEight = 1U << 8U,
  kAwq = 1U << 9U,
  kGptq = 1U << 10U,
  kBitsAndBytes = 1U << 11U,
  kHqq = 1U << 12U,
  kByBlock = 1U << 13U,
  kByRow = 1U << 14U,
  kAsymmetric = 1U << 15U,
  kGroups32 = 1U << 16U,
  kGroups64 = 1U << 17U,
};

struct Word {
  std::string_view word;
  std::uint32_t tells = kNothing;
};

// Source: names of repositories on the Hub by llm-compressor, AutoAWQ, GPTQModel, AutoRound,
// torchao, ModelOpt and Quark.
constexpr auto kWords = std::to_array<Word>({
    {"fp8", kFp8},
    {"float8", kFp8},
    {"e4m3", kFp8},
    {"float8dq", kFp8 | kByRow},
    {"float8wo", kFp8 | kByRow},
    {"nvfp4", kNvfp4},
    {"nvfp4a16", kNvfp4},
    {"fp4", kNvfp4},
    {"w4a4", kNvfp4},
    {"mxfp4", kMxfp4},
    {"mxfp4a16", kMxfp4},
    {"mxfp8", kMxfp8},
    {"int8", kEight | kInteger},
    {"w8a8", kEight | kInteger | kInputsInEight},
    {"w8a16", kEight | kInteger | kWeightsAlone},
    {"int8wo", kEight | kInteger | kWeightsAlone},
    {"8bit", kEight},
    {"8bits", kEight},
    {"int4", kFour | kInteger},
    {"int4wo", kFour | kInteger},
    {"w4a16", kFour | kInteger | kWeightsAlone},
    {"w4a8", kFour | kInteger | kInputsInEight},
    {"4bit", kFour},
    {"4bits", kFour},
    {"awq", kAwq},
    {"autoawq", kAwq},
    {"gptq", kGptq},
    {"gptqmodel", kGptq},
    {"autoround", kGptq},
    {"bnb", kBitsAndBytes},
    {"bitsandbytes", kBitsAndBytes},
    {"nf4", kBitsAndBytes | kFour},
    {"hqq", kHqq},
    {"block", kByBlock},
    {"blockwise", kByBlock},
    {"block128", kByBlock},
    {"dynamic", kByRow},
    {"channel", kByRow},
    {"channelwise", kByRow},
    {"token", kByRow},
    {"asym", kAsymmetric},
    {"g32", kGroups32},
    {"32g", kGroups32},
    {"g64", kGroups64},
    {"64g", kGroups64},
    {"g128", kNothing},
    {"128g", kNothing},
    {"sym", kNothing},
    {"static", kNothing},
    {"per", kNothing},
    {"tensor", kNothing},
    {"tensors", kNothing},
    {"tensorwise", kNothing},
    {"compressed", kNothing},
    {"ct", kNothing},
    {"quantized", kNothing},
    {"quant", kNothing},
    {"weight", kNothing},
    {"only", kNothing},
    {"kv", kNothing},
    {"kv8", kNothing},
    {"marlin", kNothing},
    {"rtn", kNothing},
    {"smoothquant", kNothing},
    {"torchao", kNothing},
    {"ao", kNothing},
    {"modelopt", kNothing},
    {"quark", kNothing},
    {"llmcompressor", kNothing},
});

struct Meaning {
  std::uint32_t all = kNothing;   ///< told
  std::uint32_t none = kNothing;  ///< not told
  std::string_view suffix;
};
constexpr std::uint32_t kOtherFloats = kNvfp4 | kMxfp4 | kMxfp8;
constexpr std::uint32_t kFloats = kFp8 | kOtherFloats;
constexpr std::uint32_t kTools = kAwq | kGptq | kBitsAndBytes | kHqq;
// The first that fits.
constexpr auto kMeanings = std::to_array<Meaning>({
    {kNvfp4 | kFp8, kMxfp4 | kMxfp8 | kTools, "-nvfp4-fp8"},
    {kNvfp4, kFp8 | kMxfp4 | kMxfp8 | kEight | kTools, "-nvfp4"},
    {kMxfp4, kFp8 | kMxfp8 | kEight | kTools, "-mxfp4"},
    {kMxfp8, kFp8 | kFour | kTools, "-mxfp8"},
    {kFp8 | kByBlock, kOtherFloats | kFour | kTools, "-fp8-block"},
    {kFp8 | kByRow, kOtherFloats | kFour | kTools, "-fp8-dynamic"},
    {kFp8, kOtherFloats | kFour | kTools, "-fp8"},
    {kBitsAndBytes | kEight, kFloats | kFour | kAwq | kGptq | kHqq, "-bnb-8bit"},
    {kBitsAndBytes, kFloats | kAwq | kGptq | kHqq, "-bnb-4bit"},
    {kHqq, kFloats | kEight | kAwq | kGptq, "-hqq"},
    {kAwq, kFloats | kEight | kGptq, "-awq"},
    {kFour | kAsymmetric, kFloats | kEight | kGptq, "-awq"},
    {kGptq | kEight, kFloats | kFour, "-gptq-int8"},
    {kGptq, kFloats, "-gptq-int4"},
    {kEight | kInteger | kWeightsAlone, kFloats | kFour, "-w8a16"},
    {kEight | kInteger, kFloats | kFour, "-w8a8"},
    {kFour | kInteger | kInputsInEight, kFloats | kEight, "-w4a8"},
    {kFour | kInteger, kFloats | kEight, "-w4a16"},
});

// ---- suffixes of their own

constexpr std::string_view kGroups =
    "the size of its groups stands in the name; lm_head in 16 bits";
constexpr std::string_view kMixed =
    "both formats stand in the name: attention in FP8, as llm-compressor's examples of mixed "
    "precision keep it, or more (https://docs.vllm.ai/projects/llm-compressor)";
constexpr std::string_view kFullAttention = "re:.*self_attn.*";
constexpr std::string_view kLinearAttention = "re:.*linear_attn.*";
constexpr int kSmall = 32;
constexpr int kHalf = 64;
constexpr double kMoreInFp8 = 0.3;

constexpr auto kSuffixes = std::to_array<RepositorySuffix>({
    {.suffix = "-awq-g32", .linear = Quantization::Awq, .group = kSmall, .source = kGroups},
    {.suffix = "-awq-g64", .linear = Quantization::Awq, .group = kHalf, .source = kGroups},
    {.suffix = "-gptq-int4-g32",
     .linear = Quantization::GptqInt4,
     .group = kSmall,
     .source = kGroups},
    {.suffix = "-gptq-int4-g64",
     .linear = Quantization::GptqInt4,
     .group = kHalf,
     .source = kGroups},
    {.suffix = "-gptq-int8-g32",
     .linear = Quantization::GptqInt8,
     .group = kSmall,
     .source = kGroups},
    {.suffix = "-gptq-int8-g64",
     .linear = Quantization::GptqInt8,
     .group = kHalf,
     .source = kGroups},
    {.suffix = "-w4a16-g32", .linear = Quantization::Int4, .group = kSmall, .source = kGroups},
    {.suffix = "-w4a16-g64", .linear = Quantization::Int4, .group = kHalf, .source = kGroups},
    {.suffix = "-nvfp4-fp8",
     .linear = Quantization::Nvfp4,
     .richer = kMoreInFp8,
     .modules = {{{kFullAttention, Quantization::Fp8Channel},
                  {kLinearAttention, Quantization::Fp8Channel}}},
     .source = kMixed},
});

bool is_mark(char letter) { return std::string_view("-_. ").contains(letter); }

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  });
  return result;
}

}  // namespace

std::optional<FormatTail> format_tail(std::string_view repository) {
  const std::string name = lower(repository.substr(repository.rfind('/') + 1));
  std::uint32_t told = kNothing;
  std::size_t end = name.size();
  while (end > 0) {
    std::size_t begin = end;
    while (begin > 0 && !is_mark(name[begin - 1])) --begin;
    if (begin == 0) break;  // a name is left before the words
    const std::string_view word = std::string_view(name).substr(begin, end - begin);
    const auto* const row = std::ranges::find(kWords, word, &Word::word);
    if (row == kWords.end()) break;
    told |= row->tells;
    end = begin - 1;
  }
  const auto* const meaning = std::ranges::find_if(kMeanings, [&](const Meaning& one) {
    return (told & one.all) == one.all && (told & one.none) == kNothing;
  });
  if (meaning == kMeanings.end()) return std::nullopt;
  std::string suffix(meaning->suffix);
  if ((told & (kGroups32 | kGroups64)) != kNothing)
    suffix += (told & kGroups32) != kNothing ? "-g32" : "-g64";
  return FormatTail{name.size() - end, std::move(suffix)};
}

std::span<const RepositorySuffix> tail_suffixes() { return kSuffixes; }

}  // namespace gpushape::catalog
