// What a start of vLLM was told, and what the engine says that it settled. Source: vLLM
// engine/llm_engine.py, v1/engine/core.py, entrypoints/openai/api_server.py, engine/arg_utils.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/engine_log.hpp"

namespace gpushape::calibrate::logs {

/// The list behind "non-default args: ", where the line holds it to its end: what it does not name
/// is the engine's default.
std::optional<std::string_view> whole_list(std::string_view line);

/// Names of what a list of Python settings holds at its first level, to where it is cut:
/// "'port': 8000, 'compilation_config': {'level': 3}, 'mod" has port and compilation_config.
std::vector<std::string> names_of_list(std::string_view list);

/// "Initializing a V1 LLM engine (v0.19.0) with config: model='…', …".
void read_vllm_config(std::string_view line, EngineLog& log);

/// "non-default args: {'max_num_seqs': 256, …}", or "args: Namespace(max_num_seqs=256, …)"; `model`
/// is what they name.
void read_vllm_arguments(std::string_view line, EngineStart& start, std::string& model);

/// Settings that stand in lines of their own.
void read_vllm_settings(std::string_view line, EngineStart& start);

/// Which ranks there are, as each says when it joins: "rank 1 in world size 4 is assigned as DP
/// rank 0, PP rank 0, TP rank 1".
struct Ranks {
  std::int64_t world = 1;
  std::int64_t data = 1;
  std::int64_t pipeline = 1;
  std::int64_t tensor = 1;
};

/// Adds what a rank says when it joins.
void read_vllm_rank(std::string_view line, Ranks& said);

/// Of a text that begins behind the engine's list of settings.
void take_ranks(const Ranks& said, EngineStart& start);

}  // namespace gpushape::calibrate::logs
