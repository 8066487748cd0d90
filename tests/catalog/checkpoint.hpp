// A small llama's config and checkpoint, for tests of snapshot folders.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/snapshot.hpp"
#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

namespace gpushape::catalog::testing {

// A llama of two layers: hidden 64, 4 heads of 16, 2 KV heads, feed-forward 128, 100 tokens.
inline std::string config(const std::string& more = "") {
  return R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64,
    "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "num_hidden_layers": 2, "vocab_size": 100, "max_position_embeddings": 512,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16")" +
         more + "}";
}

struct Linear {
  const char* name;
  std::int64_t rows;
  std::int64_t columns;
};
inline const std::vector<Linear> kLinears = {
    {"self_attn.q_proj", 64, 64}, {"self_attn.k_proj", 32, 64}, {"self_attn.v_proj", 32, 64},
    {"self_attn.o_proj", 64, 64}, {"mlp.gate_proj", 128, 64},   {"mlp.up_proj", 128, 64},
    {"mlp.down_proj", 64, 128}};

// The whole checkpoint, each linear layer as `store` says.
template <class Store>
std::vector<StTensor> checkpoint(Store store) {
  std::vector<StTensor> tensors = {{"model.embed_tokens.weight", "BF16", {100, 64}},
                                   {"lm_head.weight", "BF16", {100, 64}},
                                   {"model.norm.weight", "BF16", {64}}};
  for (int layer = 0; layer < 2; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    tensors.push_back({prefix + "input_layernorm.weight", "BF16", {64}});
    tensors.push_back({prefix + "post_attention_layernorm.weight", "BF16", {64}});
    for (const Linear& linear : kLinears) store(tensors, layer, prefix + linear.name, linear);
  }
  return tensors;
}

inline void plain(std::vector<StTensor>& tensors, int, const std::string& name,
                  const Linear& linear) {
  tensors.push_back({name + ".weight", "BF16", {linear.rows, linear.columns}});
}

inline domain::Model read(const Folder& folder) {
  auto model = read_source(folder.path());
  if (!model) FAIL(messages(model.error()));
  return *model;
}

inline std::int64_t computed_bytes(const domain::Model& model) {
  std::int64_t bytes = 0;
  std::int64_t layer = 0;
  for (const domain::LayerRun& run : model.layers) {
    for (std::int64_t i = 0; i < run.count; ++i, ++layer) {
      for (const domain::Tensor& tensor : domain::tensors_of(run.layer, model))
        bytes += domain::stored_bytes(tensor, domain::scheme_of(model, tensor, layer));
    }
  }
  for (const domain::Tensor& tensor : domain::outer_tensors(model))
    bytes += domain::stored_bytes(tensor, domain::scheme_of(model, tensor));
  return bytes;
}

inline std::int64_t stored(const domain::Model& model) {
  std::int64_t bytes = 0;
  for (const domain::StoredPart& part : model.stored) bytes += part.bytes;
  return bytes;
}

}  // namespace gpushape::catalog::testing
