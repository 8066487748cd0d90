#include "review/engine_variables.hpp"

#include <array>
#include <string>
#include <string_view>

namespace gpushape::review {

namespace {

struct VariableRow {
  std::string_view engine;
  std::string_view variable;
  std::string_view setting;
};

/// llama.cpp tools/server/README.md, "(env: …)"; text-generation-inference
/// docs/source/reference/launcher.md, "[env: …]"; Ollama envconfig/config.go.
constexpr auto kVariables = std::to_array<VariableRow>({
    {"llama.cpp", "LLAMA_ARG_MODEL", "file"},
    {"llama.cpp", "LLAMA_ARG_HF_REPO", "repository"},
    {"llama.cpp", "LLAMA_ARG_CTX_SIZE", "sharedContextTokens"},
    {"llama.cpp", "LLAMA_ARG_N_PARALLEL", "maxNumSeqs"},
    {"llama.cpp", "LLAMA_ARG_UBATCH", "maxNumBatchedTokens"},
    {"llama.cpp", "LLAMA_ARG_N_GPU_LAYERS", "layersOnGpu"},
    {"llama.cpp", "LLAMA_ARG_CACHE_TYPE_K", "kvCacheType"},
    {"llama.cpp", "LLAMA_ARG_CACHE_TYPE_V", "kvCacheType"},
    {"llama.cpp", "LLAMA_ARG_SPLIT_MODE", "layersOverGpus"},
    {"llama.cpp", "LLAMA_ARG_MMPROJ", "projector"},
    // vLLM envs.py to 0.14, --attention-backend since.
    {"vllm", "VLLM_ATTENTION_BACKEND", "attentionBackend"},
    // vLLM envs.py: off for 0 alone.
    {"vllm", "VLLM_MLA_DISABLE", "latentsOff"},
    {"text-generation-inference", "MODEL_ID", "model"},
    {"text-generation-inference", "NUM_SHARD", "tensor"},
    {"text-generation-inference", "SHARDED", "isSharded"},
    {"text-generation-inference", "QUANTIZE", "quantization"},
    {"text-generation-inference", "KV_CACHE_DTYPE", "kvCacheType"},
    {"text-generation-inference", "MAX_TOTAL_TOKENS", "contextTokens"},
    {"text-generation-inference", "MAX_BATCH_PREFILL_TOKENS", "maxNumBatchedTokens"},
    {"text-generation-inference", "CUDA_MEMORY_FRACTION", "utilization"},
    {"ollama", "OLLAMA_CONTEXT_LENGTH", "contextTokens"},
    {"ollama", "OLLAMA_NUM_PARALLEL", "maxNumSeqs"},
    {"ollama", "OLLAMA_KV_CACHE_TYPE", "kvCacheType"},
    {"ollama", "OLLAMA_FLASH_ATTENTION", "flashAttention"},
    // docs.nvidia.com/nim, "Configure a NIM": of the container for models of any publisher.
    {"nim", "NIM_MODEL_NAME", "model"},
    {"nim", "NIM_TENSOR_PARALLEL_SIZE", "tensor"},
    {"nim", "NIM_PIPELINE_PARALLEL_SIZE", "pipeline"},
    {"nim", "NIM_MAX_MODEL_LEN", "contextTokens"},
});

bool names_model(std::string_view setting) {
  return setting == "model" || setting == "file" || setting == "repository";
}

}  // namespace

void read_engine_variables(const Container& container, EngineCall& call) {
  for (const VariableRow& row : kVariables) {
    if (row.engine != call.engine) continue;
    const EnvironmentVariable* variable = container.variable(row.variable);
    if (variable == nullptr || variable->is_reference || variable->node == nullptr) continue;
    if (call.find(row.setting) != nullptr || variable->value.empty()) continue;
    const document::Position place = variable->node->position();
    call.settings.push_back({.setting = std::string(row.setting),
                             .flag = std::string(row.variable),
                             .value = variable->value,
                             .position = place,
                             .value_position = place});
    if (call.model.empty() && names_model(row.setting)) {
      call.model = variable->value;
      call.model_position = place;
    }
  }
}

std::optional<EngineCall> read_nim_call(const Container& container) {
  EngineCall call;
  call.engine = "nim";
  call.is_wrapped = true;
  read_engine_variables(container, call);
  const EngineSetting* tensor = call.find("tensor");
  if (tensor == nullptr && call.find("pipeline") == nullptr) return std::nullopt;
  call.position = call.settings.front().position;
  return call;
}

}  // namespace gpushape::review
