// What the log of llama.cpp's code tells, gathered line by line: of its own programs and of those
// that run it, which print lines of their own between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "calibrate/engine_log.hpp"

namespace gpushape::calibrate::logs {

struct LlamaState {
  EngineLog log;
  using Devices = std::vector<std::pair<std::string, RankReading>>;
  Devices devices;
  /// What its breakdown of memory says of them, in whole MiB: planned before loading, held at the
  /// end.
  Devices broken_down;
  std::optional<std::int64_t> context;       ///< of all slots
  std::optional<std::int64_t> slot_context;  ///< of one
  std::optional<std::int64_t> slots;
  std::optional<std::int64_t> cells;  ///< of layers without a window
  bool is_shared = false;
  bool has_host_cache = false;     ///< some of the cache lies with the host
  std::string version_told;        ///< by the words of the log
  std::string recipe;              ///< "UD-Q4_K_XL", by the name of the file
  bool is_in_draft = false;        ///< what follows is of the context of a draft
  bool keeps_past_states = false;  ///< states that rejected drafts go back to
};

/// The reading of that device, a new one where it has none; null where there are too many.
RankReading* reading_of(std::string_view device, LlamaState::Devices& devices);

struct RunnerLog {
  std::string_view engine;
  void (*read_own)(std::string_view line, LlamaState& state) = nullptr;  ///< what it adds
};
Result<EngineLog> read_runner(std::string_view text, const std::string& file,
                              const RunnerLog& runner);

}  // namespace gpushape::calibrate::logs
