#include "estimate/weights_layout.hpp"

#include <doctest/doctest.h>

#include <array>

#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using domain::Quantization;
using estimate::load_weights;
using estimate::Stage;
using estimate::WeightsLayout;

namespace {

Stage whole(const domain::Model& model) {
  return estimate::cut_into_stages(estimate::layer_count(model), 1, estimate::Remainder::Last)
      .front();
}

double loaded_gib(const example::Decoder& decoder, const WeightsLayout& layout) {
  const domain::Model model = example::model(decoder);
  return load_weights(model, layout, whole(model)).allocated.gib();
}

struct PrintedRow {
  const char* name;
  example::Decoder decoder;
  std::int64_t tensor_parallel;
  double printed_gib;
  double half_of_last_digit;
};

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("16-bit weights come out to the digits that engines print") {
    const auto rows = std::to_array<PrintedRow>({
        // Logs of vLLM 0.12, 0.10.2 and 0.10.1: "Model loading took N GiB".
        {"Qwen3-4B, 0.12.0", example::qwen3_4b(), 1, 7.5552, 0.00005},
        {"Qwen2.5-3B, 0.10.2", example::qwen2_3b(), 1, 5.7916, 0.00005},
        // https://github.com/llm-d-incubation/llm-d-planner/pull/205, vLLM 0.19.0.
        {"Llama-3.1-8B", example::llama_8b(), 1, 14.99, 0.005},
        {"Llama-3.1-8B on 2", example::llama_8b(), 2, 7.51, 0.005},
        {"Llama-3.1-8B on 4", example::llama_8b(), 4, 3.77, 0.005},
        {"Kimi-Dev-72B on 2", example::kimi_dev_72b(), 2, 67.82, 0.005},
        {"Kimi-Dev-72B on 4", example::kimi_dev_72b(), 4, 34.01, 0.005},
    });
    for (const PrintedRow& row : rows) {
      CAPTURE(row.name);
      const double gib =
          loaded_gib(row.decoder, {.tensor_parallel = row.tensor_parallel, .attention_scalars = 7});
      CHECK(gib == doctest::Approx(row.printed_gib)
                       .epsilon(1e-9 + row.half_of_last_digit / row.printed_gib));
    }
  }

  TEST_CASE("quantized linear layers keep their scales, and embeddings their 16 bits") {
    // The same logs: on-the-fly fp8 8.49, w8a8 8.49, w4a16 (GPTQ) 5.38 GiB.
    const auto rows = std::to_array<std::pair<Quantization, double>>({
        {Quantization::Fp8, 8.49},
        {Quantization::Int8, 8.49},
        {Quantization::GptqInt4, 5.38},
    });
    for (const auto& [quantization, printed] : rows) {
      CAPTURE(name_of(quantization));
      const double gib = loaded_gib(example::llama_8b(), {.scheme = domain::scheme(quantization)});
      CHECK(gib == doctest::Approx(printed).epsilon(0.001));
    }
  }

  TEST_CASE("32-bit weights are twice the 16-bit ones") {
    // Same logs: 29.98 GiB, the rotary table included.
    CHECK(loaded_gib(example::llama_8b(),
                     {.scheme = domain::scheme(Quantization::Fp32), .dtype_bytes = 4}) ==
          doctest::Approx(29.98).epsilon(2e-4));
  }

  TEST_CASE("a tied embedding stands on the first stage and on the last") {
    const domain::Model model = example::model(example::qwen2_3b());
    const auto stages = estimate::cut_into_stages(36, 2, estimate::Remainder::NextToLast);
    const Bytes table(151936LL * 2048 * 2);
    const Bytes both =
        load_weights(model, {}, stages[0]).tensors + load_weights(model, {}, stages[1]).tensors;
    CHECK(both == load_weights(model, {}, whole(model)).tensors + table);
  }

  // Llama 3.1 8B: 128,256 words of 4,096 values for the embedding, as many for the head, and the
  // final norm of 4,096, each a second time.
  TEST_CASE("a class that does not ask where it stands holds both ends on every stage") {
    const domain::Model model = example::model(example::llama_8b());
    const WeightsLayout both{.has_embedding_on_every_stage = true, .has_head_on_every_stage = true};
    const auto stages = estimate::cut_into_stages(32, 2, estimate::Remainder::NextToLast);
    const Bytes cut =
        load_weights(model, both, stages[0]).tensors + load_weights(model, both, stages[1]).tensors;
    const Bytes ends(2LL * 128256 * 4096 * 2 + 4096LL * 2);
    CHECK(cut == load_weights(model, both, whole(model)).tensors + ends);
  }

  // What all ranks and stages hold, were each thing there once, is what one rank alone holds.
  TEST_CASE("what stages hold once adds up to one rank's, however they are cut") {
    const std::array<example::Decoder, 2> decoders{example::llama_8b(), example::qwen2_3b()};
    for (const example::Decoder& decoder : decoders) {
      const domain::Model model = example::model(decoder);
      const std::int64_t layers = estimate::layer_count(model);
      for (const bool has_both_ends : {false, true}) {
        WeightsLayout layout{.has_embedding_on_every_stage = has_both_ends,
                             .has_head_on_every_stage = has_both_ends};
        const estimate::LoadedWeights alone = load_weights(model, layout, whole(model));
        CHECK(alone.once == alone.tensors + alone.rotary);
        for (const std::int64_t ranks : {2, 4, 16}) {
          for (const std::int64_t count : {1, 2, 4}) {
            CAPTURE(ranks);
            CAPTURE(count);
            layout.tensor_parallel = ranks;
            Bytes once;
            for (const Stage& stage :
                 estimate::cut_into_stages(layers, count, estimate::Remainder::Last))
              once += load_weights(model, layout, stage).once;
            CHECK(once == alone.once);
          }
        }
      }
    }
  }

  // Experts dealt out whole, scales of blocks that ranks cut, 25 heads of a tower that no rank
  // shares, and dense layers that data parallelism shares.
  TEST_CASE("what is held once does not hang on who holds it") {
    for (const char* name : {"deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-30B-A3B",
                             "OpenGVLab/InternVL3-78B", "openai/gpt-oss-20b"}) {
      CAPTURE(name);
      const domain::Model model = *example::built_in_catalog().find(name);
      const WeightsLayout plain{.is_as_stored = true};
      const estimate::LoadedWeights alone = load_weights(model, plain, whole(model));
      CHECK(alone.once == alone.tensors + alone.rotary);
      WeightsLayout dealt = plain;
      dealt.tensor_parallel = 8;
      dealt.expert_parallel = 8;
      const estimate::LoadedWeights rank = load_weights(model, dealt, whole(model));
      CHECK(rank.once == alone.once);
      CHECK(rank.tensors < alone.tensors);
      dealt = plain;
      dealt.data_parallel = 4;
      dealt.dense_parallel = 4;
      CHECK(load_weights(model, dealt, whole(model)).once == alone.once);
    }
  }

  TEST_CASE("the vocabulary is padded to 64 rows") {
    domain::Model model = example::model(example::llama_8b());
    model.vocabulary = 32016;  // CodeLlama-7b
    CHECK(estimate::padded_vocabulary(model, {}) == 32064);
  }

  TEST_CASE("more ranks than KV heads keep one head each") {
    domain::Attention attention;
    attention.kv_heads = 8;
    CHECK(estimate::kv_heads_on_rank(attention, 4) == 2);
    CHECK(estimate::kv_heads_on_rank(attention, 16) == 1);
  }

  TEST_CASE("what a header holds beyond the architecture is loaded, too") {
    domain::Model model = example::model(example::qwen2_3b());  // 3,085,938,688 values, tied
    const WeightsLayout layout{.is_as_stored = true};
    const Bytes without = load_weights(model, layout, whole(model)).tensors;
    model.stored = {{.part = domain::TensorPart::Attention,
                     .dtype = "BF16",
                     .tensors = 434,
                     .values = 3'085'938'688,
                     .bytes = 2 * 3'085'938'688}};
    CHECK(load_weights(model, layout, whole(model)).tensors == without);
    // A second copy of the tied head is not loaded; a gibibyte of something else is.
    model.stored.push_back({.part = domain::TensorPart::Head,
                            .dtype = "BF16",
                            .tensors = 1,
                            .values = 151936LL * 2048,
                            .bytes = 2 * 151936LL * 2048});
    CHECK(load_weights(model, layout, whole(model)).tensors == without);
    model.stored.push_back({.part = domain::TensorPart::Other,
                            .dtype = "BF16",
                            .tensors = 1,
                            .values = gib(1).count() / 2,
                            .bytes = gib(1).count()});
    CHECK(load_weights(model, layout, whole(model)).tensors == without + gib(1));
    CHECK(load_weights(model, {}, whole(model)).tensors == without);  // asked for in another form
  }

  TEST_CASE("experts are dealt out whole, or cut, or padded for a kernel") {
    domain::Model model = example::model(example::llama_8b());
    domain::Layer& layer = model.layers.front().layer;
    layer.feed_forward.width = 0;
    layer.feed_forward.experts = domain::Experts{.count = 8, .active = 2, .width = 1024};
    model.layers.front().count = 1;
    const auto bytes = [&](const WeightsLayout& layout) {
      return load_weights(model, layout, whole(model)).tensors;
    };
    const Bytes expert(3LL * 1024 * 4096 * 2);
    const Bytes rest = bytes({}) - expert * 8;
    const Bytes rest_of_two = bytes({.tensor_parallel = 2}) - expert * 4;
    CHECK(bytes({.tensor_parallel = 2, .expert_parallel = 2}) == rest_of_two + expert * 4);
    // Two ranks of data parallelism: attention is copied, experts are not.
    CHECK(bytes({.data_parallel = 2}) == rest + expert * 4);
    CHECK(bytes({.data_parallel = 2, .expert_parallel = 2}) == rest + expert * 4);
    CHECK(bytes({.expert_padding = {.width = 1536}}) == rest + expert * 8 * 3 / 2);
    CHECK(bytes({.expert_padding = {.hidden = 8192}}) == rest + expert * 8 * 2);
  }

  TEST_CASE(
      "a rope with sections has a table of four times its positions where the engine says so") {
    // Qwen2.5-VL-7B, 128,000 positions of 128 values in 16 bits: 31.25 MiB a table. vLLM 0.10.1
    // loads 15.6269 GiB, three such tables more than the plain rope would need.
    domain::Model model = example::model(example::llama_8b());
    model.rope.positions = 128'000;
    model.rope.rotary_dim = 128;
    const WeightsLayout layout{.sectioned_rope_rows = 4};
    const Bytes plain = load_weights(model, layout, whole(model)).rotary;
    CHECK(plain == Bytes(32'768'000));
    model.rope.has_sections = true;
    CHECK(load_weights(model, layout, whole(model)).rotary == plain * 4);
  }

  TEST_CASE("latents keep the halves of their up-projection and a table of 32 bits") {
    // DeepSeek-V2-Lite, 0.19: 29.43 GiB. Halves: 16 heads x (128 + 128) x 512 values in 27 layers.
    domain::Model model = example::model(example::llama_8b());
    domain::Attention& attention = model.layers.front().layer.attention;
    attention.kind = domain::LayerKind::Latent;
    attention.latent = domain::Latent{.query_rank = 0, .kv_rank = 512, .rope_dim = 64};
    attention.heads = 16;
    attention.kv_heads = 16;
    attention.head_dim = 192;
    attention.value_head_dim = 128;
    model.layers.front().count = 27;
    const auto loaded = load_weights(model, {}, whole(model));
    const auto without = load_weights(model, {.splits_latents = false}, whole(model));
    CHECK(loaded.tensors - without.tensors == Bytes(27LL * 16 * 256 * 512 * 2));
    CHECK(loaded.rotary == Bytes(131072LL * 128 * 4));
  }
}
