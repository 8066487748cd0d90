// The traffic in an estimate: blocks of what sequences hold together, and what follows of a load.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <memory>

#include "estimate/samples.hpp"
#include "estimate/traffic/lengths.hpp"
#include "estimate/traffic/with_traffic.hpp"

using namespace gpushape;
using doctest::Approx;
using domain::Estimate;
using domain::TokenFigures;
using example::flag;
using example::term;

namespace {

// Llama-3.1-8B: 32 layers x 2 x 8 heads x 128 x 2 bytes = 128 KiB a token, 2 MiB a block of 16.
const Bytes kBlock = mib(2);

TokenFigures constant(double tokens) { return {.mean = tokens, .deviation = 0, .percentiles = {}}; }

domain::Workload with(domain::Workload workload, const domain::TokenTrace* trace = nullptr) {
  Result<domain::Workload> resolved =
      estimate::with_traffic(std::move(workload), trace, &example::kLlama);
  REQUIRE_MESSAGE(resolved.has_value(), to_text(resolved ? Diagnostics{} : resolved.error()));
  return *resolved;
}

std::string traffic_refusal(domain::Workload workload, const domain::TokenTrace* trace = nullptr) {
  const auto resolved = estimate::with_traffic(std::move(workload), trace, &example::kLlama);
  return resolved ? std::string() : to_text(resolved.error());
}

Estimate made_of_traffic(const domain::Workload& workload,
                         const domain::Model& model = example::kLlama) {
  const auto estimate = estimate::estimate_memory(model, workload, example::kVllm, example::h100());
  REQUIRE_MESSAGE(estimate.has_value(), to_text(estimate ? Diagnostics{} : estimate.error()));
  return *estimate;
}

domain::TokenTrace two_lengths() {
  return {.source = "made", .has_times = false, .requests = {{0, 90, 6}, {0, 1000, 24}}};
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("prompts and answers of one length take whole blocks each") {
    domain::Workload workload = example::workload(8192, 10);
    workload.traffic.input_tokens = flag(constant(900));
    workload.traffic.output_tokens = flag(constant(101));
    const Estimate estimate = made_of_traffic(with(workload));
    // 1,001 tokens are 63 blocks of 16.
    CHECK(term(estimate, "kvCache") == kBlock * 63 * 10);
    REQUIRE(estimate.traffic);
    CHECK(estimate.traffic->together_level_tokens == Approx(10'010));
    CHECK(estimate.traffic->worst_bytes == kBlock * 512 * 10);
    CHECK(estimate.traffic->spread == Approx(1));
  }

  TEST_CASE("recorded requests take the quantile of their sum") {
    const domain::TokenTrace trace = two_lengths();
    domain::Workload workload = example::workload(2048, 10);
    workload.traffic.trace_file = flag(std::string("made"));
    const Estimate estimate = made_of_traffic(with(workload, &trace));
    // 96 tokens are 6 blocks, 1,024 are 64; 10 coins stay within 9 long ones for 99 % of the time
    // (binomial table: 0.9990, and 0.9893 for 8), and within 5 for half of it.
    CHECK(term(estimate, "kvCache") == kBlock * (9 * 64 + 6));
    REQUIRE(estimate.traffic);
    CHECK(estimate.traffic->p50_bytes == kBlock * (5 * 64 + 5 * 6));
    CHECK(estimate.traffic->together_level_tokens == Approx(9 * 1024 + 96).epsilon(1e-3));
    CHECK(estimate.traffic->shortage == Approx(0).epsilon(1e-9));
    CHECK(estimate.capacity->fits);
  }

  TEST_CASE("the chance of preemption is how often the pool would not do") {
    const domain::TokenTrace trace = two_lengths();
    domain::Workload workload = example::workload(2048, 10);
    workload.traffic.trace_file = flag(std::string("made"));
    // Room for 8 long ones and 2 short ones: too little where 9 or 10 are long, 11 / 1,024.
    workload.engine.kv_cache_memory_bytes = flag(kBlock * (8 * 64 + 2 * 6));
    const Estimate estimate = made_of_traffic(with(workload, &trace));
    REQUIRE(estimate.traffic);
    CHECK(estimate.traffic->shortage == Approx(11.0 / 1024));
    CHECK_FALSE(estimate.capacity->fits);
  }

  TEST_CASE("a request that is longer than the context counts as long as it") {
    const domain::TokenTrace trace = two_lengths();
    domain::Workload workload = example::workload(512, 10);
    workload.traffic.trace_file = flag(std::string("made"));
    const Estimate estimate = made_of_traffic(with(workload, &trace));
    CHECK(term(estimate, "kvCache") == kBlock * (9 * 32 + 6));
    CHECK(estimate.traffic->cut_share == Approx(0.5));
  }

  TEST_CASE("a declared common prefix is kept once") {
    // tokens = S + sum(len - S), in whole blocks: 500 tokens are 31 full blocks.
    domain::Workload workload = example::workload(1024, 10);
    workload.traffic.common_prefix_tokens = flag<std::int64_t>(500);
    const Estimate estimate = made_of_traffic(with(workload));
    CHECK(term(estimate, "kvCache") == kBlock * (31 + 10 * (64 - 31)));
    CHECK(estimate.traffic->shared_bytes == kBlock * 31);
    workload.engine.prefix_caching = flag(false);
    CHECK(term(made_of_traffic(with(workload)), "kvCache") == kBlock * 64 * 10);
  }

  TEST_CASE("a window caps what a sequence keeps of its layers") {
    domain::Model model = example::kLlama;
    model.layers.front().layer.attention.kind = domain::LayerKind::Sliding;
    model.layers.front().layer.attention.window_tokens = 128;
    const domain::TokenTrace trace = two_lengths();
    domain::Workload workload = example::workload(2048, 10);
    workload.traffic.trace_file = flag(std::string("made"));
    workload.engine.max_num_batched_tokens = flag<std::int64_t>(2048);
    const Estimate estimate = made_of_traffic(with(workload, &trace), model);
    // 96 tokens: 6 blocks and the one that the window need not begin at; 1,024: the window of 128,
    // 8 blocks and one. The running step of 2,048 tokens adds, once: ceil(2048 / 16) - 8 = 120.
    CHECK(term(estimate, "kvCache") == kBlock * (9 * 9 + 7 + 120));
  }

  TEST_CASE("recurrent states are each sequence's own, whatever its length") {
    domain::Model model = example::kLlama;
    domain::LayerRun recurrent = model.layers.front();
    recurrent.layer.attention = {.kind = domain::LayerKind::Recurrent};
    recurrent.layer.recurrent = domain::Recurrent{.kind = domain::RecurrentKind::GatedDelta,
                                                  .key_heads = 16,
                                                  .key_dim = 128,
                                                  .value_heads = 32,
                                                  .value_dim = 128,
                                                  .convolution = 4};
    model.layers.push_back(recurrent);
    domain::Workload workload = example::workload(8192, 10);
    const Bytes states = term(made_of_traffic(workload, model), "state");
    workload.traffic.input_tokens = flag(constant(100));
    workload.traffic.output_tokens = flag(constant(10));
    CHECK(term(made_of_traffic(with(workload), model), "state") == states);
  }

  TEST_CASE("a rate and a time in flight are a Poisson count") {
    domain::Workload workload = example::workload(8192, 1);
    workload.concurrency.reset();
    workload.traffic.request_rate = flag(5.53);
    workload.traffic.request_seconds = flag(10.8);
    // 59.7 on average (consumption-rules, section 7), 78 at P99.
    const domain::Workload resolved = with(workload);
    CHECK(resolved.concurrency->value == 78);
    CHECK(resolved.concurrency->origin == domain::Origin::Computed);
    CHECK(resolved.evidence.value == domain::Evidence::E0);
    SUBCASE("a stated concurrency wins over it") {
      workload.concurrency = flag<std::int64_t>(97);
      const domain::Workload measured = with(workload);
      CHECK(measured.concurrency->value == 97);
      REQUIRE(measured.in_flight);
      CHECK(measured.in_flight->notes.front().contains("78"));
    }
    SUBCASE("without a time it follows from the answers") {
      workload.traffic.request_seconds.reset();
      workload.traffic.input_tokens = flag(constant(1000));
      workload.traffic.output_tokens = flag(constant(216));  // x 0.05 s = 10.8 s
      CHECK(with(workload).concurrency->value == 78);
    }
  }

  TEST_CASE("a trace with times sizes the load by itself") {
    domain::TokenTrace trace{.source = "made", .has_times = true, .requests = {}};
    for (int i = 0; i < 1000; ++i) trace.requests.push_back({static_cast<double>(i), 500, 200});
    domain::Workload workload;
    workload.traffic.trace_file = flag(std::string("made"));
    const domain::Workload resolved = with(workload, &trace);
    // One a second that stays 10.05 s: ten or eleven in flight.
    CHECK(resolved.concurrency->value == 11);
    CHECK(resolved.context_tokens->value == 700);
    CHECK(resolved.evidence.value == domain::Evidence::E1);
    REQUIRE(resolved.in_flight);
    CHECK(resolved.in_flight->is_sized_by_replay);
    const Estimate estimate = made_of_traffic(resolved);
    REQUIRE(estimate.traffic);
    CHECK(estimate.traffic->is_sized_by_replay);
    // Ten answers of 500 to 700 tokens, 600 on average, and one that begins.
    CHECK(estimate.traffic->together_level_tokens == Approx(10 * 600 + 500).epsilon(0.05));
    CHECK(estimate.traffic->level_bytes < kBlock * 44 * 11);
  }

  TEST_CASE("the context follows from the requests where nobody states it") {
    domain::Workload workload = example::workload(1, 4);
    workload.context_tokens.reset();
    workload.traffic.input_tokens = flag(constant(3000));
    workload.traffic.output_tokens = flag(constant(500));
    CHECK(with(workload).context_tokens->value == 3500);
    workload.traffic.input_tokens =
        flag(TokenFigures{.mean = 3000, .deviation = {}, .percentiles = {}});
    // Exponential: P99.9 is 3000 ln(1000) = 20,723, and 500 of answer: 21,223, in steps of 1,024.
    CHECK(with(workload).context_tokens->value == 21'504);
  }

  TEST_CASE("what contradicts itself or lacks a part is refused") {
    domain::Workload workload = example::workload(8192, 4);
    workload.traffic.input_tokens = flag(constant(900));
    CHECK(traffic_refusal(workload).contains("nothing how long answers are"));
    const domain::TokenTrace trace = two_lengths();
    workload.traffic.trace_file = flag(std::string("made"));
    CHECK(traffic_refusal(workload, &trace).contains("both say how long"));
    domain::Workload rate = example::workload(8192, 4);
    rate.concurrency.reset();
    rate.traffic.request_rate = flag(2.0);
    CHECK(traffic_refusal(rate).contains("nothing how long one stays"));
    rate.traffic.request_rate.reset();
    rate.traffic.request_seconds = flag(2.0);
    CHECK(traffic_refusal(rate).contains("nothing how many come"));
  }

  TEST_CASE("the sequences together never take more than all of them at the full context") {
    CHECK(rc::check([] {
      domain::Workload workload = example::workload(*rc::gen::inRange<std::int64_t>(64, 16384),
                                                    *rc::gen::inRange<std::int64_t>(1, 200));
      workload.traffic.input_tokens =
          flag(TokenFigures{.mean = static_cast<double>(*rc::gen::inRange(1, 9000)),
                            .deviation = {},
                            .percentiles = {}});
      workload.traffic.output_tokens = flag(constant(*rc::gen::inRange(1, 500)));
      const Estimate joint = made_of_traffic(with(workload));
      workload.traffic = {};
      const Estimate worst = made_of_traffic(workload);
      RC_ASSERT(term(joint, "kvCache") <= term(worst, "kvCache"));
      RC_ASSERT(joint.traffic->p50_bytes <= joint.traffic->p99_bytes);
      RC_ASSERT(joint.traffic->p99_bytes <= *joint.traffic->worst_bytes);
      RC_ASSERT(*joint.traffic->worst_bytes == term(worst, "kvCache"));
    }));
  }
}
