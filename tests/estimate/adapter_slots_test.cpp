// Slots for adapters and draft models on a server, against logs of real starts and by hand.
#include "estimate/adapter_slots.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "catalog/catalog.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "samples.hpp"
#include "support/built_in_catalog.hpp"
#include "support/drafting.hpp"

namespace gpushape {
namespace {

using domain::Part;

const catalog::Catalog& built_in() {
  static const Result<catalog::Catalog> catalog = catalog::Catalog::open();
  REQUIRE(catalog.has_value());
  return *catalog;
}

domain::Workload served_with(std::int64_t rank, domain::EngineVersion version) {
  domain::Workload workload;
  workload.engine.version = example::flag(version);
  workload.context_tokens = example::flag<std::int64_t>(2048);
  workload.concurrency = example::flag<std::int64_t>(1);
  workload.adapters.emplace();
  workload.adapters->rank = example::flag(rank);
  return workload;
}

domain::Estimate estimate_of(const std::string& name, const domain::Workload& workload) {
  const Result<domain::Model> model = built_in().find(name);
  REQUIRE(model.has_value());
  const Result<domain::Engine> engine = built_in().engine("vllm");
  REQUIRE(engine.has_value());
  Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, std::nullopt);
  if (!estimate) FAIL(to_text(estimate.error()));
  return *std::move(estimate);
}

Bytes expected(const domain::Estimate& estimate, Part part) {
  return part_bytes(estimate, part).expected;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("a slot holds rank x (inputs + outputs) of every linear layer, shared by the ranks") {
    // One layer of a Llama 3.1 8B, rank 16, 2 bytes: A copied and B shared where outputs are dealt
    // out (q, k, v, gate, up), the other way round for o and down.
    const domain::Model model = example::model(example::llama_8b());
    const estimate::Stage one{.layers = 1};
    const estimate::AdapterSlots slots{.count = 3, .rank = 16};
    for (const std::int64_t ranks : {1, 2, 4}) {
      CAPTURE(ranks);
      estimate::WeightsLayout layout;
      layout.tensor_parallel = ranks;
      const std::int64_t copied = 5 * 4096 + 2 * 4096;  // A of five, B of o and down
      const std::int64_t shared = (4096 + 1024 + 1024 + 14336 + 14336) + (4096 + 14336);
      CHECK(estimate::adapter_bytes(model, layout, one, slots).tensors ==
            Bytes(3 * 16 * 2 * (copied + shared / ranks)));
    }
  }

  TEST_CASE("weights with slots are what engines print") {
    // https://github.com/unslothai/notebooks: nb/Qwen3_8B_FP8_GRPO.ipynb, nb/Llama_FP8_GRPO.ipynb,
    // "Model loading took 8.9638 GiB" and "1.4721 GiB" with max_lora_rank 32.
    const domain::Estimate qwen = estimate_of("unsloth/Qwen3-8B-FP8", served_with(32, {0, 10, 2}));
    CHECK((expected(qwen, Part::Weights) + expected(qwen, Part::Adapters)).gib() ==
          doctest::Approx(8.9638).epsilon(0.0005));
    const domain::Estimate llama =
        estimate_of("unsloth/Llama-3.2-1B-Instruct-FP8-Block", served_with(32, {0, 11, 2}));
    CHECK((expected(llama, Part::Weights) + expected(llama, Part::Adapters)).gib() ==
          doctest::Approx(1.4721).epsilon(0.001));
  }

  // Qwen3-4B by 0.27.1 prints 7.63, 8.78 and 12.49 GiB with one, 16 and 64 slots of rank 16: 78.9
  // MiB a slot. Its linear layers take 63.0; its embedding, the head, which is the embedding's
  // module wrapped once more, and the logits 151,936 + 2,560 rows of 32 bytes each, 14.1 in all.
  TEST_CASE("a head that is the embedding has a table of its own in every slot") {
    const auto loaded = [](std::int64_t count, domain::EngineVersion version) {
      domain::Workload workload = served_with(16, version);
      workload.adapters->count = example::flag(count);
      const domain::Estimate estimate = estimate_of("Qwen/Qwen3-4B", workload);
      return (expected(estimate, Part::Weights) + expected(estimate, Part::Adapters)).gib();
    };
    CHECK(loaded(1, {0, 27, 1}) == doctest::Approx(7.63).epsilon(0.001));
    CHECK(loaded(16, {0, 27, 1}) == doctest::Approx(8.78).epsilon(0.001));
    CHECK(loaded(64, {0, 27, 1}) == doctest::Approx(12.49).epsilon(0.001));
    // To 0.12 (pull request 29816) its class names neither embedding nor head.
    CHECK(loaded(64, {0, 27, 1}) - loaded(64, {0, 12, 0}) ==
          doctest::Approx(64 * 3 * 154'496 * 32 / 1073741824.0).epsilon(0.01));
  }

  TEST_CASE(
      "a slot holds a table for the embedding, one for the head, and one more where it is both") {
    const domain::Model model = example::model(example::llama_8b());  // a head of its own
    estimate::Stage whole{.layers = 32, .has_embedding = true, .has_head = true};
    estimate::AdapterSlots slots{.count = 1, .rank = 16};
    CHECK(estimate::tables_of_slot(model, whole, slots) == 0);
    slots.has_vocabulary = true;
    CHECK(estimate::tables_of_slot(model, whole, slots) == 2);
    slots.has_head_table = true;
    CHECK(estimate::tables_of_slot(model, whole, slots) == 3);
    whole.has_head = false;  // the first stage of a pipeline
    CHECK(estimate::tables_of_slot(model, whole, slots) == 1);
  }

  TEST_CASE("slots grow with their number, and ranks go up to the next width") {
    const auto adapters = [](std::int64_t count, std::int64_t rank) {
      domain::Workload workload = served_with(rank, {0, 19, 0});
      workload.adapters->count = example::flag(count);
      return expected(estimate_of("Qwen/Qwen3-8B", workload), Part::Adapters);
    };
    CHECK(adapters(2, 16) > adapters(1, 16));
    CHECK(adapters(1, 20) == adapters(1, 32));
    CHECK(adapters(1, 8) < adapters(1, 16));
  }

  TEST_CASE("a draft model adds its weights and its layers' cache") {
    domain::Workload workload = served_with(16, {0, 19, 0});
    workload.adapters.reset();
    const domain::Estimate alone = estimate_of("Qwen/Qwen3-8B", workload);
    const domain::Estimate both =
        estimate_of("Qwen/Qwen3-8B", example::drafting(workload, "Qwen/Qwen3-0.6B", 0));
    // Starts of Qwen3-0.6B print 1.12 GiB, 40,960 rows of 128 angles with them, which the large
    // model has, too.
    const Bytes table(40'960 * 128 * 2);
    CHECK(expected(both, Part::Draft).gib() == doctest::Approx(1.12 - table.gib()).epsilon(0.003));
    // 28 layers x 2 x 8 heads x 128 x 2 bytes for each token, beside 36 layers of the same.
    CHECK(alone.kv_bytes_per_token == Bytes(36 * 2 * 8 * 128 * 2));
    CHECK(both.kv_bytes_per_token == Bytes((36 + 28) * 2 * 8 * 128 * 2));
  }

  // gemma-4-26B-A4B in FP8 by 0.29.0 on L40S: 24.72 GiB, 25.5 with the drafter, 0.78 of its own,
  // whose layers read the large model's cache and rotate as its do.
  TEST_CASE("a drafter on the large model's cache adds its weights alone") {
    domain::Workload workload = served_with(16, {0, 29, 0});
    workload.adapters.reset();
    const domain::Estimate alone = estimate_of("google/gemma-4-26B-A4B-it", workload);
    const domain::Estimate both =
        estimate_of("google/gemma-4-26B-A4B-it",
                    example::drafting(workload, "google/gemma-4-26B-A4B-it-assistant", 2));
    CHECK(expected(both, Part::Draft).gib() == doctest::Approx(0.78).epsilon(0.007));
    CHECK(both.kv_bytes_per_token == alone.kv_bytes_per_token);
  }

  // EAGLE-3 for Qwen3-8B: 1,022,037,632 values are published. Its copy of the embedding, 151,936 x
  // 4,096, and the maps of 151,936 + 32,000 tokens stay on the host: 399,523,840 are left, and
  // 40,960 rows of angles, 128 wide.
  TEST_CASE("a head that drafts shares the model's embedding, and is no model of its own") {
    domain::Workload workload = served_with(16, {0, 19, 0});
    workload.adapters.reset();
    const Result<domain::Model> head = built_in().find("RedHatAI/Qwen3-8B-speculator.eagle3");
    REQUIRE(head.has_value());
    CHECK_FALSE(estimate::estimate_memory(*head, workload,
                                          *example::built_in_catalog().engine("vllm"), {}));
    workload = example::drafting(workload, head->id, 3);
    const domain::Estimate both = estimate_of("Qwen/Qwen3-8B", workload);
    const std::int64_t bytes = 2 * (399'523'840 + 40'960 * 128);
    CHECK(expected(both, Part::Draft).gib() == doctest::Approx(Bytes(bytes).gib()).epsilon(0.005));
    CHECK(both.kv_bytes_per_token == Bytes((36 + 1) * 2 * 8 * 128 * 2));
  }

  // gpt-oss-20b's class holds the embedding on every stage of a pipeline; the head's own copy of
  // 201,088 x 2,880 stays out all the same: 854,527,680 less that are 275,394,240 values.
  TEST_CASE("a head that drafts takes no table, whatever the model's class does in a pipeline") {
    domain::Workload workload = served_with(16, {0, 19, 0});
    workload.adapters.reset();
    workload = example::drafting(workload, "RedHatAI/gpt-oss-20b-speculator.eagle3", 3);
    const domain::Estimate both = estimate_of("openai/gpt-oss-20b", workload);
    CHECK(expected(both, Part::Draft).gib() ==
          doctest::Approx(Bytes(2 * 275'394'240LL).gib()).epsilon(0.06));
    // It reads hidden states of 2,880 and 201,088 words, Qwen3-8B has 4,096 and 151,936.
    const auto elsewhere =
        estimate::estimate_memory(*built_in().find("Qwen/Qwen3-8B"), workload,
                                  *example::built_in_catalog().engine("vllm"), {});
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error().front().message.contains("made for another model"));
  }

  TEST_CASE("offloaded weights leave the GPU, to the byte, and lie in host memory") {
    domain::Workload workload = served_with(16, {0, 19, 0});
    workload.adapters.reset();
    const domain::Estimate alone = estimate_of("Qwen/Qwen3-8B", workload);
    workload.contract.cpu_offload_bytes = example::flag(gib(4));
    const domain::Estimate less = estimate_of("Qwen/Qwen3-8B", workload);
    CHECK(expected(alone, Part::Weights) - expected(less, Part::Weights) == gib(4));
    CHECK(less.host_bytes == gib(4));
  }
}

}  // namespace gpushape
