#include "estimate/estimate_memory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "estimate/engines.hpp"
#include "estimate/samples.hpp"

using namespace gpushape;
using domain::Part;
using estimate::estimate_memory;
using example::flag;
using example::made;
using example::term;

TEST_SUITE("estimate") {
  TEST_CASE("the pool is what the share leaves beside weights, activation and buffers") {
    const domain::Estimate estimate = made(example::workload(8192, 32));
    // 16 tensors of the model: (128256 x 4096 x 2 + 32 x (218,103,808 + 8192) + 4096) x 2 bytes and
    // a rotary table of 131072 x 128 x 2.
    const Bytes weights((128256LL * 4096 * 2 + 32 * (218'103'808LL + 8192) + 4096) * 2 +
                        131072LL * 128 * 2);
    CHECK(term(estimate, "weights") == weights);
    // 1024 x 128256 x 14 + 132 x 128256 x 4 + (8192 + 2 x 1024) x 4096 x 2 + 32 MiB
    const Bytes activation(1024LL * 128256 * 14 + 132LL * 128256 * 4 + 10240LL * 4096 * 2 +
                           32LL * 1024 * 1024);
    CHECK(term(estimate, "activation") == activation);
    REQUIRE(estimate.capacity);
    // 0.9 x 80 GiB, less nonTorch 0.25 GiB
    CHECK(estimate.capacity->kv_pool_bytes.expected == gib(72) - weights - activation - mib(256));
    CHECK(estimate.capacity->kv_pool_tokens ==
          estimate.capacity->kv_pool_bytes.expected / mib(2) * 16);
  }

  // 1,024 x 128,256 logits: with 8 bytes each by one sampler, with 36 by the other.
  TEST_CASE("where one of two samplers runs the pool is that of either, and the rest errs on top") {
    domain::EngineConstant sampler = example::constant("samplerBytesPerLogit", 36, "", "tp=1");
    sampler.low = 8;
    domain::EngineConstant buffers = example::constant("nonTorch", 0.25, "GiB", "tp=1");
    buffers.low = 0;
    const domain::Engine engine = example::vllm_with({sampler, buffers});
    const auto estimate = estimate_memory(example::model(example::llama_8b()),
                                          example::workload(8192, 32), engine, example::h100());
    REQUIRE(estimate.has_value());
    REQUIRE(estimate->capacity);
    const domain::Range& pool = estimate->capacity->kv_pool_bytes;
    const Bytes between_samplers(1024LL * 128256 * (36 - 8));
    CHECK((pool.high - pool.expected).gib() ==
          doctest::Approx((between_samplers + mib(256)).gib()).epsilon(1e-6));
  }

  // Qwen3-30B-A3B-Instruct-2507 by 0.10.2 on an H100
  // (https://github.com/kolyangg/mlops-assignment): "FlashInfer is not available", and a peak
  // of 5.58 GiB; 1,024 x 151,936 logits of 36 + 2 bytes are 5.51. FlashInfer's would be 8 +
  // 2: 1.45.
  TEST_CASE("a start that is known to sample in one way has the peak of that way alone") {
    const auto model = example::built_in_catalog().find_name("Qwen/Qwen3-30B-A3B-Instruct-2507");
    const auto engine = example::built_in_catalog().engine("vllm");
    REQUIRE(model);
    REQUIRE(engine);
    domain::Workload workload;
    workload.engine.version = example::flag(domain::EngineVersion{0, 10, 2});
    std::string notes;
    const auto peak = [&] {
      const auto estimate = estimate::estimate_memory(*model, workload, *engine, example::h100());
      REQUIRE(estimate);
      notes = fmt::format("{}", fmt::join(estimate->notes, "\n"));
      return domain::part_bytes(*estimate, domain::Part::Activation);
    };
    CHECK(peak().low.gib() < 1.5);
    CHECK(peak().high.gib() > 5.58);
    CHECK(notes.contains("the range of the activation peak holds both"));
    workload.engine.flashinfer_sampler = example::flag(false);
    CHECK(peak().low.gib() > 5.3);
    CHECK(notes.contains("sampled without FlashInfer, as told"));
    CHECK(peak().expected.gib() == doctest::Approx(5.58).epsilon(0.01));
    workload.engine.flashinfer_sampler = example::flag(true);
    CHECK(peak().expected.gib() == doctest::Approx(1.45).epsilon(0.05));
    CHECK(peak().high.gib() < 2.2);
    CHECK(notes.contains("sampled with FlashInfer, as told"));
  }

  TEST_CASE("the KV term is whole blocks for every request at its longest") {
    const domain::Estimate estimate = made(example::workload(8193, 32));
    CHECK(term(estimate, "kvCache") == mib(2) * 513 * 32);
    CHECK(estimate.kv_bytes_per_token == kib(128));
    CHECK(estimate.capacity->fits);
    CHECK(estimate.capacity->fits_at == domain::FitsAt::High);
  }

  TEST_CASE("without context or concurrency there is no KV term") {
    domain::Workload workload = example::workload(8192, 32);
    workload.concurrency.reset();
    CHECK(term(made(workload), "kvCache") == Bytes(0));
    workload = example::workload(8192, 32);
    workload.context_tokens.reset();
    const domain::Estimate estimate = made(workload);
    CHECK(term(estimate, "kvCache") == Bytes(0));
    CHECK(estimate.kv_bytes_per_token == kib(128));
    // Requests are then counted at the model's longest.
    CHECK(estimate.capacity->max_concurrency_at_context ==
          doctest::Approx(static_cast<double>(estimate.capacity->kv_pool_tokens) / 131072));
  }

  TEST_CASE("a given pool replaces the share") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.kv_cache_memory_bytes = flag(gib(16));
    const domain::Estimate estimate = made(workload);
    CHECK(estimate.capacity->kv_pool_bytes == domain::exactly(gib(16)));
    CHECK(estimate.capacity->kv_pool_tokens == 131072);
    CHECK(estimate.capacity->max_concurrency_at_context == 16);
    CHECK_FALSE(estimate.capacity->fits);  // 32 requests need 32 GiB
  }

  TEST_CASE("graphs stand beside the share until the version that counts them in") {
    domain::Workload workload = example::workload(8192, 32);
    const domain::Estimate before = made(workload);
    workload.engine.version->value = {0, 20, 0};
    const domain::Estimate after = made(workload);
    // 51 captures x 32 layers x 0.25 MiB + 256 MiB
    CHECK(term(before, "graphs") == mib(408 + 256));
    CHECK(before.capacity->kv_pool_bytes.expected - after.capacity->kv_pool_bytes.expected ==
          mib(664));
    workload.engine.enforce_eager.value = true;
    CHECK(term(made(workload), "graphs") == Bytes(0));
  }

  TEST_CASE("small batches capture fewer graphs") {
    domain::Workload workload = example::workload(8192, 4);
    workload.engine.max_num_seqs = flag<std::int64_t>(4);
    // batches 1, 2, 4, 8: 4 x 32 layers x 0.25 MiB + 8 / 512 x 256 MiB
    CHECK(term(made(workload), "graphs") == mib(32 + 4));
  }

  TEST_CASE("what the engine does not see must fit beside its share") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.gpu_memory_utilization = flag(1.0);
    const domain::Estimate estimate = made(workload);
    CHECK(estimate.capacity->kv_pool_bytes.expected > term(estimate, "kvCache"));
    CHECK_FALSE(estimate.capacity->fits);
    CHECK(estimate.capacity->fits_at == domain::FitsAt::None);
    REQUIRE(estimate.capacity->beside_share);
    CHECK(estimate.capacity->beside_share->left_bytes.expected == Bytes(0));
  }

  TEST_CASE("the answer says what stands beside the share, and what is left for it") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.gpu_memory_utilization = flag(0.9875);
    const domain::Estimate before = made(workload);
    // 80 GiB x 0.0125 are 1 GiB; graphs take 664 MiB, the context stands beside them.
    CHECK(before.capacity->beside_share->left_bytes.expected == gib(1));
    const Bytes context = term(before, "cudaContext");
    CHECK(before.capacity->beside_share->needed_bytes.expected == mib(664) + context);
    workload.engine.version->value = {0, 20, 0};
    CHECK(made(workload).capacity->beside_share->needed_bytes.expected == context);
    // A share that leaves less than that is told, with the figures of both.
    workload.engine.version->value = {0, 19, 0};
    workload.engine.gpu_memory_utilization = flag(0.995);  // 80 GiB x 0.005: 0.40 GiB
    const domain::Estimate tight = made(workload);
    CHECK(tight.capacity->fits_at == domain::FitsAt::None);
    CHECK(std::ranges::any_of(tight.notes, [](const std::string& note) {
      return note.starts_with("0.40 GiB are left beside what the engine plans with");
    }));
  }

  TEST_CASE("a wide total lets a workload fit at the expected value only") {
    domain::VisibleMemory gpu = example::h100();
    gpu.bytes.low = gib(50);
    const domain::Workload workload = example::workload(8192, 50);
    CHECK(made(workload, gpu).capacity->fits_at == domain::FitsAt::Expected);
    gpu.bytes.low = gib(79);
    CHECK(made(workload, gpu).capacity->fits_at == domain::FitsAt::High);
  }

  TEST_CASE("the last stage of a pipeline samples and receives, and has the least pool") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.pipeline = flag<std::int64_t>(2);
    const domain::Estimate split = made(workload);
    const domain::Estimate whole = made(example::workload(8192, 32));
    // Hidden states and residual of 8192 tokens: 2 x 8192 x 4096 x 2 bytes
    CHECK(term(split, "activation") - term(whole, "activation") == mib(128));
    CHECK(split.kv_bytes_per_token == kib(64));
    CHECK(term(split, "kvCache") == gib(16));
  }

  TEST_CASE("tensor parallelism adds communication and divides weights and cache") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.tensor = flag<std::int64_t>(2);
    const domain::Estimate estimate = made(workload);
    CHECK(domain::part_bytes(estimate, Part::Communication).expected == gib(1) + mib(1792));
    CHECK(term(estimate, "kvCache") == gib(16));
    CHECK(estimate.parallelism.tensor == 2);
  }

  TEST_CASE("engines that are parallel by data share the requests, and a note says so") {
    domain::Workload workload = example::workload(8192, 32);
    const Bytes whole = term(made(workload), "kvCache");
    workload.engine.data = flag<std::int64_t>(4);
    const domain::Estimate estimate = made(workload);
    CHECK(term(estimate, "kvCache").count() * 4 == whole.count());  // 8 of 32 on each
    CHECK(estimate.concurrency->value == 32);
    CHECK(estimate.concurrency_of_rank == 8);
    CHECK(example::has_note(estimate, "8 on each"));
  }

  TEST_CASE("batch defaults follow the device that the engine finds") {
    domain::Workload workload = example::workload(8192, 32);
    CHECK(made(workload).settings.max_num_seqs.value == 1024);
    CHECK(made(workload).settings.max_num_batched_tokens.value == 8192);
    domain::VisibleMemory a100 = example::h100();
    a100.product_name = "NVIDIA A100-SXM4-80GB";
    CHECK(made(workload, a100).settings.max_num_seqs.value == 256);
    CHECK(made(workload, std::nullopt).settings.max_num_seqs.value == 128);
    workload.engine.max_num_seqs = flag<std::int64_t>(64);
    CHECK(made(workload).settings.max_num_seqs.origin == domain::Origin::Flag);
    CHECK(made(workload).settings.max_num_seqs.value == 64);
  }

  TEST_CASE("inside MIG the batch defaults are the whole GPU's, and a note says so") {
    domain::VisibleMemory slice = example::h100();
    slice.bytes = domain::exactly(gib(20));
    slice.is_mig = true;
    const domain::Estimate estimate = made(example::workload(2048, 1), slice);
    CHECK(estimate.settings.max_num_seqs.value == 1024);
    CHECK(example::has_note(estimate, "MIG"));
    domain::VisibleMemory guest = example::h100();
    guest.bytes = domain::exactly(gib(20));
    guest.parent_bytes = gib(20);
    CHECK(made(example::workload(2048, 1), guest).settings.max_num_seqs.value == 256);
  }

  TEST_CASE("a short context bounds the tokens of a step") {
    domain::Workload workload = example::workload(512, 2);
    workload.engine.max_num_seqs = flag<std::int64_t>(2);
    CHECK(made(workload).settings.max_num_batched_tokens.value == 1024);
  }

  TEST_CASE("the version decides how the pool's tokens are counted") {
    domain::Workload workload = example::workload(1000, 1);
    workload.engine.kv_cache_memory_bytes = flag(gib(2));  // 1024 blocks
    CHECK(made(workload).capacity->kv_pool_tokens == 1024 * 16);
    workload.engine.version->value = {0, 22, 0};
    // 1024 blocks / 63 blocks per request x 1000 tokens = 16253.97
    CHECK(made(workload).capacity->kv_pool_tokens == 16253);
  }

  TEST_CASE("a version without facts of its own takes the nearest older ones, and says so") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.version->value = {0, 21, 3};
    const domain::Estimate estimate = made(workload);
    CHECK(estimate.settings.version.value == domain::EngineVersion{0, 21, 3});
    CHECK(estimate.settings.gpu_memory_utilization.value == 0.9);
    CHECK(example::has_note(estimate, "those of 0.20 are used"));
    workload.engine.version->value = {0, 3, 0};
    CHECK(example::has_note(made(workload), "those of 0.19 are used"));
    workload.engine.version->value = {0, 19, 7};
    CHECK(made(workload).notes.empty());
    workload.engine.version.reset();
    CHECK(made(workload).settings.version.value == domain::EngineVersion{0, 22, 0});
  }

  TEST_CASE("quantization says whether the engine converts or the checkpoint must be there") {
    domain::Workload workload = example::workload(8192, 32);
    CHECK(made(workload).notes.empty());
    workload.quantization = flag(domain::Quantization::Fp8);
    CHECK(example::has_note(made(workload), "while it loads"));
    workload.quantization = flag(domain::Quantization::Int8);
    CHECK(example::has_note(made(workload), "needs a checkpoint"));
    CHECK(made(workload).kv_cache_type.value == domain::KvCacheType::Bf16);
    workload.quantization = flag(domain::Quantization::Fp32);
    CHECK(made(workload).kv_cache_type.value == domain::KvCacheType::Fp32);
    CHECK(made(workload).kv_bytes_per_token == kib(256));
  }

  TEST_CASE("a 32-bit checkpoint loads in 16 bits unless it is asked for") {
    domain::Model model = example::kLlama;
    model.weights.linear = domain::Quantization::Fp32;
    model.weights.other = domain::Quantization::Fp32;
    const domain::Estimate estimate = made(example::workload(8192, 32), example::h100(), model);
    CHECK(estimate.quantization.value == domain::Quantization::Bf16);
    CHECK(term(estimate, "weights") == term(made(example::workload(8192, 32)), "weights"));
    CHECK(example::has_note(estimate, "32-bit"));
  }

  TEST_CASE("all GPUs of an instance are summed, and what they hold more than once is told") {
    domain::Workload workload = example::workload(8192, 32);
    CHECK_FALSE(made(workload).all_gpus.has_value());
    const Bytes alone = term(made(workload), "weights");
    workload.engine.tensor = flag<std::int64_t>(4);
    const domain::Estimate four = made(workload);
    REQUIRE(four.all_gpus.has_value());
    CHECK(four.all_gpus->gpus == 4);
    CHECK(four.all_gpus->total == four.total_bytes.expected * 4);
    CHECK(four.all_gpus->weights == term(four, "weights") * 4);
    // Norms (65 of 4,096 values) and the rotary table (131,072 x 128) are on every GPU.
    CHECK(four.all_gpus->copies == Bytes(3LL * 2 * (65 * 4096 + 131072 * 128)));
    workload.engine.tensor = std::nullopt;
    workload.engine.data = flag<std::int64_t>(2);
    const domain::Estimate twice = made(workload);
    CHECK(twice.all_gpus->weights == alone * 2);
    CHECK(twice.all_gpus->copies.gib() == doctest::Approx(alone.gib()).epsilon(0.001));
    workload.engine.data = std::nullopt;
    workload.engine.pipeline = flag<std::int64_t>(4);
    const domain::Estimate stages = made(workload);
    CHECK(stages.all_gpus->gpus == 4);
    CHECK(stages.all_gpus->copies == Bytes(3LL * 2 * 131072 * 128));  // the table, on each stage
    CHECK(twice.all_gpus->stages.empty());
    // 32 layers in four; the first has the embedding, the last the head of the same size and the
    // last norm.
    const std::vector<domain::StageHolding>& each = stages.all_gpus->stages;
    REQUIRE(each.size() == 4);
    for (const domain::StageHolding& stage : each) CHECK(stage.layers == 8);
    CHECK(each[1] == each[2]);
    CHECK(each[0].weights - each[1].weights == Bytes(2LL * 128256 * 4096));
    CHECK(each[3].weights - each[0].weights == Bytes(2LL * 4096));
    CHECK(each[0].weights + each[1].weights * 2 + each[3].weights == stages.all_gpus->weights);
  }

  // A symbol is part of the program: no text that is made while it runs can name an input.
  static_assert(!std::is_constructible_v<domain::Symbol, std::string>);

  TEST_CASE("every term has formula, inputs and source, and bounds in order") {
    domain::Workload workload = example::workload(8192, 32);
    workload.engine.tensor = flag<std::int64_t>(2);
    const domain::Estimate estimate = made(workload);
    CHECK(estimate.terms.size() == 8);
    for (const domain::Term& one : estimate.terms) {
      CAPTURE(one.name);
      CHECK_FALSE(one.formula.empty());
      CHECK_FALSE(one.inputs.empty());
      CHECK_FALSE(one.source.empty());
      CHECK(one.bytes.low <= one.bytes.expected);
      CHECK(one.bytes.expected <= one.bytes.high);
    }
  }

  TEST_CASE("every engine and layer kind has a name, a description and functions") {
    for (const estimate::EngineRow& row : estimate::engine_rows()) {
      CAPTURE(row.name);
      CHECK_FALSE(row.description.empty());
      CHECK_FALSE(row.terms().empty());
      CHECK(estimate::engine_row(row.name) == &row);
    }
    CHECK(estimate::engine_row("none") == nullptr);
    for (const estimate::LayerKindRow& row : estimate::layer_kinds()) {
      CHECK_FALSE(row.description.empty());
      CHECK(estimate::layer_kind(row.kind) == &row);
    }
  }
}
