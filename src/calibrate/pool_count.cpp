#include "calibrate/pool_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/grouped.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/token_causes.hpp"

namespace gpushape::calibrate {
namespace {

using domain::Calibration;

/// Stages of a pipeline have pools of their own, and the count is that of the stage with least: the
/// smallest pool may be one of fewer layers.
std::optional<TokenCheck> check_tokens_of_stages(const EngineLog& log,
                                                 const Surroundings& surroundings,
                                                 const domain::Workload& workload) {
  const auto check = [&](const EngineStart& start) {
    return check_tokens(start, surroundings.model, workload, surroundings.engine, surroundings.gpu);
  };
  std::optional<TokenCheck> tokens = check(log.start);
  if (!tokens || log.start.pipeline_parallel == 1) return tokens;
  EngineStart largest = log.start;
  for (const RankReading& rank : log.ranks) {
    if (rank.pool_gib) largest.pool_gib = std::max(*largest.pool_gib, *rank.pool_gib);
  }
  if (const auto most = check(largest)) tokens->most = std::max(tokens->most, most->most);
  return tokens;
}

}  // namespace

void tell_pool(EngineStart& start, const Surroundings& surroundings,
               const domain::Workload& workload, Calibration& calibration) {
  if (plans_buffers(start.engine)) return;
  if (!start.pool_tokens) start.pool_tokens = tokens_of_blocks(start);
  if (start.pool_gib || start.most_tokens || start.told_blocks || !start.pool_tokens) return;
  const auto pool = pool_of_tokens(surroundings.model, workload, surroundings.engine,
                                   surroundings.gpu, *start.pool_tokens);
  if (!pool) return;
  start.pool_gib = pool->expected.gib();
  calibration.notes.push_back(
      fmt::format("the pool is measured by the {} tokens that it holds: the log does not print its "
                  "size",
                  grouped(*start.pool_tokens)));
}

void compare_count(const EngineLog& log, const Surroundings& surroundings,
                   const domain::Workload& workload, domain::EngineVersion version,
                   Calibration& calibration) {
  const auto tokens = check_tokens_of_stages(log, surroundings, workload);
  if (log.start.told_blocks) {
    calibration.notes.push_back(
        fmt::format("the cache was told to have {} blocks (--num-gpu-blocks-override): its tokens "
                    "are not compared",
                    grouped(*log.start.told_blocks)));
  } else if (tokens && !has_unknown_drafts(log)) {
    calibration.tokens = {.least = tokens->least, .most = tokens->most, .printed = tokens->printed};
    if (!tokens->holds())
      calibration.token_cause = cause_of_tokens(log.start, surroundings.model, surroundings.engine,
                                                version, surroundings.gpu);
  }
}

}  // namespace gpushape::calibrate
