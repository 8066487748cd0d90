#include "catalog/quantization_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "base/edit_distance.hpp"

namespace gpushape::catalog {
namespace {

using domain::KvCacheType;
using domain::Quantization;

// The words of flags, of configs and of repository names, each with one meaning. Sources: the
// values of vLLM's --dtype and --quantization, of SGLang's --quantization and of TensorRT-LLM's
// QuantAlgo (quantization/mode.py), the `quant_method`, `format` and `quant_algo` words of
// published configs, and the suffixes of published repositories. What a config alone decides has a
// remark.
constexpr auto kQuantizations = std::to_array<QuantizationSpelling>({
    {"float32", Quantization::Fp32},
    {"float", Quantization::Fp32},
    {"f32", Quantization::Fp32},
    {"bfloat16", Quantization::Bf16},
    {"float16", Quantization::Fp16},
    {"half", Quantization::Fp16},
    {"f16", Quantization::Fp16},
    {"fp8-e4m3", Quantization::Fp8},
    {"fp8-tensor", Quantization::Fp8},
    {"fp8-per-tensor", Quantization::Fp8},
    {"fp8-static", Quantization::Fp8},
    {"w8a8-fp8", Quantization::Fp8},
    {"fp8-e5m2", Quantization::Fp8},
    {"fp8-inc", Quantization::Fp8},
    {"modelopt-fp8", Quantization::Fp8},
    {"float8", Quantization::Fp8},
    {"fp8-dynamic", Quantization::Fp8Channel},
    {"fp8-per-channel", Quantization::Fp8Channel},
    {"fp8-per-channel-per-token", Quantization::Fp8Channel},
    {"float-quantized", Quantization::Fp8Channel},
    {"ptpc-fp8", Quantization::Fp8Channel},
    {"fbgemm-fp8", Quantization::Fp8Channel},
    {"fp8-blockwise", Quantization::Fp8Block},
    {"fp8-per-block", Quantization::Fp8Block},
    {"fp8-pb-wo", Quantization::Fp8Block},
    {"fp8-pb-real", Quantization::Fp8Block},
    {"fp8-block-scales", Quantization::Fp8Block},
    {"finegrained-fp8", Quantization::Fp8Block},
    {"w8a8-block-fp8", Quantization::Fp8Block},
    {"modelopt-mxfp8", Quantization::Mxfp8},
    {"modelopt", Quantization::Fp8},
    {"block-fp8", Quantization::Fp8Block},
    {"w8a8", Quantization::Int8},
    {"w8a8-int8", Quantization::Int8},
    {"int-quantized", Quantization::Int8},
    {"int8-sq", Quantization::Int8},
    {"w8a8-sq-per-channel", Quantization::Int8},
    {"w8a8-sq-per-tensor-plugin", Quantization::Int8},
    {"w8a8-sq-per-tensor-per-token-plugin", Quantization::Int8},
    {"w8a8-sq-per-channel-per-tensor-plugin", Quantization::Int8},
    {"w8a8-sq-per-channel-per-token-plugin", Quantization::Int8},
    {"int8-dynamic-activation-int8-weight", Quantization::Int8},
    {"int8-weight-only", Quantization::Int8Weight},
    {"int8-wo", Quantization::Int8Weight},
    {"int8wo", Quantization::Int8Weight},
    {"w8a16-int8", Quantization::Int8Weight},
    {"w8a16-gptq", Quantization::Int8Weight},  // ModelOpt's
    {"experts-int8", Quantization::Int8Weight},
    {"eetq", Quantization::Int8Weight},
    {"quanto", Quantization::Int8Weight, "8 bits where no config says otherwise"},
    {"gptq-8bit", Quantization::GptqInt8},
    {"gptq-w8a16", Quantization::GptqInt8},
    {"w4a16", Quantization::Int4},
    {"gptq", Quantization::GptqInt4},
    {"gptqmodel", Quantization::GptqInt4},
    {"auto-gptq", Quantization::GptqInt4},
    {"autogptq", Quantization::GptqInt4},
    {"gptq-4bit", Quantization::GptqInt4},
    {"gptq-marlin", Quantization::GptqInt4},
    {"marlin", Quantization::GptqInt4},
    {"moe-wna16", Quantization::GptqInt4},
    {"gptq-w4a16", Quantization::GptqInt4},
    {"gptq-3bit", Quantization::GptqInt3},
    {"gptq-2bit", Quantization::GptqInt2},
    {"auto-round", Quantization::GptqInt4},
    {"autoround", Quantization::GptqInt4},
    {"intel/auto-round", Quantization::GptqInt4},
    {"inc", Quantization::GptqInt4},  // Intel's neural compressor, as vLLM calls auto-round
    {"pack-quantized", Quantization::Int4},
    {"int4-weight-only", Quantization::Int4},
    {"w4a16-awq", Quantization::Int4},   // ModelOpt's: symmetric
    {"w4a16-gptq", Quantization::Int4},  // so, too
    {"int4-awq", Quantization::Int4},
    {"w4a8-awq", Quantization::Int4Act8},
    {"w4afp8", Quantization::Int4Act8},
    {"qoq", Quantization::Int4Act8},
    {"w4a8-qserve-per-group", Quantization::Int4Act8},
    {"w4a8-qserve-per-channel", Quantization::Int4Act8},
    {"int8-dynamic-activation-int4-weight", Quantization::Int4Act8},
    {"awq-int4", Quantization::Awq},
    {"awq-4bit", Quantization::Awq},
    {"autoawq", Quantization::Awq},
    {"auto-awq", Quantization::Awq},
    {"w4a16-asym", Quantization::Awq},
    {"hqq", Quantization::Awq, "4 bits with zero points where no config says otherwise"},
    {"awq-marlin", Quantization::Awq},
    {"bnb-8bit", Quantization::BnbInt8},
    {"bitsandbytes-8bit", Quantization::BnbInt8},
    {"load-in-8bit", Quantization::BnbInt8},
    {"llm-int8", Quantization::BnbInt8},
    {"nf4", Quantization::BnbNf4},
    {"bnb-4bit", Quantization::BnbNf4},
    {"bnb", Quantization::BnbNf4, "4 bits, as engines make it while they load"},
    {"bitsandbytes", Quantization::BnbNf4},
    {"bitsandbytes-4bit", Quantization::BnbNf4},
    {"load-in-4bit", Quantization::BnbNf4},
    {"nf4-double", Quantization::BnbNf4Double},
    {"bnb-4bit-double", Quantization::BnbNf4Double},
    {"mxfp4-pack-quantized", Quantization::Mxfp4},
    {"mxfp4-w4a4", Quantization::Mxfp4},
    {"w4a16-mxfp4", Quantization::Mxfp4},
    {"w4a8-mxfp4-fp8", Quantization::Mxfp4},
    {"w4a8-mxfp4-mxfp8", Quantization::Mxfp4},
    {"fp4", Quantization::Nvfp4},
    {"modelopt-fp4", Quantization::Nvfp4},
    {"petit-nvfp4", Quantization::Nvfp4},
    {"nvfp4-pack-quantized", Quantization::Nvfp4},
    {"w4a4-nvfp4", Quantization::Nvfp4},
    {"w4a16-nvfp4", Quantization::Nvfp4},
    {"w4a8-nvfp4-fp8", Quantization::Nvfp4},
    {"nvfp4-awq", Quantization::Nvfp4},
    {"nvfp4-svdquant", Quantization::Nvfp4},
    // llama.cpp's names in file headers and logs, and the short ones of its quantize.
    {"q2-k---medium", Quantization::Q2K},
    {"q2-k---small", Quantization::MixQ2KS},
    {"q3-k---small", Quantization::MixQ3KS},
    {"q3-k---medium", Quantization::MixQ3KM},
    {"q3-k---large", Quantization::MixQ3KL},
    {"q4-k---small", Quantization::MixQ4KS},
    {"q4-k---medium", Quantization::MixQ4KM},
    {"q5-k---small", Quantization::MixQ5KS},
    {"q5-k---medium", Quantization::MixQ5KM},
    {"iq3-s-mix", Quantization::MixIq3M},
    {"all-f32", Quantization::Fp32},
    // Unsloth's, as its documents shorten them, and as it calls some files beside those.
    {"q2-k-xl", Quantization::UdQ2KXl},
    {"q4-k-xl", Quantization::UdQ4KXl},
    {"q5-k-xl", Quantization::UdQ5KXl},
    {"q6-k-xl", Quantization::UdQ6KXl},
    {"q8-k-xl", Quantization::UdQ8KXl},
    {"ud-q3-k-m", Quantization::UdQ3KXl},
    {"ud-q4-k-s", Quantization::UdQ4KXl},
    {"ud-q4-k-m", Quantization::UdQ4KXl},
    {"ud-q5-k-m", Quantization::UdQ5KXl},
    {"ud-q6-k", Quantization::UdQ6KXl},
    {"ud-iq4-nl", Quantization::UdIq4Xs},
    {"q2", Quantization::Q2K},
    {"q3", Quantization::MixQ3KM},
    {"q4", Quantization::MixQ4KM},
    {"q5", Quantization::MixQ5KM},
    {"q6", Quantization::Q6K},
    {"q8", Quantization::Q8_0},
});

// Words that people give where a precision is asked for, and that tell none: what they are, and
// what to give instead. Sources: QUANTIZATION_METHODS of vLLM and SGLang, and the loaders of
// exllamav2, exllamav3 and text-generation-inference.
struct OtherWord {
  std::string_view word;
  std::string_view what;
  std::string_view instead;
};
constexpr std::string_view kContainer = "holds weights of several precisions";
constexpr std::string_view kExLlama = "is read by ExLlama alone, which is no engine of the catalog";
constexpr std::string_view kNotSized = "is a format that nothing here sizes";
constexpr std::string_view kSparse = "keeps two of four weights, which nothing here sizes";
constexpr std::string_view kBitsAlone = "says how many bits, not which format";
constexpr std::string_view kFourBits = "awq, gptq-int4, int4, bnb-nf4, nvfp4, mxfp4 or q4_k_m";
constexpr std::string_view kEightBits = "fp8, fp8-block, int8, w8a16, gptq-int8, bnb-int8 or q8_0";
constexpr auto kOtherWords = std::to_array<OtherWord>({
    {"compressed-tensors", kContainer,
     "fp8-channel, fp8-block, int8, w8a16, int4, w4a8, nvfp4 or mxfp4"},
    {"gguf", kContainer, "a type or mix: q4_k_m, q5_k_m, q6_k, q8_0, iq4_xs"},
    {"quark", kContainer, "fp8, int8, int4, mxfp4 or mxfp6"},
    {"torchao", kContainer, "int8, w8a16, int4 or fp8"},
    {"modelopt-mixed", kContainer, "fp8, nvfp4 or int4"},
    {"mixed", kContainer, "the precision of most layers"},
    {"mlx", kContainer, "int4 or w8a16"},
    {"exl2", kExLlama, kFourBits},
    {"exl3", kExLlama, kFourBits},
    {"squeezellm", kNotSized, kFourBits},
    {"aqlm", kNotSized, "gptq-int2 or iq2_xs"},
    {"gptq-marlin-24", kSparse, "gptq-int4 for all weights in 4 bits"},
    {"marlin-24", kSparse, "gptq-int4 for all weights in 4 bits"},
    {"sparse-24", kSparse, "the precision of all weights"},
    {"deepspeedfp", kNotSized, "fp8 or mxfp6"},
    {"4bit", kBitsAlone, kFourBits},
    {"4-bit", kBitsAlone, kFourBits},
    {"8bit", kBitsAlone, kEightBits},
    {"8-bit", kBitsAlone, kEightBits},
});

// The words of vLLM (--kv-cache-dtype), SGLang (--kv-cache-dtype), llama.cpp (--cache-type-k),
// LMDeploy (--quant-policy) and torch. fp8_e5m2 takes the room of fp8_e4m3, and nvfp4_4over6 that
// of nvfp4.
constexpr auto kKvCacheTypes = std::to_array<KvCacheSpelling>({
    {"float32", KvCacheType::Fp32},
    {"float", KvCacheType::Fp32},
    {"f32", KvCacheType::Fp32},
    {"bfloat16", KvCacheType::Bf16},
    {"float16", KvCacheType::Fp16},
    {"half", KvCacheType::Fp16},
    {"f16", KvCacheType::Fp16},
    {"fp8-e4m3", KvCacheType::Fp8},
    {"fp8-e5m2", KvCacheType::Fp8},
    {"fp8-inc", KvCacheType::Fp8},
    {"float8", KvCacheType::Fp8},
    {"fp8-ds", KvCacheType::Fp8Latent},
    {"int8-per-token-head", KvCacheType::Int8},
    {"int4-per-token-head", KvCacheType::Int4},
    {"nvfp4-4over6", KvCacheType::Nvfp4},
    {"fp4", KvCacheType::Nvfp4},
    {"fp4-e2m1", KvCacheType::Nvfp4},
    {"turboquant-4bit-nc", KvCacheType::TurboK4V4},
    {"turboquant-k3v4-nc", KvCacheType::TurboK3V4},
    {"turboquant-3bit-nc", KvCacheType::TurboK3V3},
});

std::string normal(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return letter == '_' || letter == ' ' ? '-' : static_cast<char>(std::tolower(letter));
  });
  return result;
}

template <class E, class Rows>
Result<E> parse(std::string_view word, const Rows& rows, std::string_view what) {
  const std::string wanted = normal(word);
  for (const auto& row : kNames<E>) {
    if (normal(row.name) == wanted) return row.value;
  }
  for (const auto& row : rows) {
    if (row.spelling == wanted) return row.value;
  }
  std::vector<std::string> names = all_names<E>();
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  for (const auto& row : rows) names.emplace_back(row.spelling);
  return failure(fmt::format("'{}' is not a {}", word.substr(0, 60), what),
                 suggestion(wanted, names, "known are " + list));
}

}  // namespace

std::span<const QuantizationSpelling> quantization_spellings() { return kQuantizations; }
std::span<const KvCacheSpelling> kv_cache_spellings() { return kKvCacheTypes; }

std::string why_no_quantization(std::string_view word) {
  const auto other = std::ranges::find(kOtherWords, normal(word), &OtherWord::word);
  return other == kOtherWords.end() ? std::string() : std::string(other->what);
}

bool is_as_stored(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWords = {"auto", "none", "stored"};
  return std::ranges::find(kWords, normal(word)) != kWords.end();
}

Result<Quantization> parse_quantization(std::string_view word) {
  const auto other = std::ranges::find(kOtherWords, normal(word), &OtherWord::word);
  if (other != kOtherWords.end())
    return failure(fmt::format("'{}' {}", word, other->what),
                   fmt::format("give {}", other->instead));
  return parse<Quantization>(word, kQuantizations, "quantization");
}

Result<KvCacheType> parse_kv_cache_type(std::string_view word) {
  return parse<KvCacheType>(word, kKvCacheTypes, "KV cache type");
}

}  // namespace gpushape::catalog
