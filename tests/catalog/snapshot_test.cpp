#include "catalog/snapshot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

TEST_SUITE("catalog") {
  TEST_CASE(
      "a snapshot folder gives the architecture from its config and the bytes from its header") {
    const Folder folder;
    folder.write("config.json", config());
    folder.write("model.safetensors", safetensors_file(checkpoint(plain)));
    const Model model = read(folder);
    CHECK(model.origin == "safetensors header and config.json");
    CHECK(model.exceptions.empty());
    CHECK(stored(model) == computed_bytes(model));
    // 2 x 100 x 64 + 64 + 2 x (2 x 64 + 2 x 64 x 64 + 2 x 32 x 64 + 3 x 128 x 64) values.
    CHECK(model.parameters.total == 86'848);
    CHECK(model.parameters.stored == 86'848);
    CHECK(stored(model) == 2 * 86'848);
    CHECK(std::ranges::none_of(model.notes, [](const std::string& note) {
      return note.find("model.safetensors") != std::string::npos;
    }));
  }

  TEST_CASE("the header wins over the scheme, and the disagreement is a note") {
    const Folder folder;
    folder.write("config.json", config(R"(, "quantization_config": {"quant_method": "fp8",
      "weight_block_size": [128, 128]})"));
    // Everything in fp8 with one scale per row, but the first down projection in 16 bits.
    folder.write("model.safetensors",
                 safetensors_file(checkpoint([](auto& tensors, int layer, const std::string& name,
                                                const Linear& linear) {
                   if (layer == 0 && name.ends_with("down_proj"))
                     return plain(tensors, layer, name, linear);
                   tensors.push_back({name + ".weight", "F8_E4M3", {linear.rows, linear.columns}});
                   tensors.push_back({name + ".weight_scale", "F32", {linear.rows, 1}});
                 })));
    const Model model = read(folder);
    CHECK(model.weights.linear == Quantization::Fp8Channel);  // what most of them are
    const Tensor down{.name = "mlp.down_proj",
                      .part = TensorPart::FeedForward,
                      .rows = 64,
                      .columns = 128,
                      .is_linear = true};
    CHECK(scheme_of(model, down, 0).quantization == Quantization::Bf16);
    CHECK(scheme_of(model, down, 1).quantization == Quantization::Fp8Channel);
    Model written = model;
    resolve_modules(written);
    CHECK(written.exceptions == model.exceptions);
    CHECK(stored(model) == computed_bytes(model));
    CHECK(std::ranges::any_of(model.notes, [](const std::string& note) {
      return note.find("stores 14 tensors otherwise") != std::string::npos;
    }));
  }

  TEST_CASE("each published packing is told from types and shapes, to the byte") {
    using Store = void (*)(std::vector<StTensor>&, int, const std::string&, const Linear&);
    struct Row {
      const char* name;
      const char* config;
      Store store;
      Quantization quantization;
    };
    const std::vector<Row> rows = {
        {"GPTQ",
         R"(, "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32})",
         [](auto& tensors, int, const std::string& name, const Linear& l) {
           tensors.push_back({name + ".qweight", "I32", {l.columns / 8, l.rows}});
           tensors.push_back({name + ".qzeros", "I32", {l.columns / 32, l.rows / 8}});
           tensors.push_back({name + ".scales", "F16", {l.columns / 32, l.rows}});
           tensors.push_back({name + ".g_idx", "I32", {l.columns}});
         },
         Quantization::GptqInt4},
        {"AWQ", R"(, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 32})",
         [](auto& tensors, int, const std::string& name, const Linear& l) {
           tensors.push_back({name + ".qweight", "I32", {l.columns, l.rows / 8}});
           tensors.push_back({name + ".qzeros", "I32", {l.columns / 32, l.rows / 8}});
           tensors.push_back({name + ".scales", "F16", {l.columns / 32, l.rows}});
         },
         Quantization::Awq},
        {"NVFP4", R"(, "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4",
          "group_size": 16})",
         [](auto& tensors, int, const std::string& name, const Linear& l) {
           tensors.push_back({name + ".weight", "U8", {l.rows, l.columns / 2}});
           tensors.push_back({name + ".weight_scale", "F8_E4M3", {l.rows, l.columns / 16}});
           tensors.push_back({name + ".weight_scale_2", "F32", {}});
           tensors.push_back({name + ".input_scale", "F32", {}});
         },
         Quantization::Nvfp4},
        {"fp8 static", R"(, "quantization_config": {"quant_method": "fp8",
          "activation_scheme": "static"})",
         [](auto& tensors, int, const std::string& name, const Linear& l) {
           tensors.push_back({name + ".weight", "F8_E4M3", {l.rows, l.columns}});
           tensors.push_back({name + ".weight_scale", "F32", {}});
           tensors.push_back({name + ".input_scale", "F32", {}});
         },
         Quantization::Fp8},
        {"MXFP4", R"(, "quantization_config": {"quant_method": "mxfp4"})",
         [](auto& tensors, int, const std::string& name, const Linear& l) {
           tensors.push_back({name + "_blocks", "U8", {l.rows, l.columns / 32, 16}});
           tensors.push_back({name + "_scales", "U8", {l.rows, l.columns / 32}});
         },
         Quantization::Mxfp4},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const Folder folder;
      folder.write("config.json", config(row.config));
      folder.write("model.safetensors", safetensors_file(checkpoint(row.store)));
      const Model model = read(folder);
      CHECK(model.weights.linear == row.quantization);
      CHECK(model.exceptions.empty());
      CHECK(stored(model) == computed_bytes(model));
    }
  }

  TEST_CASE("compressed-tensors in words keeps the shape beside the weight") {
    const Folder folder;
    folder.write("config.json", config(R"(, "quantization_config": {"quant_method":
      "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": {"weights":
      {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true},
      "input_activations": null, "targets": ["Linear"]}}, "ignore": ["lm_head"]})"));
    folder.write("model.safetensors",
                 safetensors_file(checkpoint([](auto& tensors, int, const std::string& name,
                                                const Linear& l) {
                   tensors.push_back({name + ".weight_packed", "I32", {l.rows, l.columns / 8}});
                   tensors.push_back({name + ".weight_scale", "BF16", {l.rows, l.columns / 32}});
                   tensors.push_back({name + ".weight_shape", "I64", {2}});
                 })));
    const Model model = read(folder);
    CHECK(model.exceptions.empty());
    CHECK(stored(model) == computed_bytes(model) + 14 * 16);  // two int64 each
  }

  TEST_CASE("weights without a config tell their bytes, and what is missing") {
    const Folder folder;
    const std::string file = folder.write("model.safetensors", safetensors_file(checkpoint(plain)));
    for (const std::string& path : {file, folder.path()}) {
      const auto model = read_source(path);
      REQUIRE_FALSE(model);
      const std::string& message = model.error().front().message;
      CAPTURE(message);
      CHECK(message.find("its 21 tensors hold 0.00 GiB: embedding") != std::string::npos);
      CHECK(message.find("2 layers, hidden size 64, 100 tokens, keys 32 wide") !=
            std::string::npos);
      CHECK(message.find("KV cache") != std::string::npos);
    }
  }

  TEST_CASE("a side file lies beside its config under the same first name") {
    const Folder folder;
    const std::string path = folder.write("org--name_config.json", config());
    folder.write("org--name_hf_quant_config.json",
                 R"({"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}})");
    folder.write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP8"}})");
    const auto own = read_source(path);
    REQUIRE(own);
    CHECK(own->weights.linear == Quantization::Nvfp4);
    folder.write("config.json", config());
    const auto usual = read_source(folder.path());
    REQUIRE(usual);
    CHECK(usual->weights.linear == Quantization::Fp8);
    const auto side = read_source(folder.path() + "/hf_quant_config.json");
    REQUIRE_FALSE(side);
    CHECK(side.error().front().message.find("not what the model is") != std::string::npos);
  }

  TEST_CASE("a folder without a model says what is missing") {
    const Folder folder;
    const auto model = read_source(folder.path());
    REQUIRE_FALSE(model);
    CHECK(model.error().front().message.find("has no config.json") != std::string::npos);
    folder.write("a.gguf", "x");
    folder.write("b.gguf", "x");
    const auto two = read_source(folder.path());
    REQUIRE_FALSE(two);
    CHECK(two.error().front().message.find("2 GGUF models") != std::string::npos);
  }
}
