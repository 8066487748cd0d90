#include "catalog/stored_precision.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "catalog/config.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config;
using gpushape::domain::KvCacheType;
using gpushape::domain::Model;
using gpushape::domain::Quantization;

namespace {

std::string config_with(const std::string& quantization) {
  return R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32,
    "vocab_size": 128256, "max_position_embeddings": 8192, "torch_dtype": "bfloat16")" +
         (quantization.empty() ? "" : ", \"quantization_config\": " + quantization) + "}";
}

Model model_with(const std::string& quantization) {
  const auto model = read_config(json(config_with(quantization)), "x");
  if (!model) FAIL(messages(model.error()));
  return *model;
}

std::string faults_with(const std::string& quantization) {
  const auto model = read_config(json(config_with(quantization)), "x");
  REQUIRE_FALSE(model);
  return messages(model.error());
}

std::string compressed(const std::string& weights, const std::string& more = "") {
  return R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": )" +
         weights +
         R"(, "input_activations": {"num_bits": 8, "dynamic": true, "strategy": "token"},
             "targets": ["Linear"]}}, "ignore": ["lm_head"])" +
         more + "}";
}

}  // namespace

TEST_SUITE("catalog") {
  // microsoft/bitnet-b1.58-2B-4T: 849,787,090 values on the Hub, 521,011,200 of them bytes of four
  // weights, 210 scales and 328,775,680 others in 16 bits.
  TEST_CASE("ternary weights are stored four a byte, with a scale for each tensor") {
    const auto model = read_config(json(R"({"model_type": "bitnet", "hidden_size": 2560,
      "intermediate_size": 6912, "num_hidden_layers": 30, "num_attention_heads": 20,
      "num_key_value_heads": 5, "vocab_size": 128256, "max_position_embeddings": 4096,
      "tie_word_embeddings": true, "torch_dtype": "bfloat16", "quantization_config":
      {"quant_method": "bitnet", "linear_class": "autobitlinear", "quantization_mode":
      "offline"}})"),
                                   "x");
    REQUIRE(model);
    CHECK(model->parameters.total == 2'412'820'480);
    CHECK(gpushape::domain::stored_bytes(*model) == 521'011'200 + 2 * (210 + 328'775'680));
  }

  TEST_CASE("each way of storing quantized weights is recognised") {
    struct Row {
      std::string name;
      std::string json;
      Quantization linear;
      int group = 0;
    };
    // As published: Qwen3-32B-FP8, Devstral-2, typical GPTQ and AWQ files, llm-compressor's three
    // schemes, Qwen2-VL-2B-Instruct-AWQ, bitsandbytes, ModelOpt.
    const std::vector<Row> rows = {
        {"fp8 block", R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
           "weight_block_size": [128, 128]})",
         Quantization::Fp8Block},
        {"fp8 tensor", R"({"quant_method": "fp8", "activation_scheme": "static",
           "weight_block_size": null, "modules_to_not_convert": ["lm_head"]})",
         Quantization::Fp8},
        {"gptq", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": false,
           "sym": true})",
         Quantization::GptqInt4},
        {"bitnet", R"({"quant_method": "bitnet", "linear_class": "autobitlinear",
           "quantization_mode": "offline"})",
         Quantization::BitNet},
        {"bitnet that rounds as it runs", R"({"quant_method": "bitnet", "linear_class":
           "autobitlinear", "quantization_mode": "online"})",
         Quantization::Bf16},
        {"gptq 32", R"({"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": true})",
         Quantization::GptqInt4, 32},
        {"gptq rows", R"({"quant_method": "gptq", "bits": 4, "group_size": -1})",
         Quantization::GptqInt4, gpushape::domain::kWholeRow},
        {"gptq 8", R"({"quant_method": "gptq", "bits": 8, "group_size": 128, "sym": true})",
         Quantization::GptqInt8},
        {"gptq 3", R"({"quant_method": "gptq", "bits": 3, "group_size": 64, "desc_act": true})",
         Quantization::GptqInt3, 64},
        {"gptq 2", R"({"quant_method": "gptq", "bits": 2, "group_size": 128})",
         Quantization::GptqInt2},
        {"awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm",
           "zero_point": true, "modules_to_not_convert": ["visual"]})",
         Quantization::Awq},
        {"w4a16", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0":
           {"weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128,
            "symmetric": true}, "input_activations": null, "targets": ["Linear"]}}})",
         Quantization::Int4},
        {"w4a8", compressed(R"({"num_bits": 4, "type": "int", "strategy": "group",
           "group_size": 128, "symmetric": true})"),
         Quantization::Int4Act8},
        {"w8a8", compressed(R"({"num_bits": 8, "type": "int", "strategy": "channel",
           "group_size": null, "symmetric": true})"),
         Quantization::Int8},
        {"fp8 dynamic", compressed(R"({"num_bits": 8, "type": "float", "strategy": "channel"})"),
         Quantization::Fp8Channel},
        {"fp8 of tensors", compressed(R"({"num_bits": 8, "type": "float", "strategy": "tensor"})"),
         Quantization::Fp8},
        {"fp8 of blocks", compressed(R"({"num_bits": 8, "type": "float", "strategy": "block",
           "block_structure": [128, 128]})"),
         Quantization::Fp8Block},
        {"nvfp4", compressed(R"({"num_bits": 4, "type": "float", "strategy": "tensor_group",
           "group_size": 16})"),
         Quantization::Nvfp4},
        {"bnb 8", R"({"quant_method": "bitsandbytes", "load_in_8bit": true})",
         Quantization::BnbInt8},
        {"nf4", R"({"quant_method": "bitsandbytes", "load_in_4bit": true,
           "bnb_4bit_quant_type": "nf4"})",
         Quantization::BnbNf4},
        {"nf4 double", R"({"load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
           "bnb_4bit_use_double_quant": true})",
         Quantization::BnbNf4Double},
        {"w8a16", R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
           "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "int",
           "strategy": "channel"}, "input_activations": null, "targets": ["Linear"]}}})",
         Quantization::Int8Weight},
        {"mxfp4 packed", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0":
           {"weights": {"num_bits": 4, "type": "float", "strategy": "group", "group_size": 32,
            "scale_dtype": "torch.uint8"}, "targets": ["Linear"]}}})",
         Quantization::Mxfp4},
        {"autoround", R"({"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": true,
           "data_type": "int", "packing_format": "auto_round:auto_gptq"})",
         Quantization::GptqInt4},
        {"autoround awq", R"({"quant_method": "auto-round", "bits": 4, "group_size": 64,
           "sym": false, "packing_format": "auto_round:auto_awq"})",
         Quantization::Awq, 64},
        {"quark fp8", R"({"quant_method": "quark", "global_quant_config": {
           "weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor", "is_dynamic": false},
           "input_tensors": {"dtype": "fp8_e4m3", "is_dynamic": false}}, "exclude": ["lm_head"]})",
         Quantization::Fp8},
        {"quark mxfp4", R"({"quant_method": "quark", "global_quant_config": {
           "weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32}}})",
         Quantization::Mxfp4},
        {"torchao", R"({"quant_method": "torchao", "quant_type": "int8_weight_only"})",
         Quantization::Int8Weight},
        {"torchao rows", R"({"quant_method": "torchao", "quant_type": {"default": {
           "_type": "Float8DynamicActivationFloat8WeightConfig",
           "_data": {"granularity": [{"_type": "PerRow"}, {"_type": "PerRow"}]}}}})",
         Quantization::Fp8Channel},
        {"torchao int4", R"({"quant_method": "torchao", "quant_type": {"default": {
           "_type": "Int4WeightOnlyConfig", "_data": {"group_size": 64}}}})",
         Quantization::Int4, 64},
        {"eetq", R"({"quant_method": "eetq"})", Quantization::Int8Weight},
        {"w8a8_int8", R"({"quant_method": "w8a8_int8"})", Quantization::Int8},
        {"modelopt_fp8", R"({"quant_method": "modelopt_fp8", "quant_algo": "FP8",
           "exclude_modules": ["lm_head"]})",
         Quantization::Fp8},
        {"fbgemm", R"({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0})",
         Quantization::Fp8Channel},
        {"mxfp8", R"({"quant_method": "modelopt", "quant_algo": "MXFP8"})", Quantization::Mxfp8},
        {"modelopt", R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 16})",
         Quantization::Nvfp4},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const Model model = model_with(row.json);
      CHECK(model.weights.linear == row.linear);
      CHECK(model.weights.group == row.group);
      CHECK(model.weights.other == Quantization::Bf16);
      CHECK_FALSE(model.weights.head_quantized);
      CHECK(model.parameters.total - model.parameters.scales == model_with("").parameters.total);
    }
  }

  TEST_CASE("what stays in 16 bits, zero points, scales and the head are read as written") {
    CHECK(model_with(R"({"quant_method": "fp8", "activation_scheme": "static"})")
              .weights.static_activation_scales);
    CHECK(model_with(compressed(R"({"num_bits": 8, "type": "float", "strategy": "channel"})"))
              .weights.kept == std::vector<std::string>{"lm_head"});
    CHECK(model_with(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": false})")
              .weights.zero_points);
    CHECK(model_with(R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": true})")
              .weights.head_quantized);
    CHECK(model_with(R"({"quant_method": "awq", "bits": 4, "group_size": 128,
                         "zero_point": false})")
              .weights.linear == Quantization::Int4);
  }

  TEST_CASE("a list that keeps layers of the blocks in full precision is resolved to tensors") {
    const auto exceptions_with = [](const std::string& list) {
      return model_with(R"({"quant_method": "fp8", "modules_to_not_convert": )" + list + "}")
          .exceptions;
    };
    CHECK(exceptions_with(R"(["lm_head", "model.embed_tokens", "model.layers.0.input_layernorm"])")
              .empty());
    const auto exceptions =
        exceptions_with(R"(["lm_head", "model.layers.0.mlp.down_proj", "re:.*self_attn.*"])");
    REQUIRE(exceptions.size() == 5);  // q, k, v, o of all layers; down of the first
    for (const auto& exception : exceptions) {
      CAPTURE(exception.tensor);
      CHECK(exception.layers == (exception.tensor == "mlp.down_proj" ? 1 : 32));
      CHECK(exception.scheme == scheme(Quantization::Bf16));
    }
    const auto notes =
        model_with(R"({"quant_method": "fp8", "modules_to_not_convert": ["re:(self_attn"]})").notes;
    REQUIRE(notes.size() == 1);
    CHECK(notes.front().find("not closed") != std::string::npos);
  }

  TEST_CASE("a long list of modules becomes a few patterns") {
    std::string list = "\"lm_head\"";
    for (int layer = 0; layer < 32; ++layer) {
      for (const char* name : {"q_proj", "k_proj"})
        list += ", \"model.layers." + std::to_string(layer) + ".self_attn." + name + "\"";
    }
    CHECK(model_with(R"({"quant_method": "fp8", "modules_to_not_convert": [)" + list + "]}")
              .weights.kept == std::vector<std::string>{"lm_head",
                                                        "model.layers.{0-31}.self_attn.q_proj",
                                                        "model.layers.{0-31}.self_attn.k_proj"});
  }

  TEST_CASE("mixed precision is read module by module") {
    const auto down = [](const Model& model, std::int64_t layer) {
      return scheme_of(model,
                       {.name = "mlp.down_proj",
                        .part = gpushape::domain::TensorPart::FeedForward,
                        .rows = 4096,
                        .columns = 14336,
                        .is_linear = true},
                       layer)
          .quantization;
    };
    // As nvidia/Qwen3.6-27B-NVFP4 and MiniMax-M3-NVFP4 write it.
    const Model layers = model_with(R"({"quant_method": "modelopt",
      "quant_algo": "MIXED_PRECISION", "exclude_modules": ["lm_head"], "quantized_layers": {
        "model.layers.0.mlp.down_proj": {"quant_algo": "FP8"},
        "model.layers.1.mlp.down_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16},
        "model.layers.2.mlp.down_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16}}})");
    CHECK(layers.weights.linear == Quantization::Nvfp4);
    CHECK(layers.weights.modules.size() == 3);
    CHECK(down(layers, 0) == Quantization::Fp8);
    CHECK(down(layers, 2) == Quantization::Nvfp4);
    CHECK(down(layers, 3) == Quantization::Bf16);
    // compressed-tensors: one group for all, one for some.
    const Model groups = model_with(R"({"quant_method": "compressed-tensors", "config_groups": {
      "a": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"},
            "targets": ["re:.*layers\\.[01]\\.mlp.*"]},
      "b": {"weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128},
            "targets": ["Linear"]}}})");
    CHECK(groups.weights.linear == Quantization::Int4);
    CHECK(down(groups, 1) == Quantization::Fp8Channel);
    CHECK(down(groups, 2) == Quantization::Int4);
    // GPTQModel's dynamic rules.
    const Model dynamic = model_with(R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
      "dynamic": {"-:.*layers\\.0\\.": {}, "+:.*layers\\.1\\.": {"bits": 8}}})");
    CHECK(down(dynamic, 0) == Quantization::Bf16);
    CHECK(down(dynamic, 1) == Quantization::GptqInt8);
    CHECK(down(dynamic, 2) == Quantization::GptqInt4);
    // AutoRound's exceptions.
    const Model rounded = model_with(R"({"quant_method": "auto-round", "bits": 4,
      "group_size": 128, "extra_config": {"model.layers.0.mlp.down_proj": {"bits": 16},
      "model.layers.1.mlp.down_proj": {"bits": 8}}})");
    CHECK(down(rounded, 0) == Quantization::Bf16);
    CHECK(down(rounded, 1) == Quantization::GptqInt8);
    CHECK(down(rounded, 2) == Quantization::GptqInt4);
  }

  TEST_CASE("a KV cache type that the checkpoint asks for is kept") {
    const std::string weights = R"({"num_bits": 8, "type": "float", "strategy": "tensor"})";
    CHECK_FALSE(model_with(compressed(weights)).checkpoint_kv_cache);
    CHECK_FALSE(
        model_with(compressed(weights, R"(, "kv_cache_scheme": null)")).checkpoint_kv_cache);
    CHECK(
        model_with(compressed(weights, R"(, "kv_cache_scheme": {"num_bits": 8, "type": "float"})"))
            .checkpoint_kv_cache == KvCacheType::Fp8);
    CHECK(model_with(compressed(weights, R"(, "kv_cache_scheme": "FP8")")).checkpoint_kv_cache ==
          KvCacheType::Fp8);
    CHECK(faults_with(compressed(weights, R"(, "kv_cache_scheme": "FP6")")).find("'FP6'") !=
          std::string::npos);
  }

  TEST_CASE("a ModelOpt side file speaks where the config is silent") {
    const auto config = json(config_with(""));
    const auto side = json(R"({"producer": {"name": "modelopt"}, "quantization":
      {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}})");
    const auto model = read_config(config, "x", &side);
    REQUIRE(model);
    CHECK(model->weights.linear == Quantization::Fp8);
    CHECK(model->weights.static_activation_scales);
    CHECK(model->weights.kept == std::vector<std::string>{"lm_head"});
    CHECK(model->checkpoint_kv_cache == KvCacheType::Fp8);
    const auto empty = json("{}");
    CHECK_FALSE(read_config(config, "x", &empty));
    const auto mixed = json(R"({"quantization": {"quant_algo": "MIXED_PRECISION"}})");
    CHECK_FALSE(read_config(config, "x", &mixed));
  }

  TEST_CASE("a way that is not understood is named, never taken for another") {
    struct Row {
      std::string json;
      const char* says;
    };
    const std::vector<Row> rows = {
        {R"({"quant_method": "quip"})", "'quip' is not understood"},
        {R"({"quant_method": "gptq_marlin_24"})", "keeps two of four weights"},
        {R"({})", "does not name its quant_method"},
        {R"({"quant_method": "gptq", "bits": 5})", "5 bits"},
        {R"({"quant_method": "awq", "bits": 3})", "3 bits"},
        {R"({"quant_method": "torchao", "quant_type": "int9_only"})", "'int9_only'"},
        {R"({"quant_method": "quark"})", "global_quant_config"},
        {R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"})", "quantized_layers"},
        {R"({"quant_method": "auto-round", "bits": 5})", "5 bits"},
        {R"({"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 1}}})",
         "1 bits"},
        {R"({"quant_method": "fp8", "weight_block_size": [128]})", "not two equal sizes"},
        {R"({"quant_method": "fp8", "weight_block_size": [0, 0]})", "weight_block_size"},
        {R"({"quant_method": "bitsandbytes"})", "neither or both"},
        {R"({"quant_method": "compressed-tensors"})", "no config_groups"},
        {compressed(R"({"num_bits": 6, "type": "float", "strategy": "channel"})"), "6 bits"},
        {compressed(R"({"num_bits": 8, "type": "int", "strategy": "dice"})"), "'dice'"},
        {R"({"quant_method": "modelopt", "quant_algo": "FP9"})", "'FP9'"},
        {R"("fp8")", "quantization_config"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.json);
      const std::string said = faults_with(row.json);
      CAPTURE(said);
      CHECK(said.find(row.says) != std::string::npos);
    }
  }

  TEST_CASE("two groups for all layers in different precision are refused") {
    CHECK(faults_with(R"({"quant_method": "compressed-tensors", "config_groups": {
            "a": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}},
            "b": {"weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128}}}})")
              .find("different precision") != std::string::npos);
  }
}
