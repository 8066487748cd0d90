#include "catalog/format_tail.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "catalog/quantization_methods.hpp"
#include "domain/quantization.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;

/// What a word tells; several make a format.
using Tells = std::uint32_t;
constexpr Tells kNothing = 0;
constexpr Tells kFp8 = 1U << 0U;
constexpr Tells kNvfp4 = 1U << 1U;
constexpr Tells kMxfp4 = 1U << 2U;
constexpr Tells kMxfp8 = 1U << 3U;
constexpr Tells kEight = 1U << 4U;
constexpr Tells kFour = 1U << 5U;
constexpr Tells kInteger = 1U << 6U;  ///< of which type the bits are
constexpr Tells kWeightsAlone = 1U << 7U;
constexpr Tells kInputsInEight = 1U << 8U;
constexpr Tells kAwq = 1U << 9U;
constexpr Tells kGptq = 1U << 10U;
constexpr Tells kBitsAndBytes = 1U << 11U;
constexpr Tells kHqq = 1U << 12U;
constexpr Tells kByBlock = 1U << 13U;
constexpr Tells kByRow = 1U << 14U;
constexpr Tells kAsymmetric = 1U << 15U;
constexpr Tells kGroups32 = 1U << 16U;
constexpr Tells kGroups64 = 1U << 17U;
constexpr Tells kGroups128 = 1U << 18U;

struct Word {
  std::string_view word;
  Tells tells = kNothing;
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
    {"w4", kFour},
    {"gemm", kNothing},
    {"gemv", kNothing},
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
    {"g128", kGroups128},
    {"128g", kGroups128},
    {"qgs128", kGroups128},
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
  Tells all = kNothing;   ///< told
  Tells none = kNothing;  ///< not told
  std::string_view suffix;
};
constexpr Tells kOtherFloats = kNvfp4 | kMxfp4 | kMxfp8;
constexpr Tells kFloats = kFp8 | kOtherFloats;
constexpr Tells kTools = kAwq | kGptq | kBitsAndBytes | kHqq;
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
    "precision keep it, or up to all of it (https://docs.vllm.ai/projects/llm-compressor)";
/// Of Llama-3.1-8B 6.20 GiB, and 8.49 with all of it in FP8: a byte a value, where NVFP4 takes four
/// bits and a byte for 16.
constexpr double kAllInFp8 = 0.37;

constexpr RepositorySuffix in_groups(std::string_view suffix, Quantization linear, int group) {
  return {.suffix = suffix, .linear = linear, .group = group, .source = kGroups};
}

constexpr auto kSuffixes = std::to_array<RepositorySuffix>({
    in_groups("-awq-g32", Quantization::Awq, 32),
    in_groups("-awq-g64", Quantization::Awq, 64),
    in_groups("-awq-g128", Quantization::Awq, 128),
    in_groups("-gptq-int4-g32", Quantization::GptqInt4, 32),
    in_groups("-gptq-int4-g64", Quantization::GptqInt4, 64),
    in_groups("-gptq-int4-g128", Quantization::GptqInt4, 128),
    in_groups("-gptq-int8-g32", Quantization::GptqInt8, 32),
    in_groups("-gptq-int8-g64", Quantization::GptqInt8, 64),
    in_groups("-gptq-int8-g128", Quantization::GptqInt8, 128),
    in_groups("-w4a16-g32", Quantization::Int4, 32),
    in_groups("-w4a16-g64", Quantization::Int4, 64),
    in_groups("-w4a16-g128", Quantization::Int4, 128),
    {.suffix = "-nvfp4-fp8",
     .linear = Quantization::Nvfp4,
     .richer = kAllInFp8,
     .modules = {{{kFullAttention, Quantization::Fp8Channel},
                  {kLinearAttention, Quantization::Fp8Channel}}},
     .source = kMixed},
});

/// Sizes of groups, as the suffixes above end in them.
constexpr auto kGroupEndings =
    std::to_array<Word>({{"-g32", kGroups32}, {"-g64", kGroups64}, {"-g128", kGroups128}});

}  // namespace

std::optional<FormatTail> format_tail(std::string_view repository) {
  const std::string name = lower_case(std::string(repository.substr(repository.rfind('/') + 1)));
  Tells told = kNothing;
  std::string_view before = name;
  // A name is left before the words, so that the first of all is none of them.
  for (std::size_t mark = before.find_last_of("-_. "); mark != std::string_view::npos;
       mark = before.find_last_of("-_. ")) {
    const auto* const row = std::ranges::find(kWords, before.substr(mark + 1), &Word::word);
    if (row == kWords.end()) break;
    told |= row->tells;
    before = before.substr(0, mark);
  }
  const auto* const meaning = std::ranges::find_if(kMeanings, [&](const Meaning& one) {
    return (told & one.all) == one.all && (told & one.none) == kNothing;
  });
  if (meaning == kMeanings.end()) return std::nullopt;
  std::string suffix(meaning->suffix);
  for (const Word& row : kGroupEndings) {
    if ((told & row.tells) == kNothing) continue;
    const std::string sized = suffix + std::string(row.word);
    const bool is_there = std::ranges::any_of(
        kSuffixes, [&](const RepositorySuffix& other) { return other.suffix == sized; });
    if (is_there) suffix = sized;
  }
  return FormatTail{name.size() - before.size(), std::move(suffix)};
}

std::span<const RepositorySuffix> tail_suffixes() { return kSuffixes; }

}  // namespace gpushape::catalog
