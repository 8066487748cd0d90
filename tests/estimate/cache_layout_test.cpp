#include "estimate/cache_layout.hpp"

#include <doctest/doctest.h>

#include "estimate/samples.hpp"

using namespace gpushape;
using estimate::CacheGeometry;
using estimate::CacheLayout;
using estimate::lay_out_cache;

namespace {

CacheLayout llama_layout(const domain::Model& model, const CacheGeometry& geometry = {}) {
  return lay_out_cache(
      model,
      estimate::cut_into_stages(estimate::layer_count(model), 1, estimate::Remainder::Last).front(),
      geometry);
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("a block of full attention holds keys and values of 16 tokens in every layer") {
    // 16 x 8 heads x (128 + 128) x 2 bytes x 32 layers = 2 MiB
    const CacheLayout layout = llama_layout(example::model(example::llama_8b()));
    CHECK(layout.block_bytes == mib(2));
    CHECK(layout.bytes_per_token() == kib(128));
    CHECK(layout.held_blocks(8192) == 512);
    CHECK(layout.held_blocks(8193) == 513);
  }

  TEST_CASE("fp8 halves a block, and ranks share the heads out") {
    const domain::Model model = example::model(example::llama_8b());
    CHECK(llama_layout(model, {.type = domain::KvCacheType::Fp8}).block_bytes == mib(1));
    CHECK(llama_layout(model, {.tensor_parallel = 4}).block_bytes == kib(512));
    CHECK(llama_layout(model, {.tensor_parallel = 16}).block_bytes == kib(256));
  }

  TEST_CASE("a sliding window holds its window, the running step and one block") {
    domain::Model model = example::model(example::llama_8b());
    model.layers.front().layer.attention.kind = domain::LayerKind::Sliding;
    model.layers.front().layer.attention.window_tokens = 4096;
    const CacheLayout layout = llama_layout(model, {.batched_tokens = 2048});
    CHECK(layout.held_blocks(1024) == 65);        // 64 + 1: the request is shorter
    CHECK(layout.held_blocks(32768) == 384 + 1);  // ceil((4095 + 2048) / 16) + 1
  }

  TEST_CASE("two kinds of layers share blocks in groups of the smaller count") {
    // gemma-2-27b on vLLM 0.19: 46 layers, every second one with a window of 4096, 16 KV heads of
    // 128; 20.59 GiB are 7,335 blocks and 58,672 tokens, 8 per block
    // (https://github.com/llm-d-incubation/llm-d-planner/pull/205).
    domain::Layer full;
    full.attention = {.kind = domain::LayerKind::Full,
                      .heads = 32,
                      .kv_heads = 16,
                      .head_dim = 128,
                      .value_head_dim = 128};
    domain::Layer sliding = full;
    sliding.attention.kind = domain::LayerKind::Sliding;
    sliding.attention.window_tokens = 4096;
    domain::Model model;
    for (int i = 0; i < 23; ++i) {
      model.layers.push_back({sliding, 1});
      model.layers.push_back({full, 1});
    }
    const CacheLayout layout = llama_layout(model, {.batched_tokens = 8192});
    CHECK(layout.groups() == 2);
    CHECK(layout.group_layers == 23);
    CHECK(gib_of(20.59 - 0.005) / layout.block_bytes <= 7335);
    CHECK(gib_of(20.59 + 0.005) / layout.block_bytes >= 7335);
    CHECK(7335 / layout.groups() * 16 == 58672);
  }

  TEST_CASE("short groups are filled up with layers that hold nothing") {
    // 36 sliding and 4 full layers: groups of 4, nine and one; 5 sliding and 4 full layers are
    // nearly equal: two groups of 5.
    domain::Model model = example::model(example::llama_8b());
    domain::LayerRun sliding = model.layers.front();
    sliding.layer.attention.kind = domain::LayerKind::Sliding;
    sliding.layer.attention.window_tokens = 128;
    model.layers.front().count = 4;
    sliding.count = 36;
    model.layers.push_back(sliding);
    CHECK(llama_layout(model).group_layers == 4);
    CHECK(llama_layout(model).groups() == 10);
    model.layers.back().count = 5;
    CHECK(llama_layout(model).group_layers == 5);
    CHECK(llama_layout(model).groups() == 2);
  }
}
