// Measured terms in place of predicted ones, and two estimates side by side.
#include <doctest/doctest.h>

#include <algorithm>

#include "estimate/compare_estimates.hpp"
#include "estimate/samples.hpp"

using namespace gpushape;

namespace {

domain::Measurement measurement() {
  domain::Measurement one;
  one.model = "meta-llama/Llama-3.1-8B-Instruct";
  one.quantization = domain::Quantization::Bf16;
  one.engine = "vllm";
  one.version = {0, 19, 0};
  one.gpu = "h100-sxm-80";
  one.max_num_seqs = 1024;
  one.max_num_batched_tokens = 8192;
  one.terms = {{"weights", domain::exactly(gib(15))},
               {"activation", domain::exactly(gib(3))},
               {"nonTorch", domain::exactly(gib(4))}};
  one.source = "start.log";
  return one;
}

domain::Estimate estimated(const domain::Workload& workload) {
  const auto estimate = estimate::estimate_memory(example::model(example::llama_8b()), workload,
                                                  example::vllm(), example::h100());
  REQUIRE(estimate.has_value());
  return *estimate;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("measured terms stand in place of predictions where the same is asked for") {
    domain::Workload workload = example::workload(8192, 1);
    const domain::Estimate predicted = estimated(workload);
    workload.measurements = {measurement()};
    const domain::Estimate measured = estimated(workload);
    CHECK(example::term(measured, "weights") == gib(15));
    CHECK(example::term(measured, "activation") == gib(3));
    CHECK(example::term(measured, "nonTorch") == gib(4));
    CHECK(example::term(measured, "graphs") == example::term(predicted, "graphs"));
    for (const domain::Term& term : measured.terms) {
      if (term.name == "weights") CHECK(term.source == "measured: start.log");
    }
    // 80 GiB x 0.9 - 15 - 3 - 4 = 50 GiB, to the byte of the rounded-up share.
    CHECK(measured.capacity->kv_pool_bytes.expected == gib(50));
    CHECK(example::has_note(measured, "weights, activation, nonTorch"));
  }

  TEST_CASE("the measured buffers hold the collectives, too") {
    domain::Workload workload = example::workload(8192, 1);
    workload.engine.tensor = example::flag<std::int64_t>(2);
    CHECK(example::term(estimated(workload), "collectives") > Bytes(0));
    domain::Measurement two = measurement();
    two.tensor = 2;
    workload.measurements = {two};
    CHECK(example::term(estimated(workload), "collectives") == Bytes(0));
    CHECK(example::term(estimated(workload), "nonTorch") == gib(4));
  }

  TEST_CASE("a measurement of something else is left, with the reason") {
    domain::Workload workload = example::workload(8192, 1);
    const Bytes predicted = example::term(estimated(workload), "weights");
    const auto with = [&](auto change) {
      domain::Measurement other = measurement();
      change(other);
      workload.measurements = {other};
      return estimated(workload);
    };
    const auto other_model = with([](domain::Measurement& one) { one.model = "a/b"; });
    CHECK(example::term(other_model, "weights") == predicted);
    CHECK(example::has_note(other_model, "it is of a/b"));
    const auto more_ranks = with([](domain::Measurement& one) { one.tensor = 4; });
    CHECK(example::term(more_ranks, "weights") == predicted);
    // Weights do not depend on the batch; the peak does.
    const auto other_batch = with([](domain::Measurement& one) { one.max_num_seqs = 16; });
    CHECK(example::term(other_batch, "weights") == gib(15));
    CHECK(example::term(other_batch, "activation") != gib(3));
    const auto other_release = with([](domain::Measurement& one) { one.version = {0, 10, 0}; });
    CHECK(example::term(other_release, "nonTorch") != gib(4));
  }

  TEST_CASE("two versions side by side show which terms and inputs differ") {
    domain::Workload workload = example::workload(8192, 1);
    const domain::Estimate before = estimated(workload);
    workload.engine.version = example::flag(domain::EngineVersion{0, 22, 0});
    const domain::EstimateComparison comparison =
        estimate::compare_estimates(before, estimated(workload));
    REQUIRE(comparison.settings.size() == 3);
    CHECK(comparison.settings[0] == domain::Difference{"engineVersion", "0.19", "0.22"});
    CHECK(comparison.settings[1] == domain::Difference{"gpuMemoryUtilization", "0.9", "0.92"});
    // From 0.21 on the engine prints what requests of the longest context hold.
    CHECK(comparison.settings[2].name == "printedTokens");
    CHECK(comparison.terms.size() == before.terms.size());
    for (const domain::TermChange& change : comparison.terms) {
      CHECK(change.change() == Bytes(0));
      // From 0.20 on the graphs come off the pool, as large as they were.
      const std::vector<domain::Difference> of_graphs = {{"takenOffThePool", "no", "yes"}};
      CHECK(change.inputs == (change.name == "graphs" ? of_graphs : decltype(of_graphs){}));
    }
  }
}
