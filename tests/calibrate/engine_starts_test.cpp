// Estimates beside what engines printed: the published starts, and the records of the ground truth
// within their bars.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/comparison.hpp"
#include "calibrate/error_summary.hpp"
#include "document/text_format.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/published_starts.hpp"
#include "support/source_settings.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using calibrate::ErrorSummary;
using example::built_in_catalog;
using example::built_in_profiles;
using example::kPublishedStarts;
using example::PublishedStart;
using example::start_of;

namespace {

std::vector<Comparison> compared(const std::vector<EngineStart>& starts) {
  std::vector<Comparison> comparisons;
  for (const EngineStart& start : calibrate::distinct(starts))
    comparisons.push_back(calibrate::compare(start, built_in_catalog(), built_in_profiles()));
  return comparisons;
}

/// Records of the ground truth, or nothing where it is not at hand.
std::optional<std::vector<EngineStart>> shared_starts(const std::string& name) {
  const char* folder = std::getenv("GPUSHAPE_SHARED");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr) {
    MESSAGE("skipped: GPUSHAPE_SHARED names no folder with the records of engine starts");
    return std::nullopt;
  }
  const std::string path = std::string(folder) + "/data/ground-truth/" + name;
  const Result<std::string> text = document::read_file(path);
  REQUIRE_MESSAGE(text.has_value(), path);
  auto starts = calibrate::read_engine_starts(*text, path);
  REQUIRE(starts.has_value());
  std::ranges::for_each(*starts, example::complete);
  return *starts;
}

bool is_sixteen_bit(const EngineStart& start) {
  return start.quantization.empty() && !start.model.contains("quantized") &&
         !start.model.contains("fp8") && start.dtype != "float32";
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("estimates meet the figures of published start-up logs") {
    for (const PublishedStart& row : kPublishedStarts) {
      const Comparison comparison =
          calibrate::compare(start_of(row), built_in_catalog(), built_in_profiles());
      CAPTURE(row.model);
      CAPTURE(row.dtype);
      CAPTURE(row.quantization);
      CAPTURE(row.tensor_parallel);
      CAPTURE(row.pipeline_parallel);
      REQUIRE(comparison.excluded == "");
      REQUIRE(comparison.weights);
      CHECK(comparison.weights->error() == doctest::Approx(0).epsilon(0.001).scale(1));
      CHECK(comparison.weights->is_in_range());
      REQUIRE(comparison.pool);
      CHECK(std::abs(comparison.pool->error()) <= row.pool_tolerance);
      CHECK(comparison.pool->is_in_range());
      REQUIRE(comparison.tokens);
      CHECK(comparison.tokens->holds());
    }
  }

  TEST_CASE("the controlled series of vLLM 0.19 is met within its bars") {
    const auto starts = shared_starts("engine-starts-vllm-0.19.jsonl");
    if (!starts) return;
    std::size_t count = 0;
    double pool_errors = 0;
    for (const Comparison& comparison : compared(*starts)) {
      const EngineStart& start = comparison.start;
      const bool is_of_the_bar = start.model.contains("Llama") || start.model.contains("Kimi-Dev");
      if (!is_of_the_bar) continue;
      CAPTURE(start.id);
      REQUIRE(comparison.excluded == "");
      REQUIRE(comparison.weights);
      REQUIRE(comparison.pool);
      REQUIRE(comparison.tokens);
      // Two printed decimals allow half of the last digit beside the bar itself.
      const double weights_bar = is_sixteen_bit(start) ? 0.0005 : 0.005;
      CHECK(std::abs(comparison.weights->error_gib()) <=
            weights_bar * comparison.weights->measured_gib + 0.005);
      const double pool_bar = start.pipeline_parallel > 1 ? 0.03 : 0.02;
      CHECK(std::abs(comparison.pool->error_gib()) <=
            std::max(0.1, pool_bar * comparison.pool->measured_gib));
      CHECK(comparison.tokens->holds());
      CHECK(comparison.weights->is_in_range());
      CHECK(comparison.pool->is_in_range());
      pool_errors += std::abs(comparison.pool->error());
      ++count;
    }
    CHECK(count == 22);
    CHECK(pool_errors / static_cast<double>(count) <= 0.005);
  }

  TEST_CASE(
      "starts of dense models from public threads: weights to a percent, blocks to the block") {
    const auto starts = shared_starts("engine-logs-dense.jsonl");
    if (!starts) return;
    const std::vector<Comparison> comparisons = compared(*starts);
    const ErrorSummary weights = calibrate::summarize(comparisons, &Comparison::weights);
    CHECK(weights.count >= 30);
    CHECK(weights.median <= 0.0002);
    std::size_t tokens = 0;
    for (const Comparison& comparison : comparisons) {
      if (!comparison.tokens) continue;
      CAPTURE(comparison.start.id);
      CHECK(comparison.tokens->holds());
      ++tokens;
    }
    CHECK(tokens >= 18);
  }
}
