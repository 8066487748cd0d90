#include "calibrate/logs/start_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// Processes of one start: more than one cluster runs, and a bound for logs that are none.
constexpr std::size_t kMostRanks = 1024;

double taken_gib(const RankReading& rank) {
  return rank.weights_gib.value_or(0) + rank.activation_gib.value_or(0) +
         rank.non_torch_gib.value_or(0);
}

/// Of `most`; where it does not print the figure, as where a cluster prints a line that all write
/// once, the largest of the others.
std::optional<double> figure_of(const EngineLog& log, const RankReading& most,
                                std::optional<double> RankReading::*figure) {
  if (most.*figure) return most.*figure;
  std::optional<double> largest;
  for (const RankReading& rank : log.ranks) largest = std::max(largest, rank.*figure);
  return largest;
}

void choose_rank(EngineLog& log) {
  if (log.ranks.empty()) return;
  const RankReading& most = *std::ranges::max_element(log.ranks, {}, taken_gib);
  EngineStart& start = log.start;
  start.weights_gib = figure_of(log, most, &RankReading::weights_gib);
  start.activation_gib = figure_of(log, most, &RankReading::activation_gib);
  start.non_torch_gib = figure_of(log, most, &RankReading::non_torch_gib);
  start.graphs_gib = figure_of(log, most, &RankReading::graphs_gib);
  start.state_gib = figure_of(log, most, &RankReading::state_gib);
  start.gpu_total_gib = most.total_gib;
  // Of a pipeline, some versions print the pool of the first stage alone: that says nothing of the
  // stage that has least.
  const auto pools = std::ranges::count_if(
      log.ranks, [](const RankReading& rank) { return rank.pool_gib.has_value(); });
  const bool is_whole = pools >= start.pipeline_parallel;
  for (const RankReading& rank : log.ranks) {
    if (is_whole && rank.pool_gib && (!start.pool_gib || *rank.pool_gib < *start.pool_gib))
      start.pool_gib = rank.pool_gib;
    if (!start.gpu_total_gib) start.gpu_total_gib = rank.total_gib;
  }
}

}  // namespace

RankReading* Start::rank(std::string_view process) {
  const auto known = std::ranges::find(ranks, process, &std::pair<std::string, RankReading>::first);
  if (known != ranks.end()) return &known->second;
  if (ranks.size() >= kMostRanks) return nullptr;
  return &ranks.emplace_back(process, RankReading{}).second;
}

void take_smallest(std::optional<std::int64_t>& value, std::optional<std::int64_t> found) {
  if (found && (!value || *found < *value)) value = found;
}

void take_smallest(std::optional<double>& value, std::optional<double> found) {
  if (found && (!value || *found < *value)) value = found;
}

void take_count(std::optional<std::int64_t>& target, std::string_view line, std::string_view key) {
  const std::optional<std::string> value = value_of_key(line, key);
  if (!value) return;
  if (const auto count = leading_count(*value)) target = count;
}

void take_count(std::int64_t& target, std::string_view line, std::string_view key) {
  std::optional<std::int64_t> found;
  take_count(found, line, key);
  if (found && *found > 0) target = *found;
}

void take_text(std::string& target, std::string_view line, std::string_view key) {
  const std::optional<std::string> value = value_of_key(line, key);
  if (!value || value->empty() || *value == "None") return;
  target = value->starts_with("torch.") ? value->substr(6) : *value;
}

void take_number(std::optional<double>& target, std::string_view line, std::string_view key) {
  const std::optional<std::string> value = value_of_key(line, key);
  if (!value) return;
  if (const auto number = leading_number(*value)) target = number;
}

bool is_true(std::string_view line, std::string_view key) {
  return value_of_key(line, key) == "True";
}

EngineLog finished(Start&& start, const std::string& file) {
  EngineLog log = std::move(start.log);
  for (auto& [process, rank] : start.ranks) {
    if (rank != RankReading{}) log.ranks.push_back(rank);
  }
  log.start.id = file;
  log.start.source = file;
  if (log.start.dtype == "auto") log.start.dtype.clear();
  log.start.is_complete = log.failure.empty();
  choose_rank(log);
  return log;
}

bool has_figures(const EngineStart& start) {
  return start.weights_gib || start.pool_gib || start.pool_tokens || start.pool_blocks;
}

Result<EngineLog> without_figures(std::string_view engine, const std::string& file) {
  Diagnostic diagnostic =
      complaint(fmt::format("{} is a log of {} without a figure of its memory", file, engine),
                "give the whole log of a start, from its first line to the first request");
  diagnostic.span.file = file;
  return failure(std::move(diagnostic));
}

}  // namespace gpushape::calibrate::logs
