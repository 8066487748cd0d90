// Ollama's own lines, between which its runner prints those of llama.cpp. Source: Ollama
// llm/memory.go, llm/server.go, ml/device.go.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/engine_log.hpp"
#include "calibrate/log_text.hpp"
#include "calibrate/logs/llama_state.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// `msg="model weights" device=CUDA0 size="18.5 GiB"`
void read_ollama_sizes(std::string_view line, LlamaState& state) {
  struct Row {
    std::string_view words;
    std::optional<double> RankReading::*figure;
  };
  constexpr auto kRows = std::to_array<Row>({
      {"msg=\"model weights\"", &RankReading::weights_gib},
      {"msg=\"kv cache\"", &RankReading::cache_gib},
      {"msg=\"compute graph\"", &RankReading::compute_gib},
  });
  for (const Row& row : kRows) {
    if (!line.contains(row.words)) continue;
    const auto device = value_of_key(line, "device");
    const auto size = value_of_key(line, "size");
    if (!device || !size || is_host_device(*device)) return;
    RankReading* rank = reading_of(*device, state.devices);
    if (rank != nullptr && !(rank->*(row.figure))) rank->*(row.figure) = leading_gib(*size);
  }
}

/// `msg="offload to cuda" layers.model=33 layers.offload=33 … memory.weights.total="4.3 GiB"`:
/// what Ollama itself reckons with, where the runner's own lines are not there.
void read_ollama_plan(std::string_view line, LlamaState& state) {
  if (!line.contains("msg=\"offload to ") && !line.contains("msg=offload")) return;
  RankReading* rank = reading_of("GPU", state.devices);
  if (rank == nullptr) return;
  const auto take = [&](std::optional<double>& figure, std::string_view key) {
    if (const auto value = value_of_key(line, key)) figure = leading_gib(*value);
  };
  take(rank->weights_gib, "memory.weights.total");
  take(rank->cache_gib, "memory.required.kv");
  take(rank->compute_gib, "memory.graph.full");
  if (const auto layers = value_of_key(line, "layers.offload"))
    state.log.start.gpu_layers = leading_count(*layers);
}

void read_own(std::string_view line, LlamaState& state) {
  read_ollama_sizes(line, state);
  read_ollama_plan(line, state);
}

}  // namespace

bool is_ollama(std::string_view line) {
  return line.contains("OLLAMA_") || line.contains("msg=\"offload to ") ||
         line.contains("msg=\"model weights\"") || line.contains("msg=\"starting runner\"") ||
         line.contains("msg=\"starting llama server\"") ||
         (line.contains("Listening on") && line.contains("(version "));
}

Result<EngineLog> read_ollama(std::string_view text, const std::string& file) {
  return read_runner(text, file, {.engine = "ollama", .read_own = read_own});
}

}  // namespace gpushape::calibrate::logs
