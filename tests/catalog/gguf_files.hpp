// Small GGUF files and the models that they describe, for tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/gguf.hpp"
#include "catalog/gguf_types.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

namespace gpushape::catalog::testing {

inline constexpr std::uint32_t kF32 = 0;
inline constexpr std::uint32_t kF16 = 1;
inline constexpr std::uint32_t kQ4K = 12;
inline constexpr std::uint32_t kQ6K = 14;

inline GgufText keys(const std::string& architecture, int layers) {
  GgufText text;
  text.text("general.architecture", architecture);
  const auto key = [&](const char* name) { return architecture + "." + name; };
  text.number(key("block_count"), static_cast<std::uint64_t>(layers));
  text.number(key("embedding_length"), 256);
  text.number(key("context_length"), 4096);
  text.number(key("attention.head_count"), 4);
  text.number(key("attention.head_count_kv"), 2);
  text.real(key("rope.freq_base"), 500'000.0F);
  return text;
}

// A tensor of `type`; of Q4_K and Q6_K rows are multiples of 256 values.
inline void add(GgufText& text, const std::string& name, const std::vector<std::uint64_t>& sizes,
                std::uint32_t type) {
  std::uint64_t values = 1;
  for (const std::uint64_t size : sizes) values *= size;
  const StoredType& stored = *gguf_type(type);
  text.tensor(name, sizes, type,
              values / static_cast<std::uint64_t>(stored.block) *
                  static_cast<std::uint64_t>(stored.block_bytes));
}

inline void add_attention(GgufText& text, int layer) {
  const std::string blk = "blk." + std::to_string(layer) + ".";
  add(text, blk + "attn_norm.weight", {256}, kF32);
  add(text, blk + "ffn_norm.weight", {256}, kF32);
  add(text, blk + "attn_q.weight", {256, 256}, kQ4K);
  add(text, blk + "attn_k.weight", {256, 128}, kQ4K);
  add(text, blk + "attn_v.weight", {256, 128}, layer == 0 ? kQ6K : kQ4K);
  add(text, blk + "attn_output.weight", {256, 256}, kQ4K);
}

inline GgufText llama(int layers = 2) {
  GgufText text = keys("llama", layers);
  text.texts("tokenizer.ggml.tokens", 300);
  add(text, "token_embd.weight", {256, 300}, kQ6K);
  add(text, "output_norm.weight", {256}, kF32);
  for (int layer = 0; layer < layers; ++layer) {
    add_attention(text, layer);
    const std::string blk = "blk." + std::to_string(layer) + ".";
    add(text, blk + "ffn_gate.weight", {256, 512}, kQ4K);
    add(text, blk + "ffn_up.weight", {256, 512}, kQ4K);
    add(text, blk + "ffn_down.weight", {512, 256}, kQ6K);
  }
  return text;
}

inline domain::Model model_of(const GgufText& text) {
  bool is_short = false;
  const std::string file = text.file();
  const auto gguf = read_gguf_head(file, file.size(), "x.gguf", is_short);
  if (!gguf) FAIL(messages(gguf.error()));
  const auto model = gguf_model(*gguf, "x.gguf");
  if (!model) FAIL(messages(model.error()));
  return *model;
}

inline std::string model_fault(const GgufText& text) {
  bool is_short = false;
  const std::string file = text.file();
  const auto gguf = read_gguf_head(file, file.size(), "x.gguf", is_short);
  if (!gguf) FAIL(messages(gguf.error()));
  const auto model = gguf_model(*gguf, "x.gguf");
  return model ? "accepted" : messages(model.error());
}

}  // namespace gpushape::catalog::testing
