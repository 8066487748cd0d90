#include "estimate/engine_choices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/engines.hpp"

namespace gpushape::estimate {
namespace {

using domain::Estimate;
using domain::Part;
using domain::VisibleMemory;

// A server's step on devices of 70 GiB or more, and on smaller ones: vLLM arg_utils.py,
// get_batch_defaults; SGLang server_args.py, _handle_gpu_memory_settings (8,192 from 60 GiB on,
// 2,048 under 35); TensorRT-LLM llm_args.py (max_num_tokens 8,192).
constexpr std::array<std::int64_t, 2> kUsualSteps = {8192, 2048};

constexpr double kSteps = 1000;  // engines are told three decimals

Bytes high_of(const Estimate& estimate, std::initializer_list<std::string_view> names) {
  Bytes sum;
  for (const domain::Term& term : estimate.terms) {
    if (std::ranges::find(names, term.name) != names.end()) sum += term.bytes.high;
  }
  return sum;
}

double ratio(Bytes part, Bytes whole) {
  return static_cast<double>(part.count()) /
         static_cast<double>(std::max<std::int64_t>(1, whole.count()));
}

/// The CUDA context, communicators, and the graphs, which some versions count and some do not.
double share_of_total(const Estimate& estimate, const VisibleMemory& memory) {
  const Bytes outside = domain::part_bytes(estimate, Part::Graphs).high +
                        high_of(estimate, {"cudaContext", "communicators"});
  // The engine's share is one of the total; in a vGPU guest a part of that total cannot be taken.
  const Bytes free = memory.takeable_bytes.value_or(memory.bytes.low);
  const Bytes total = memory.takeable_bytes ? memory.bytes.high : memory.bytes.low;
  return ratio(free - outside, total);
}

/// Activations, graphs and buffers beside the share of what is free before loading.
double share_of_free(const Estimate& estimate, const VisibleMemory& memory) {
  const Bytes before = high_of(estimate, {"cudaContext", "communicators"});
  const Bytes free = memory.takeable_bytes.value_or(memory.bytes.low) - before;
  const Bytes beside = high_of(estimate, {"activation", "graphs", "nonTorch"});
  return ratio(free - beside, free);
}

}  // namespace

std::span<const std::int64_t> usual_steps(std::string_view engine) {
  const EngineRow* row = engine_row(engine);
  if (row == nullptr || row->share == ShareOf::Nothing) return {};
  return kUsualSteps;
}

std::optional<double> safe_share(const Estimate& estimate, const VisibleMemory& memory,
                                 double highest) {
  const EngineRow* row = engine_row(estimate.engine.value);
  if (row == nullptr) return std::nullopt;
  double share = 0;
  switch (row->share) {
    case ShareOf::Total:
      share = share_of_total(estimate, memory);
      break;
    case ShareOf::FreeBefore:
      share = share_of_free(estimate, memory);
      break;
    case ShareOf::FreeAfter:
    case ShareOf::Nothing:
      return std::nullopt;
  }
  return std::clamp(std::floor(share * kSteps) / kSteps, 1 / kSteps, highest);
}

std::string_view beside_share(std::string_view engine) {
  const EngineRow* row = engine_row(engine);
  return row != nullptr && row->share == ShareOf::FreeBefore ? "the activations and the graphs"
                                                             : "the CUDA context and the graphs";
}

}  // namespace gpushape::estimate
