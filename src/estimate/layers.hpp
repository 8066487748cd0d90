// The layer kinds that an estimate knows: what one layer keeps in the cache, and how many blocks a
// request may hold on to. One file a kind in layers/, one row here.
//
// A layer may keep several things: latents and the keys of an indexer, a window and what lies
// compressed behind it, attention and a recurrent state. Each is a CacheSpec.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/model.hpp"

namespace gpushape::estimate {

/// What the cache looks like on one rank.
struct CacheGeometry {
  std::int64_t block_tokens = 16;
  /// Blocks of latent attention, where its kernels want larger ones; 0 for block_tokens.
  std::int64_t latent_block_tokens = 0;
  std::int64_t latent_entry_unit = 1;  ///< bytes that a token's latents are rounded up to
  /// Latent attention keeps the keys and values that its latents unfold to, of every head.
  bool unfolds_latents = false;
  /// Both are then as wide as keys, rounded up to so many values; 0: each has its own width.
  std::int64_t unfolded_unit = 0;
  std::int64_t tensor_parallel = 1;
  std::int64_t context_parallel = 1;
  domain::KvCacheType type = domain::KvCacheType::Bf16;
  std::int64_t dtype_bytes = 2;  ///< of the model: convolution states are kept in it
  /// Of the steps that are under way: a window may be that much longer while they run.
  std::int64_t batched_tokens = 0;
  std::int64_t draft_tokens = 0;  ///< proposed in one step, on top of the next one
  /// States are kept at the edges of blocks, so that later requests find them.
  bool keeps_states_of_prefixes = false;
  /// States of Mamba and Mamba-2 are kept at the edge of every block of a request.
  bool keeps_state_of_every_block = false;
  /// One table of blocks for all layers, each holding every token: what engines did before they
  /// knew kinds.
  bool is_one_table = false;
  /// Every kind of layer has a pool of its own, whose blocks are as large as they need be.
  bool lies_apart = false;
  /// Encoders that are not asked for a next token have a cache all the same.
  bool encoders_keep_tokens = false;
  /// Layers that read another one's keys and values have room of their own all the same.
  bool shared_layers_keep_tokens = false;
  bool chunks_keep_everything = false;  ///< chunked layers are held like full ones
  /// Groups of compressed attention lie in a block without padding.
  bool is_packed = false;
  /// Each size of page has as many layers in a block as a group wants of it at most.
  bool counts_page_sizes = false;
  std::int64_t pooled_block_tokens = 0;  ///< of entries that pool whole groups (DeepSeek-V4.1)
  /// Latents with an indexer have one byte a value in 8-bit caches, without scales of their own.
  bool keeps_sparse_latents_plain = false;
  /// Layers keep states, whose pages are as large as those of attention.
  bool has_states = false;
  /// An indexer whose keys stand for several tokens keeps those of the next key apart, and its keys
  /// do not count where a block grows for states; states of any shape are of one kind.
  bool has_indexer_tails = false;
  /// Layers that propose tokens are of a kind of their own: their kernels lay blocks out otherwise.
  bool has_drafts_apart = false;
  /// Integers share one scale a tensor, where others have one for each token and head.
  bool has_tensor_scales = false;

  bool operator==(const CacheGeometry&) const = default;
};

struct CacheSpec;
using HeldBlocks = std::int64_t (*)(const CacheSpec&, const CacheGeometry&, std::int64_t tokens);

/// What a layer keeps, of one sort.
struct CacheSpec {
  /// Blocks that a request of `tokens` tokens may hold.
  HeldBlocks held = nullptr;
  std::int64_t page_bytes = 0;    ///< of one block of one layer
  std::int64_t block_tokens = 0;  ///< tokens of context that a block stands for
  std::int64_t window_tokens = 0;
  bool is_state = false;       ///< a state of fixed size, one a sequence
  bool is_compressed = false;  ///< belongs to compressed attention
  bool is_of_encoder = false;  ///< tokens of an encoder's output
  bool is_of_draft = false;    ///< of a layer that proposes tokens, where those are apart

  bool operator==(const CacheSpec&) const = default;
};

struct LayerKindRow {
  domain::LayerKind kind;
  std::string_view description;
  /// Appends what attention (or the state) of this kind keeps.
  void (*keep)(const domain::Layer&, const domain::Attention&, const CacheGeometry&,
               std::vector<CacheSpec>&);
};

std::span<const LayerKindRow> layer_kinds();
/// nullptr for a kind that is not modelled.
const LayerKindRow* layer_kind(domain::LayerKind kind);

/// Appends all that one layer keeps: attention, state, attention on an encoder.
void keep_layer(const domain::Layer& layer, const CacheGeometry& geometry,
                std::vector<CacheSpec>& specs);

namespace layers {

/// Bytes of keys and values of one token on one rank, without and with an indexer's.
std::int64_t plain_token_bytes(const domain::Attention& attention, const CacheGeometry& geometry);
std::int64_t token_bytes(const domain::Attention& attention, const CacheGeometry& geometry);
std::int64_t latent_token_bytes(const domain::Attention& attention, const CacheGeometry& geometry);
std::int64_t latent_block(const CacheGeometry& geometry);
/// Tokens that a block of latents is a multiple of, with the indexer's keys of as many.
std::int64_t latent_block_unit(const domain::Attention& attention, const CacheGeometry& geometry);
/// Tokens of the key that is not complete: one block, however long the request is.
CacheSpec indexer_tail(const domain::Attention& attention, const CacheGeometry& geometry);
/// Bytes of the key that an indexer keeps of one token.
std::int64_t indexer_token_bytes(const domain::Indexer& indexer);
std::int64_t state_bytes(const domain::Recurrent& recurrent, const CacheGeometry& geometry);
bool keeps_state_of_every_block(const domain::Recurrent& recurrent, const CacheGeometry& geometry);
/// Tokens that the recurrence takes at once: a block with a state is whole chunks.
std::int64_t chunk_tokens(const domain::Recurrent& recurrent);

void keep_full(const domain::Layer& layer, const domain::Attention& attention,
               const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_sliding(const domain::Layer& layer, const domain::Attention& attention,
                  const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_chunked(const domain::Layer& layer, const domain::Attention& attention,
                  const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_latent(const domain::Layer& layer, const domain::Attention& attention,
                 const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_compressed(const domain::Layer& layer, const domain::Attention& attention,
                     const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_state(const domain::Layer& layer, const domain::Attention& attention,
                const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_cross(const domain::Layer& layer, const domain::Attention& attention,
                const CacheGeometry& geometry, std::vector<CacheSpec>& specs);
void keep_nothing(const domain::Layer& layer, const domain::Attention& attention,
                  const CacheGeometry& geometry, std::vector<CacheSpec>& specs);

std::int64_t full_held_blocks(const CacheSpec& spec, const CacheGeometry& geometry,
                              std::int64_t tokens);
std::int64_t sliding_held_blocks(const CacheSpec& spec, const CacheGeometry& geometry,
                                 std::int64_t tokens);

}  // namespace layers
}  // namespace gpushape::estimate
