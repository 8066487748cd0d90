// Quantized weights as vLLM printed them, or as their files and kernels lay them out.
#include <doctest/doctest.h>

#include <string_view>

#include "support/printed_weights.hpp"

using namespace gpushape;
using example::check_weights;
using example::PrintedWeights;
using example::weights_by_vllm;

TEST_SUITE("estimate") {
  // https://github.com/Captain-Jay29/vllm vllm_server.log. 0.9.2 turns the 8-bit scales of its
  // 0.969 G linear weights into 32-bit ones, three bytes more for each 64.
  TEST_CASE("bitsandbytes quantizes its scales, too, until releases that unfold them") {
    check_weights({.model = "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
                   .version = "0.8.3",
                   .quantization = "bnb-nf4",
                   .gib = 0.7318},
                  0.001);
    const double unfolded = 22 * (2 * 2048.0 * 2048 + 2 * 2048 * 256 + 3 * 2048 * 5632) / 64 * 3;
    check_weights({.model = "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
                   .version = "0.9.2",
                   .quantization = "bnb-nf4",
                   .gib = 0.7318 + unfolded / (1 << 30)},
                  0.015);
  }

  // vLLM 0.9.2 model_executor/model_loader/bitsandbytes_loader.py, dequantize_dq: a checkpoint's
  // 8-bit scales become 32-bit ones, whether its repository or a flag tells of them. Of 6.98 G
  // linear weights in blocks of 64 each scale has three bytes more.
  TEST_CASE("double-quantized checkpoints weigh the same by their name and by --quant") {
    for (const std::string_view version : {"0.8", "0.9.2", "0.31"}) {
      CAPTURE(version);
      const domain::Range named =
          weights_by_vllm({.model = "unsloth/Llama-3.1-8B-Instruct-bnb-4bit", .version = version});
      const domain::Range asked = weights_by_vllm({.model = "meta-llama/Llama-3.1-8B-Instruct",
                                                   .version = version,
                                                   .quantization = "nf4-double"});
      CHECK(named == asked);
    }
    const auto gib_by = [](std::string_view version) {
      return weights_by_vllm({.model = "meta-llama/Llama-3.1-8B-Instruct",
                              .version = version,
                              .quantization = "nf4-double"})
          .expected.gib();
    };
    const double linear = 32.0 * (2 * 4096.0 * 4096 + 2 * 1024 * 4096.0 + 3 * 4096.0 * 14336);
    const double unfolded = linear / 64 * 3 / (1 << 30);
    CHECK(gib_by("0.31") - gib_by("0.8") == doctest::Approx(unfolded).epsilon(0.1));
  }

  // A start of 0.6.3 on a Jetson Orin NX (dustynv/vllm:0.6.3-r36.4.0); the file has 4.36 GiB.
  TEST_CASE("a GGUF file's tensors keep their own types, embedding and head with them") {
    check_weights({.model = "Qwen2-7B-Instruct.Q4_K_M", .version = "0.6.3", .gib = 4.3752}, 0.001);
    check_weights({.model = "Qwen/Qwen2-7B-Instruct",
                   .version = "0.6.3",
                   .quantization = "q4_k_m",
                   .gib = 4.3752},
                  0.001);
  }

  // On GB10: https://github.com/sostrowsk/dgx-spark-local-llm (Laguna, 0.25.1) and a public boot
  // log of Nemotron-3-Nano (0.26.0).
  TEST_CASE("the bounds of 8 and 4 bits on GB10 hold what its kernels lay out anew") {
    for (const PrintedWeights& row :
         {PrintedWeights{.model = "poolside/Laguna-S-2.1-INT4",
         .version = "0.25.1",
         .gib = 69.34,
         .capability = "12.1"},
          PrintedWeights{.model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4",
          .version = "0.26",
          .gib = 18.21,
          .capability = "12.1"}}) {
      CAPTURE(row.model);
      const domain::Range weights = weights_by_vllm(row);
      CHECK(weights.low.gib() <= row.gib);
      CHECK(weights.high.gib() >= row.gib);
    }
  }

  // A start of 0.9.2 that prints 2.5988 GiB with adapters, 0.22 at rank 64; the encoder alone is
  // 1.25 in 16 bits.
  TEST_CASE("what bitsandbytes makes of an encoder of images is left open") {
    const domain::Range weights = weights_by_vllm({.model = "Qwen/Qwen2.5-VL-3B-Instruct",
                                                   .version = "0.9.2",
                                                   .quantization = "bitsandbytes"});
    CHECK(weights.low.gib() < 2.5988);
    CHECK(weights.expected.gib() > 2.5988);
    const domain::Range text = weights_by_vllm(
        {.model = "Qwen/Qwen2.5-3B-Instruct", .version = "0.9.2", .quantization = "bitsandbytes"});
    CHECK((text.high - text.low).gib() < 0.1);
  }

  // https://github.com/vllm-project/vllm/issues/15264. Of the encoder 32 layers of 1,280 wide hold
  // 4 x 1,280 x 1,280 + 3 x 1,280 x 3,420 values, its merger 5,120 x 5,120 + 5,120 x 3,584: 0.63
  // GiB in 16 bits that 8 do not take. gemma4_mm.py hands its encoder no quantization.
  TEST_CASE("FP8 that is made while loading takes the encoders of images, where classes let it") {
    check_weights({.model = "Qwen/Qwen2.5-VL-7B-Instruct",
                   .version = "0.8.1",
                   .quantization = "fp8",
                   .gib = 8.9031},
                  0.003);
    const auto gib_of = [](std::string_view model, std::string_view quantization) {
      return weights_by_vllm({.model = model, .version = "0.22", .quantization = quantization})
          .expected.gib();
    };
    const double linear = 32 * (4 * 1280.0 * 1280 + 3 * 1280 * 3420) + 5120 * (5120.0 + 3584);
    const double decoder =
        gib_of("Qwen/Qwen2.5-7B-Instruct", "") - gib_of("Qwen/Qwen2.5-7B-Instruct", "fp8");
    CHECK(gib_of("Qwen/Qwen2.5-VL-7B-Instruct", "") -
              gib_of("Qwen/Qwen2.5-VL-7B-Instruct", "fp8") ==
          doctest::Approx(decoder + linear / (1 << 30)).epsilon(0.01));
    // 31.47 GiB by a start of Gemma-4-31B with --quantization fp8 on an RTX PRO 6000: 1.4 G of its
    // 31.3 G parameters, 2.6 GiB, are the embedding, 0.57 G the encoder, both in 16 bits.
    check_weights(
        {.model = "google/gemma-4-31B-it", .version = "0.22", .quantization = "fp8", .gib = 31.47},
        0.01);
  }

  // https://github.com/vllm-project/vllm/issues/16199; AWQ's groups of 128 are 1.4 GiB less.
  TEST_CASE("Gemma 3 trained for 4 bits has groups of 32") {
    check_weights({.model = "gaunernst/gemma-3-27b-it-int4-awq", .version = "0.8.3", .gib = 17.611},
                  0.004);
  }

  // The published files are 594 GB; 1.0 more are the halves of kv_b_proj.
  TEST_CASE("Kimi-K2-Thinking is published with experts of 4 bits") {
    const domain::Range weights =
        weights_by_vllm({.model = "moonshotai/Kimi-K2-Thinking", .version = "0.11.1"});
    CHECK(static_cast<double>(weights.expected.count()) / 1e9 ==
          doctest::Approx(594 + 1.0).epsilon(0.003));
  }

  // Its name says so: 353 G parameters, all but 1.6 G of embedding and head in 8 bits.
  TEST_CASE("a repository that is called FP8 is not sized in 16 bits") {
    const domain::Range weights =
        weights_by_vllm({.model = "zai-org/GLM-4.7-FP8", .version = "0.19"});
    CHECK(static_cast<double>(weights.expected.count()) / 1e9 ==
          doctest::Approx(353 + 1.6).epsilon(0.01));
  }

  // https://github.com/djangodevreng/dgx-spark-benchmarks, 0.26.0 on GB10: Marlin does not pad a
  // width of 1,856, which CUTLASS takes to 1,920.
  TEST_CASE("where the kernel is not known the bounds hold what each of them takes") {
    const domain::Range weights = weights_by_vllm(
        {.model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", .version = "0.26"});
    CHECK(weights.low.gib() <= 18.21);
    CHECK(weights.high.gib() >= 18.21);
  }

  // Public logs: 0.26.0 on L40S and 0.19.0 on A100, which has no FP8 units. Projections with a row
  // for each of 48 heads are narrower than a block of 128.
  TEST_CASE("what is narrower than a block of FP8 stays in 16 bits") {
    check_weights(
        {.model = "Qwen/Qwen3.8-27B-FP8", .version = "0.26", .gib = 28.51, .capability = "8.9"},
        0.0003);
    check_weights(
        {.model = "Qwen/Qwen3.5-35B-A3B-FP8", .version = "0.19", .gib = 34.71, .capability = "8.0"},
        0.0003);
  }

  // 64 layers of 5,120 x (8,192 + 2 x 1,024), 8,192 x 5,120 and 3 x 5,120 x 25,600 values: 16 bits
  // for each row's 128 inputs in place of 32 for each block of 128 x 128.
  TEST_CASE("without FP8 units the scales of blocks are repeated for each row") {
    PrintedWeights row = {.model = "Qwen/Qwen3-32B-FP8", .version = "0.19", .capability = "8.6"};
    const domain::Range ampere = weights_by_vllm(row);
    row.capability = "9.0";
    const domain::Range hopper = weights_by_vllm(row);
    const double values =
        64.0 * 5120 * (8192 + 2 * 1024 + 8192 + 3 * 25600) * (2.0 / 128 - 4.0 / 16384);
    CHECK(ampere.expected.gib() - hopper.expected.gib() ==
          doctest::Approx(values / (1 << 30)).epsilon(0.05));
    row.capability = {};
    CHECK(weights_by_vllm(row).high.gib() > ampere.expected.gib());
  }

  // GLM-4.7-Flash by 0.30 on GB10 prints 30.8 GiB from unsloth's copy; with all layers in 8 bits,
  // as RedHatAI keeps them, it would be 29.0.
  TEST_CASE("the bounds of unsloth's FP8-Dynamic hold layers that it leaves in 16 bits") {
    const auto loaded = [](std::string_view model) {
      return weights_by_vllm({.model = model, .version = "0.30"});
    };
    const domain::Range chosen = loaded("unsloth/GLM-4.7-Flash-FP8-Dynamic");
    const domain::Range all = loaded("RedHatAI/GLM-4.7-Flash-FP8-dynamic");
    CHECK(chosen.high.gib() >= 30.8);
    CHECK(chosen.low.gib() <= 29.1);
    CHECK(all.high.gib() < 30.8);
  }

  // Half of an expert's width of 704 is 352, which Marlin's tiles of 64 take to 384: of 30 layers
  // with 128 experts 3 x 2,816 x 32 bytes each. Hopper's kernels read the rows as they are.
  TEST_CASE("Marlin's tiles widen what ranks have of narrow experts") {
    const auto gib_by = [](std::string_view version, std::string_view capability) {
      return weights_by_vllm({.model = "google/gemma-4-26B-A4B-it",
                              .version = version,
                              .tensor = 2,
                              .quantization = "fp8-channel",
                              .capability = capability})
          .expected.gib();
    };
    const double widened = 30.0 * 128 * 3 * 2816 * 32 / (1 << 30);
    CHECK(gib_by("0.25", "8.6") - gib_by("0.22", "8.6") == doctest::Approx(widened).epsilon(0.05));
    CHECK(gib_by("0.25", "9.0") == doctest::Approx(gib_by("0.22", "9.0")));
    // Groups of 32: 352 are eleven of them, 176 no whole number.
    const auto awq_by = [](std::string_view version, std::int64_t ranks) {
      return weights_by_vllm({.model = "cyankiwi/gemma-4-26B-A4B-it-AWQ-4bit",
                              .version = version,
                              .tensor = ranks,
                              .capability = "8.6"})
          .expected.gib();
    };
    CHECK(awq_by("0.25", 2) - awq_by("0.22", 2) == doctest::Approx(widened / 2).epsilon(0.1));
    CHECK(awq_by("0.25", 4) == doctest::Approx(awq_by("0.22", 4)));
  }

  // https://github.com/rahulrawat20022002/case_study2, vllm_judge.log (39.56 GiB by 0.30.0 beside a
  // pool of 87.95 at 0.95, so on 141 GB); Qwen2.5-7B-AWQ by 0.31.0 on H200 5.38. A zero point
  // of 16 bits for 4 is 12 more for each 128 of 70.2 G weights: 0.77 GiB.
  TEST_CASE("Hopper's kernels hold zero points of AWQ in 16 bits, and those of others in 4") {
    const auto of = [](std::string_view version, std::string_view capability) {
      return weights_by_vllm(
          {.model = "Qwen/Qwen2.5-72B-Instruct-AWQ", .version = version, .capability = capability});
    };
    CHECK(of("0.30", "9.0").expected.gib() == doctest::Approx(39.56).epsilon(0.001));
    CHECK(of("0.30", "9.0").low.gib() < of("0.30", "8.0").expected.gib());
    const double linear = 80 * (8192.0 * 8192 * 2 + 2 * 8192.0 * 1024 + 3 * 8192.0 * 29568);
    const double wider = linear / 128 * 12 / 8 / (1 << 30);
    CHECK(of("0.30", "9.0").expected.gib() - of("0.29", "9.0").expected.gib() ==
          doctest::Approx(wider).epsilon(0.05));
    CHECK(of("0.30", "8.0") == of("0.29", "8.0"));
    CHECK(of("0.30", "").expected == of("0.29", "").expected);
    CHECK(of("0.30", "").high.gib() > 39.56);
    // Experts keep theirs: of Qwen3-30B-A3B attention alone, 0.906 G weights, has wider ones.
    const auto experts = [](std::string_view version) {
      return weights_by_vllm(
                 {.model = "Qwen/Qwen3-30B-A3B-AWQ", .version = version, .capability = "9.0"})
          .expected.gib();
    };
    const double attention = 48 * 2048.0 * (4096 + 512 + 512 + 4096);
    CHECK(experts("0.30") - experts("0.29") ==
          doctest::Approx(attention / 128 * 12 / 8 / (1 << 30)).epsilon(0.2));
    check_weights({.model = "Qwen/Qwen2.5-7B-Instruct-AWQ",
                   .version = "0.31",
                   .gib = 5.38,
                   .capability = "9.0"},
                  0.002);
  }
}
