// Published heads: yuhuili/EAGLE3-LLaMA3.1-Instruct-8B takes 811 MB in float16 without an embedding
// (https://github.com/manojarulmurugan/SpecDecoding-Study-vLLM-SGLang), a head with whole tables
// for Qwen3-8B 2.82 GiB (vLLM 0.20 and 0.24, https://github.com/dcstang/eagle3-spec-dec).
#include "domain/draft_head.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "domain/modules.hpp"

using namespace gpushape;
using namespace gpushape::domain;

namespace {

struct Sizes {
  std::int64_t vocabulary = 0;
  std::int64_t layers = 0;
  std::int64_t width = 0;
};

// Both have a hidden size of 4096, 32 heads of 128 and 8 for keys and values.
Model target(const Sizes& sizes) {
  Layer layer;
  layer.attention = {.heads = 32, .kv_heads = 8, .head_dim = 128, .value_head_dim = 128};
  layer.feed_forward = {.width = sizes.width};
  Model model;
  model.hidden_size = 4096;
  model.vocabulary = sizes.vocabulary;
  model.layers = {{.layer = layer, .count = sizes.layers}};
  return model;
}

const Sizes kLlama{.vocabulary = 128'256, .layers = 32, .width = 14'336};
const Sizes kQwen{.vocabulary = 151'936, .layers = 36, .width = 12'288};

std::int64_t head_rows(const Model& draft) {
  const auto& extra = draft.layers.front().layer.extra;
  const auto head = std::ranges::find(extra, "lm_head", &ExtraTensor::name);
  return head == extra.end() ? 0 : head->rows;
}

}  // namespace

TEST_SUITE("domain") {
  TEST_CASE("a head of a method has the sizes of its target") {
    const std::optional<Model> draft = usual_draft(target(kLlama), "eagle3");
    REQUIRE(draft);
    CHECK(is_draft_head(*draft));
    // attention 2 x 4096 x 6144 + 4096 x 4096, network 3 x 4096 x 14336, fc 12288 x 4096, head
    // 32000 x 4096, embedding 128256 x 4096, four norms: 950,026,240 parameters.
    CHECK(stored_bytes(*draft) == 2 * 950'026'240);
    CHECK(head_rows(*draft) == 32'000);
    // EAGLE: attention 4096 x 6144 + 4096 x 4096, the same network, fc 8192 x 4096, embedding,
    // three norms.
    const std::optional<Model> first = usual_draft(target(kLlama), "eagle");
    REQUIRE(first);
    CHECK(stored_bytes(*first) ==
          2 * (41'943'040LL + 176'160'768 + 33'554'432 + 525'336'576 + 3 * 4096));
    CHECK_FALSE(usual_draft(target(kLlama), "dflash"));
  }

  TEST_CASE("sizes that a target does not tell are not guessed") {
    Model mixture = target(kQwen);
    mixture.layers.front().layer.feed_forward = {
        .width = 0, .experts = Experts{.count = 128, .active = 8, .width = 768}};
    CHECK_FALSE(usual_draft(mixture, "eagle3"));
    Model latent = target(kQwen);
    latent.layers.front().layer.attention.latent = Latent{.kv_rank = 512, .rope_dim = 64};
    CHECK_FALSE(usual_draft(latent, "eagle3"));
    CHECK_FALSE(usual_draft(Model{}, "eagle3"));
  }

  TEST_CASE("the size of the files tells which head lies in them") {
    const std::optional<Model> llama = usual_draft(target(kLlama), "eagle3");
    REQUIRE(llama);
    const std::optional<Model> small = of_stored_size(*llama, Bytes(811LL << 20), false);
    REQUIRE(small);
    CHECK(head_rows(*small) == doctest::Approx(32'000).epsilon(0.005));
    CHECK_FALSE(small->weights.doubt);

    const std::optional<Model> qwen = usual_draft(target(kQwen), "eagle3");
    REQUIRE(qwen);
    const Bytes whole = gib_of(2.82);
    CHECK(head_rows(*of_stored_size(*qwen, whole, false)) == 0);
    CHECK(head_rows(*of_stored_size(*qwen, whole, true)) == 151'936);
    for (const double gib : {0.1, 5.0}) CHECK_FALSE(of_stored_size(*qwen, gib_of(gib), false));
  }
}
