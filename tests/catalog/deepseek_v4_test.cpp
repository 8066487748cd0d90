// DeepSeek-V4-Flash and -V4.1-Flash: their configs, and what the tensors come to that vLLM's
// classes make of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "catalog/config.hpp"
#include "domain/tensors.hpp"
#include "texts.hpp"

using namespace gpushape;
using namespace gpushape::catalog::testing;

namespace {

const std::string kDeepSeekV41 = R"({"architectures": ["DeepseekV41ForCausalLM"], "model_type":
    "deepseek_v41", "dtype": "bfloat16", "quantization_config": {"quant_method": "fp8",
    "activation_scheme": "dynamic", "weight_block_size": [32, 32], "scale_fmt": "ue8m0",
    "expert_dtype": "fp4"}, "text_config": {"model_type": "deepseek_v41_text", "vocab_size": 129280,
    "hidden_size": 5120, "moe_intermediate_size": 2304, "num_hidden_layers": 40,
    "num_attention_heads": 64, "num_key_value_heads": 1, "head_dim": 512, "qk_rope_head_dim": 64,
    "q_lora_rank": 1280, "o_lora_rank": 1024, "o_groups": 8, "tie_word_embeddings": false,
    "max_position_embeddings": 1048576, "rope_theta": 10000, "n_routed_experts": 384,
    "n_shared_experts": 1, "num_experts_per_tok": 6, "sliding_window": 128, "compress_ratios": [0,
    0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 0, 0, 0], "kv_source_layer_ids": [2, 8, 14, 20], "index_source_layer_ids":
    [2, 8, 14, 20, 24, 28, 32, 36], "index_n_heads": 32, "index_head_dim": 128, "index_topk": 512,
    "hc_mult": 4, "engram_layer_ids": [1, 14], "engram_num_embeddings": [384006168, 384016682],
    "engram_max_ngram_size": 4, "engram_n_heads": 8, "engram_head_dim": 256,
    "num_nextn_predict_layers": 3, "dspark_target_layer_ids": [37, 38, 39], "dspark_markov_rank":
    256, "dspark_n_routed_experts": 128, "dspark_num_experts_per_tok": 3}, "vision_config":
    {"model_type": "deepseek_v41_vision", "num_hidden_layers": 32, "hidden_size": 1024,
    "num_attention_heads": 16, "intermediate_size": 2816, "patch_size": 14, "downsample_ratio": 3,
    "max_image_tokens": 1024}})";

std::string deepseek_refusal(const std::string& config) {
  const auto model = catalog::read_config(json(config), "a/b");
  REQUIRE_FALSE(model.has_value());
  return messages(model.error());
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("DeepSeek-V4-Flash counts what its base and its packed checkpoint hold") {
    const std::string release = R"({"model_type": "deepseek_v4", "hidden_size": 4096,
        "num_hidden_layers": 43, "num_attention_heads": 64, "num_key_value_heads": 1,
        "head_dim": 512, "vocab_size": 129280, "max_position_embeddings": 1048576,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 6, "num_nextn_predict_layers": 1, "q_lora_rank": 1024,
        "o_lora_rank": 1024, "o_groups": 8, "qk_rope_head_dim": 64, "index_head_dim": 128,
        "index_n_heads": 64, "index_topk": 512, "sliding_window": 128, "num_hash_layers": 3,
        "hc_mult": 4, "torch_dtype": "bfloat16", "expert_dtype": "fp4", "compress_ratios":
        [0, 0, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4,
         128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 128, 4, 0],
        "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic",
                                "fmt": "e4m3", "weight_block_size": [128, 128]}})";
    // Hugging Face Hub, safetensors metadata of DeepSeek-V4-Flash-Base.
    CHECK(model_of(replaced(release, R"("fp4")", R"("fp8")")).parameters.total == 292'021'347'282);
    // And of DeepSeek-V4-Flash: two values of its 44 x 256 x 3 x 4096 x 2048 experts' to a byte,
    // and a scale for every 32.
    const std::int64_t experts = std::int64_t{44} * 256 * 3 * 4096 * 2048;
    CHECK(model_of(release).parameters.total - experts + experts / 2 + experts / 32 ==
          158'069'433'298);
    // DeepSeek-V4-Flash-DSpark: three layers that draft from the states of three, and two heads of
    // a rank of 256. Of one layer for a further token its two projections, and two of three norms.
    const std::string drafting =
        replaced(release, R"("num_nextn_predict_layers": 1)",
                 R"("num_nextn_predict_layers": 1, "dspark_target_layer_ids": [40, 41, 42],
           "dspark_markov_rank": 256)");
    const std::int64_t heads = 3 * 4096LL * 4096 + 2 * 129280LL * 256 + 4096 + 256;
    const std::int64_t outer = 2 * 4096LL * 4096 + 4096;
    const std::int64_t hyper = 4LL * 16384 + 4 + 1;
    const std::int64_t norms = 2 * 4096;
    const auto further = [](const domain::Model& model) {
      return domain::count_multi_token_parameters(model);
    };
    const std::int64_t layer = further(model_of(release)) - outer - hyper - norms;
    CHECK(further(model_of(drafting)) == 3 * layer + heads + hyper + norms);
    // Scales of 128 x 128 values: 8,064 of a layer's attention and shared expert, 3,072 and 2,048.
    CHECK(model_of(drafting).parameters.total ==
          model_of(release).parameters.total + 2 * (layer + 8064) + heads + 3072 - outer - 2048);
  }

  // A layer's attention: 1,280 x 5,120 + 512 x 5,120 + 32,768 x 1,280 + 8,192 x 4,096 + 5,120 x
  // 8,192 values, norms of 1,280 and 512, 64 sinks. Experts: 384 + 1 of 3 x 5,120 x 2,304, a router
  // of 384 x 5,120 with two corrections. Streams: 2 x (24 x 20,480 + 24 + 3). Norms: 2 x 5,120.
  TEST_CASE("every matrix of DeepSeek-V4.1-Flash is counted") {
    const auto model = catalog::read_config(json(kDeepSeekV41), "a/b");
    if (!model) FAIL(messages(model.error()));
    constexpr std::int64_t kAttention = 1'280LL * 5'120 + 512LL * 5'120 + 32'768LL * 1'280 +
                                        8'192LL * 4'096 + 5'120LL * 8'192 + 1'280 + 512 + 64;
    constexpr std::int64_t kExpert = 3LL * 5'120 * 2'304;
    constexpr std::int64_t kStreams = 2 * (24LL * 20'480 + 24 + 3);
    constexpr std::int64_t kLayer =
        kAttention + 385 * kExpert + 384LL * 5'120 + 2 * 384 + kStreams + 2 * 5'120;
    // Four layers make entries, three of them by gates; eight choose, four of them by keys of
    // their own.
    constexpr std::int64_t kEntries = 4 * (512LL * 5'120 + 512) + 3 * 512LL * 5'120;
    constexpr std::int64_t kIndexers =
        8 * (32LL * 128 * 1'280 + 32LL * 5'120) + 4 * (128LL * 512 + 128);
    constexpr std::int64_t kTables = (384'006'168LL + 384'016'682) * 256;
    constexpr std::int64_t kEngrams = 2 * (25'600LL * 6'144 + 2 * 4 * 5'120);
    constexpr std::int64_t kOuter = 2 * 129'280LL * 5'120 + 5'120;
    // 32 blocks with biases on attention alone, patches of 588 values, nine patches to one token.
    constexpr std::int64_t kBlock = 4 * 1'024LL * 1'024 + 4'096 + 3 * 1'024LL * 2'816 + 2'048;
    constexpr std::int64_t kTower = 588LL * 1'024 + 1'024 + 32 * kBlock + 1'024 + 9'216LL * 5'120 +
                                    5'120 + 5'120LL * 5'120 + 5'120;
    constexpr std::int64_t kDraftLayer =
        kAttention + 129 * kExpert + 128LL * 5'120 + 2 * 128 + kStreams + 2 * 5'120;
    constexpr std::int64_t kDrafter =
        3 * kDraftLayer + 15'360LL * 5'120 + 2 * 5'120 + 2 * 129'280LL * 256 + 5'376;
    CHECK(domain::count_multi_token_parameters(*model) == kDrafter);
    CHECK(model->parameters.total ==
          40 * kLayer + kEntries + kIndexers + kTables + kEngrams + kOuter + kTower + kDrafter);
    // The publisher speaks of 552 billion without the tables, and 196 of them.
    CHECK((model->parameters.total - kTables - kDrafter) / 1'000'000'000 == 552);
    CHECK(kTables / 1'000'000'000 == 196);
  }

  TEST_CASE("experts have four bits, tables and all else that is quantized an exponent each 32") {
    const auto model = catalog::read_config(json(kDeepSeekV41), "a/b");
    if (!model) FAIL(messages(model.error()));
    CHECK(model->weights.linear == domain::Quantization::Mxfp8);
    REQUIRE(model->weights.modules.size() == 2);
    CHECK(model->weights.modules[0].pattern == "*.experts.*");
    CHECK(model->weights.modules[0].quantization == domain::Quantization::Mxfp4);
    CHECK(model->weights.modules[1].pattern == "*.engram.embed");
    CHECK(model->weights.modules[1].quantization == domain::Quantization::Mxfp8);
  }

  TEST_CASE("layers that read what none makes, or tables without a layer, are refused") {
    CHECK(deepseek_refusal(replaced(kDeepSeekV41, R"("kv_source_layer_ids": [2, 8)",
                                    R"("kv_source_layer_ids": [3, 8)"))
              .find("layer 2 reads entries that no layer before it makes") != std::string::npos);
    CHECK(deepseek_refusal(replaced(kDeepSeekV41, R"("engram_layer_ids": [1, 14])",
                                    R"("engram_layer_ids": [1])"))
              .find("engram_num_embeddings lists 2 tables for 1 layers") != std::string::npos);
  }
}
