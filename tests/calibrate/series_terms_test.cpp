// Terms of vLLM 0.19.0 on H100 80GB that depend on what runs: graphs of experts, local memory of
// compiled kernels. Printed figures from the start-up logs of
// https://github.com/jgchn/llm-d-planner accuracy/results/v0.19.0.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "calibrate/comparison.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/published_starts.hpp"

using namespace gpushape;

namespace {

struct TermsRow {
  const char* model;
  std::int64_t tensor_parallel;
  double graphs_gib;
  double non_torch_gib;
};
constexpr auto kRows = std::to_array<TermsRow>({
    {"mistralai/Mixtral-8x7B-Instruct-v0.1", 2, 0.93, 2.07},       // no shared experts
    {"Qwen/Qwen3-30B-A3B", 1, 1.41, 0.27},                         // none either
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", 4, 1.13, 2.17},  // one expert a token
    {"deepseek-ai/DeepSeek-V2-Lite-Chat", 1, 1.57, 0.25},          // shared ones
    {"ibm-granite/granite-3.1-8b-instruct", 1, 0.98, 0.46},        // kernels with local memory
    {"ibm-granite/granite-vision-3.3-2b", 1, 0.82, 0.25},          // the same below a tower
});

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("graphs and buffers follow what runs") {
    for (const TermsRow& row : kRows) {
      calibrate::EngineStart start = example::series_start(row.model, row.tensor_parallel);
      start.max_num_seqs = 1024;
      start.graphs_gib = row.graphs_gib;
      start.non_torch_gib = row.non_torch_gib;
      const calibrate::Comparison comparison =
          calibrate::compare(start, example::built_in_catalog(), example::built_in_profiles());
      CAPTURE(row.model);
      REQUIRE(comparison.graphs);
      CHECK(comparison.graphs->is_in_range());
      CHECK(std::abs(comparison.graphs->error()) < 0.08);  // 43 % off with the other experts'
      REQUIRE(comparison.non_torch);
      CHECK(comparison.non_torch->is_in_range());
      CHECK(std::abs(comparison.non_torch->error()) < 0.08);
    }
  }
}
