// Which terms of a measured start speak of the start that is asked for, setting by setting, and
// what several starts say together. The figures are the test's own: 15 GiB is nobody's prediction.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "estimate/samples.hpp"

using namespace gpushape;

namespace {

using domain::Measurement;
using domain::Workload;

/// A start with every setting as vLLM 0.19 takes it on this GPU.
Measurement plain_start() {
  Measurement one;
  one.model = "meta-llama/Llama-3.1-8B-Instruct";
  one.quantization = domain::Quantization::Bf16;
  one.engine = "vllm";
  one.version = {0, 19, 0};
  one.gpu = "h100-sxm-80";
  one.max_num_seqs = 1024;
  one.max_num_batched_tokens = 8192;
  one.context_tokens = 8192;
  one.kv_cache_type = domain::KvCacheType::Bf16;
  one.terms = {{"weights", domain::exactly(gib(15))},
               {"activation", domain::exactly(gib(3))},
               {"nonTorch", domain::exactly(gib(4))},
               {"graphs", domain::exactly(gib(5))}};
  one.source = "start.log";
  return one;
}

/// A model with an encoder of images.
domain::Model seeing_model() {
  domain::Model model = example::model(example::llama_8b());
  domain::Tower tower;
  tower.kind = domain::TowerKind::Vision;
  tower.layers = 2;
  tower.hidden_size = 1024;
  tower.width = 4096;
  tower.output_tokens = 256;
  tower.inner_tokens = 1024;
  model.towers = {tower};
  return model;
}

domain::Estimate estimated(const Workload& workload, const domain::Model& model = example::kLlama) {
  const auto engine =
      example::vllm_with({example::constant("textAlone", 1), example::constant("adapterRatio", 1)});
  const auto estimate = estimate::estimate_memory(model, workload, engine, example::h100());
  REQUIRE_MESSAGE(estimate.has_value(), to_text(estimate ? Diagnostics{} : estimate.error()));
  return *estimate;
}

/// The first letters of the terms that are taken: w, a, n, g.
std::string taken(const domain::Estimate& estimate) {
  std::string letters;
  for (const domain::Term& term : estimate.terms) {
    if (term.formula == "measured") letters += term.name.front();
  }
  return letters;
}

struct Setting {
  const char* name;
  std::function<void(Workload&)> ask;
  std::function<void(Measurement&)> measure;  ///< the same, of the measured start
  const char* without;                        ///< taken where only one of them has it, in order
  const char* note;                           ///< says what differs
};

void take_adapters(Workload& workload) {
  workload.adapters.emplace();
  workload.adapters->count = example::flag<std::int64_t>(4);
  workload.adapters->rank = example::flag<std::int64_t>(32);
}

void take_draft(Workload& workload) {
  workload.engine.draft_model = domain::DraftModel{
      .name = example::flag<std::string>("qwen2.5-3b"),
      .model = std::make_shared<const domain::Model>(example::model(example::qwen2_3b()))};
}

// Terms are listed as the engine lists them: weights, activation, graphs, nonTorch.
const std::vector<Setting> kSettings = {
    {"data parallel", [](Workload& w) { w.engine.data = example::flag<std::int64_t>(2); },
     [](Measurement& m) { m.data = 2; }, "", "it is of data parallel 1, not 2"},
    {"tensor parallel", [](Workload& w) { w.engine.tensor = example::flag<std::int64_t>(2); },
     [](Measurement& m) { m.tensor = 2; }, "", "it is of tensor parallel 1, not 2"},
    {"decode context parallel",
     [](Workload& w) {
       w.engine.tensor = example::flag<std::int64_t>(16);
       w.engine.context_parallel = example::flag<std::int64_t>(2);
     },
     [](Measurement& m) {
       m.tensor = 16;
       m.context_parallel = 2;
     },
     "", "it is of tensor parallel 1, not 16, decode context parallel 1, not 2"},
    {"draft model", take_draft, [](Measurement& m) { m.draft_model = "Qwen/Qwen2.5-3B"; }, "",
     "it is of no draft, not draft model Qwen/Qwen2.5-3B"},
    {"offload", [](Workload& w) { w.contract.cpu_offload_bytes = example::flag(gib(10)); },
     [](Measurement& m) { m.offloaded_bytes = gib(10); }, "gn",
     "weights, activation: it had 0.00 GiB of weights in host memory, not 10.00"},
    {"adapters", take_adapters, [](Measurement& m) { m.adapters = {.count = 4, .rank = 32}; }, "n",
     "weights, activation, graphs: it had no adapters, not 4 adapter slots of rank 32"},
    {"cache type", [](Workload& w) { w.kv_cache_type = example::flag(domain::KvCacheType::Fp8); },
     [](Measurement& m) { m.kv_cache_type = domain::KvCacheType::Fp8; }, "wn",
     "activation, graphs: its KV cache is bf16, not fp8"},
    {"sequences", [](Workload& w) { w.engine.max_num_seqs = example::flag<std::int64_t>(64); },
     [](Measurement& m) { m.max_num_seqs = 64; }, "wn", "its max num seqs is 1024, not 64"},
    {"tokens",
     [](Workload& w) { w.engine.max_num_batched_tokens = example::flag<std::int64_t>(2048); },
     [](Measurement& m) { m.max_num_batched_tokens = 2048; }, "wn",
     "its max num batched tokens is 8192, not 2048"},
    {"first generation", [](Workload& w) { w.engine.first_generation = example::flag(true); },
     [](Measurement& m) { m.is_first_generation = true; }, "w", "it is of vLLM's second engine"},
    // 2,048 tokens or 32,768, Llama-3.1-8B by 0.19 prints the same four figures:
    // https://github.com/llm-d-incubation/llm-d-planner/pull/205.
    {"context of a decoder",
     [](Workload& w) { w.context_tokens = example::flag<std::int64_t>(64); },
     [](Measurement& m) { m.context_tokens = 64; }, "wagn",
     "weights, activation, nonTorch, graphs"},
};

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("a term is taken where all that decides it was so, and only there") {
    for (const Setting& setting : kSettings) {
      CAPTURE(setting.name);
      Workload workload = example::workload(8192, 1);
      setting.ask(workload);
      workload.measurements = {plain_start()};
      const domain::Estimate other = estimated(workload);
      CHECK(taken(other) == setting.without);
      CHECK_MESSAGE(example::has_note(other, setting.note), other.notes.front());
      setting.measure(workload.measurements.front());
      CHECK(taken(estimated(workload)) == "wagn");
    }
  }

  TEST_CASE("graphs that were captured are not those of a start without") {
    Workload workload = example::workload(8192, 1);
    workload.measurements = {plain_start()};
    workload.measurements.front().enforce_eager = true;
    CHECK(taken(estimated(workload)) == "wn");
    CHECK(example::has_note(estimated(workload), "activation, graphs: it ran with enforce eager"));
    workload.engine.enforce_eager = example::flag(true);
    CHECK(taken(estimated(workload)) == "wan");
  }

  TEST_CASE("a start for text alone says nothing of encoders, and one for images all of them") {
    const domain::Model model = seeing_model();
    Workload workload = example::workload(8192, 1);
    workload.measurements = {plain_start()};
    CHECK(taken(estimated(workload, model)) == "wagn");
    CHECK(example::term(estimated(workload, model), "towers") == Bytes(0));
    workload.images = example::flag<std::int64_t>(0);
    CHECK(taken(estimated(workload, model)) == "gn");
    CHECK(example::has_note(estimated(workload, model),
                            "weights, activation: it was started for images, too"));
    workload.measurements.front().takes_images = false;
    workload.measurements.front().takes_videos = false;
    CHECK(taken(estimated(workload, model)) == "wagn");
    workload.images.reset();
    CHECK(taken(estimated(workload, model)) == "gn");
    // Without videos the largest input is another, the encoder the same.
    workload.measurements.front().takes_images = true;
    CHECK(taken(estimated(workload, model)) == "wgn");
    // Of a model that reads text alone nobody asks.
    CHECK(taken(estimated(workload)) == "wagn");
  }

  TEST_CASE("encoders take inputs as long as the context: their peak hangs on it") {
    Workload workload = example::workload(4096, 1);
    workload.measurements = {plain_start()};
    const domain::Estimate seeing = estimated(workload, seeing_model());
    CHECK(taken(seeing) == "wgn");
    CHECK(example::has_note(seeing, "activation: its context is 8192, not 4096"));
  }

  TEST_CASE("measured weights hold the slots for adapters and the draft model") {
    Workload workload = example::workload(8192, 1);
    take_adapters(workload);
    take_draft(workload);
    CHECK(example::term(estimated(workload), "adapters") > Bytes(0));
    workload.measurements = {plain_start()};
    workload.measurements.front().adapters = {.count = 4, .rank = 32};
    workload.measurements.front().draft_model = "Qwen/Qwen2.5-3B";
    const domain::Estimate measured = estimated(workload);
    CHECK(example::term(measured, "weights") == gib(15));
    CHECK(example::term(measured, "adapters") == Bytes(0));
    CHECK(example::term(measured, "draft") == Bytes(0));
    CHECK_FALSE(example::has_note(measured, "not counted"));
    // 80 GiB x 0.9 - 15 - 3 - 4: neither is taken off once more.
    CHECK(measured.capacity->kv_pool_bytes.expected == gib(45 + 5));
  }

  TEST_CASE("a start on a GPU that is not told speaks of the weights alone") {
    Workload workload = example::workload(8192, 1);
    workload.measurements = {plain_start()};
    workload.measurements.front().gpu.clear();
    CHECK(taken(estimated(workload)) == "w");
    CHECK(example::has_note(
        estimated(workload),
        "activation, nonTorch, graphs: it does not say its GPU, and then the weights alone"));
    workload.measurements.front().gpu = "l40s";
    CHECK(taken(estimated(workload)) == "w");
    CHECK(example::has_note(estimated(workload), "it is of l40s, not h100-sxm-80"));
    workload.measurements.front().gpu = "h100-sxm-80";
    workload.measurements.front().mig_profile = "3g.40gb";
    CHECK(taken(estimated(workload)) == "w");
  }

  TEST_CASE("several starts: the least, the greatest, and the middle of what applies") {
    const auto with = [](double gib, const char* source) {
      Measurement one = plain_start();
      // As two printed decimals leave it open.
      one.terms = {
          {"nonTorch",
           {.low = gib_of(gib - 0.005), .expected = gib_of(gib), .high = gib_of(gib + 0.005)}}};
      one.source = source;
      return one;
    };
    Workload workload = example::workload(8192, 1);
    workload.measurements = {with(0.25, "a.log"), with(0.75, "b.log"), with(0.35, "c.log")};
    Measurement other = with(5.25, "d.log");
    other.gpu = "l40s";
    workload.measurements.push_back(other);
    const auto term_of = [](const domain::Estimate& estimate) {
      return *std::ranges::find(estimate.terms, "nonTorch", &domain::Term::name);
    };
    const domain::Estimate three = estimated(workload);
    CHECK(term_of(three).bytes ==
          domain::Range{.low = gib_of(0.245), .expected = gib_of(0.35), .high = gib_of(0.755)});
    CHECK(term_of(three).source == "measured in 3 starts, the median of them: a.log, b.log, c.log");
    CHECK(example::has_note(three,
                            "of the measurement d.log nothing is used: nonTorch: it is of "
                            "l40s, not h100-sxm-80"));
    // Of two the middle between them: (0.25 + 0.75) / 2.
    workload.measurements.erase(workload.measurements.begin() + 2, workload.measurements.end());
    CHECK(term_of(estimated(workload)).bytes.expected == gib_of(0.5));
    workload.measurements.resize(1);
    CHECK(term_of(estimated(workload)).source == "measured: a.log");
  }
}
