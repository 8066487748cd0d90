// What a published start leaves open, as the starts that it may have been: other releases of about
// that time, other shares of the memory, fewer sequences. A prediction for the start is then honest
// only if its range covers what all of them would have printed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "calibrate/engine_start.hpp"
#include "calibrate/record_gpu.hpp"
#include "domain/engine.hpp"
#include "domain/model.hpp"
#include "domain/range.hpp"

namespace gpushape::calibrate {

/// Ranks of adapters that recipes take beside the default of 16
/// (https://docs.unsloth.ai/get-started/fine-tuning-llms-guide/lora-hyperparameters-guide).
inline constexpr std::array<std::int64_t, 2> kUsualRanks = {8, 128};

/// Unsloth starts vLLM for training with as many sequences as it thinks fit: where they are not
/// stated they are no default of vLLM's.
bool chooses_sequences(const EngineStart& start);

struct PossibleStart {
  EngineStart start;
  domain::EngineVersion version;
  std::optional<domain::VisibleMemory> memory;
};

/// What of a start its source does not state.
struct Unstated {
  bool release = false;
  bool build = false;        ///< it is one between two releases
  bool any_release = false;  ///< not even the time is known
  bool utilization = false;  ///< of an engine with a default that people change
  bool settings = false;     ///< a harness gave settings of its own
  bool limits = false;       ///< limits that are not told may be others than the engine's defaults
  bool device = false;       ///< which GPU it ran on, which makes the defaults of a step
  bool adapter_rank = false;
  bool drafts = false;  ///< the model's own layers predict, so many tokens that nobody says
};

/// The start as it is read, first, and every combination of what its source does not state.
std::vector<PossibleStart> possible_starts(const EngineStart& start, const Unstated& unstated,
                                           domain::EngineVersion version,
                                           const domain::Engine& engine, const RecordGpu& gpu);

/// What starts print, of all possible ones: the first's expected figures, the widest bounds.
struct PredictedFigures {
  domain::Range weights;
  domain::Range activation;
  domain::Range non_torch;
  domain::Range graphs;
  std::optional<domain::Range> pool;
};

/// The first start has an estimate.
PredictedFigures predicted_figures(const std::vector<PossibleStart>& starts,
                                   const domain::Model& model, const domain::Engine& engine);

/// The bounds of both, the expected value of the first.
domain::Range widened(const domain::Range& first, const domain::Range& other);

}  // namespace gpushape::calibrate
