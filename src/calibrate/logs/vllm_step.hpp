// How large a step of vLLM is, where neither its command line nor its list of settings says it: the
// compiler and the capture of graphs print sizes that follow from it. Source: vLLM
// config/vllm.py (compile_ranges_endpoints ends with max_num_batched_tokens), v1/worker/
// gpu_model_runner.py (whole graphs are captured for no more than max_num_seqs),
// engine/arg_utils.py (get_batch_defaults).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "calibrate/engine_log.hpp"

namespace gpushape::calibrate::logs {

struct StepWords {
  bool is_server = false;
  bool has_chunks = false;                      ///< prefills are said to be chunked
  bool is_asked = false;                        ///< the tokens of a step stand in the command line
  std::optional<std::int64_t> compiled_tokens;  ///< the last end of the ranges that are compiled
  std::optional<std::int64_t> largest_whole;    ///< sequences of the largest graph of a whole step
  std::optional<std::int64_t> largest_piece;    ///< tokens of the largest graph of pieces
};

/// Adds what a line says.
void read_step(std::string_view line, StepWords& said);

/// Fills in what the log states in no other way, and what it is told from.
void take_step(const StepWords& said, EngineLog& log);

}  // namespace gpushape::calibrate::logs
