// Inverse questions: the value fits, the next one does not.
#include "estimate/solve/solve.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <variant>

#include "catalog/catalog.hpp"
#include "estimate/samples.hpp"

using namespace gpushape;
using domain::Estimate;
using domain::SolveFor;
using example::flag;

namespace {

const domain::Model kLarge = example::model(example::kimi_dev_72b());

domain::VisibleMemory gpu_of(Bytes bytes) {
  domain::VisibleMemory gpu = example::h100();
  gpu.bytes = domain::exactly(bytes);
  gpu.parent_bytes = bytes;
  return gpu;
}

estimate::SolveRequest asked(const domain::Model& model, domain::Workload workload,
                             const domain::VisibleMemory& gpu = example::h100()) {
  return {.model = &model, .workload = std::move(workload), .engine = &example::kVllm, .gpu = gpu};
}

Estimate solved(SolveFor variable, const estimate::SolveRequest& request) {
  const Result<Estimate> estimate = estimate::solve_estimate(variable, request);
  REQUIRE_MESSAGE(estimate.has_value(), to_text(estimate ? Diagnostics{} : estimate.error()));
  REQUIRE(estimate->solution);
  return *estimate;
}

std::int64_t count_of(const Estimate& estimate) {
  return std::get<std::int64_t>(estimate.solution->value.value());
}

bool fits(const estimate::SolveRequest& request, const domain::Workload& workload) {
  const Result<Estimate> estimate =
      estimate::estimate_memory(*request.model, workload, example::kVllm, request.gpu);
  return estimate && estimate->capacity->fits;
}

domain::Workload without_context(std::int64_t concurrency) {
  domain::Workload workload = example::workload(1, concurrency);
  workload.context_tokens.reset();
  return workload;
}

domain::Workload without_concurrency(std::int64_t context) {
  domain::Workload workload = example::workload(context, 1);
  workload.concurrency.reset();
  return workload;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("the longest context is a whole block for each sequence") {
    const domain::Workload workload = without_context(64);
    const Estimate estimate = solved(SolveFor::Context, asked(example::kLlama, workload));
    // The pool in blocks of 2 MiB, shared by 64 sequences, in tokens of 16.
    const std::int64_t blocks = estimate.capacity->kv_pool_bytes.expected / mib(2);
    CHECK(count_of(estimate) == blocks / 64 * 16);
    CHECK(estimate.solution->binding_term == "kvPool");
    CHECK(estimate.context_tokens->value == count_of(estimate));
    CHECK(estimate.capacity->fits);
  }

  TEST_CASE("a model's own longest context binds where memory does not") {
    const Estimate estimate = solved(SolveFor::Context, asked(example::kLlama, without_context(1)));
    CHECK(count_of(estimate) == 131'072);
    CHECK(estimate.solution->binding_term == "modelContext");
  }

  TEST_CASE("the most sequences fill the pool, up to what the engine runs") {
    const Estimate estimate =
        solved(SolveFor::Concurrency, asked(example::kLlama, without_concurrency(8192)));
    const std::int64_t blocks = estimate.capacity->kv_pool_bytes.expected / mib(2);
    CHECK(count_of(estimate) == blocks / 512);
    CHECK(estimate.solution->binding_term == "kvPool");
    domain::Workload few = without_concurrency(8192);
    few.engine.max_num_seqs = flag<std::int64_t>(8);
    const Estimate limited = solved(SolveFor::Concurrency, asked(example::kLlama, few));
    CHECK(count_of(limited) == 8);
    CHECK(limited.solution->binding_term == "maxNumSeqs");
  }

  TEST_CASE("nothing fits where the weights alone are too large") {
    const Estimate estimate =
        solved(SolveFor::Concurrency, asked(kLarge, without_concurrency(8192)));
    CHECK_FALSE(estimate.solution->value.has_value());
    CHECK(estimate.solution->binding_term == "weights");
  }

  TEST_CASE("the fewest GPUs are a layout that the model allows") {
    const domain::Workload workload = example::workload(8192, 16);
    const Estimate estimate = solved(SolveFor::Gpus, asked(kLarge, workload));
    // 135.4 GiB of weights in 16 bits: of the 72 GiB that an engine asks of each of two GPUs 67.7
    // are weights and 2 are buffers, and the sampler's 2.1 GiB do not fit beside, let alone 20 GiB
    // of cache. So four.
    CHECK(count_of(estimate) == 4);
    CHECK(estimate.parallelism.tensor == 4);
    CHECK(estimate.solution->binding_term == "weights");
    CHECK(solved(SolveFor::Gpus, asked(example::kLlama, workload)).parallelism.tensor == 1);
  }

  TEST_CASE("a number of GPUs that does not divide the heads is made up by the pipeline") {
    domain::Model odd = kLarge;
    odd.layers.front().layer.attention.heads = 42;  // divides by 2, not by 4
    odd.layers.front().layer.attention.kv_heads = 6;
    const Estimate estimate =
        solved(SolveFor::Gpus, asked(odd, example::workload(8192, 16), gpu_of(gib(48))));
    CHECK(estimate.parallelism.tensor <= 2);
    CHECK(count_of(estimate) == estimate.parallelism.tensor * estimate.parallelism.pipeline);
    CHECK(estimate.capacity->fits);
  }

  TEST_CASE("the highest precision is the first that fits from the checkpoint's down") {
    domain::Workload workload = example::workload(8192, 16);
    const Estimate whole = solved(SolveFor::Quant, asked(example::kLlama, workload));
    CHECK(std::get<std::string>(*whole.solution->value) == "bf16");
    CHECK(whole.solution->binding_term == "checkpoint");
    // 15.0 GiB in 16 bits do not leave 8 GiB of cache of the 21.6 that an engine asks of 24.
    workload.concurrency->value = 8;
    const Estimate small =
        solved(SolveFor::Quant, asked(example::kLlama, workload, gpu_of(gib(24))));
    // A cache of 8 bits takes half of it.
    CHECK(std::get<std::string>(*small.solution->value) == "bf16");
    CHECK(small.kv_cache_type.value == domain::KvCacheType::Fp8);
    CHECK(small.solution->says.contains("with "));
  }

  TEST_CASE("a precision is one that people serve, and a smaller cache comes before fewer bits") {
    const catalog::Catalog catalog = *catalog::Catalog::open();
    // 131.4 GiB of weights in 16 bits and 65.7 in 8 do not leave 20 GiB of cache on 79; 4 bits take
    // some 37. Nobody serves less than 4.
    domain::Workload workload = example::workload(8192, 8);
    const domain::Model llama_70b = *catalog.find("meta-llama/Llama-3.3-70B-Instruct");
    const Estimate large = solved(SolveFor::Quant, asked(llama_70b, workload));
    CHECK(std::get<std::string>(*large.solution->value) == "awq");
    // On 24 GiB nothing is left of the ladder.
    CHECK_FALSE(
        solved(SolveFor::Quant, asked(llama_70b, workload, gpu_of(gib(24)))).solution->value);
    // 12 GiB of cache in 16 bits do not fit beside 15 of weights on 24 GiB, 6 in 8 bits do.
    workload = example::workload(8192, 8);
    const Estimate small =
        solved(SolveFor::Quant, asked(example::kLlama, workload, gpu_of(gib(26))));
    CHECK(std::get<std::string>(*small.solution->value) == "bf16");
    CHECK(small.kv_cache_type.value == domain::KvCacheType::Fp8);
    CHECK(small.solution->binding_term == "kvPool");
    CHECK(small.solution->says.contains("--kv-cache-dtype fp8"));
    // What the user states stays.
    workload.kv_cache_type = flag(domain::KvCacheType::Bf16);
    const Estimate stated =
        solved(SolveFor::Quant, asked(example::kLlama, workload, gpu_of(gib(26))));
    CHECK(std::get<std::string>(*stated.solution->value) == "fp8");
  }

  TEST_CASE("GGUF files have a ladder of their own") {
    const catalog::Catalog catalog = *catalog::Catalog::open();
    const domain::Engine engine = *catalog.engine("llama.cpp");
    domain::Workload workload = example::workload(8192, 1);
    workload.engine.engine = flag<std::string>("llama.cpp");
    // 15.3 GiB in 16 bits do not fit 12 GiB, 8.0 GiB of q8_0 with 1 GiB of cache do.
    const Estimate estimate = solved(SolveFor::Quant, {.model = &example::kLlama,
                                                       .workload = workload,
                                                       .engine = &engine,
                                                       .gpu = gpu_of(gib(12))});
    CHECK(std::get<std::string>(*estimate.solution->value) == "q8_0");
  }

  TEST_CASE("the least fraction fits, and a thousandth less does not") {
    const domain::Workload workload = example::workload(8192, 16);
    const estimate::SolveRequest request = asked(example::kLlama, workload);
    const Estimate estimate = solved(SolveFor::Utilization, request);
    const double value = std::get<double>(*estimate.solution->value);
    domain::Workload at = workload;
    at.engine.gpu_memory_utilization = flag(value);
    CHECK(fits(request, at));
    at.engine.gpu_memory_utilization = flag(value - 0.001);
    CHECK_FALSE(fits(request, at));
    CHECK(estimate.solution->binding_term == "kvPool");
  }

  TEST_CASE("a question that is answered already is refused") {
    const auto refused = [&](SolveFor variable, const domain::Workload& workload) {
      const auto estimate = estimate::solve_estimate(variable, asked(example::kLlama, workload));
      return estimate ? std::string() : to_text(estimate.error());
    };
    CHECK(refused(SolveFor::Context, example::workload(8192, 16)).contains("asks for what"));
    CHECK(refused(SolveFor::Concurrency, example::workload(8192, 16)).contains("asks for what"));
    CHECK(refused(SolveFor::Utilization, without_context(16)).contains("needs a load"));
  }

  TEST_CASE("the value fits and the next one does not, whatever the model and the GPU") {
    CHECK(rc::check([] {
      const domain::Model model =
          *rc::gen::element(example::kLlama, kLarge, example::model(example::qwen3_4b()),
                            example::model(example::qwen2_3b()));
      const domain::VisibleMemory gpu = gpu_of(gib(*rc::gen::inRange<std::int64_t>(8, 200)));
      const bool is_context = *rc::gen::arbitrary<bool>();
      domain::Workload workload =
          is_context ? without_context(*rc::gen::inRange<std::int64_t>(1, 300))
                     : without_concurrency(*rc::gen::inRange<std::int64_t>(1, 32768));
      workload.engine.max_num_batched_tokens = flag<std::int64_t>(2048);
      const estimate::SolveRequest request = asked(model, workload, gpu);
      const Result<Estimate> estimate =
          estimate::solve_estimate(is_context ? SolveFor::Context : SolveFor::Concurrency, request);
      if (!estimate) RC_FAIL(to_text(estimate.error()));
      const std::optional<std::int64_t> value =
          estimate->solution->value
              ? std::optional(std::get<std::int64_t>(*estimate->solution->value))
              : std::nullopt;
      const auto fits_with = [&](std::int64_t number) {
        domain::Workload at = workload;
        (is_context ? at.context_tokens : at.concurrency) = flag(number);
        return fits(request, at);
      };
      const bool is_right = value ? fits_with(*value) : !fits_with(1);
      RC_ASSERT(is_right);
      const std::string& binding = estimate->solution->binding_term;
      if (value && binding != "modelContext" && binding != "maxNumSeqs")
        RC_ASSERT(!fits_with(*value + 1));
    }));
  }
}
