#include "estimate/engines.hpp"

#include <array>

namespace gpushape::estimate {
namespace {

constexpr auto kEngines = std::to_array<EngineRow>({
    {"vllm", "vLLM: a share of the GPU's total, less what a dummy step used", engines::vllm_terms,
     engines::plan_vllm, engines::vllm_capacity, engines::settle_vllm},
    {"sglang", "SGLang: a share of what is free before loading, for weights and cache",
     engines::sglang_terms, engines::plan_sglang, engines::sglang_capacity, engines::settle_sglang,
     ShareOf::FreeBefore},
    {"tensorrt-llm", "TensorRT-LLM: a share of what a dummy step leaves free",
     engines::tensorrt_llm_terms, engines::plan_tensorrt_llm, engines::tensorrt_llm_capacity,
     engines::settle_tensorrt_llm, ShareOf::FreeAfter},
    {"transformers", "Hugging Face generate: a cache that grows with what is generated",
     engines::transformers_terms, engines::plan_transformers, engines::transformers_capacity,
     engines::settle_transformers, ShareOf::Nothing, false, true},
    {"pytorch", "PyTorch trainers: what stays for the run, and the peak of a step",
     engines::pytorch_terms, engines::plan_pytorch, engines::pytorch_capacity,
     engines::settle_pytorch, ShareOf::Nothing, false, true},
    {"llama.cpp", "llama.cpp: a GGUF file's layers, a cache for every slot, planned buffers",
     engines::llama_cpp_terms, engines::plan_llama_cpp, engines::llama_cpp_capacity,
     engines::settle_llama_cpp, ShareOf::Nothing, true},
    {"ollama", "Ollama: llama.cpp with its own defaults", engines::llama_cpp_terms,
     engines::plan_llama_cpp, engines::llama_cpp_capacity, engines::settle_llama_cpp,
     ShareOf::Nothing, true},
});

}  // namespace

std::span<const EngineRow> engine_rows() { return kEngines; }

const EngineRow* engine_row(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace gpushape::estimate
