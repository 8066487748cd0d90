// What layers of one kind and of several hold of a cache: blocks, groups, and bytes of a token.
#include <doctest/doctest.h>

#include "estimate/cache_layout.hpp"
#include "support/cached_models.hpp"

using namespace gpushape;
using domain::KvCacheType;
using domain::Layer;
using domain::LayerKind;
using estimate::CacheLayout;
using example::alternating;
using example::full_layer;
using example::gpt_oss;
using example::latent_layer;
using example::layout_of;
using example::model_of;
using example::nemotron3_super;
using example::qwen36_35b;
using example::sliding_layer;
using example::state_layer;

TEST_SUITE("estimate") {
  TEST_CASE("blocks of attention grow until they hold a state") {
    // "Setting attention block size to 8432 tokens", Nemotron-3-Super with three drafted tokens;
    // 1056 for Qwen3.6-35B-A3B in 16 bits, whose states are padded by 0.76 %.
    const CacheLayout super =
        layout_of(nemotron3_super(), {.type = KvCacheType::Fp8, .draft_tokens = 3});
    CHECK(super.geometry.block_tokens == 8432);
    CHECK(layout_of(qwen36_35b(), {}).geometry.block_tokens == 1056);
  }

  TEST_CASE("an encoder's output is held once, however long the text is") {
    // Whisper-large-v3: 32 layers with a second attention on 1,500 frames. One table: 6,857 blocks
    // of 16.74 GiB (https://github.com/mlcommons/inference_results_v5.1, vLLM 0.10.0).
    Layer decoder = full_layer(20, 20, 64);
    decoder.cross_attention = decoder.attention;
    decoder.cross_attention->kind = LayerKind::Cross;
    decoder.cross_attention->encoder_tokens = 1500;
    const domain::Model whisper = model_of({{decoder, 32}});
    const CacheLayout one = layout_of(whisper, {.is_one_table = true});
    CHECK(gib_of(16.735) / one.block_bytes <= 6857);
    CHECK(6857 <= gib_of(16.745) / one.block_bytes);
    const CacheLayout two = layout_of(whisper, {});
    CHECK(two.groups() == 2);
    CHECK(two.held_blocks(16) == 1 + 94);  // ceil(1500 / 16)
    CHECK(two.held_blocks(448) == 28 + 94);
  }

  TEST_CASE("sparse attention keeps a second cache for its indexer") {
    // DeepSeek-V3.2: 656 bytes of latent in 8 bits, 128 + 4 of the indexer's key.
    Layer sparse = latent_layer(128, 512, 64);
    sparse.attention.indexer = domain::Indexer{.heads = 64, .head_dim = 128, .top_tokens = 2048};
    const domain::Model model = model_of({{sparse, 61}});
    CHECK(layout_of(model, {.type = KvCacheType::Fp8}).bytes_per_token() ==
          Bytes((656 + 132) * 61));
    CHECK(layout_of(model, {}).bytes_per_token() == Bytes((1152 + 132) * 61));
    // GLM-5.2-NVFP4 on GB200: 1,139,456 tokens in 50.62 GiB, 47,701 bytes each.
    CHECK(layout_of(model, {.type = KvCacheType::Fp8, .keeps_sparse_latents_plain = true})
              .bytes_per_token() == Bytes((576 + 132) * 61));
    CHECK(layout_of(model, {}).groups() == 1);
  }

  TEST_CASE("a token costs every layer that takes it") {
    // gpt-oss-120b: 36 layers, 8 KV heads of 64; its windows of 128 take tokens, too.
    CHECK(layout_of(gpt_oss(18), {}).bytes_per_token() == Bytes(73728));
    CHECK(layout_of(qwen36_35b(), {}).bytes_per_token() == Bytes(10 * 2048));
  }

  TEST_CASE("layers that read another's cache keep none") {
    domain::Model model = model_of({{full_layer(8, 2, 256), 10}, {full_layer(8, 2, 256), 5}});
    model.layers.back().layer.attention.shares_cache = true;
    CHECK(layout_of(model, {}).bytes_per_token() == Bytes(10 * 2 * 512 * 2));
  }

  TEST_CASE("ranks that share the context hold so many times the tokens") {
    const domain::Model model = model_of({{latent_layer(128, 512, 64), 61}});
    const CacheLayout alone = layout_of(model, {.tensor_parallel = 8});
    const CacheLayout shared = layout_of(model, {.tensor_parallel = 8, .context_parallel = 8});
    CHECK(shared.held_blocks(131072) * 8 == alone.held_blocks(131072));
    CHECK(count_pool(shared, 1000, 131072, false).tokens ==
          8 * count_pool(alone, 1000, 131072, false).tokens);
  }

  TEST_CASE("a model of states only holds sequences, not tokens") {
    // Falcon-Mamba-7B: 64 layers of 8,192 channels, state 16, kernel 4.
    const domain::Model model = model_of({{state_layer({.kind = domain::RecurrentKind::Mamba,
                                                        .inner = 8192,
                                                        .state = 16,
                                                        .convolution = 4,
                                                        .state_bits = 16}),
                                           64}});
    const CacheLayout layout = layout_of(model, {});
    CHECK(layout.block_bytes == Bytes(64 * 8192 * (3 + 16) * 2));
    CHECK(layout.held_blocks(1) == layout.held_blocks(100000));
    CHECK(layout.held_state_blocks(1) == layout.held_blocks(1));
    CHECK(layout.bytes_per_token() == Bytes(0));
  }

  TEST_CASE("stages have their share of every group") {
    // Source: vLLM v1/core/kv_cache_utils.py deals a kind's layers out to its groups in turn.
    const domain::Model model =
        alternating(sliding_layer(8, 4, 256, 1024), 5, full_layer(8, 4, 256), 4);
    const auto stages = estimate::cut_into_stages(24, 2, estimate::Remainder::Last);
    for (const estimate::Stage& stage : stages) {
      const CacheLayout layout = lay_out_cache(model, stage, {});
      CHECK(layout.groups() == 6);
      CHECK(layout.group_layers == 2);
    }
  }
}
