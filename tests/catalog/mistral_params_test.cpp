// Mistral's params.json as the config.json that says the same: held against the totals of the same
// models in the catalog, which come from their config.json files.
#include "catalog/mistral_params.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/snapshot.hpp"
#include "domain/layer.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

Model model_of_params(const std::string& params) {
  const Folder folder;
  folder.write("params.json", params);
  auto model = read_source(folder.path());
  if (!model) FAIL(messages(model.error()));
  return *model;
}

Model entry_named(const std::string& id) {
  const auto catalog = Catalog::open();
  REQUIRE(catalog);
  const auto model = catalog->find_name(id);
  REQUIRE(model);
  return *model;
}

const std::string kMistralVision =
    R"("vision_encoder": {"hidden_size": 1024, "num_channels": 3, "max_image_size": 1540,
      "image_size": 1540, "patch_size": 14, "rope_theta": 10000.0, "intermediate_size": 4096,
      "num_hidden_layers": 24, "num_attention_heads": 16, "adapter_bias": false, "mm_projector_id":
      "patch_merge", "spatial_merge_size": 2, "add_pre_mm_projector_layer_norm": true,
      "image_token_id": 10})";

// A small decoder: hidden 64, 4 heads of 16, 2 KV heads, feed-forward 128, 100 tokens, 4 layers.
std::string small_params(const std::string& more) {
  return R"({"dim": 64, "n_layers": 4, "head_dim": 16, "hidden_dim": 128, "n_heads": 4, "n_kv_heads":
    2, "norm_eps": 1e-05, "vocab_size": 100)" +
         more + "}";
}

struct ParamsRow {
  std::string id;
  std::string params;
};
const std::vector<ParamsRow> kParamsRows = {
    {"mistralai/Devstral-Small-2507",
     R"({"dim": 5120, "n_layers": 40, "head_dim": 128, "hidden_dim": 32768, "n_heads": 32,
      "n_kv_heads": 8, "rope_theta": 1000000000.0, "norm_eps": 1e-05, "vocab_size": 131072})"},
    {"mistralai/Devstral-2-123B-Instruct-2512",
     R"({"dim": 12288, "n_layers": 88, "head_dim": 128, "hidden_dim": 28672, "n_heads": 96,
      "n_kv_heads": 8, "rope_theta": 1000000.0, "vocab_size": 131072, "tied_embeddings": false,
      "max_position_embeddings": 262144, "q_lora_rank": null, "qk_nope_head_dim": null,
      "quantization": {"qformat_weight": "fp8_e4m3", "qscheme_act": "TENSOR"}, "yarn":
      {"original_max_position_embeddings": 4096, "factor": 64, "apply_scale": true, "beta": 4,
      "alpha": 1}})"},
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503",
     R"({"dim": 5120, "n_layers": 40, "head_dim": 128, "hidden_dim": 32768, "n_heads": 32,
      "n_kv_heads": 8, "rope_theta": 1000000000.0, "vocab_size": 131072,
      "max_position_embeddings": 131072, )" +
         kMistralVision + "}"},
    {"mistralai/Pixtral-12B-2409",
     R"({"dim": 5120, "n_layers": 40, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
      "n_kv_heads": 8, "rope_theta": 1000000000.0, "vocab_size": 131072, "vision_encoder":
      {"hidden_size": 1024, "num_channels": 3, "image_size": 1024, "patch_size": 16, "rope_theta":
      10000.0, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
      "image_token_id": 10}})"},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1",
     R"({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
      "n_kv_heads": 8, "rope_theta": 1000000.0, "vocab_size": 32000, "moe": {"num_experts_per_tok": 2, "num_experts": 8}})"},
    {"mistralai/Mistral-Large-3-675B-Instruct-2512",
     R"({"dim": 7168, "n_layers": 61, "head_dim": 192, "hidden_dim": 16384, "n_heads": 128,
      "n_kv_heads": 128, "rope_theta": 10000.0, "vocab_size": 131072, "tied_embeddings": false,
      "max_position_embeddings": 294912, "q_lora_rank": 1536, "qk_rope_head_dim": 64,
      "qk_nope_head_dim": 128, "kv_lora_rank": 512, "v_head_dim": 128, "llama_4_scaling":
      {"original_max_position_embeddings": 8192, "beta": 0.1}, "moe": {"expert_parallel": 1,
      "route_every_n": 1, "first_k_dense_replace": 3, "num_experts": 128, "num_experts_per_tok": 4,
      "num_expert_groups": 1, "num_expert_groups_per_tok": 1, "routed_scale": 1.0,
      "expert_hidden_dim": 4096, "num_shared_experts": 1}, "yarn":
      {"original_max_position_embeddings": 8192, "factor": 36, "apply_scale": false, "beta": 32,
      "alpha": 1}, "vision_encoder": {"hidden_size": 1664, "image_size": 1540, "patch_size": 14,
      "intermediate_size": 8192, "num_hidden_layers": 48, "num_attention_heads": 16,
      "adapter_bias": false, "mm_projector_id": "patch_merge", "spatial_merge_size": 2,
      "add_pre_mm_projector_layer_norm": true}})"},
    {"mistralai/Voxtral-Mini-3B-2507",
     R"({"dim": 3072, "n_layers": 30, "head_dim": 128, "hidden_dim": 8192, "n_heads": 32,
      "n_kv_heads": 8, "rope_theta": 100000000.0, "vocab_size": 131072, "max_position_embeddings":
      131072, "multimodal": {"whisper_model_args": {"encoder_args": {"dim": 1280, "n_layers": 32,
      "head_dim": 64, "hidden_dim": 5120, "n_heads": 20, "vocab_size": 51866,
      "max_source_positions": 1500, "audio_encoding_args": {"sampling_rate": 16000,
      "num_mel_bins": 128, "hop_length": 160, "window_size": 400}}, "downsample_args":
      {"downsample_factor": 4}}}})"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a params.json holds what the config.json of the same model holds") {
    for (const ParamsRow& row : kParamsRows) {
      CAPTURE(row.id);
      const Model model = model_of_params(row.params);
      const Model other = entry_named(row.id);
      CHECK(model.origin == "params.json");
      CHECK(model.parameters.total == other.parameters.total);
      CHECK(model.parameters.active == other.parameters.active);
      CHECK(model.layers == other.layers);
      CHECK(model.towers == other.towers);
      CHECK(model.rope.theta == other.rope.theta);
      CHECK(model.rope.factor == other.rope.factor);
      CHECK(model.tied_embeddings == other.tied_embeddings);
    }
  }

  TEST_CASE("where a params.json names no context, vLLM's own limit stands") {
    CHECK(model_of_params(small_params("")).max_context_tokens == 128'000);
    CHECK(
        model_of_params(small_params(R"(, "max_position_embeddings": 4096)")).max_context_tokens ==
        4'096);
  }

  TEST_CASE("a params.json has a window for all layers, for a pattern of them, or for none") {
    const auto kinds = [](const std::string& window) {
      std::vector<LayerKind> all;
      for (const LayerRun& run :
           model_of_params(small_params(", \"sliding_window\": " + window)).layers)
        all.insert(all.end(), static_cast<std::size_t>(run.count), run.layer.attention.kind);
      return all;
    };
    constexpr auto kFull = LayerKind::Full;
    constexpr auto kSliding = LayerKind::Sliding;
    CHECK(kinds("null") == std::vector{kFull, kFull, kFull, kFull});
    CHECK(kinds("256") == std::vector{kSliding, kSliding, kSliding, kSliding});
    CHECK(kinds("[null, 256]") == std::vector{kFull, kSliding, kFull, kSliding});
  }

  TEST_CASE("fp8 in a params.json is one scale a matrix, with scales of the inputs or without") {
    const auto with = [](const std::string& inputs) {
      return model_of_params(small_params(
          R"(, "quantization": {"qformat_weight": "fp8_e4m3", "qscheme_act": ")" + inputs + "\"}"));
    };
    CHECK(with("TENSOR").weights.linear == Quantization::Fp8);
    CHECK(with("TENSOR").weights.static_activation_scales);
    CHECK_FALSE(with("NO_SCALES").weights.static_activation_scales);
  }

  TEST_CASE("consolidated weights are held against a params.json under Mistral's names") {
    const Folder folder;
    folder.write("params.json", small_params(R"(, "max_position_embeddings": 512)"));
    std::vector<StTensor> tensors = {{"tok_embeddings.weight", "BF16", {100, 64}},
                                     {"output.weight", "BF16", {100, 64}},
                                     {"norm.weight", "BF16", {64}}};
    for (int layer = 0; layer < 4; ++layer) {
      const std::string prefix = "layers." + std::to_string(layer) + ".";
      for (const char* norm : {"attention_norm", "ffn_norm"})
        tensors.push_back({prefix + norm + ".weight", "BF16", {64}});
      tensors.push_back({prefix + "attention.wq.weight", "BF16", {64, 64}});
      tensors.push_back({prefix + "attention.wk.weight", "BF16", {32, 64}});
      tensors.push_back({prefix + "attention.wv.weight", "BF16", {32, 64}});
      tensors.push_back({prefix + "attention.wo.weight", "BF16", {64, 64}});
      tensors.push_back({prefix + "feed_forward.w1.weight", "F8_E4M3", {128, 64}});
      tensors.push_back({prefix + "feed_forward.w2.weight", "BF16", {64, 128}});
      tensors.push_back({prefix + "feed_forward.w3.weight", "BF16", {128, 64}});
    }
    folder.write("consolidated.safetensors", safetensors_file(tensors));
    const auto model = read_source(folder.path());
    if (!model) FAIL(messages(model.error()));
    CHECK(model->origin == "safetensors header and params.json");
    // 2 x 100 x 64 + 64 + 4 x (2 x 64 + 2 x 64 x 64 + 2 x 32 x 64 + 3 x 128 x 64) values.
    CHECK(model->parameters.total == 160'832);
    CHECK(model->parameters.stored == 160'832);
    // The four matrices in eight bits, and nothing that is not found.
    CHECK(model->exceptions.size() == 1);
    for (const std::string& note : model->notes)
      CHECK(note.find("not in the header") == std::string::npos);
  }

  TEST_CASE("a fault is told in the words of the params.json, at its place") {
    const Folder folder;
    const std::string file = folder.write(
        "params.json", R"({"dim": 3072, "n_layers": 30, "head_dim": 128, "hidden_dim": 8192,
          "n_heads": "x", "n_kv_heads": 8, "vocab_size": 131072})");
    const auto model = read_source(file);
    REQUIRE_FALSE(model);
    CHECK(mentions(model.error(), "n_heads: expected an integer, found the string \"x\""));
    CHECK(model.error().front().span.line == 2);
    const std::string without = folder.write(
        "other-params.json", R"({"dim": 3072, "n_layers": 30, "hidden_dim": 8192, "n_kv_heads": 8,
          "vocab_size": 131072})");
    const auto headless = read_source(without);
    REQUIRE_FALSE(headless);
    CHECK(mentions(headless.error(), "n_heads"));
    CHECK_FALSE(mentions(headless.error(), "num_attention_heads"));
  }

  TEST_CASE("a params.json of another publisher is refused with what to give") {
    const Folder folder;
    // Meta's of Llama 3.
    const std::string file = folder.write(
        "params.json", R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "vocab_size": 128256,
          "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05})");
    const auto of_folder = read_source(folder.path());
    REQUIRE_FALSE(of_folder);
    CHECK(mentions(of_folder.error(), "a publisher's own format"));
    const auto of_file = read_source(file);
    REQUIRE_FALSE(of_file);
    CHECK(mentions(of_file.error(), "is not a params.json of Mistral's"));
  }
}
