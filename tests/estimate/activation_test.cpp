// The activation peak, cause by cause. The peaks are those that vLLM 0.19.0 printed on H100 80GB
// (start-up logs of https://github.com/llm-d-incubation/llm-d-planner/pull/205), two decimals.
#include <doctest/doctest.h>

#include <cmath>

#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

domain::Engine vllm_with_experts_and_encoders() {
  return example::vllm_with(
      {example::constant("expertsWorkspace", 1), example::constant("encoderOutputsKept", 1),
       example::constant("encoderWidths", 2), example::constant("encoderHidden", 3.4),
       example::constant("encoderAttention", 8), example::constant("encoderGatedAttention", 16),
       example::constant("recurrentForward", 1),
       example::constant("recurrentKernels", 2, "GiB", "recurrent=1")});
}

/// Shapes of the feed-forward networks only: no peak depends on the attention.
domain::Model mixture(std::int64_t hidden, std::int64_t vocabulary, std::int64_t active,
                      std::int64_t width) {
  domain::Model model = example::model({.id = "mixture",
                                        .layers = 24,
                                        .hidden = hidden,
                                        .heads = 16,
                                        .kv_heads = 16,
                                        .width = 0,
                                        .vocabulary = vocabulary,
                                        .context = 8192});
  domain::Experts experts;
  experts.count = 64;
  experts.active = active;
  experts.width = width;
  model.layers.front().layer.feed_forward.experts = experts;
  return model;
}

domain::Model gemma_3(std::int64_t hidden, std::int64_t width) {
  domain::Model model = example::model({.id = "google/gemma-3",
                                        .layers = 34,
                                        .hidden = hidden,
                                        .heads = 8,
                                        .kv_heads = 4,
                                        .head_dim = 256,
                                        .width = width,
                                        .vocabulary = 262208,
                                        .context = 131072,
                                        .tied = true});
  domain::Tower tower;
  tower.kind = domain::TowerKind::Vision;
  tower.hidden_size = 1152;
  tower.layers = 27;
  tower.heads = 16;
  tower.width = 4304;
  tower.inner_tokens = 4096;
  tower.output_tokens = 256;
  tower.input_values = std::int64_t{3} * 896 * 896;
  model.towers = {tower};
  return model;
}

double activation_gib(const domain::Model& model, std::int64_t tensor_parallel = 1,
                      std::int64_t sequences = 1024) {
  domain::Workload workload = example::workload(8192, 1);
  workload.engine.tensor = example::flag(tensor_parallel);
  workload.engine.max_num_seqs = example::flag(sequences);
  workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(8192);
  const auto estimate =
      estimate::estimate_memory(model, workload, vllm_with_experts_and_encoders(), example::h100());
  REQUIRE(estimate.has_value());
  return example::term(*estimate, "activation").gib();
}

domain::VisibleMemory card_of_31_gib() {
  domain::VisibleMemory gpu;
  gpu.bytes = domain::exactly(gib_of(31.36));
  gpu.parent_bytes = gib_of(31.84);
  gpu.compute_capability = "12.0";
  gpu.vendor = "nvidia";
  return gpu;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("the experts' workspace stands under the sampler") {
    // DeepSeek-V2-Lite-Chat: 6 of 64 experts of 1,408; log: 1.93 GiB.
    CHECK(std::abs(activation_gib(mixture(2048, 102400, 6, 1408)) - 1.93) <= 0.01);
    // Qwen1.5-MoE-A2.7B: 4 of 60 experts of 1,408; log: 2.47 GiB.
    CHECK(std::abs(activation_gib(mixture(2048, 151936, 4, 1408)) - 2.47) <= 0.01);
  }

  TEST_CASE("tensor parallel narrows an expert, not what stands beside it") {
    // Two ranks: 8,192 x 6 x (2,048 + max(1,408, 2,048)) x 2 bytes = 0.375 GiB instead of
    // 8,192 x 6 x (2,048 + 2,816) x 2 = 0.4453.
    const domain::Model model = mixture(2048, 102400, 6, 1408);
    CHECK(activation_gib(model, 1) - activation_gib(model, 2) ==
          doctest::Approx(0.0703).epsilon(0.01));
  }

  TEST_CASE("images and what comes out of them stay while the decoder samples") {
    // 32 images of 896 x 896 in 8,192 tokens; logs of gemma-3-4b, -12b and -27b.
    CHECK(std::abs(activation_gib(gemma_3(2560, 10240)) - 3.89) <= 0.01);
    CHECK(std::abs(activation_gib(gemma_3(3840, 15360)) - 3.94) <= 0.01);
    CHECK(std::abs(activation_gib(gemma_3(5376, 21504)) - 3.99) <= 0.01);
  }

  TEST_CASE("with few sequences the encoder decides, and says so") {
    const domain::Model model = gemma_3(2560, 10240);
    domain::Workload workload = example::workload(8192, 1);
    workload.engine.max_num_seqs = example::flag<std::int64_t>(64);
    workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(8192);
    const auto estimate = estimate::estimate_memory(
        model, workload, vllm_with_experts_and_encoders(), example::h100());
    REQUIRE(estimate.has_value());
    // 32 x 4,096 tokens x (2 x 4,304 + 3.4 x 1,152) x 2 bytes + pixels 32 x 2,408,448 x 2 + 32 MiB
    const double expected =
        (32.0 * 4096 * (2 * 4304 + 3.4 * 1152) * 2 + 32.0 * 2408448 * 2) / (1 << 30) + 0.03125;
    CHECK(example::term(*estimate, "activation").gib() == doctest::Approx(expected).epsilon(1e-4));
    for (const domain::Term& term : estimate->terms) {
      if (term.name == "activation") CHECK(term.formula.starts_with("encoder"));
    }
    // Two ranks have half of the network's width each.
    workload.engine.tensor = example::flag<std::int64_t>(2);
    const auto shared = estimate::estimate_memory(model, workload, vllm_with_experts_and_encoders(),
                                                  example::h100());
    REQUIRE(shared.has_value());
    CHECK(expected - example::term(*shared, "activation").gib() ==
          doctest::Approx(32.0 * 4096 * 4304 * 2 / (1 << 30)).epsilon(1e-4));
  }

  // dots.ocr by 0.12.0 on an RTX 3090 with 16,384 tokens a step: 0.85 x 23.69 GiB less 5.72 of
  // weights leave 9.84 for the cache, so that the step took 4.58 with some 0.1 beside PyTorch's.
  TEST_CASE("queries and keys that are rotated as one are copied once more") {
    const Result<domain::Model> model =
        example::built_in_catalog().find_name("rednote-hilab/dots.ocr");
    const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    domain::Workload workload = example::workload(8192, 1);
    workload.engine.version = example::flag(domain::EngineVersion{0, 12, 0});
    workload.engine.max_num_seqs = example::flag<std::int64_t>(8);
    workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(16384);
    const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
    REQUIRE(estimate.has_value());
    CHECK(example::term(*estimate, "activation").gib() == doctest::Approx(4.45).epsilon(0.05));
  }

  // Qwen3-VL-30B-A3B of vLLM 0.12.0 on two H100: 71.27 GiB of share less 29.31 of weights and 0.42
  // of non-torch memory leave 37.23 with 256 sequences (github.com/Zzsf11/VideoCuttingAgent).
  TEST_CASE("a video is profiled with room for a whole budget of tokens, four widths each") {
    const Result<domain::Model> model =
        example::built_in_catalog().find_name("Qwen/Qwen3-VL-30B-A3B-Instruct");
    const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    domain::Workload workload = example::workload(65536, 1);
    workload.engine.version = example::flag(domain::EngineVersion{0, 12, 0});
    workload.engine.tensor = example::flag<std::int64_t>(2);
    workload.engine.max_num_seqs = example::flag<std::int64_t>(256);
    workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(8192);
    const auto activation = [&] {
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
      REQUIRE(estimate.has_value());
      return example::term(*estimate, "activation").gib();
    };
    // 153,600 x 4 x 2,048 values and the patches of 49,152 tokens stay.
    const double kept = (153600.0 * 4 * 2048 * 2 + 49152.0 * 4 * 1536 * 2) / (1 << 30);
    const double sampler = 256.0 * 151936 * (2 + 36) / (1 << 30);
    CHECK(activation() == doctest::Approx(kept + sampler).epsilon(0.02));
    CHECK(activation() == doctest::Approx(71.27 - 29.31 - 0.42 - 37.23).epsilon(0.015));
    workload.engine.version = example::flag(domain::EngineVersion{0, 19, 0});
    CHECK(activation() < kept);
  }

  // vLLM 0.23 model_executor/models/granite4_vision.py, _ds_buffers: one of [tokens of a step,
  // 2,560] for each of eight layers of the decoder; qwen3_vl.py, deepstack_input_embeds: for three
  // of 4,096.
  TEST_CASE("buffers are kept for every layer that an encoder feeds") {
    const Result<domain::Engine> engine = example::built_in_catalog().engine("vllm");
    REQUIRE(engine);
    const auto kept_of = [&](std::string_view name) {
      const Result<domain::Model> model = example::built_in_catalog().find_name(name);
      REQUIRE(model);
      domain::Workload workload = example::workload(4096, 1);
      workload.engine.version = example::flag(domain::EngineVersion{0, 23, 0});
      workload.engine.max_num_batched_tokens = example::flag<std::int64_t>(8192);
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
      REQUIRE(estimate.has_value());
      return example::term(*estimate, "stepBuffers");
    };
    CHECK(kept_of("ibm-granite/granite-4.0-3b-vision").count() == 8 * 2560 * 8192 * 2);
    CHECK(kept_of("Qwen/Qwen3-VL-8B-Instruct").count() == 3 * 4096 * 8192 * 2);
  }

  // GLM-5.2-NVFP4 of vLLM 0.26.0 takes 40 x 819,200 keys of 128 + 4 bytes.
  TEST_CASE("an indexer gathers the keys of many long requests") {
    domain::Model model = example::model(example::llama_8b());
    domain::Attention& attention = model.layers.front().layer.attention;
    attention.kind = domain::LayerKind::Latent;
    attention.latent = domain::Latent{.kv_rank = 512, .rope_dim = 64};
    const auto activation = [&](double requests) {
      const domain::Engine engine =
          example::vllm_with({example::constant("indexerRequests", requests, "", "indexer=1")});
      const auto estimate =
          estimate::estimate_memory(model, example::workload(8192, 1), engine, example::h100());
      REQUIRE(estimate.has_value());
      return example::term(*estimate, "activation").count();
    };
    CHECK(activation(40) == activation(0));
    attention.indexer = domain::Indexer{.heads = 64, .head_dim = 128, .top_tokens = 2048};
    CHECK(activation(40) - activation(0) == std::int64_t{40} * 8192 * 132);
  }

  TEST_CASE("recurrent layers bring the local memory of their kernels") {
    domain::Model model = example::model(example::llama_8b());
    const auto non_torch = [&] {
      const auto estimate = estimate::estimate_memory(
          model, example::workload(8192, 1), vllm_with_experts_and_encoders(), example::h100());
      REQUIRE(estimate.has_value());
      return example::term(*estimate, "nonTorch").gib();
    };
    CHECK(non_torch() == doctest::Approx(0.25));
    domain::Recurrent mixer;
    mixer.key_heads = 16;
    mixer.key_dim = 128;
    mixer.value_heads = 32;
    mixer.value_dim = 128;
    mixer.convolution = 4;
    model.layers.front().layer.recurrent = mixer;
    CHECK(non_torch() == doctest::Approx(2.25));
  }

  // https://github.com/vllm-project/vllm/pull/12126: 36.63 GiB on one H100 with 128 sequences, each
  // of which has an image of four tiles; by hand 128 x (6,404 x (2 x 5,120 + 6 x 1,280 + 6,404) x 2
  // bytes + the pixels) = 38.0 GiB.
  TEST_CASE("a decoder that attends to images is profiled with one for each sequence") {
    domain::Workload workload = example::workload(65536, 1);
    workload.engine.version = example::flag(domain::EngineVersion{0, 6, 6});
    workload.engine.max_num_seqs = example::flag<std::int64_t>(128);
    const auto model = example::built_in_catalog().find_name("meta-llama/Llama-3.2-11B-Vision");
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
    REQUIRE(estimate);
    const domain::Range peak = domain::part_bytes(*estimate, domain::Part::Activation);
    CHECK(peak.low.gib() <= 36.63);
    CHECK(peak.expected.gib() == doctest::Approx(36.63).epsilon(0.05));
    CHECK(peak.high.gib() >= 36.63);
  }

  // gemma-4-12b-it, whose images reach the layers without a tower, by 0.26.0 on a GPU of 31.36 GiB:
  // a first start peaks at 0.41 GiB (https://github.com/justinwkUKM/Gemma4UnslothDynamicNVFP4),
  // less than a copy of its table (262,144 x 3,840 x 2 bytes, 1.88 GiB).
  TEST_CASE("tables are not copied where images make the inputs, with a tower or without one") {
    const auto model = example::built_in_catalog().find_name("google/gemma-4-12B-it");
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    const domain::VisibleMemory gpu = card_of_31_gib();
    domain::Workload workload;
    workload.engine.version = example::flag(domain::EngineVersion{0, 26, 0});
    workload.engine.compiles = example::flag(true);
    workload.engine.max_num_batched_tokens = example::flag(std::int64_t{2496});
    const auto estimate = estimate::estimate_memory(*model, workload, *engine, gpu);
    REQUIRE(estimate);
    const domain::Range peak = domain::part_bytes(*estimate, domain::Part::Activation);
    CHECK(peak.low.gib() <= 0.41);
    CHECK(peak.high.gib() >= 0.41);
    CHECK(peak.high.gib() < 1);
  }

  // Qwen3-32B-AWQ by 0.28.0 on a GPU of 31.36 GiB at 0.7, default sizes, with graphs compiled
  // before: weights and the rest 18.62 GiB, peak 0.33, graphs 0.81, and the cache all that is
  // left: 21.95 - 18.62 - 0.33 = 3.00. Its first start peaks at 1.46 GiB: a table of 151,936 x
  // 5,120 x 2 bytes is 1.449.
  TEST_CASE("vLLM's second runner profiles no sampler and no graphs") {
    const auto model = example::built_in_catalog().find_name("Qwen/Qwen3-32B-AWQ");
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    const domain::VisibleMemory gpu = card_of_31_gib();
    domain::Workload workload;
    workload.engine.version = example::flag(domain::EngineVersion{0, 28, 0});
    workload.engine.gpu_memory_utilization = example::flag(0.7);
    const auto made = [&] {
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, gpu);
      REQUIRE(estimate);
      return *estimate;
    };
    const domain::Range untold = domain::part_bytes(made(), domain::Part::Activation);
    CHECK(untold.expected.gib() == doctest::Approx(1.46).epsilon(0.04));
    CHECK(untold.low.gib() < 0.33);
    workload.engine.compiles = example::flag(false);
    const domain::Estimate second = made();
    CHECK(domain::part_bytes(second, domain::Part::Activation).expected.gib() ==
          doctest::Approx(0.33).epsilon(0.15));
    CHECK(second.capacity->kv_pool_bytes.expected.gib() == doctest::Approx(3.0).epsilon(0.08));
    // Told to take the first, it samples 256 sequences at 10 bytes a logit and counts its graphs.
    workload.engine.second_runner = example::flag(false);
    const domain::Estimate first = made();
    CHECK(domain::part_bytes(first, domain::Part::Activation).expected >
          domain::part_bytes(second, domain::Part::Activation).expected);
    CHECK(first.capacity->kv_pool_bytes.expected + mib(500) <
          second.capacity->kv_pool_bytes.expected);
    // Quantized models have it from 0.24 on, every model from 0.29 on, which counts graphs again.
    workload.engine.second_runner.reset();
    workload.engine.version = example::flag(domain::EngineVersion{0, 23, 0});
    CHECK(made().capacity->kv_pool_bytes.expected < second.capacity->kv_pool_bytes.expected);
    workload.engine.version = example::flag(domain::EngineVersion{0, 29, 0});
    CHECK(made().capacity->kv_pool_bytes.expected < second.capacity->kv_pool_bytes.expected);
  }
}
