// MLX's way to quantize: config.json and headers as mlx-lm writes them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/config.hpp"
#include "catalog/snapshot.hpp"
#include "checkpoint.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

// Llama-3.1-8B: 6'979'321'856 values in linear layers, 2 x 525'336'576 in embedding and head,
// 266'240 in norms.
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32,
    "vocab_size": 128256, "max_position_embeddings": 8192, "torch_dtype": "bfloat16",)" +
         more + "}";
}

constexpr std::int64_t kMatrices = 6'979'321'856 + 2 * 525'336'576LL;
constexpr std::int64_t kNorms = 266'240;

std::int64_t bytes_with(const std::string& more) {
  const auto model = read_config(json(llama(more)), "x");
  if (!model) FAIL(messages(model.error()));
  return stored_bytes(*model);
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("MLX quantizes linear layers, embedding and head with 32 bits beside each group") {
    // 4 bits and 32 / 64, 8 bits and 32 / 32 a value.
    const std::int64_t four = kMatrices * 9 / 16 + 2 * kNorms;
    CHECK(bytes_with(R"("quantization": {"group_size": 64, "bits": 4})") == four);
    CHECK(bytes_with(R"("quantization": {"group_size": 64, "bits": 4, "mode": "affine"},
      "quantization_config": {"group_size": 64, "bits": 4, "mode": "affine"})") == four);
    CHECK(bytes_with(R"("quantization_config": {"group_size": 64, "bits": 4})") == four);
    CHECK(bytes_with(R"("quantization": {"group_size": 32, "bits": 8})") ==
          kMatrices * 9 / 8 + 2 * kNorms);
    CHECK(bytes_with(R"("quantization": {"group_size": 32, "bits": 4, "mode": "mxfp4"})") ==
          kMatrices * 17 / 32 + 2 * kNorms);
  }

  TEST_CASE("MLX packs bits of any number, with the same beside each group") {
    for (const std::int64_t bits : {2, 3, 5, 6}) {
      CAPTURE(bits);
      CHECK(bytes_with(R"("quantization": {"group_size": 64, "bits": )" + std::to_string(bits) +
                       "}") == kMatrices * (2 * bits + 1) / 16 + 2 * kNorms);
    }
    CHECK(bytes_with(R"("quantization": {"group_size": 32, "bits": 6})") ==
          kMatrices * 7 / 8 + 2 * kNorms);
  }

  TEST_CASE("a module of MLX may have sizes of its own, or none") {
    const std::int64_t four = kMatrices * 9 / 16 + 2 * kNorms;
    constexpr std::int64_t kDown = 4096LL * 14336;
    constexpr std::int64_t kHead = 525'336'576;
    CHECK(bytes_with(R"("quantization": {"group_size": 64, "bits": 4,
      "model.layers.0.mlp.down_proj": {"group_size": 64, "bits": 8},
      "model.layers.7.mlp.down_proj": {"group_size": 64, "bits": 8}, "lm_head": false,
      "model.layers.1.mlp.down_proj": true})") ==
          four + 2 * kDown / 2 + kHead * 2 - kHead * 9 / 16);
  }

  TEST_CASE("bits of MLX that no scheme has are an error") {
    const auto model =
        read_config(json(llama(R"("quantization": {"group_size": 64, "bits": 7})")), "x");
    REQUIRE_FALSE(model);
    CHECK(messages(model.error()).find("MLX weights of 7 bits") != std::string::npos);
    const auto odd = read_config(
        json(llama(R"("quantization": {"group_size": 64, "bits": 4, "mode": "q"})")), "x");
    REQUIRE_FALSE(odd);
    CHECK(messages(odd.error()).find("MLX's mode 'q'") != std::string::npos);
  }

  TEST_CASE("a header of MLX's words is told to the byte") {
    const Folder folder;
    folder.write("config.json", config(R"(, "quantization": {"group_size": 32, "bits": 4})"));
    const auto pack = [](std::vector<StTensor>& tensors, const std::string& name, std::int64_t rows,
                         std::int64_t columns) {
      tensors.push_back({name + ".weight", "U32", {rows, columns / 8}});
      tensors.push_back({name + ".scales", "BF16", {rows, columns / 32}});
      tensors.push_back({name + ".biases", "BF16", {rows, columns / 32}});
    };
    std::vector<StTensor> tensors = {{"model.norm.weight", "BF16", {64}}};
    pack(tensors, "model.embed_tokens", 100, 64);
    pack(tensors, "lm_head", 100, 64);
    for (int layer = 0; layer < 2; ++layer) {
      const std::string prefix = "model.layers." + std::to_string(layer) + ".";
      tensors.push_back({prefix + "input_layernorm.weight", "BF16", {64}});
      tensors.push_back({prefix + "post_attention_layernorm.weight", "BF16", {64}});
      for (const Linear& linear : kLinears)
        pack(tensors, prefix + linear.name, linear.rows, linear.columns);
    }
    folder.write("model.safetensors", safetensors_file(tensors));
    const Model model = read(folder);
    CHECK(model.weights.linear == Quantization::Int4);
    CHECK(stored(model) == computed_bytes(model));
    // 86'528 values in matrices, at 5 bits; 320 in norms.
    CHECK(stored(model) == 86'528 * 5 / 8 + 2 * 320);
  }
}
