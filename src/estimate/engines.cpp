#include "estimate/engines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpushape::estimate {
namespace {

// Sources: vLLM model_executor/models/registry.py, SGLang srt/models, TensorRT-LLM _torch/models,
// llama.cpp convert_hf_to_gguf.py and the architectures of llama-model.cpp: families that none of
// them has, those with T5 that llama.cpp alone has, and what it lacks.
constexpr std::string_view kUnservedByAny =
    "rwkv5 canine gpt_neo biogpt openai-gpt zamba jetmoe recurrent_gemma marian pegasus pegasus_x "
    "bigbird_pegasus blenderbot blenderbot-small led plbart fsmt prophetnet xlm-prophetnet "
    "speech_to_text codegen xglm diffllama Emu3 longt5 switch_transformers data2vec-text deberta "
    "roberta-prelayernorm rembert xmod big_bird longformer luke dpr fnet esm layoutlm layoutlmv3 "
    "lilt convbert squeezebert wavlm wav2vec2 hubert unispeech unispeech-sat data2vec-audio "
    "wav2vec2-conformer moonshine";
constexpr std::string_view kT5 = "t5 mt5 umt5";
constexpr std::string_view kUnservedByLlamaCpp =
    "siglip zamba2 phi4flash voxtral_realtime ouro hrm_text iquestloopcoder motif Motif doge "
    "nanochat telechat telechat2 persimmon fuyu longcat_flash longcat_flash_ngram";

constexpr UnservedFamilies kUnserved{kUnservedByAny, kT5};
constexpr UnservedFamilies kUnservedByGgml{kUnservedByAny, kUnservedByLlamaCpp};

constexpr auto kEngines = std::to_array<EngineRow>({
    {"vllm", "vLLM: a share of the GPU's total, less what a dummy step used", engines::vllm_terms,
     engines::plan_vllm, engines::vllm_capacity, engines::settle_vllm, ShareOf::Total, false,
     kUnserved},
    {"sglang", "SGLang: a share of what is free before loading, for weights and cache",
     engines::sglang_terms, engines::plan_sglang, engines::sglang_capacity, engines::settle_sglang,
     ShareOf::FreeBefore, false, kUnserved},
    {"tensorrt-llm", "TensorRT-LLM: a share of what a dummy step leaves free",
     engines::tensorrt_llm_terms, engines::plan_tensorrt_llm, engines::tensorrt_llm_capacity,
     engines::settle_tensorrt_llm, ShareOf::FreeAfter, false, kUnserved},
    {"transformers", "Hugging Face generate: a cache that grows with what is generated",
     engines::transformers_terms, engines::plan_transformers, engines::transformers_capacity,
     engines::settle_transformers, ShareOf::Nothing},
    {"pytorch", "PyTorch trainers: what stays for the run, and the peak of a step",
     engines::pytorch_terms, engines::plan_pytorch, engines::pytorch_capacity,
     engines::settle_pytorch, ShareOf::Nothing},
    {"llama.cpp", "llama.cpp: a GGUF file's layers, a cache for every slot, planned buffers",
     engines::llama_cpp_terms, engines::plan_llama_cpp, engines::llama_cpp_capacity,
     engines::settle_llama_cpp, ShareOf::Nothing, true, kUnservedByGgml},
    {"ollama", "Ollama: llama.cpp with its own defaults", engines::llama_cpp_terms,
     engines::plan_llama_cpp, engines::llama_cpp_capacity, engines::settle_llama_cpp,
     ShareOf::Nothing, true, kUnservedByGgml},
});

/// Whether `word` is one of those that stand in `words` with a space between them.
bool holds_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at < words.size(); at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || words[at - 1] == ' ';
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

bool serves(const EngineRow& engine, std::string_view family) {
  return std::ranges::none_of(
      engine.unserved, [&](std::string_view families) { return holds_word(families, family); });
}

std::span<const EngineRow> engine_rows() { return kEngines; }

const EngineRow* engine_row(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace gpushape::estimate
