// Weights that vLLM printed in published starts ("Model loading took N GiB"), for what only some of
// its loaders and kernels do.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/quantization_names.hpp"
#include "domain/engine.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

struct PrintedWeights {
  std::string_view model;
  std::string_view version;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::string_view quantization = {};  ///< asked for; empty for the checkpoint's
  double gib = 0;
  bool is_on_amd = false;
  std::string_view capability = {};  ///< of NVIDIA's GPU; empty where it is not known
  std::int64_t batched_tokens = 0;   ///< 0 for what the engine takes
  std::int64_t draft_tokens = 0;
};

domain::Range weights_by_vllm(const PrintedWeights& row) {
  const Result<domain::Model> model = example::built_in_catalog().find_name(std::string(row.model));
  REQUIRE(model);
  const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::Workload workload = example::workload(2048, 1);
  workload.engine.version = example::flag(*domain::engine_version(row.version));
  workload.engine.tensor = example::flag(row.tensor);
  workload.engine.pipeline = example::flag(row.pipeline);
  if (row.batched_tokens > 0)
    workload.engine.max_num_batched_tokens = example::flag(row.batched_tokens);
  if (row.draft_tokens > 0) workload.engine.draft_tokens = example::flag(row.draft_tokens);
  if (!row.quantization.empty())
    workload.quantization = example::flag(*catalog::parse_quantization(row.quantization));
  std::optional<domain::VisibleMemory> gpu;
  if (row.is_on_amd || !row.capability.empty()) {
    gpu.emplace();
    gpu->bytes = domain::exactly(gib(192));
    gpu->vendor = row.is_on_amd ? "amd" : "nvidia";
    gpu->compute_capability = row.capability;
  }
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return domain::part_bytes(*estimate, domain::Part::Weights);
}

void check_weights(const PrintedWeights& row, double tolerance) {
  CAPTURE(row.model);
  CAPTURE(row.version);
  CHECK(weights_by_vllm(row).expected.gib() == doctest::Approx(row.gib).epsilon(tolerance));
}

}  // namespace

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

  // https://github.com/amdgoose/arno_vllm_chat, https://github.com/apollo-mg/Project-Apollo
  // vllm_results.log and vllm_results_fp8_redhat.log, https://github.com/fpolica91/triton-example
  // (MI300X).
  TEST_CASE("on AMD's GPUs weights are what free memory lost while they were loaded") {
    const auto printed = std::to_array<PrintedWeights>({
        {.model = "Qwen/Qwen2.5-7B-Instruct", .version = "0.17", .gib = 14.37},
        {.model = "casperhansen/deepseek-r1-distill-qwen-14b-awq",
         .version = "0.14",
         .gib = 9.4922},
        {.model = "RedHatAI/DeepSeek-R1-Distill-Qwen-14B-FP8-dynamic",
         .version = "0.14",
         .gib = 15.4668},
        {.model = "zai-org/GLM-5-FP8", .version = "0.16", .tensor = 8, .gib = 91.36},
    });
    for (PrintedWeights row : printed) {
      CAPTURE(row.model);
      row.is_on_amd = true;
      const domain::Range weights = weights_by_vllm(row);
      CHECK(weights.low.gib() <= row.gib);
      CHECK(weights.high.gib() >= row.gib);
    }
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

  // A start of 0.6.3.post1: 0.18 of them are a second embedding.
  TEST_CASE("Phi-3's class with images has an embedding beside its decoder's") {
    check_weights({.model = "microsoft/Phi-3.5-vision-instruct", .version = "0.6.3", .gib = 7.9324},
                  0.001);
  }

  // 25 heads do not divide by 8 ranks: 45 layers of 4 x 3,200^2 values are whole on each.
  TEST_CASE("a tower's attention is whole on each rank where its heads do not divide") {
    check_weights(
        {.model = "OpenGVLab/InternVL3-78B", .version = "0.6.6", .tensor = 8, .gib = 21.6682},
        0.001);
  }

  // A start on an RTX 4090 D, and one by a build of 0.28.1 on another GPU.
  TEST_CASE("from 0.28 on the allocator leaves larger rests with their tensors") {
    check_weights({.model = "Qwen/Qwen2.5-1.5B-Instruct", .version = "0.28", .gib = 2.98}, 0.002);
    check_weights({.model = "Qwen/Qwen2.5-1.5B-Instruct", .version = "0.11", .gib = 2.8871},
                  0.0005);
  }

  // NVIDIA's container 26.01 (0.13.0) on GB10: 15.2227 GiB, the tensors and nothing beside them.
  TEST_CASE("the bounds hold an allocator that rounds nothing up") {
    const domain::Range weights = weights_by_vllm(
        {.model = "neuralmagic/Qwen2.5-14B-Instruct-FP8-dynamic", .version = "0.13"});
    CHECK(weights.low.gib() <= 15.2227);
  }

  // https://github.com/ashishkamra/vllm-memory-estimator test_data/validation_db.json (one H200,
  // four H200), https://github.com/Zzsf11/VideoCuttingAgent (two H100), a public log of April 2026
  // (8B). 3 x 8,192 x 4,096 values of 16 bits are 0.19 GiB.
  TEST_CASE("outputs of an encoder for the decoder's first layers lie ready for a whole step") {
    check_weights({.model = "Qwen/Qwen3-VL-30B-A3B-Instruct",
                   .version = "0.13",
                   .gib = 58.2299,
                   .batched_tokens = 8192},
                  0.00003);
    check_weights({.model = "Qwen/Qwen3-VL-30B-A3B-Instruct",
                   .version = "0.12",
                   .tensor = 2,
                   .gib = 29.3114,
                   .batched_tokens = 8192},
                  0.0001);
    check_weights({.model = "Qwen/Qwen3-VL-8B-Instruct",
                   .version = "0.19",
                   .gib = 16.78,
                   .batched_tokens = 8192},
                  0.0003);
    check_weights({.model = "Qwen/Qwen3-VL-2B-Instruct",
                   .version = "0.20",
                   .gib = 4.24,
                   .batched_tokens = 2048},
                  0.0015);
    // 2,048 x 42 x 256 values; public logs of 0.19.2rc1 and 0.22.1.
    check_weights({.model = "google/gemma-4-E4B-it",
                   .version = "0.19.2",
                   .gib = 15.16,
                   .batched_tokens = 2048},
                  0.0015);
  }

  // Two public logs (0.10.2, 0.11.0), and one in AWQ (https://github.com/mrpid12org/imageworks
  // nohup.out). A layer of CLIP has 12.6 M values, 0.0235 GiB.
  TEST_CASE("the layer of CLIP behind the one that LLaVA takes is left out") {
    check_weights(
        {.model = "llava-hf/llava-v1.6-mistral-7b-hf", .version = "0.10.2", .gib = 14.0786},
        0.00005);
    check_weights({.model = "ybelkada/llava-1.5-7b-hf-awq", .version = "0.10.2", .gib = 4.253},
                  0.0003);
  }

  // The same file (one H200) and a public log of 0.19.1 (four H100). 62 x 256 x 3,072 values in 32
  // bits are 0.09 GiB more than in 16, 23 x 128 x 2,688 0.01.
  TEST_CASE("some classes hold their routers in 32 bits") {
    check_weights({.model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-FP8",
                   .version = "0.13",
                   .gib = 30.5211,
                   .capability = "9.0"},
                  0.00005);
    check_weights(
        {.model = "MiniMaxAI/MiniMax-M2.5", .version = "0.19.1", .tensor = 4, .gib = 53.75},
        0.0002);
  }

  // The same file (V4-Pro on eight H200), a card of two RTX PRO 6000 (0.25.0, with drafts), eight
  // H100 (0.31.1). Four streams of 7,168 values for 8,192 tokens are 0.44 GiB, for 512 0.03.
  TEST_CASE("DeepSeek-V4 has two tables of angles, and keeps its streams for drafts") {
    check_weights({.model = "deepseek-ai/DeepSeek-V4-Pro",
                   .version = "0.20",
                   .tensor = 8,
                   .gib = 102.77,
                   .capability = "9.0",
                   .batched_tokens = 8192},
                  0.0005);
    check_weights({.model = "deepseek-ai/DeepSeek-V4-Pro",
                   .version = "0.20",
                   .tensor = 8,
                   .gib = 102.34,
                   .capability = "9.0",
                   .batched_tokens = 512},
                  0.0005);
    check_weights({.model = "deepseek-ai/DeepSeek-V4-Flash",
                   .version = "0.25",
                   .tensor = 2,
                   .gib = 75.64,
                   .capability = "12.0",
                   .batched_tokens = 4096,
                   .draft_tokens = 1},
                  0.0003);
    check_weights({.model = "deepseek-ai/DeepSeek-V4-Flash-0731",
                   .version = "0.28",
                   .tensor = 8,
                   .gib = 19.79,
                   .capability = "9.0",
                   .batched_tokens = 8192},
                  0.0005);
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

  // 48 layers of 128 experts: rows of 2,048 and of 768 values in 16 bits, 256 bytes behind each.
  // The wider second matrix (384 MiB, then 448) lies where the first one was (768), and 320 MiB of
  // that are lost; what the last layer's second one leaves is not given back.
  TEST_CASE("on AMD's GPUs rows of experts are set apart once they are loaded") {
    const PrintedWeights row = {
        .model = "Qwen/Qwen3-30B-A3B", .version = "0.10", .is_on_amd = true};
    const double rows = 48 * 128.0 * (2 * 768 + 2048) * 256 / (1 << 30);
    const double lost = (48 * 320.0 + 384) / 1024;
    const domain::Range weights = weights_by_vllm(row);
    CHECK(weights.expected.gib() == doctest::Approx(56.94 + rows + lost).epsilon(0.005));
    CHECK(weights.low.gib() < 56.94);
  }

  // https://github.com/ashishkamra/vllm-memory-estimator, logs 568509ab and 9d45cb21 (MI300X).
  TEST_CASE("room that widened matrices leave behind them is lost to AMD's driver") {
    check_weights({.model = "RedHatAI/Ministral-3-14B-Instruct-2512",
                   .version = "0.14.1",
                   .gib = 17.60,
                   .is_on_amd = true},
                  0.005);
    check_weights({.model = "Qwen/Qwen3-VL-30B-A3B-Instruct",
                   .version = "0.14.1",
                   .gib = 79.29,
                   .is_on_amd = true},
                  0.008);
  }

  // 0.7.1 to 0.7.3 multiply the halves of kv_b_proj into the projections of queries and outputs.
  // https://github.com/vllm-project/vllm/issues/5827: 1.01 of them are a head that nothing uses.
  TEST_CASE("early releases load the head of a decoder that serves embeddings") {
    check_weights({.model = "Alibaba-NLP/gte-Qwen2-7B-instruct", .version = "0.5", .gib = 14.2655},
                  0.001);
  }

  // A start on two nodes of four GH200 (October 2025): embedding and head are 0.145 GiB each.
  TEST_CASE("some classes hold embedding and head on every pipeline stage") {
    check_weights({.model = "Qwen/Qwen3-30B-A3B-Instruct-2507",
                   .version = "0.11",
                   .tensor = 4,
                   .pipeline = 2,
                   .gib = 7.3272},
                  0.0005);
  }

  // https://github.com/vllm-project/vllm/issues/7593 (19 August 2024): 42 layers, each with 8,192
  // positions of 256 values in 16 bits. A release later they share one table.
  TEST_CASE("Gemma 2 had a table of angles in each layer at first") {
    const PrintedWeights printed{
        .model = "google/gemma-2-9b", .version = "0.5.4", .tensor = 8, .gib = 2.3463};
    check_weights(printed, 0.006);
    PrintedWeights later = printed;
    later.version = "0.5.5";
    const double saved =
        weights_by_vllm(printed).expected.gib() - weights_by_vllm(later).expected.gib();
    CHECK(saved == doctest::Approx(41.0 * 8192 * 256 * 2 / (1 << 30)).epsilon(0.01));
  }

  // https://github.com/vllm-project/vllm/issues/12820, and a start on two GPUs.
  TEST_CASE("MiniCPM's resampler makes tables of positions that no file holds") {
    check_weights({.model = "openbmb/MiniCPM-o-2_6", .version = "0.7.1", .gib = 15.7985}, 0.0005);
    check_weights(
        {.model = "openbmb/MiniCPM-V-4_5", .version = "0.10.2", .tensor = 2, .gib = 8.5244},
        0.0005);
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

  TEST_CASE("the first releases with latents hold them absorbed") {
    check_weights({.model = "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
                   .version = "0.7.1",
                   .tensor = 8,
                   .gib = 3.97},
                  0.004);
  }

  // vLLM 0.8 to 0.9.2 run the first generation below compute capability 8.0, whose step holds the
  // longest prompt.
  TEST_CASE("older GPUs stay with the first generation of the engine for a while") {
    const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
    REQUIRE(engine);
    const auto tokens_of = [&](std::string_view capability, domain::EngineVersion version) {
      domain::VisibleMemory gpu;
      gpu.bytes = domain::exactly(gib(16));
      gpu.vendor = "nvidia";
      gpu.compute_capability = capability;
      domain::Workload workload = example::workload(10000, 1);
      workload.engine.version = example::flag(version);
      const auto estimate =
          estimate::estimate_memory(example::model(example::qwen2_3b()), workload, *engine, gpu);
      REQUIRE(estimate);
      return estimate->settings.max_num_batched_tokens.value;
    };
    CHECK(tokens_of("7.5", {0, 8, 5}) == 10000);
    CHECK(tokens_of("8.0", {0, 8, 5}) == 2048);
    CHECK(tokens_of("7.5", {0, 11, 0}) == 2048);
  }

  // https://github.com/djangodevreng/dgx-spark-benchmarks, 0.26.0 on GB10: Marlin does not pad a
  // width of 1,856, which CUTLASS takes to 1,920.
  TEST_CASE("where the kernel is not known the bounds hold what each of them takes") {
    const domain::Range weights = weights_by_vllm(
        {.model = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", .version = "0.26"});
    CHECK(weights.low.gib() <= 18.21);
    CHECK(weights.high.gib() >= 18.21);
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

  TEST_CASE("ranks share the projectors that engines cut") {
    // A start on four RTX 3090; the 0.19 series (llm-d-planner pull request 205).
    check_weights(
        {.model = "Qwen/Qwen3-VL-30B-A3B-Instruct", .version = "0.11", .tensor = 4, .gib = 14.7708},
        0.003);
    check_weights({.model = "RedHatAI/Mistral-Small-3.1-24B-Instruct-2503-quantized.w8a8",
                   .version = "0.19",
                   .tensor = 2,
                   .gib = 12.11},
                  0.0005);
  }
}
