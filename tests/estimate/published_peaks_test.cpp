// Activation peaks that published starts print, of models whose widest point is none of a plain
// layer: compressed attention, layers of 4 bits, towers with a table of positions.
#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

TEST_SUITE("estimate") {
  // DeepSeek-V4-Flash-0731 by 0.26.0 on one B300, steps of 8,192 tokens
  // (https://github.com/johnpfeiffer/source.johnpfeiffer.github.io): 2.99 GiB. By hand 8,192 x 2 x
  // (512 x (64 + 64) + 12,288 + 2 x 16,384 + 3.75 x 4,096) bytes = 1.92, the experts' workspace
  // 0.75. On eight H100 (0.31.1) queries of 8 heads are padded to 64: 512 x (8 + 64 + 64) values;
  // the pool is 47.43 GiB at 0.9 with weights of 19.79.
  TEST_CASE("compressed attention holds queries and outputs of all heads that its kernel takes") {
    const auto engine = example::built_in_catalog().engine("vllm");
    const auto model = example::built_in_catalog().find_name("deepseek-ai/DeepSeek-V4-Flash-0731");
    REQUIRE(engine);
    REQUIRE(model);
    const auto peak_on = [&](domain::EngineVersion version, std::int64_t ranks, double gib) {
      domain::Workload workload;
      workload.engine.version = example::flag(version);
      workload.engine.tensor = example::flag(ranks);
      workload.engine.max_num_batched_tokens = example::flag(std::int64_t{8192});
      workload.engine.max_num_seqs = example::flag(std::int64_t{64});
      domain::VisibleMemory gpu = example::h100();
      gpu.bytes = domain::exactly(gib_of(gib));
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, gpu);
      REQUIRE(estimate);
      return domain::part_bytes(*estimate, domain::Part::Activation);
    };
    const domain::Range alone = peak_on({0, 26, 0}, 1, 267.69);
    CHECK(alone.expected.gib() == doctest::Approx(1.92 + 0.75).epsilon(0.02));
    CHECK(alone.low.gib() <= 2.99);
    CHECK(alone.high.gib() >= 2.99);
    const domain::Range shared = peak_on({0, 31, 0}, 8, 79.18);
    // 512 x (136 - 128) values a token more, 0.0625 GiB, for an eighth of the heads.
    CHECK(shared.expected.gib() == doctest::Approx(alone.expected.gib() + 0.06).epsilon(0.02));
  }

  // Llama-2-7b by 0.10.1 on H100 NVL, 2,048 tokens (https://github.com/Huzifa1/vllm-profiling
  // experiments, quantization): 0.22 GiB in 16 bits, and in AWQ, GPTQ and nf4 0.35, which are three
  // widths more, 3 x 2,048 x 11,008 x 2 bytes = 0.126.
  TEST_CASE("layers of 4 bits hold more at their widest point") {
    const auto engine = example::built_in_catalog().engine("vllm");
    const auto model = example::built_in_catalog().find_name("meta-llama/Llama-2-7b-hf");
    REQUIRE(engine);
    REQUIRE(model);
    domain::VisibleMemory gpu = example::h100();
    gpu.bytes = domain::exactly(gib_of(93.1));
    const auto peak_of = [&](domain::Quantization format) {
      domain::Workload workload;
      workload.engine.version = example::flag(domain::EngineVersion{0, 10, 1});
      workload.engine.max_num_batched_tokens = example::flag(std::int64_t{2048});
      workload.engine.max_num_seqs = example::flag(std::int64_t{128});
      workload.engine.compiles = example::flag(false);
      workload.quantization = example::flag(format);
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, gpu);
      REQUIRE(estimate);
      return domain::part_bytes(*estimate, domain::Part::Activation).expected.gib();
    };
    CHECK(peak_of(domain::Quantization::Fp16) == doctest::Approx(0.22).epsilon(0.03));
    CHECK(peak_of(domain::Quantization::Awq) == doctest::Approx(0.35).epsilon(0.03));
  }

  // gemma-4-26B-A4B and E4B-it by 0.22.0 on a B200 of 178.35 GiB, steps of 16,384 tokens
  // (https://github.com/EricLBuehler/mistral.rs gemma4_b200_sweep_20260529): six videos of 32
  // frames of 630 patches. A tenth of the GPU holds 92 frames as the class reckons, 206,438,400
  // bytes each; 92 x 630 x 2 x 10,240 x (8 + 2) bytes are 11.05 GiB, and the pixels 0.17. They
  // leave 99.58 and 132.74 GiB beside weights of 48.54 and 15.47: peak, context and graphs are 12.4
  // and 12.3.
  TEST_CASE("positions of images by a table of zeros and ones, in chunks of the GPU") {
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(engine);
    domain::VisibleMemory gpu = example::h100();
    gpu.compute_capability = "10.0";
    gpu.bytes = domain::exactly(gib_of(178.35));
    const auto peak_of = [&](std::string_view name, domain::EngineVersion version) {
      const auto model = example::built_in_catalog().find_name(name);
      REQUIRE(model);
      domain::Workload workload;
      workload.engine.version = example::flag(version);
      workload.engine.max_num_batched_tokens = example::flag(std::int64_t{16384});
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, gpu);
      REQUIRE(estimate);
      return domain::part_bytes(*estimate, domain::Part::Activation);
    };
    const domain::Range of_large = peak_of("google/gemma-4-26B-A4B", {0, 22, 0});
    CHECK(of_large.expected.gib() == doctest::Approx(11.05 + 0.17).epsilon(0.01));
    CHECK(of_large.high.gib() < 11.8);
    CHECK(peak_of("google/gemma-4-E4B-it", {0, 22, 0}).expected == of_large.expected);
    // One frame after another before, and looked up in the table later.
    CHECK(peak_of("google/gemma-4-E4B-it", {0, 20, 2}).expected.gib() < 5);
    CHECK(peak_of("google/gemma-4-E4B-it", {0, 28, 0}).high.gib() < 5);
  }
}
