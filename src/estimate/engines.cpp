#include "estimate/engines.hpp"

#include <array>

namespace gpushape::estimate {
namespace {

constexpr auto kEngines = std::to_array<EngineRow>({
    {"vllm", "vLLM: a share of the GPU's total, less what a dummy step used", engines::vllm_terms,
     engines::plan_vllm, engines::vllm_capacity, engines::settle_vllm},
});

}  // namespace

std::span<const EngineRow> engine_rows() { return kEngines; }

const EngineRow* engine_row(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace gpushape::estimate
