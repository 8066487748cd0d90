// What is refused, with the numbers and a way out.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using estimate::estimate_memory;
using example::flag;
using example::made;
using example::term;

namespace {

std::string refusal(const domain::Workload& workload,
                    const domain::Model& model = example::kLlama) {
  const Result<domain::Estimate> estimate =
      estimate_memory(model, workload, example::kVllm, example::h100());
  return estimate ? std::string() : to_text(estimate.error());
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("what cannot be is refused with the numbers and a way out") {
    domain::Workload workload = example::workload(131073, 1);
    CHECK(refusal(workload).contains("131073"));
    CHECK(refusal(workload).contains("131072"));
    domain::Model scaled = example::kLlama;
    scaled.rope.scaling = "llama3";
    CHECK(refusal(workload, scaled).contains("llama3"));

    workload = example::workload(8192, 1);
    workload.engine.tensor = flag<std::int64_t>(3);
    CHECK(refusal(workload).contains("does not divide the 32 attention heads"));
    CHECK(refusal(workload).contains("1, 2, 4, 8, 16, 32"));

    workload = example::workload(8192, 1);
    workload.engine.pipeline = flag<std::int64_t>(33);
    CHECK(refusal(workload).contains("more than the 32 layers"));

    workload = example::workload(8192, 1);
    workload.engine.expert = flag<std::int64_t>(2);
    CHECK(refusal(workload).contains("has none"));
  }

  // vLLM's registry has OuroForCausalLM and no ZambaForCausalLM; the architectures of llama.cpp's
  // llama-model.cpp have neither, and T5's for mT5.
  TEST_CASE("a family without a class in the engine is refused by its name") {
    const domain::Engine llama_cpp = *example::built_in_catalog().engine("llama.cpp");
    const auto refusal_by = [&](const domain::Engine& engine, std::string_view family) {
      domain::Model model = example::kLlama;
      model.family = family;
      domain::Workload workload = example::workload(8192, 1);
      workload.engine.engine = flag(engine.name);
      workload.engine.version = {};
      const auto estimate = estimate_memory(model, workload, engine, example::h100());
      return estimate ? std::string() : to_text(estimate.error());
    };
    CHECK(refusal_by(example::kVllm, "ouro").empty());
    CHECK(refusal_by(example::kVllm, "zamba").contains("vllm does not serve the family 'zamba'"));
    for (const char* family :
         {"mt5", "marian", "led", "codegen", "diffllama", "esm", "lilt", "wavlm"})
      CHECK(refusal_by(example::kVllm, family).contains("vllm does not serve the family"));
    CHECK(refusal_by(llama_cpp, "llama").empty());
    CHECK(refusal_by(llama_cpp, "mt5").empty());
    for (const char* family : {"ouro", "zamba2", "longcat_flash", "pegasus"})
      CHECK(refusal_by(llama_cpp, family).contains("llama.cpp does not serve the family"));
  }

  TEST_CASE("an encoder of sound needs no vocabulary, a model with a head does") {
    domain::Model model = example::kLlama;
    model.vocabulary = 0;
    CHECK(refusal(example::workload(8192, 1), model).contains("no vocabulary"));
    model.has_head = false;
    CHECK(refusal(example::workload(8192, 1), model).empty());
  }

  TEST_CASE("absurd numbers are refused, all at once") {
    domain::Workload workload = example::workload(0, -5);
    workload.engine.gpu_memory_utilization = flag(0.0);
    workload.engine.kv_cache_memory_bytes = flag(Bytes(0));
    workload.engine.max_num_seqs = flag<std::int64_t>(1'000'000'000'000);
    const Result<domain::Estimate> estimate =
        estimate_memory(example::kLlama, workload, example::kVllm, example::h100());
    REQUIRE_FALSE(estimate.has_value());
    CHECK(estimate.error().size() == 5);
    workload = example::workload(8192, 1);
    for (const double utilization : {-0.1, 1.1, 1e30, std::nan("")}) {
      workload.engine.gpu_memory_utilization = flag(utilization);
      CHECK(refusal(workload).contains("gpu_memory_utilization"));
    }
  }

  TEST_CASE("the largest numbers that are taken do not overflow") {
    domain::Workload workload = example::workload(131072, 10'000'000);
    workload.engine.max_num_seqs = flag<std::int64_t>(1'000'000);
    workload.engine.max_num_batched_tokens = flag<std::int64_t>(1LL << 26U);
    CHECK_FALSE(made(workload).capacity->fits);
    domain::Model long_model = example::kLlama;
    long_model.max_context_tokens = 1LL << 30U;
    workload.context_tokens->value = 1LL << 30U;
    CHECK(refusal(workload, long_model).contains("than any system holds"));
    workload.concurrency->value = 1;
    CHECK(term(made(workload, example::h100(), long_model), "kvCache") == gib(128LL * 1024));
  }

  TEST_CASE("an engine or a layer kind that is not modelled is named") {
    domain::Engine other = example::kVllm;
    other.name = "vlmm";
    const auto estimate =
        estimate_memory(example::kLlama, example::workload(8192, 1), other, std::nullopt);
    REQUIRE_FALSE(estimate.has_value());
    CHECK(to_text(estimate.error()).contains("'vllm'"));
  }

  TEST_CASE("a layer that lacks what its kind needs is named") {
    domain::Model model = example::kLlama;
    domain::Attention& attention = model.layers.front().layer.attention;
    attention.kind = domain::LayerKind::Latent;
    CHECK(refusal(example::workload(8192, 1), model).contains("latents"));
    attention.latent = domain::Latent{.query_rank = 0, .kv_rank = 512, .rope_dim = 64};
    CHECK(made(example::workload(8192, 1), std::nullopt, model).kv_bytes_per_token ==
          Bytes(32 * 576 * 2));
    attention.kind = domain::LayerKind::Recurrent;
    CHECK(refusal(example::workload(8192, 1), model).contains("state"));
    attention.kind = domain::LayerKind::Compressed;
    CHECK(refusal(example::workload(8192, 1), model).contains("entry"));
  }

  TEST_CASE("layouts that cannot be are refused with one that can") {
    domain::Workload workload = example::workload(8192, 1);
    workload.engine.expert = flag<std::int64_t>(2);
    CHECK(refusal(workload).contains("has none"));
    domain::Model experts = example::kLlama;
    experts.layers.front().layer.feed_forward.experts =
        domain::Experts{.count = 8, .active = 2, .width = 14336};
    CHECK(refusal(workload, experts).contains("does not divide the 1 ranks"));
    workload.engine.tensor = flag<std::int64_t>(2);
    const Bytes whole = term(made(workload, example::h100(), experts), "weights");
    workload.engine.expert = std::nullopt;
    const Bytes cut = term(made(workload, example::h100(), experts), "weights");
    CHECK(whole == cut);  // half of every expert, or all of half of them

    workload = example::workload(8192, 1);
    workload.engine.context_parallel = flag<std::int64_t>(2);
    CHECK(refusal(workload).contains("tensor parallel size 1"));
    workload.engine.tensor = flag<std::int64_t>(4);  // 8 KV heads: no rank has a copy
    CHECK(refusal(workload).contains("16"));
    workload.engine.tensor = flag<std::int64_t>(16);
    CHECK(term(made(workload), "kvCache") ==
          Bytes(8192 / 2 * 2 * 128 * 2 * 32));  // one head of 128 in 32 layers, half the tokens

    workload = example::workload(8192, 1);
    workload.engine.draft_tokens = flag<std::int64_t>(3);
    CHECK(refusal(workload).contains("further tokens"));
  }
}
