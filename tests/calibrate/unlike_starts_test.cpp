// Starts whose figures are no release's alone: with other memory beside them, of somebody's own
// build, or with settings of who started them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "calibrate/comparison.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"
#include "support/published_starts.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

/// Llama-3.1-8B on one H100, with the peak that its log prints.
EngineStart published_start() {
  EngineStart start = example::start_of(example::kPublishedStarts.front());
  start.activation_gib = 1.89;
  return start;
}

}  // namespace

TEST_SUITE("calibrate") {
  // https://github.com/jethac/dgx-spark-hijinks, the log of further_logs_test: 0.4 of 112.24 GiB
  // that were free, less what the weights took, are 41.58 GiB printed. Without that line nothing
  // says how much of the shared memory the page cache holds.
  TEST_CASE("a pool of shared memory is compared where the start says what was free of it") {
    EngineStart start;
    start.id = "gb10";
    start.engine = "sglang";
    start.engine_version = "0.5.10";
    start.model = "Qwen/Qwen2.5-1.5B-Instruct";
    start.gpu = "GB10";
    start.utilization = 0.4;
    start.kv_cache_type = "fp8_e4m3";
    start.pool_gib = 41.58;
    const Comparison unsaid = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK_FALSE(unsaid.pool);
    CHECK(unsaid.without_pool.contains("page cache"));
    start.free_gib = 112.24;
    const Comparison said = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    REQUIRE(said.pool);
    CHECK(said.pool->is_in_range());
    CHECK(std::abs(said.pool->error()) < 0.005);
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1, by its version and its remark
  TEST_CASE("what a build of somebody's own measures of itself is not compared") {
    EngineStart start = published_start();
    REQUIRE(calibrate::compare(start, built_in_catalog(), built_in_profiles()).pool);
    REQUIRE(calibrate::compare(start, built_in_catalog(), built_in_profiles()).activation);
    const auto check_left_out = [&] {
      const Comparison own = calibrate::compare(start, built_in_catalog(), built_in_profiles());
      CHECK(own.without_pool == "a build of somebody's own");
      CHECK_FALSE(own.pool);
      CHECK_FALSE(own.activation);
      CHECK(own.weights);
    };
    const std::string release = start.engine_version;
    start.engine_version += "+glmkimirebase20260514";
    check_left_out();
    start.engine_version = release;
    start.notes = "custom image (rebased fork)";
    check_left_out();
  }

  // Notebooks of Unsloth run 128 to 368 sequences where vLLM's default is 256.
  TEST_CASE("sequences that Unsloth chose are no default where they are not stated") {
    EngineStart start = published_start();
    start.max_num_seqs.reset();
    start.has_default_sequences = false;
    const Comparison plain = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    start.is_by_unsloth = true;
    const Comparison open = calibrate::compare(start, built_in_catalog(), built_in_profiles());
    CHECK(plain.knowledge == calibrate::Knowledge::Settings);
    CHECK(open.knowledge == calibrate::Knowledge::Parts);
    REQUIRE(plain.activation);
    REQUIRE(open.activation);
    CHECK(open.activation->predicted.low < plain.activation->predicted.low);
    start.max_num_seqs = 256;
    CHECK(calibrate::compare(start, built_in_catalog(), built_in_profiles()).knowledge ==
          calibrate::Knowledge::Settings);
  }
}
