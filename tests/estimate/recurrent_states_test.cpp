// What a layer keeps of a sequence, by hand from the shapes of the classes.
#include <doctest/doctest.h>

#include "estimate/layers.hpp"

using namespace gpushape;
using domain::Recurrent;
using domain::RecurrentKind;
using estimate::CacheGeometry;
using estimate::layers::state_bytes;

TEST_SUITE("estimate") {
  // vLLM's Plamo2MambaMixer: no groups, so that the convolution runs over the heads alone: three
  // inputs of 32 x 128, and 32 heads of 128 x 64, in 16 bits.
  TEST_CASE("PLaMo 2's convolution keeps its heads alone") {
    const Recurrent mixer{.kind = RecurrentKind::Mamba2,
                          .value_heads = 32,
                          .value_dim = 128,
                          .state = 64,
                          .rank = 128,
                          .convolution = 4,
                          .state_bits = 16};
    CHECK(state_bytes(mixer, {}) == 3 * 4096 * 2 + 4096 * 64 * 2);
    CHECK(state_bytes(mixer, {.tensor_parallel = 2}) == 3 * 2048 * 2 + 2048 * 64 * 2);
  }

  // RecurrentGemmaRecurrentBlock: three inputs in the model's dtype, the recurrence in float32.
  TEST_CASE("RecurrentGemma keeps one value a channel beside its convolution") {
    const Recurrent mixer{
        .kind = RecurrentKind::Griffin, .value_heads = 10, .inner = 2560, .convolution = 4};
    CHECK(state_bytes(mixer, {}) == 3 * 2560 * 2 + 2560 * 4);
  }

  // linear_attention_state_shape: a matrix of 128 x 128 for each of 16 heads, in the model's dtype.
  TEST_CASE("Ring-linear keeps a matrix a head") {
    const Recurrent mixer{.kind = RecurrentKind::Lightning,
                          .key_heads = 16,
                          .key_dim = 128,
                          .value_heads = 16,
                          .value_dim = 128,
                          .state_bits = 16};
    CHECK(state_bytes(mixer, {}) == 16 * 128 * 128 * 2);
  }

  // kda_state_shape: three inputs of queries, keys and values, and the matrices in float32.
  TEST_CASE("Ling 3.0 keeps what Kimi's delta attention does") {
    const Recurrent mixer{.kind = RecurrentKind::Kda,
                          .key_heads = 16,
                          .key_dim = 128,
                          .value_heads = 16,
                          .value_dim = 128,
                          .convolution = 4};
    CHECK(state_bytes(mixer, {}) == 3 * 3 * 2048 * 2 + 16 * 128 * 128 * 4);
  }
}
