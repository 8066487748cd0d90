// What the readers of engine logs share: the processes of a start and their figures, arguments in
// lists of keys, and which process stands for the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/engine_log.hpp"

namespace gpushape::calibrate::logs {

/// A start while its log is being read.
struct Start {
  EngineLog log;
  std::vector<std::pair<std::string, RankReading>> ranks;  ///< in the order of their first lines

  /// Of the process of that name; nullptr where there are more than any system runs.
  RankReading* rank(std::string_view process);
};

void take_smallest(std::optional<std::int64_t>& value, std::optional<std::int64_t> found);
void take_smallest(std::optional<double>& value, std::optional<double> found);

/// The value of `key`, where the list in `line` has it and it is a count.
void take_count(std::optional<std::int64_t>& target, std::string_view line, std::string_view key);
/// The same for counts that are at least 1.
void take_count(std::int64_t& target, std::string_view line, std::string_view key);
/// Text other than None; a "torch." before it is dropped.
void take_text(std::string& target, std::string_view line, std::string_view key);
void take_number(std::optional<double>& target, std::string_view line, std::string_view key);
bool is_true(std::string_view line, std::string_view key);

/// The log of a whole start: the rank that has least left for the cache stands for it.
EngineLog finished(Start&& start, const std::string& file);
bool has_figures(const EngineStart& start);
Result<EngineLog> without_figures(std::string_view engine, const std::string& file);

}  // namespace gpushape::calibrate::logs
