// The start-up log of a real engine: what was asked for, in the words of a start, and what each of
// its processes measured. One reader an engine in logs/, one row in the table here.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "calibrate/engine_start.hpp"
#include "calibrate/model_sizes.hpp"

namespace gpushape::calibrate {

/// What one process printed of its GPU, GiB.
struct RankReading {
  std::optional<double> weights_gib;
  std::optional<double> activation_gib;
  std::optional<double> non_torch_gib;
  std::optional<double> graphs_gib;
  std::optional<double> pool_gib;
  std::optional<double> total_gib;
  std::optional<double> free_gib;  ///< before the engine takes anything but its context
  std::optional<double> used_gib;  ///< of the GPU by all, the weights loaded and nothing run
  std::optional<double> cache_gib;
  std::optional<double> state_gib;
  std::optional<double> compute_gib;
  bool captured_before_pool = false;  ///< so was `graphs_gib`: another may follow

  bool operator==(const RankReading&) const = default;
};

struct EngineLog {
  EngineStart start;                   ///< figures are those of the rank that has least left
  std::vector<RankReading> ranks;      ///< in the order of their first lines
  std::optional<bool> has_warm_cache;  ///< compiled graphs came from a cache of an earlier start
  bool counts_consumed = false;        ///< weights and what is outside the framework, in one figure
  bool has_compiled = false;           ///< some graphs, whatever came from a cache
  std::optional<double> compile_seconds;
  std::optional<double> graph_estimate_gib;
  bool is_graph_estimate_subtracted = false;
  std::string version_from;                    ///< how the release was told, where none is printed
  std::string sequences_from;                  ///< what tells the most sequences, where none stands
  std::string step_tokens_from;                ///< likewise the tokens of a step
  std::string device_name;                     ///< where the log names the GPU
  std::optional<std::int64_t> encoder_tokens;  ///< budget of the encoder cache
  bool has_drafts = false;
  bool has_cache_with_host = false;  ///< though layers are on a GPU
  /// The engine's list of its settings is not in the text: what it leaves out is not known.
  bool is_excerpt = false;
  ModelSizes model_sizes;                   ///< as the file states them
  std::vector<std::string> earlier_models;  ///< of starts before this one in the same text
  std::string failure;                      ///< why the engine did not start; empty where it did

  bool operator==(const EngineLog&) const = default;
};

/// Whether something proposes tokens whose memory is not known.
bool has_unknown_drafts(const EngineLog& log);

struct LogReaderRow {
  std::string_view engine;
  std::string_view description;
  /// Whether a line can only be of this engine.
  bool (*recognises)(std::string_view line);
  Result<EngineLog> (*read)(std::string_view text, const std::string& file);
};

std::span<const LogReaderRow> log_readers();

/// Reads a log with the reader that recognises it. A log of no known engine is a Diagnostic that
/// names the engines.
Result<EngineLog> read_engine_log(std::string_view text, const std::string& file);

namespace logs {

bool is_vllm(std::string_view line);
Result<EngineLog> read_vllm(std::string_view text, const std::string& file);
bool is_sglang(std::string_view line);
Result<EngineLog> read_sglang(std::string_view text, const std::string& file);
bool is_tensorrt_llm(std::string_view line);
Result<EngineLog> read_tensorrt_llm(std::string_view text, const std::string& file);
bool is_llama_cpp(std::string_view line);
Result<EngineLog> read_llama_cpp(std::string_view text, const std::string& file);
bool is_ollama(std::string_view line);
Result<EngineLog> read_ollama(std::string_view text, const std::string& file);

}  // namespace logs
}  // namespace gpushape::calibrate
