// Heads that propose tokens out of the hidden states that a larger model, their target, had for the
// tokens before: EAGLE (arXiv 2401.15077) and EAGLE-3 (arXiv 2503.01840).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "domain/model.hpp"

namespace gpushape::domain {

/// Adds a head of `vocabulary` tokens of its own to a draft that reads its target's embedding.
void add_own_head(Model& draft, std::int64_t vocabulary);

/// Adds what EAGLE adds to a decoder layer: the embedding of a token beside the hidden state of the
/// target's last layer make its input. Embedding and head are the target's.
/// Source: vLLM and SGLang models/llama_eagle.py.
void add_eagle(Model& draft);

/// What EAGLE-3 adds to a decoder layer. It reads the embedding of a token beside the hidden states
/// of three of the target's layers, and predicts out of a vocabulary of its own.
struct Eagle3 {
  std::int64_t target_hidden_size = 0;
  std::optional<std::int64_t> vocabulary;  ///< empty: the target's head is read
  bool norms_states = false;               ///< before `fc`
};
/// Adds it to the first layer of `draft`, whose embedding and head are the target's.
/// Source: vLLM and SGLang models/llama_eagle3.py.
void add_eagle3(Model& draft, const Eagle3& eagle);

/// The head that `method` ("eagle", "eagle3") trains for `target` where nothing more is known of
/// it: one decoder layer in the target's sizes, in 16 bits; of EAGLE-3 with a vocabulary of 32,000.
/// Nothing for other methods, and for targets without a dense network or with latent attention,
/// whose heads have sizes of their own.
/// Sources: the published heads of Llama-3.1-8B (yuhuili), Qwen3-8B and 32B (RedHatAI), and files
/// of RedHatAI's head of gemma-4-26B-A4B as large as this one.
std::optional<Model> usual_draft(const Model& target, std::string_view method);

/// Such a head whose files take `stored`: what they hold beside the layer is an embedding, which is
/// the target's, and a head, of a smaller vocabulary or the whole one, which is a copy of the
/// target's, and shared with it, unless `has_own_head`. Nothing where that cannot be.
std::optional<Model> of_stored_size(const Model& draft, Bytes stored, bool has_own_head);

}  // namespace gpushape::domain
