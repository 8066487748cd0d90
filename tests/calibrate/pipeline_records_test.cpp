// Records of pipelines: stages differ, and a start prints the figures of one of them.
#include <doctest/doctest.h>

#include <cmath>

#include "calibrate/comparison.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::EngineStart;
using example::built_in_catalog;
using example::built_in_profiles;

namespace {

Comparison compared(const EngineStart& start) {
  return calibrate::compare(start, built_in_catalog(), built_in_profiles());
}

}  // namespace

TEST_SUITE("calibrate") {
  // https://github.com/vllm-project/vllm/issues/14601: DeepSeek-R1 on eight GPUs in each of three
  // stages; the first, three dense layers and 17 of experts, has 5 GiB less than the others.
  TEST_CASE("the weights of a pipeline are compared with those of the stage that is printed") {
    EngineStart start;
    start.id = "three stages";
    start.engine = "vllm";
    start.engine_version = "0.7.4";
    start.model = "deepseek-ai/DeepSeek-R1";
    start.gpu = "L20";
    start.tensor_parallel = 8;
    start.pipeline_parallel = 3;
    start.context_tokens = 32768;
    start.utilization = 0.9;
    start.weights_gib = 25.0166;
    const Comparison first = compared(start);
    REQUIRE(first.weights);
    CHECK(std::abs(first.weights->error()) < 0.01);
    CHECK(first.weights->is_in_range());
    start.weights_gib = 27.5;  // between the stages: nobody's
    const Comparison none = compared(start);
    REQUIRE(none.weights);
    CHECK_FALSE(none.weights->is_in_range());
  }

  // Llama-3.1-8B by 0.19.0 on four stages: the first has 69.80 GiB for its keys, the last, with the
  // head, 68.89, and that decides: 2,257,264 tokens of 32 KiB a stage.
  TEST_CASE("of a pipeline the pool of one stage does not tell the count of another") {
    EngineStart start;
    start.id = "four stages";
    start.engine = "vllm";
    start.engine_version = "0.19.0";
    start.model = "meta-llama/Llama-3.1-8B-Instruct";
    start.gpu = "H100 80GB (SXM)";
    start.pipeline_parallel = 4;
    start.context_tokens = 8192;
    start.utilization = 0.95;
    start.pool_gib = 69.80;
    start.pool_tokens = 2257264;
    CHECK_FALSE(compared(start).tokens);
    start.pool_gib = 68.89;
    const Comparison own = compared(start);
    REQUIRE(own.tokens);
    CHECK(own.tokens->holds());
    start.pool_tokens = 2400000;  // more than that pool holds is nobody's
    const Comparison more = compared(start);
    REQUIRE(more.tokens);
    CHECK_FALSE(more.tokens->holds());
  }
}
