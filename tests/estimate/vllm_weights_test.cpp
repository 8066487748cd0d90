// Weights that vLLM printed in published starts ("Model loading took N GiB"), for what only some of
// its loaders and kernels do.
#include <doctest/doctest.h>

#include <string_view>

#include "domain/engine.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"
#include "support/printed_weights.hpp"

using namespace gpushape;
using example::check_weights;
using example::PrintedWeights;
using example::weights_by_vllm;

TEST_SUITE("estimate") {
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

  // https://github.com/mnmehta/kimi-k3, bench-results, with the image of July 2026: on sixteen H200
  // as one, whose experts of 3,072 are 16 times 256 wide, and as two stages. What leads into the
  // space of the experts and out of it stays in 16 bits, whole on each: 92 x 2 x 3,584 x 7,168
  // values.
  TEST_CASE("Kimi-K3's ranks hold all that leads to its experts") {
    check_weights({.model = "moonshotai/Kimi-K3",
                   .version = "0.26",
                   .tensor = 16,
                   .gib = 129.75,
                   .capability = "9.0"},
                  0.002);
    check_weights({.model = "moonshotai/Kimi-K3",
                   .version = "0.26",
                   .tensor = 8,
                   .pipeline = 2,
                   .gib = 96.79,
                   .capability = "9.0"},
                  0.006);
  }

  // https://github.com/Huzifa1/vllm-profiling (H100 NVL),
  // https://github.com/vllm-project/vllm/issues/33155 (H100): Marlin pads 2,880 values to 3,072,
  // Triton's kernels pad less.
  TEST_CASE("Hopper has Triton's kernels for MXFP4 once they come with the package") {
    check_weights(
        {.model = "openai/gpt-oss-20b", .version = "0.10.1", .gib = 13.7194, .capability = "9.0"},
        0.002);
    check_weights(
        {.model = "openai/gpt-oss-120b", .version = "0.14.1", .gib = 64.38, .capability = "9.0"},
        0.001);
  }

  // A start on two H100 (https://github.com/parallelworks/activate-rag-vllm, 0.15.1) and a public
  // note of one on an H100 (August 2026): of 36 layers with 128 experts the scales, one byte for 32
  // values, are 3.34 GiB, which no later release holds twice.
  TEST_CASE(
      "scales of MXFP4 that Triton's kernels lay out anew are held twice until they are freed") {
    for (const PrintedWeights& row : {PrintedWeights{.model = "openai/gpt-oss-120b",
                                     .version = "0.15.1",
                                     .tensor = 2,
                                     .gib = 32.98,
                                     .capability = "9.0"},
                                      PrintedWeights{.model = "openai/gpt-oss-120b",
                                      .version = "0.25.1",
                                      .gib = 61.29,
                                      .capability = "9.0"}}) {
      CAPTURE(row.version);
      check_weights(row, 0.001);
      const domain::Range weights = weights_by_vllm(row);
      CHECK((weights.high - weights.low).gib() < 0.025 * row.gib);
    }
    const auto gib_by = [](std::string_view version) {
      return weights_by_vllm(
                 {.model = "openai/gpt-oss-120b", .version = version, .capability = "9.0"})
          .expected.gib();
    };
    const double scales = 36.0 * 128 * 3 * 2880 * 2880 / 32 / (1 << 30);
    // The later release's allocator leaves 0.2 GiB to tensors beyond 1 MiB each.
    CHECK(gib_by("0.18") - gib_by("0.25") == doctest::Approx(scales).epsilon(0.08));
  }

  // "Model loading took 0.61 GiB memory" by 0.27.1 on an H100, in a public file: two copies of 2 x
  // 768 x 3,072 values of 32 bits beside 0.570 GiB, each 0.018.
  TEST_CASE("dense layers behind the pooling are loaded for texts and for tokens") {
    check_weights({.model = "google/embeddinggemma-300m", .version = "0.27.1", .gib = 0.6054},
                  0.002);
    check_weights({.model = "google/embeddinggemma-300m", .version = "0.11", .gib = 0.5878}, 0.002);
    check_weights({.model = "google/embeddinggemma-300m", .version = "0.10.1", .gib = 0.5702},
                  0.002);
  }

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

  // https://github.com/kaitakuai/experiments, kimi-k26-int4-2x8xh100: 35.83 GiB on the first stage,
  // with 31 layers, and 35.69 on the last, with 30: a tower of 0.21 GiB lies on both.
  TEST_CASE("towers lie on every pipeline stage") {
    const PrintedWeights last{.model = "moonshotai/Kimi-K2.6",
                              .version = "0.15.1",
                              .tensor = 8,
                              .pipeline = 2,
                              .gib = 35.69};
    check_weights(last, 0.0025);
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

  // 0.7.1 to 0.7.3 multiply the halves of kv_b_proj into the projections of queries and outputs.
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

  // A start by 0.17.0: 4,429,679,360 values, and cosines and sines of 4 x 131,072 frames of 64.
  TEST_CASE("a realtime encoder rotates every frame of the longest context") {
    check_weights(
        {.model = "mistralai/Voxtral-Mini-4B-Realtime-2602", .version = "0.17", .gib = 8.38},
        0.001);
  }

  // A start by a build of 0.22.1 on GB10: its experts alone are in four bits.
  TEST_CASE("NVIDIA leaves DiffusionGemma's dense networks and attention in 16 bits") {
    check_weights(
        {.model = "nvidia/diffusiongemma-26B-A4B-it-NVFP4", .version = "0.22", .gib = 18.16},
        0.004);
  }

  // A start on GB10 by 0.24.0 (ghcr.io/aeon-7/aeon-vllm-ultimate:2026-07-01-v0.24.0) prints 14.11
  // GiB, one that generates 15.26: a head of 151,669 x 4,096.
  TEST_CASE("the bounds of a reranker hold the classifier that is made of it") {
    const domain::Range weights =
        weights_by_vllm({.model = "Qwen/Qwen3-Reranker-8B", .version = "0.24"});
    CHECK(weights.low.gib() <= 14.115);
    CHECK(weights.low.gib() >= 14.115 * 0.98);
    CHECK(weights.expected.gib() == doctest::Approx(15.26).epsilon(0.001));
  }
}
