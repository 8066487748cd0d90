// Dense decoders of fewer models, and those that run their layers several times, held against
// totals that are published, or against the sizes of their config times the matrices of their
// class.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "model_counts.hpp"
#include "published_totals.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::LayerKind;
using gpushape::domain::Model;

namespace {

const std::string kOuro =
    R"({"architectures": ["OuroForCausalLM"], "model_type": "ouro", "total_ut_steps": 4,
      "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
      "num_key_value_heads": 16, "head_dim": 128, "vocab_size": 49152, "intermediate_size": 5632,
      "max_position_embeddings": 65536, "rope_theta": 1000000, "tie_word_embeddings": false,
      "sliding_window": null, "use_sliding_window": false, "torch_dtype": "bfloat16"})";

const std::string kHrmText =
    R"({"architectures": ["HrmTextForCausalLM"], "model_type": "hrm_text", "vocab_size": 65536,
      "hidden_size": 1536, "intermediate_size": 4096, "num_hidden_layers": 16,
      "num_attention_heads": 12, "num_key_value_heads": 12, "head_dim": 128, "H_cycles": 2,
      "L_cycles": 3, "L_bp_cycles": [0, 3], "max_position_embeddings": 4096, "rms_norm_eps": 1e-06,
      "rope_theta": 10000.0, "tie_word_embeddings": false, "prefix_lm": true})";

const std::string kIquestLoop =
    R"({"architectures": ["IQuestLoopCoderForCausalLM"], "attention_bias": false, "head_dim": 128,
      "hidden_act": "silu", "hidden_size": 5120, "intermediate_size": 27648, "loop_num": 2,
      "loop_window_size": 64, "max_position_embeddings": 131072, "mlp_bias": false, "model_type":
      "iquestloopcoder", "num_attention_heads": 40, "num_hidden_layers": 80,
      "num_key_value_heads": 8, "rope_theta": 500000, "tie_word_embeddings": false, "torch_dtype":
      "bfloat16", "vocab_size": 76800})";

const std::string kYoutu =
    R"({"architectures": ["YoutuForCausalLM"], "model_type": "youtu", "hidden_size": 2048,
      "intermediate_size": 6144, "kv_lora_rank": 512, "num_attention_heads": 16,
      "num_hidden_layers": 32, "num_key_value_heads": 16, "q_lora_rank": 1536, "qk_nope_head_dim":
      128, "qk_rope_head_dim": 64, "qk_head_dim": 192, "head_dim": 64, "v_head_dim": 128,
      "tie_word_embeddings": true, "vocab_size": 128256, "max_position_embeddings": 131072,
      "attention_bias": false, "mlp_bias": false, "rope_interleave": true, "rope_parameters":
      {"rope_theta": 1600000, "rope_type": "default"}, "dtype": "bfloat16"})";

const std::string kCwm =
    R"({"architectures": ["CwmForCausalLM"], "model_type": "cwm", "hidden_size": 6144,
      "intermediate_size": 21504, "num_hidden_layers": 64, "num_attention_heads": 48,
      "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128256, "sliding_window": 8192,
      "max_position_embeddings": 131072, "tie_word_embeddings": false, "rope_parameters":
      {"rope_type": "llama3", "rope_theta": 1000000.0, "factor": 16.0, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}, "dtype": "bfloat16"})";

const std::vector<Published> kDenseModels = {
    // What PyTorch counts of both, as public notes have it.
    {"ByteDance/Ouro-1.4B", 1'434'652'673, kOuro},
    {"sapientinc/HRM-Text-1B", 1'182'795'264, kHrmText},
    // What PyTorch counts of both: 256008 x 1024, 24 layers of 12,596,224 and a norm; two tables of
    // 51200 x 1024 and a bias, 20 layers of 12,590,080 and a norm.
    {"facebook/xglm-564M", 564'463'616,
     R"({"architectures": ["XGLMForCausalLM"], "model_type": "xglm", "d_model": 1024, "ffn_dim":
      4096, "attention_heads": 16, "num_layers": 24, "max_position_embeddings": 2048,
      "scale_embedding": true, "vocab_size": 256008})"},
    {"Salesforce/codegen-350M-mono", 356'712'448,
     R"({"architectures": ["CodeGenForCausalLM"], "model_type": "codegen", "n_embd": 1024,
      "n_head": 16, "n_inner": null, "n_layer": 20, "n_positions": 2048, "rotary_dim": 32,
      "tie_word_embeddings": false, "vocab_size": 51200, "torch_dtype": "float16"})"},
    // The Hub's safetensors metadata, of both.
    {"tencent/Youtu-LLM-2B", 1'961'560'064, kYoutu},
    {"google/vaultgemma-1b", 1'038'741'120,
     R"({"architectures": ["VaultGemmaForCausalLM"], "model_type": "vaultgemma", "vocab_size":
      256000, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 4,
      "hidden_size": 1152, "intermediate_size": 6912, "head_dim": 256, "query_pre_attn_scalar": 256,
      "max_position_embeddings": 1024, "rope_theta": 10000.0, "sliding_window": 512,
      "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention",
      "full_attention", "full_attention", "full_attention", "full_attention", "full_attention",
      "full_attention", "full_attention", "full_attention", "full_attention", "full_attention",
      "full_attention", "full_attention", "full_attention", "full_attention", "full_attention",
      "full_attention", "full_attention", "full_attention", "full_attention", "full_attention",
      "full_attention", "full_attention"], "dtype": "bfloat16"})"},
    // As training prints it.
    {"nanochat-students/nanochat-d20", 560'988'160,
     R"({"architectures": ["NanoChatForCausalLM"], "model_type": "nanochat", "hidden_size": 1280,
      "num_hidden_layers": 20, "num_attention_heads": 10, "num_key_value_heads": 10,
      "vocab_size": 65536, "max_position_embeddings": 2048, "intermediate_size": 5120,
      "hidden_act": "relu2", "logits_soft_cap": 15.0, "attention_bias": false,
      "tie_word_embeddings": false, "rope_parameters": {"rope_type": "default", "rope_theta":
      10000.0}, "dtype": "bfloat16"})"},
};

std::int64_t total_of_dense(const std::string& config) { return model_of(config).parameters.total; }

// Values that a token leaves in layers that keep all tokens.
std::int64_t values_of_token(const Model& model) {
  std::int64_t values = 0;
  for (const auto& run : model.layers) {
    const auto& attention = run.layer.attention;
    if (attention.kind == LayerKind::Full)
      values += run.count * attention.kv_heads * (attention.head_dim + attention.value_head_dim);
  }
  return values;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a dense decoder has the parameters of its checkpoint") { check_totals(kDenseModels); }

  TEST_CASE("a looped decoder caches in every pass what the matrices of the first make") {
    SUBCASE("Ouro: four passes of 24 layers, 16 heads of keys and of values, 128 wide") {
      const Model model = model_of(kOuro);
      CHECK(layers_of_kind(model, LayerKind::Full) == 96);
      CHECK(values_of_token(model) == 96 * 2 * 16 * 128);
    }
    SUBCASE("Ouro-2.6B: 48 layers, else the same") {
      std::string config = kOuro;
      config.replace(config.find("\"num_hidden_layers\": 24"), 23, "\"num_hidden_layers\": 48");
      CHECK(total_of_dense(config) == 2'667'974'657);
    }
    SUBCASE("HRM-Text: 16 layers a stack, in 2 x (3 + 1) passes") {
      const Model model = model_of(kHrmText);
      CHECK(layers_of_kind(model, LayerKind::Full) == 128);
      CHECK(values_of_token(model) == 128 * 2 * 12 * 128);
      // Saved again by transformers: num_hidden_layers counts the passes.
      std::string again = kHrmText;
      again.replace(again.find("\"num_hidden_layers\": 16"), 23,
                    "\"num_layers_per_stack\": 16, \"num_hidden_layers\": 128");
      CHECK(model_of(again).layers == model.layers);
    }
    SUBCASE("IQuest-Coder's second pass keeps 64 tokens") {
      const Model model = model_of(kIquestLoop);
      CHECK(layers_of_kind(model, LayerKind::Full) == 80);
      CHECK(layers_of_kind(model, LayerKind::Sliding) == 80);
      CHECK(model.layers.back().layer.attention.window_tokens == 64);
      CHECK(values_of_token(model) == 80 * 2 * 8 * 128);
      // 80 x (5120 x (40 + 16) x 128 + 40 x 128 x 5120 + 3 x 5120 x 27648 + 2 x 5120
      // + 40 x 129 of the gate) + 5120 + 2 x 76800 x 5120.
      CHECK(model.parameters.total == 39'794'696'320);
    }
  }

  TEST_CASE("Youtu-LLM caches a latent of 512 and 64 rotated values a layer") {
    const Model model = model_of(kYoutu);
    REQUIRE(model.layers.size() == 1);
    const auto& attention = model.layers.front().layer.attention;
    CHECK(attention.kind == LayerKind::Latent);
    REQUIRE(attention.latent);
    CHECK(attention.latent->kv_rank == 512);
    CHECK(attention.latent->rope_dim == 64);
  }

  // The Hub says 32.581B of it. Where the config lists no layers, the first of every four sees
  // everything (CwmConfig).
  TEST_CASE("CWM has the size that its page tells, and 16 global layers") {
    const Model model = model_of(kCwm);
    // 64 x (6144 x (48 + 16) x 128 + 48 x 128 x 6144 + 3 x 6144 x 21504 + 2 x 6144) + 6144
    // + 2 x 128256 x 6144.
    CHECK(model.parameters.total == 32'581'097'472);
    CHECK(layers_of_kind(model, LayerKind::Full) == 16);
    CHECK(model.layers.front().layer.attention.kind == LayerKind::Full);
    CHECK(model.layers[1].layer.attention.window_tokens == 8192);
    CHECK(model.max_context_tokens == 131072);
  }

  TEST_CASE("Persimmon's norms of queries and keys have biases") {
    // 36 x (4 x 4096^2 + 4 x 4096 + 2 x 4096 x 16384 + 16384 + 4096 + 4 x 4096 + 4 x 64) + 2 x 4096
    // + 2 x 262144 x 4096.
    const Model model = model_of(
        R"({"architectures": ["PersimmonForCausalLM"], "model_type": "persimmon", "hidden_size":
          4096, "intermediate_size": 16384, "num_hidden_layers": 36, "num_attention_heads": 64,
          "num_key_value_heads": 64, "hidden_act": "relu2", "layer_norm_eps": 1e-5,
          "max_position_embeddings": 16384, "qk_layernorm": true, "rope_theta": 25000.0,
          "rope_scaling": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
          "vocab_size": 262144})");
    CHECK(model.parameters.total == 9'397'175'296);
    CHECK(model.rope.rotary_dim == 32);  // half of a head
  }

  // The Hub says 8.09B of Jais-2-8B-Chat.
  TEST_CASE("Jais 2 has biases everywhere and no gate") {
    // 32 x (4 x 3328^2 + 4 x 3328 + 2 x 3328 x 26624 + 26624 + 3328 + 4 x 3328) + 2 x 3328
    // + 2 x 150272 x 3328.
    CHECK(total_of_dense(
              R"({"architectures": ["Jais2ForCausalLM"], "model_type": "jais2", "hidden_size": 3328,
          "intermediate_size": 26624, "num_hidden_layers": 32, "num_attention_heads": 26,
          "num_key_value_heads": 26, "head_dim": 128, "hidden_act": "relu2", "vocab_size": 150272,
          "max_position_embeddings": 8192, "attention_bias": true, "mlp_bias": true,
          "tie_word_embeddings": false, "rope_parameters": {"rope_type": "default", "rope_theta":
          500000.0}, "dtype": "bfloat16"})") == 8'090'401'280);
  }

  TEST_CASE("the first Jais tells positions by slopes, or by a table where its config says so") {
    const std::string sizes =
        R"({"architectures": ["JAISLMHeadModel"], "model_type": "jais", "n_embd": 512, "n_head": 8,
          "n_layer": 2, "n_inner": 1365, "n_positions": 2048, "vocab_size": 1000,
          "activation_function": "swiglu", "torch_dtype": "bfloat16")";
    // 2 x (4 x 512^2 + 4 x 512 + 3 x 512 x 1365 + 2 x 1365 + 512 + 4 x 512) + 2 x 512 + 1000 x 512.
    constexpr std::int64_t kBody = 6'818'132;
    const Model model = model_of(sizes + R"(, "position_embedding_type": "alibi"})");
    CHECK(model.parameters.total == kBody);
    CHECK(model.rope.positions == 0);
    CHECK(model.max_context_tokens == 2048);
    CHECK(total_of_dense(sizes + "}") == kBody + 2048 * 512);
  }

  TEST_CASE("TeleChat's output projections alone have biases") {
    // Telechat2Config's sizes: 30 x (4 x 4096^2 + 3 x 4096 x 12288 + 2 x 4096 + 2 x 4096) + 4096
    // + 160256 x 4096.
    CHECK(total_of_dense(
              R"({"architectures": ["TeleChat2ForCausalLM"], "model_type": "telechat",
          "vocab_size": 160256, "hidden_size": 4096, "n_layer": 30, "n_head": 32,
          "num_key_value_heads": 32, "ffn_hidden_size": 12288, "seq_length": 8192, "torch_dtype":
          "bfloat16"})") == 7'200'018'432);
  }

  TEST_CASE("TeleChat3's longest context is what its scaling reaches") {
    // 64 x (6144 x (48 + 16) x 128 + 48 x 128 x 6144 + 3 x 6144 x 24576 + 2 x 6144) + 6144
    // + 2 x 131072 x 6144.
    const Model model = model_of(
        R"({"architectures": ["Telechat3ForCausalLM"], "attention_bias": false, "head_dim": 128,
          "hidden_size": 6144, "intermediate_size": 24576, "max_position_embeddings": 32768,
          "mlp_bias": false, "model_type": "telechat3", "num_attention_heads": 48,
          "num_hidden_layers": 64, "num_key_value_heads": 8, "rope_scaling": {"beta_fast": 32.0,
          "beta_slow": 1.0, "factor": 4.0, "original_max_position_embeddings": 8192, "rope_type":
          "telechat3-yarn", "type": "telechat3-yarn"}, "rope_theta": 1000000.0,
          "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 131072})");
    CHECK(model.parameters.total == 36'239'579'136);
    CHECK(model.max_context_tokens == 32768);
    CHECK(model.rope.positions == 32768);
  }

  TEST_CASE("HyperCLOVA X has four norms a layer, or two") {
    // HyperCLOVAXConfig's sizes: 32 x (4 x 4096^2 + 3 x 4096 x 11008 + 4 x 4096) + 4096
    // + 2 x 32000 x 4096.
    const std::string sizes =
        R"({"architectures": ["HyperCLOVAXForCausalLM"], "model_type": "hyperclovax",
          "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
          "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
          "max_position_embeddings": 2048, "tie_word_embeddings": false, "torch_dtype": "bfloat16")";
    CHECK(total_of_dense(sizes + "}") == 6'738'677'760);
    CHECK(total_of_dense(sizes + R"(, "use_post_norm": false})") == 6'738'677'760 - 32 * 2 * 4096);
  }

  TEST_CASE("Helium is built as llama is") {
    // 24 x (4 x 2560^2 + 3 x 2560 x 7040 + 2 x 2560) + 2560 + 2 x 48000 x 2560.
    CHECK(total_of_dense(
              R"({"architectures": ["HeliumForCausalLM"], "attention_bias": false, "head_dim": 128,
          "hidden_size": 2560, "intermediate_size": 7040, "max_position_embeddings": 4096,
          "mlp_bias": false, "model_type": "helium", "num_attention_heads": 20,
          "num_hidden_layers": 24, "num_key_value_heads": 20, "rope_theta": 100000.0,
          "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 48000})") ==
          2'172'643'840);
  }

  TEST_CASE("Doge masks by a projection of the values and scales what passes by") {
    // Doge-20M: 8 x (256 x 256 + 2 x 256 x 128 + 256 x 256 + 2 x 128 + 1 + 128 + 3 x 256 x 512
    // + 4 x 256) + 256 + 32768 x 256.
    const std::string sizes =
        R"({"architectures": ["DogeForCausalLM"], "model_type": "doge", "hidden_size": 256,
          "intermediate_size": 512, "num_hidden_layers": 8, "num_attention_heads": 2,
          "num_key_value_heads": 1, "vocab_size": 32768, "max_position_embeddings": 2048,
          "num_experts": 16384, "num_experts_per_tok": 64, "tie_word_embeddings": true,
          "torch_dtype": "float32")";
    CHECK(total_of_dense(sizes + R"(, "is_moe": false})") == 13'118'728);
    // Beside the dense network, keys of 2 x 128 x 256 and two tables of 16384 x 256.
    CHECK(total_of_dense(sizes + R"(, "is_moe": true})") ==
          13'118'728 + 8 * (2 * 128 * 256 + 2 * 16'384 * 256));
  }

  TEST_CASE("Step 1 tells positions by slopes") {
    // Step1Config's sizes: 32 x (2 x 3072^2 + 2 x 3072 x 4 x 64 + 3 x 3072 x 8192 + 2 x 3072) +
    // 3072 + 74752 x 3072.
    const Model model = model_of(
        R"({"architectures": ["Step1ForCausalLM"], "model_type": "step1", "hidden_size": 3072,
          "intermediate_size": 8192, "num_attention_heads": 48, "num_attention_groups": 4,
          "num_hidden_layers": 32, "max_seq_len": 32768, "vocab_size": 74752,
          "tie_word_embeddings": true, "torch_dtype": "bfloat16"})");
    CHECK(model.parameters.total == 3'300'068'352);
    CHECK(model.rope.positions == 0);
    CHECK(values_of_token(model) == 32 * 2 * 4 * 64);
  }

  TEST_CASE("PLaMo 3 slides in seven layers of eight, and rotates those by a base of their own") {
    // Plamo3Config's sizes: 32 x (4096 x (32 + 8) x 128 + 32 x 128 x 4096 + 3 x 4096 x 13312
    // + 4 x 4096 + 2 x 128) + 4096 + 32000 x 4096.
    const Model model = model_of(
        R"({"architectures": ["Plamo3ForCausalLM"], "model_type": "plamo3", "hidden_size": 4096,
          "intermediate_size": 13312, "num_hidden_layers": 32, "num_attention_heads": 32,
          "num_key_value_heads": 4, "head_dim": 128, "max_position_embeddings": 4096,
          "window_size": 2048, "sliding_window_pattern": 8, "rope_theta": 1000000,
          "rope_local_theta": 10000, "vocab_size": 32000, "tie_word_embeddings": true,
          "torch_dtype": "bfloat16"})");
    CHECK(model.parameters.total == 6'574'059'520);
    CHECK(layers_of_kind(model, LayerKind::Full) == 4);
    CHECK(model.layers.front().layer.attention.window_tokens == 2048);
    REQUIRE(model.further_ropes.size() == 1);
    CHECK(model.further_ropes.front().theta == 10000);
  }

  TEST_CASE("Motif weighs pairs of heads; groups of them are refused") {
    // 2 x (4 x 512^2 + 3 x 512 x 1024 + 2 x 512 + 4 x 64 + 128 + 4) + 512 + 1000 x 512.
    const std::string sizes =
        R"({"architectures": ["MotifForCausalLM"], "model_type": "Motif", "hidden_size": 512,
          "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8,
          "num_key_value_heads": 8, "hidden_act": "poly_norm", "max_position_embeddings": 4096,
          "vocab_size": 1000, "tie_word_embeddings": true, "use_bias": false, "torch_dtype":
          "bfloat16")";
    CHECK(total_of_dense(sizes + "}") == 5'758'216);
    CHECK_FALSE(read_config(json(sizes + R"(, "num_noise_heads": 2})"), "a/b"));
  }

  TEST_CASE("ERNIE is BERT with an embedding of tasks") {
    // ernie-3.0-base-zh without a head: (40000 + 2048 + 4 + 3) x 768 + 2 x 768 + 12 x (4 x 768^2
    // + 4 x 768 + 2 x 768 x 3072 + 3072 + 768 + 4 x 768), and a pooler of 768^2 + 768.
    const std::string sizes =
        R"({"architectures": ["ErnieModel"], "model_type": "ernie", "hidden_size": 768,
          "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
          "max_position_embeddings": 2048, "type_vocab_size": 4, "task_type_vocab_size": 3,
          "vocab_size": 40000, "torch_dtype": "float32")";
    CHECK(total_of_dense(sizes + R"(, "use_task_id": true})") == 117'944'832);
    CHECK(total_of_dense(sizes + "}") == 117'944'832 - 3 * 768);
  }
}
