// Totals are the exact ones that publishers' checkpoints hold (Hugging Face Hub, safetensors
// metadata); single shapes are those of the published checkpoints' headers.
#include "domain/tensors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace gpushape;
using namespace gpushape::domain;

namespace {

Layer llama_layer(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim,
                  std::int64_t width) {
  Layer layer;
  layer.attention.heads = heads;
  layer.attention.kv_heads = kv_heads;
  layer.attention.head_dim = head_dim;
  layer.attention.value_head_dim = head_dim;
  layer.feed_forward.width = width;
  return layer;
}

const Tensor& named(const std::vector<Tensor>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  REQUIRE(found != tensors.end());
  return *found;
}

Model deepseek_v3() {
  Model model;
  model.hidden_size = 7168;
  model.vocabulary = 129280;
  Layer dense;
  dense.attention.kind = LayerKind::Latent;
  dense.attention.heads = 128;
  dense.attention.kv_heads = 128;
  dense.attention.head_dim = 192;
  dense.attention.value_head_dim = 128;
  dense.attention.latent = Latent{.query_rank = 1536, .kv_rank = 512, .rope_dim = 64};
  dense.feed_forward.width = 18432;
  Layer mixture = dense;
  mixture.feed_forward.width = 0;
  mixture.feed_forward.experts = Experts{
      .count = 256, .active = 8, .width = 2048, .shared_width = 2048, .correction_bias = true};
  model.layers = {{dense, 3}, {mixture, 58}};
  MultiTokenPrediction prediction;
  prediction.layers = {{mixture, 1}};
  prediction.extra = {{.name = "eh_proj", .rows = 7168, .columns = 14336, .is_linear = true},
                      {.name = "enorm", .rows = 7168},
                      {.name = "hnorm", .rows = 7168},
                      {.name = "shared_head.norm", .rows = 7168}};
  prediction.holds_embedding = true;
  model.multi_token_prediction = prediction;
  return model;
}

}  // namespace

TEST_SUITE("domain") {
  TEST_CASE("a dense model counts what its checkpoint holds") {
    Model model;  // Llama 3.1 8B
    model.hidden_size = 4096;
    model.vocabulary = 128256;
    model.layers = {{llama_layer(32, 8, 128, 14336), 32}};
    CHECK(count_parameters(model) == 8'030'261'248);
    CHECK(count_active_parameters(model) == 8'030'261'248);
    CHECK(count_multi_token_parameters(model) == 0);
  }

  TEST_CASE("a tied head, biases on q, k and v count as Qwen2.5 3B stores them") {
    Model model;
    model.hidden_size = 2048;
    model.vocabulary = 151936;
    model.tied_embeddings = true;
    Layer layer = llama_layer(16, 2, 128, 11008);
    layer.attention.qkv_bias = true;
    model.layers = {{layer, 36}};
    CHECK(count_parameters(model) == 3'085'938'688);
  }

  TEST_CASE("queries through a narrow matrix count and are dealt out as in Step3") {
    Model model;
    model.hidden_size = 7168;
    Layer layer = llama_layer(64, 1, 256, 0);
    layer.attention.query_rank = 2048;
    model.layers = {{layer, 1}};
    // Down 2048 x 7168 and its norm, up 16384 x 2048, key and value 2 x 256 x 7168, output
    // 7168 x 16384; two norms of a layer and one at the end.
    CHECK(count_parameters(model) ==
          14'680'064LL + 2'048 + 33'554'432 + 3'670'016 + 117'440'512 + 3LL * 7'168);
    const auto tensors = tensors_of(layer, model);
    CHECK(named(tensors, "self_attn.q_down_proj").split == Split::None);
    CHECK(named(tensors, "self_attn.q_proj").columns == 2048);
  }

  TEST_CASE("a layer that runs a shared block holds no matrices of its own") {
    Model model;
    model.hidden_size = 2048;
    Layer layer = llama_layer(32, 32, 128, 0);
    layer.attention.borrows_weights = true;
    model.layers = {{layer, 6}};
    CHECK(count_parameters(model) == 13LL * 2'048);  // two norms of a layer and one at the end
  }

  TEST_CASE("a table of which a token reads few rows is not active") {
    Model model;
    model.hidden_size = 2560;
    Layer layer = llama_layer(24, 2, 256, 640);
    layer.extra = {{.name = "ple.ple_embedding.ngram_embedding",
                    .rows = 320'001'536,
                    .columns = 160,
                    .is_dealt_out = true}};
    model.layers = {{layer, 1}};
    CHECK(count_parameters(model) - count_active_parameters(model) == 320'001'536LL * 160);
  }

  TEST_CASE("latents, experts and a layer for further tokens count as in DeepSeek-V3") {
    const Model model = deepseek_v3();
    // The publisher's README: 671B of the main model, 14B of the multi-token module with its
    // copies of embedding and head; the checkpoint's 684'531'386'000 has 41'540'496 scales in it.
    CHECK(count_parameters(model) == 671'026'419'200);
    CHECK(count_parameters(model) + count_multi_token_parameters(model) + 41'540'496 ==
          684'531'386'000);
    // "37B activated"; 58 layers leave 248 of 256 experts of 3 x 7168 x 2048 idle.
    CHECK(count_active_parameters(model) == 671'026'419'200 - 58LL * 248 * 3 * 7168 * 2048);
  }

  TEST_CASE("experts with biases, sinks and a biased router count as in gpt-oss-20b") {
    Model model;
    model.hidden_size = 2880;
    model.vocabulary = 201088;
    Layer layer = llama_layer(64, 8, 64, 0);
    layer.attention.qkv_bias = true;
    layer.attention.output_bias = true;
    layer.attention.has_sinks = true;
    layer.feed_forward.experts =
        Experts{.count = 32, .active = 4, .width = 2880, .bias = true, .router_bias = true};
    model.layers = {{layer, 24}};
    // The model card: 20.9B parameters. The Hub's 21'511'953'984 counts a scale for every 32 of the
    // experts' 24 x 32 x 3 x 2880 x 2880 values, too.
    CHECK(count_parameters(model) == 21'511'953'984 - 24LL * 32 * 3 * 2880 * 90);
    CHECK(count_parameters(model) == 20'914'757'184);
  }

  TEST_CASE("tensors that engines fuse carry one word, in the order of the allocation") {
    Model model;
    model.hidden_size = 4096;
    const Layer layer = llama_layer(32, 8, 128, 14336);
    const std::vector<Tensor> tensors = tensors_of(layer, model);
    std::vector<std::string_view> qkv;
    for (const Tensor& tensor : tensors) {
      if (tensor.fused == "qkv") qkv.push_back(tensor.name);
    }
    CHECK(qkv == std::vector<std::string_view>{"self_attn.q_proj", "self_attn.k_proj",
                                               "self_attn.v_proj"});
    const Tensor& key = named(tensors, "self_attn.k_proj");
    CHECK(key.rows == 1024);
    CHECK(key.columns == 4096);
    CHECK(key.split == Split::KvRows);
    CHECK(key.heads == 8);
    CHECK(key.is_linear);
    CHECK(named(tensors, "mlp.down_proj").split == Split::Columns);
    CHECK_FALSE(named(tensors, "input_layernorm").is_linear);
  }

  TEST_CASE("an indexer takes its queries from the latent and one key for all its heads") {
    Model model = deepseek_v3();
    Layer layer = model.layers.back().layer;
    layer.attention.indexer = Indexer{.heads = 64, .head_dim = 128, .top_tokens = 2048};
    const std::vector<Tensor> tensors = tensors_of(layer, model);
    // DeepSeek-V3.2's header: wq_b [8192, 1536], wk [128, 7168], weights_proj [64, 7168].
    CHECK(named(tensors, "self_attn.indexer.wq_b").values() == 8192LL * 1536);
    CHECK(named(tensors, "self_attn.indexer.wk").values() == 128LL * 7168);
    CHECK(named(tensors, "self_attn.indexer.weights_proj").values() == 64LL * 7168);
    layer.attention.indexer->is_shared = true;
    CHECK(tensors_of(layer, model).size() + 5 == tensors.size());
  }

  TEST_CASE("a layer without attention lists its recurrent mixer alone") {
    Model model;  // Falcon-Mamba 7B: 64 of these and an untied head
    model.hidden_size = 4096;
    model.vocabulary = 65024;
    Layer layer;
    layer.attention.kind = LayerKind::Recurrent;
    layer.norms = 1;
    layer.recurrent = Recurrent{.kind = RecurrentKind::Mamba,
                                .inner = 8192,
                                .state = 16,
                                .rank = 256,
                                .convolution = 4,
                                .convolution_bias = true};
    model.layers = {{layer, 64}};
    // in 4096x16384, conv 8192x4 + 8192, x 8192x288, dt 256x8192 + 8192, A 8192x16, D 8192,
    // out 8192x4096, norm 4096: 105'312'256 a layer.
    CHECK(count_parameters(model) == 64LL * 105'312'256 + 2 * 65024LL * 4096 + 4096);
  }

  TEST_CASE("absurd sizes end at a bound rather than beyond 64 bits") {
    Model model;
    model.hidden_size = 1'000'000;
    model.vocabulary = 10'000'000;
    Layer layer = llama_layer(10'000, 10'000, 10'000, 10'000'000);
    layer.feed_forward.experts = Experts{.count = 1'000'000, .active = 1, .width = 10'000'000};
    model.layers = {{layer, 10'000}};
    CHECK(count_parameters(model) == kMostValues);
    CHECK(count_active_parameters(model) >= 0);
  }
}
