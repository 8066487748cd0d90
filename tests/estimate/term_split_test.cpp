// Towers, images and what lies in host memory: terms of their own, whose sums are what they were.
#include <doctest/doctest.h>

#include "catalog/catalog.hpp"
#include "estimate/images.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using domain::Estimate;
using domain::Part;
using example::flag;

namespace {

Estimate made(const domain::Model& model, const domain::Workload& workload,
              std::string_view engine = "vllm") {
  domain::Workload named = workload;
  named.engine.engine.value = engine;
  const auto estimate = estimate::estimate_memory(
      model, named, *example::built_in_catalog().engine(std::string(engine)), example::h100());
  REQUIRE_MESSAGE(estimate.has_value(), to_text(estimate ? Diagnostics{} : estimate.error()));
  return *estimate;
}

const domain::Term* term_of(const Estimate& estimate, std::string_view name) {
  const auto term = std::ranges::find(estimate.terms, name, &domain::Term::name);
  return term == estimate.terms.end() ? nullptr : &*term;
}

Bytes expected(const Estimate& estimate, std::string_view name) {
  const domain::Term* term = term_of(estimate, name);
  return term == nullptr ? Bytes(0) : term->bytes.expected;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE(
      "encoders and projectors are a term beside the layers, on every engine that loads them") {
    const domain::Model gemma = *example::built_in_catalog().find("google/gemma-3-4b-it");
    for (const char* engine : {"vllm", "sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(engine);
      const Estimate estimate = made(gemma, example::workload(8192, 4), engine);
      // SigLIP of 27 layers, 1,152 wide, 4,304 in its networks, with 4,096 patches and a projection
      // to 2,560: 417 M values, published as "400M", and 3 M of the projector, in 16 bits.
      // SGLang counts the segments that they lie in, and Hugging Face loads 32 bits by itself.
      const double times = engine == std::string_view("transformers") ? 2 : 1;
      CHECK(expected(estimate, "towers").gib() == doctest::Approx(0.8 * times).epsilon(0.03));
      CHECK(part_bytes(estimate, Part::Weights).expected ==
            expected(estimate, "weights") + expected(estimate, "towers"));
      CHECK(term_of(estimate, "towers")->bytes.low == term_of(estimate, "towers")->bytes.high);
    }
    // vLLM 0.19 prints 8.58 GiB for it, towers included (its published series).
    domain::Workload workload = example::workload(8192, 4);
    workload.engine.version = flag(domain::EngineVersion{0, 19, 0});
    CHECK(part_bytes(made(gemma, workload), Part::Weights).expected.gib() ==
          doctest::Approx(8.58).epsilon(0.004));
    CHECK(term_of(
              made(*example::built_in_catalog().find("meta-llama/Llama-3.1-8B-Instruct"), workload),
              "towers") == nullptr);
  }

  TEST_CASE("the tokens of images are a term beside those of the text") {
    const domain::Model gemma = *example::built_in_catalog().find("google/gemma-3-4b-it");
    domain::Workload workload = example::workload(8192, 4);
    workload.engine.max_num_batched_tokens = flag<std::int64_t>(2048);
    const Estimate text = made(gemma, workload);
    workload.images = flag<std::int64_t>(3);
    REQUIRE(estimate::add_images(workload, gemma).empty());
    // An image is 256 tokens to Gemma 3.
    CHECK(workload.context_tokens->value == 8192 + 3 * 256);
    const Estimate both = made(gemma, workload);
    CHECK(expected(both, "kvCache") == expected(text, "kvCache"));
    // Five of six layers look back on a window of 1,024, which is full already: of 34 layers 5 keep
    // the images of 4 sequences, 4 KV heads of 256, keys and values of 16 bits.
    CHECK(expected(both, "imageCache") == Bytes(4LL * 768 * 5 * 4 * 256 * 2 * 2));
    workload.images.reset();
    CHECK(part_bytes(made(gemma, workload), Part::KvCache) == part_bytes(both, Part::KvCache));
  }

  TEST_CASE("what lies in host memory is listed, and never more than the layers hold") {
    const domain::Model llama =
        *example::built_in_catalog().find("meta-llama/Llama-3.1-8B-Instruct");
    domain::Workload workload = example::workload(8192, 4);
    workload.engine.tensor = flag<std::int64_t>(2);
    workload.contract.cpu_offload_bytes = flag(gib(4));
    workload.contract.kv_offload_bytes = flag(gib(16));
    const Estimate estimate = made(llama, workload);
    REQUIRE(estimate.host_terms.size() == 2);
    CHECK(estimate.host_terms[0].name == "offloadedWeights");
    CHECK(estimate.host_terms[0].bytes.expected == gib(4));
    CHECK(estimate.host_terms[1].name == "kvOffload");
    CHECK(estimate.host_bytes == gib(20));
    // 128 KiB a token, of both ranks together.
    CHECK(std::get<std::int64_t>(estimate.host_terms[1].inputs[1].value) == 16 * 8192);
    domain::Workload plain = workload;
    plain.contract = {};
    CHECK(expected(made(llama, plain), "weights").gib() - expected(estimate, "weights").gib() ==
          doctest::Approx(2).epsilon(0.001));
    // 32 layers of 218,112,000 values in 16 bits: embedding and head stay.
    workload.contract.cpu_offload_bytes = flag(gib(400));
    CHECK(made(llama, workload).host_terms[0].bytes.expected.gib() ==
          doctest::Approx(32 * 218'112'000.0 * 2 / (1 << 30)).epsilon(0.001));
  }

  // vLLM keeps tables of n-grams in pinned host memory from 0.30 on: 320,001,536 rows of 160 values
  // in FP8, an eighth of them on each of eight GPUs before.
  TEST_CASE("tables that layers look rows up in lie where the release keeps them") {
    const domain::Model qwen = *example::built_in_catalog().find("Qwen/Qwen3.8-Flash-Next-FP8");
    constexpr std::int64_t kTable = 320'001'536LL * 160;
    domain::Workload workload = example::workload(8192, 4);
    workload.engine.tensor = flag<std::int64_t>(8);
    workload.engine.version = flag(domain::EngineVersion{0, 31, 0});
    const Estimate now = made(qwen, workload);
    REQUIRE(now.host_terms.size() == 1);
    CHECK(now.host_terms[0].name == "ngramTables");
    CHECK(now.host_bytes.gib() == doctest::Approx(Bytes(kTable).gib()).epsilon(1e-6));
    workload.engine.version = flag(domain::EngineVersion{0, 29, 0});
    const Estimate before = made(qwen, workload);
    CHECK(before.host_terms.empty());
    CHECK(expected(before, "weights").gib() - expected(now, "weights").gib() ==
          doctest::Approx(Bytes(kTable / 8).gib()).epsilon(0.002));
  }

  // The log of a build of 0.22.1 with 5 sequences and 2 drafted tokens lists [1, 2, 4, 8, 16, 24],
  // at most 2 x 5 x 3 tokens; before 0.13 10 were the most, which is 1, 2, 4 and 8. 0.28 captures
  // 300 x 4 tokens for 300 sequences with 3 drafted, 0.27 512.
  TEST_CASE("graphs take what is drafted for each sequence") {
    const domain::Model qwen = *example::built_in_catalog().find("Qwen/Qwen3.6-35B-A3B");
    const auto input = [&](domain::EngineVersion version, std::int64_t sequences,
                           std::int64_t drafts, std::string_view name) {
      domain::Workload workload = example::workload(8192, 4);
      workload.engine.version = flag(version);
      workload.engine.max_num_seqs = flag(sequences);
      workload.engine.draft_tokens = flag(drafts);
      const Estimate estimate = made(qwen, workload);
      const domain::Term* term = term_of(estimate, "graphs");
      REQUIRE(term != nullptr);
      const auto found = std::ranges::find(term->inputs, name, &domain::Input::name);
      REQUIRE(found != term->inputs.end());
      return std::get<std::int64_t>(found->value);
    };
    CHECK(input({0, 22, 1}, 5, 2, "captures") == 6);
    CHECK(input({0, 12, 0}, 5, 2, "captures") == 4);
    CHECK(input({0, 27, 0}, 300, 3, "largestBatch") == 512);
    CHECK(input({0, 28, 0}, 300, 3, "largestBatch") == 1200);
  }

  TEST_CASE(
      "adapters double the launches of a graph, and from 0.11.1 there are graphs without them") {
    const domain::Model llama =
        *example::built_in_catalog().find("meta-llama/Llama-3.1-8B-Instruct");
    const auto graphs = [&](domain::EngineVersion version, bool has_adapters) {
      domain::Workload workload = example::workload(8192, 4);
      workload.engine.version = flag(version);
      if (has_adapters) workload.adapters.emplace();
      return *term_of(made(llama, workload), "graphs");
    };
    for (const domain::EngineVersion version : {domain::EngineVersion{0, 10, 2}, {0, 11, 2}}) {
      const domain::Range without = graphs(version, false).bytes;
      const domain::Range with = graphs(version, true).bytes;
      CAPTURE(to_text(version));
      CHECK(with.low > without.low);
      CHECK(with.expected > without.expected);
    }
    // https://github.com/vllm-project/vllm/pull/25914: 1.62 GiB before, 2.38 after, of another
    // model: the second set adds as much as the layers' captures without adapters.
    const double before = graphs({0, 11, 0}, true).bytes.expected.gib();
    const double after = graphs({0, 11, 1}, true).bytes.expected.gib();
    CHECK(after / before == doctest::Approx(2.38 / 1.62).epsilon(0.1));
  }
}
