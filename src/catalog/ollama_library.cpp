#include "catalog/ollama_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "catalog/quantization_names.hpp"

namespace gpushape::catalog {

namespace {

using domain::Quantization;

struct LibraryRow {
  std::string_view name;
  std::string_view size;  ///< what the tag begins with; the first row of a name is its `latest`
  std::string_view model;
  Quantization quantization = Quantization::MixQ4KM;
};

/// The pages of ollama.com/library: size and quantization of each tag. Older models are in Q4_0.
constexpr auto kLibrary = std::to_array<LibraryRow>({
    {"bge-m3", "567m", "BAAI/bge-m3", Quantization::Fp16},
    {"codegemma", "7b", "google/codegemma-7b-it", Quantization::Q4_0},
    {"codellama", "7b", "codellama/CodeLlama-7b-Instruct-hf", Quantization::Q4_0},
    {"codellama", "13b", "codellama/CodeLlama-13b-Instruct-hf", Quantization::Q4_0},
    {"codellama", "34b", "codellama/CodeLlama-34b-hf", Quantization::Q4_0},
    {"command-r", "35b", "CohereLabs/c4ai-command-r-08-2024", Quantization::Q4_0},
    {"deepseek-coder", "6.7b", "deepseek-ai/deepseek-coder-6.7b-instruct", Quantization::Q4_0},
    {"deepseek-coder-v2", "16b", "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", Quantization::Q4_0},
    {"deepseek-r1", "8b", "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B"},
    {"deepseek-r1", "1.5b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"},
    {"deepseek-r1", "7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"},
    {"deepseek-r1", "14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"},
    {"deepseek-r1", "32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"},
    {"deepseek-r1", "70b", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"},
    {"deepseek-r1", "671b", "deepseek-ai/DeepSeek-R1"},
    {"deepseek-v3", "671b", "deepseek-ai/DeepSeek-V3"},
    {"deepseek-v3.1", "671b", "deepseek-ai/DeepSeek-V3.1"},
    {"devstral", "24b", "mistralai/Devstral-Small-2507"},
    {"embeddinggemma", "300m", "google/embeddinggemma-300m", Quantization::Bf16},
    {"gemma", "7b", "google/gemma-7b-it", Quantization::Q4_0},
    {"gemma", "2b", "google/gemma-2b-it", Quantization::Q4_0},
    {"gemma2", "9b", "google/gemma-2-9b-it", Quantization::Q4_0},
    {"gemma2", "2b", "google/gemma-2-2b-it", Quantization::Q4_0},
    {"gemma2", "27b", "google/gemma-2-27b-it", Quantization::Q4_0},
    {"gemma3", "4b", "google/gemma-3-4b-it"},
    {"gemma3", "1b", "google/gemma-3-1b-it"},
    {"gemma3", "270m", "google/gemma-3-270m-it", Quantization::Q8_0},
    {"gemma3", "12b", "google/gemma-3-12b-it"},
    {"gemma3", "27b", "google/gemma-3-27b-it"},
    {"gemma3n", "e4b", "google/gemma-3n-E4B-it"},
    {"gemma3n", "e2b", "google/gemma-3n-E2B-it"},
    {"gpt-oss", "20b", "openai/gpt-oss-20b", Quantization::MixMxfp4},
    {"gpt-oss", "120b", "openai/gpt-oss-120b", Quantization::MixMxfp4},
    {"granite3.3", "8b", "ibm-granite/granite-3.3-8b-instruct"},
    {"llama2", "7b", "meta-llama/Llama-2-7b-chat-hf", Quantization::Q4_0},
    {"llama2", "13b", "meta-llama/Llama-2-13b-chat-hf", Quantization::Q4_0},
    {"llama2", "70b", "meta-llama/Llama-2-70b-chat-hf", Quantization::Q4_0},
    {"llama3", "8b", "meta-llama/Meta-Llama-3-8B-Instruct", Quantization::Q4_0},
    {"llama3", "70b", "meta-llama/Meta-Llama-3-70B-Instruct", Quantization::Q4_0},
    {"llama3.1", "8b", "meta-llama/Llama-3.1-8B-Instruct"},
    {"llama3.1", "70b", "meta-llama/Llama-3.1-70B-Instruct"},
    {"llama3.1", "405b", "meta-llama/Llama-3.1-405B-Instruct"},
    {"llama3.2", "3b", "meta-llama/Llama-3.2-3B-Instruct"},
    {"llama3.2", "1b", "meta-llama/Llama-3.2-1B-Instruct", Quantization::Q8_0},
    {"llama3.3", "70b", "meta-llama/Llama-3.3-70B-Instruct"},
    {"llama4", "scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"},
    {"llama4", "16x17b", "meta-llama/Llama-4-Scout-17B-16E-Instruct"},
    {"llama4", "maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"},
    {"llama4", "128x17b", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"},
    {"magistral", "24b", "mistralai/Magistral-Small-2506"},
    {"mistral", "7b", "mistralai/Mistral-7B-Instruct-v0.3"},
    {"mistral-nemo", "12b", "mistralai/Mistral-Nemo-Instruct-2407", Quantization::Q4_0},
    {"mistral-small", "24b", "mistralai/Mistral-Small-24B-Instruct-2501"},
    {"mistral-small3.1", "24b", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"},
    {"mistral-small3.2", "24b", "mistralai/Mistral-Small-3.2-24B-Instruct-2506"},
    {"mixtral", "8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1", Quantization::Q4_0},
    {"mixtral", "8x22b", "mistralai/Mixtral-8x22B-v0.1", Quantization::Q4_0},
    {"mxbai-embed-large", "335m", "mixedbread-ai/mxbai-embed-large-v1", Quantization::Fp16},
    {"nomic-embed-text", "v1.5", "nomic-ai/nomic-embed-text-v1.5", Quantization::Fp16},
    {"olmo2", "7b", "allenai/OLMo-2-1124-7B-Instruct"},
    {"olmo2", "13b", "allenai/OLMo-2-1124-13B-Instruct"},
    {"phi", "2.7b", "microsoft/phi-2", Quantization::Q4_0},
    {"phi3", "3.8b", "microsoft/Phi-3-mini-4k-instruct", Quantization::Q4_0},
    {"phi3", "mini", "microsoft/Phi-3-mini-4k-instruct", Quantization::Q4_0},
    {"phi3", "14b", "microsoft/Phi-3-medium-4k-instruct", Quantization::Q4_0},
    {"phi3", "medium", "microsoft/Phi-3-medium-4k-instruct", Quantization::Q4_0},
    {"phi3.5", "3.8b", "microsoft/Phi-3.5-mini-instruct", Quantization::Q4_0},
    {"phi4", "14b", "microsoft/phi-4"},
    {"phi4-mini", "3.8b", "microsoft/Phi-4-mini-instruct"},
    {"qwen2", "7b", "Qwen/Qwen2-7B-Instruct", Quantization::Q4_0},
    {"qwen2", "0.5b", "Qwen/Qwen2-0.5B-Instruct", Quantization::Q4_0},
    {"qwen2", "1.5b", "Qwen/Qwen2-1.5B-Instruct", Quantization::Q4_0},
    {"qwen2", "72b", "Qwen/Qwen2-72B-Instruct", Quantization::Q4_0},
    {"qwen2.5", "7b", "Qwen/Qwen2.5-7B-Instruct"},
    {"qwen2.5", "0.5b", "Qwen/Qwen2.5-0.5B-Instruct"},
    {"qwen2.5", "1.5b", "Qwen/Qwen2.5-1.5B-Instruct"},
    {"qwen2.5", "3b", "Qwen/Qwen2.5-3B-Instruct"},
    {"qwen2.5", "14b", "Qwen/Qwen2.5-14B-Instruct"},
    {"qwen2.5", "32b", "Qwen/Qwen2.5-32B-Instruct"},
    {"qwen2.5", "72b", "Qwen/Qwen2.5-72B-Instruct"},
    {"qwen2.5-coder", "7b", "Qwen/Qwen2.5-Coder-7B-Instruct"},
    {"qwen2.5-coder", "0.5b", "Qwen/Qwen2.5-Coder-0.5B-Instruct"},
    {"qwen2.5-coder", "1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct"},
    {"qwen2.5-coder", "3b", "Qwen/Qwen2.5-Coder-3B-Instruct"},
    {"qwen2.5-coder", "14b", "Qwen/Qwen2.5-Coder-14B-Instruct"},
    {"qwen2.5-coder", "32b", "Qwen/Qwen2.5-Coder-32B-Instruct"},
    {"qwen2.5vl", "7b", "Qwen/Qwen2.5-VL-7B-Instruct"},
    {"qwen2.5vl", "3b", "Qwen/Qwen2.5-VL-3B-Instruct"},
    {"qwen2.5vl", "32b", "Qwen/Qwen2.5-VL-32B-Instruct"},
    {"qwen2.5vl", "72b", "Qwen/Qwen2.5-VL-72B-Instruct"},
    {"qwen3", "8b", "Qwen/Qwen3-8B"},
    {"qwen3", "0.6b", "Qwen/Qwen3-0.6B"},
    {"qwen3", "1.7b", "Qwen/Qwen3-1.7B"},
    {"qwen3", "4b", "Qwen/Qwen3-4B"},
    {"qwen3", "14b", "Qwen/Qwen3-14B"},
    {"qwen3", "30b", "Qwen/Qwen3-30B-A3B"},
    {"qwen3", "32b", "Qwen/Qwen3-32B"},
    {"qwen3", "235b", "Qwen/Qwen3-235B-A22B"},
    {"qwen3-coder", "30b", "Qwen/Qwen3-Coder-30B-A3B-Instruct"},
    {"qwen3-coder", "480b", "Qwen/Qwen3-Coder-480B-A35B-Instruct"},
    {"qwen3-next", "80b", "Qwen/Qwen3-Next-80B-A3B-Instruct"},
    {"qwen3-vl", "8b", "Qwen/Qwen3-VL-8B-Instruct"},
    {"qwen3-vl", "2b", "Qwen/Qwen3-VL-2B-Instruct"},
    {"qwen3-vl", "4b", "Qwen/Qwen3-VL-4B-Instruct"},
    {"qwen3-vl", "30b", "Qwen/Qwen3-VL-30B-A3B-Instruct"},
    {"qwen3-vl", "32b", "Qwen/Qwen3-VL-32B-Instruct"},
    {"qwq", "32b", "Qwen/QwQ-32B"},
    {"smollm2", "1.7b", "HuggingFaceTB/SmolLM2-1.7B-Instruct", Quantization::Q8_0},
    {"smollm2", "135m", "HuggingFaceTB/SmolLM2-135M-Instruct", Quantization::Fp16},
    {"smollm2", "360m", "HuggingFaceTB/SmolLM2-360M-Instruct", Quantization::Fp16},
    {"solar", "10.7b", "upstage/SOLAR-10.7B-Instruct-v1.0", Quantization::Q4_0},
    {"starcoder2", "3b", "bigcode/starcoder2-3b", Quantization::Q4_0},
    {"starcoder2", "7b", "bigcode/starcoder2-7b", Quantization::Q4_0},
    {"starcoder2", "15b", "bigcode/starcoder2-15b", Quantization::Q4_0},
    {"tinyllama", "1.1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", Quantization::Q4_0},
});

std::string lower_name(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// A repository of the hub, as Ollama pulls it by its address.
std::optional<OllamaModel> hub_model(std::string_view name) {
  for (const std::string_view host : {"hf.co/", "huggingface.co/"}) {
    if (!name.starts_with(host)) continue;
    name.remove_prefix(host.size());
    return OllamaModel{std::string(name), std::nullopt, true};
  }
  return std::nullopt;
}

/// The row that the tag begins with, up to its end or a hyphen.
const LibraryRow* row_of(std::string_view name, std::string_view tag) {
  for (const LibraryRow& row : kLibrary) {
    if (row.name != name) continue;
    if (tag.empty() || tag == "latest") return &row;
    if (tag.starts_with(row.size) && (tag.size() == row.size.size() || tag[row.size.size()] == '-'))
      return &row;
  }
  return nullptr;
}

/// "8b-instruct-q8_0" -> q8_0; "4b-it-qat", which Google trained for it, -> q4_0
std::optional<Quantization> quantization_of_tag(std::string_view tag) {
  if (tag.ends_with("-qat")) return Quantization::Q4_0;
  const std::size_t dash = tag.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view last = tag.substr(dash + 1);
  if (!last.starts_with('q') && last != "fp16" && last != "bf16") return std::nullopt;
  const auto parsed = catalog::parse_quantization(last);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace

std::optional<OllamaModel> ollama_model(std::string_view text) {
  if (auto of_hub = hub_model(text)) return of_hub;
  for (const std::string_view prefix : {"registry.ollama.ai/", "ollama.com/", "library/"}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  if (text.contains('/')) return std::nullopt;  // somebody's own
  const std::string lower = lower_name(text);
  const std::string_view whole = lower;
  const std::size_t colon = whole.find(':');
  const std::string_view tag = colon == std::string_view::npos ? "" : whole.substr(colon + 1);
  const LibraryRow* row = row_of(whole.substr(0, colon), tag);
  if (row == nullptr) return std::nullopt;
  const auto stated = quantization_of_tag(tag);
  return OllamaModel{std::string(row->model), stated ? *stated : row->quantization,
                     stated.has_value()};
}

}  // namespace gpushape::catalog
