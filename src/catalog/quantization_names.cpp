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

// Sources: the values of vLLM's --dtype and --quantization, the `quant_method` and `format` words
// of published configs, and the suffixes of published repositories.
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
    {"fp8-static", Quantization::Fp8},
    {"w8a8-fp8", Quantization::Fp8},
    {"float8", Quantization::Fp8},
    {"fp8-dynamic", Quantization::Fp8Channel},
    {"fp8-per-channel", Quantization::Fp8Channel},
    {"float-quantized", Quantization::Fp8Channel},
    {"ptpc-fp8", Quantization::Fp8Channel},
    {"fbgemm-fp8", Quantization::Fp8Channel},
    {"fp8-blockwise", Quantization::Fp8Block},
    {"fp8-pb-wo", Quantization::Fp8Block},
    {"w8a8-block-fp8", Quantization::Fp8Block},
    {"modelopt-mxfp8", Quantization::Mxfp8},
    {"modelopt", Quantization::Fp8},
    {"block-fp8", Quantization::Fp8Block},
    {"w8a8", Quantization::Int8},
    {"w8a8-int8", Quantization::Int8},
    {"int-quantized", Quantization::Int8},
    {"int8-weight-only", Quantization::Int8Weight},
    {"w8a16-int8", Quantization::Int8Weight},
    {"gptq-8bit", Quantization::GptqInt8},
    {"gptq-w8a16", Quantization::GptqInt8},
    {"w4a16", Quantization::Int4},
    {"gptq", Quantization::GptqInt4},
    {"gptq-4bit", Quantization::GptqInt4},
    {"gptq-marlin", Quantization::GptqInt4},
    {"gptq-w4a16", Quantization::GptqInt4},
    {"gptq-3bit", Quantization::GptqInt3},
    {"gptq-2bit", Quantization::GptqInt2},
    {"auto-round", Quantization::GptqInt4},
    {"autoround", Quantization::GptqInt4},
    {"inc", Quantization::GptqInt4},  // Intel's neural compressor, as vLLM calls auto-round
    {"pack-quantized", Quantization::Int4},
    {"int4-weight-only", Quantization::Int4},
    {"w4a8-awq", Quantization::Int4Act8},
    {"awq-int4", Quantization::Awq},
    {"awq-4bit", Quantization::Awq},
    {"awq-marlin", Quantization::Awq},
    {"bnb-8bit", Quantization::BnbInt8},
    {"bitsandbytes-8bit", Quantization::BnbInt8},
    {"llm-int8", Quantization::BnbInt8},
    {"nf4", Quantization::BnbNf4},
    {"bnb-4bit", Quantization::BnbNf4},
    {"bitsandbytes", Quantization::BnbNf4},
    {"bitsandbytes-4bit", Quantization::BnbNf4},
    {"nf4-double", Quantization::BnbNf4Double},
    {"bnb-4bit-double", Quantization::BnbNf4Double},
    {"mxfp4-pack-quantized", Quantization::Mxfp4},
    {"fp4", Quantization::Nvfp4},
    {"modelopt-fp4", Quantization::Nvfp4},
    {"nvfp4-pack-quantized", Quantization::Nvfp4},
    {"w4a4-nvfp4", Quantization::Nvfp4},
    {"w4a16-nvfp4", Quantization::Nvfp4},
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

Result<Quantization> parse_quantization(std::string_view word) {
  return parse<Quantization>(word, kQuantizations, "quantization");
}

Result<KvCacheType> parse_kv_cache_type(std::string_view word) {
  return parse<KvCacheType>(word, kKvCacheTypes, "KV cache type");
}

}  // namespace gpushape::catalog
