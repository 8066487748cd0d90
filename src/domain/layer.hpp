// One layer of a model: what mixes the tokens (attention, a recurrent state, or both), what
// transforms each of them (a feed-forward network, experts, or both), and the small tensors around.
//
// Layers say shapes only; which tensors follow from them stands in tensors.hpp, what they keep in a
// cache is the estimate's affair. Names of sizes: the glossary; names of layer kinds: LayerKind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/name_table.hpp"

namespace gpushape::domain {

/// What the attention of a layer stores per token or per sequence.
enum class LayerKind { Full, Sliding, Chunked, Latent, Compressed, Recurrent, Cross, None };

/// Norms on queries and keys.
enum class HeadNorm {
  None,
  Shared,  ///< one vector of head_dim for all heads, one for queries and one for keys (Qwen3)
  Each     ///< a value for every head and dimension (OLMo 2 over all heads, Command R+ by head)
};

/// A gate on the attention's output, computed from the layer's input.
enum class OutputGate {
  None,
  Value,  ///< one value for each output value: q_proj is twice as wide (Qwen3-Next)
  Head    ///< one value for each head
};

/// Multi-head latent attention (DeepSeek-V2): keys and values pass through a narrow latent, which
/// is what the cache holds, with the rotated part of the keys beside it.
struct Latent {
  std::int64_t query_rank = 0;  ///< q_lora_rank; 0 for a direct projection
  std::int64_t kv_rank = 0;     ///< kv_lora_rank
  std::int64_t rope_dim = 0;    ///< qk_rope_head_dim; part of head_dim

  bool operator==(const Latent&) const = default;
};

/// A sparse indexer (DeepSeek-V3.2): small heads that choose which tokens attention reads.
struct Indexer {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;    ///< cached per token
  std::int64_t top_tokens = 0;  ///< tokens chosen; 0 where not known
  bool is_shared = false;       ///< takes the choice of an earlier layer: no weights, no cache
  bool borrows_keys = false;    ///< queries of its own on the keys of an earlier layer
  /// So many tokens share one cached key: with heads in the model's dtype (Qwen4-Exp), where 0
  /// says that none lies beside keys and values; with a latent as the keys of single tokens.
  std::int64_t tokens_per_key = 0;

  bool operator==(const Indexer&) const = default;
};

/// Compressed attention (DeepSeek-V4): beside a sliding window, `ratio` tokens share one entry.
struct Compression {
  std::int64_t ratio = 0;          ///< tokens of one entry; 0 for a layer with its window only
  std::int64_t output_rank = 0;    ///< o_lora_rank; 0 for a direct output projection
  std::int64_t output_groups = 0;  ///< o_groups
  /// Entries pool groups that do not overlap, single tokens without a gate, and an indexer's keys
  /// are made of them (DeepSeek-V4.1).
  bool pools_groups = false;
  bool is_shared = false;  ///< reads the entries of an earlier layer, and makes none of its own

  bool operator==(const Compression&) const = default;
};

/// Absent where `heads` is 0. With heads and kind None it attends and stores nothing: an encoder.
struct Attention {
  LayerKind kind = LayerKind::Full;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;        ///< width of one key (and query) head
  std::int64_t value_head_dim = 0;  ///< width of one value head; equals head_dim almost everywhere
  std::int64_t window_tokens = 0;   ///< Sliding, Chunked, Compressed: tokens a layer looks back on
  bool qkv_bias = false;
  bool key_has_bias = true;  ///< where qkv_bias is on: false for Whisper's keys
  bool output_bias = false;
  HeadNorm head_norm = HeadNorm::None;
  OutputGate output_gate = OutputGate::None;
  bool has_sinks = false;     ///< one learned value per head (gpt-oss)
  bool value_is_key = false;  ///< no value projection (Gemma 4 global layers)
  /// Reads the cache of an earlier layer of its kind, and keeps none of its own (Gemma 3n).
  bool shares_cache = false;
  /// Its matrices are a block's that several layers run (Zamba2), which stands in Model::extra.
  bool borrows_weights = false;
  /// Queries pass through so many values, with a norm on them (Step3); 0 for a direct projection.
  std::int64_t query_rank = 0;
  /// So many experts project queries and outputs, as many of them for a token as of the network's
  /// experts; a router and a bias stand beside them (JetMoE). 0 for none.
  std::int64_t query_experts = 0;
  std::optional<Latent> latent = std::nullopt;    ///< Latent, and Compressed where it has one
  std::optional<Indexer> indexer = std::nullopt;  ///< of latent and compressed attention
  std::optional<Compression> compression = std::nullopt;  ///< Compressed
  /// Cross: tokens of the encoder's output (audio frames, image patches); 0 where not known.
  std::int64_t encoder_tokens = 0;

  bool operator==(const Attention&) const = default;
};

enum class RecurrentKind {
  GatedDelta,  ///< Qwen3-Next, Qwen3.5: delta rule with a gate
  Kda,         ///< Kimi Delta Attention: delta rule with a gate per channel
  Mamba,       ///< selective state space, one state per channel (Jamba, Falcon-Mamba)
  Mamba2,      ///< state space duality: heads and groups (Nemotron-H, Granite 4, Bamba)
  Lightning,   ///< linear attention with decay (MiniMax-Text-01)
  ShortConv,   ///< gated short convolution, no other state (LFM2)
  Rwkv,        ///< time mixing with a matrix per head and a decay per channel (RWKV-5)
  Griffin      ///< gated linear recurrence with one value a channel (RecurrentGemma)
};

/// A mixer with a fixed state per sequence. Which sizes a kind uses: GatedDelta, Kda, Lightning:
/// key_heads, key_dim, value_heads, value_dim; Mamba: inner, state, rank; Mamba2: value_heads,
/// value_dim (inner = their product), groups, state; ShortConv: inner; Rwkv: value_heads,
/// value_dim, and inner, the width of what it shifts by a token (so does the network beside it);
/// Griffin: inner, and value_heads, the blocks of its gates. Mamba2 with a rank has no groups: a
/// projection of its own makes B, C and the time step, as Mamba's does (PLaMo 2).
struct Recurrent {
  RecurrentKind kind = RecurrentKind::GatedDelta;
  std::int64_t key_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_heads = 0;
  std::int64_t value_dim = 0;
  std::int64_t inner = 0;
  std::int64_t groups = 0;
  std::int64_t state = 0;
  std::int64_t rank = 0;  ///< Mamba, Mamba2: dt_rank; Kda: rank of its gates, 0 for one matrix each
  std::int64_t convolution = 0;  ///< kernel length; 0 for none
  bool convolution_bias = false;
  bool projection_bias = false;
  bool has_norm =
      false;  ///< a norm on the mixer's output (GatedDelta: of value_dim; Mamba2: inner)
  bool full_rank_gate = false;  ///< Kda: the output's gate is one matrix (Kimi K3)
  int state_bits = 32;          ///< of one value of the recurrent state (`mamba_ssm_dtype`)
  std::int64_t chunk = 256;     ///< Mamba2: tokens that its scan takes at once (`chunk_size`)

  bool operator==(const Recurrent&) const = default;
};

/// Routed experts of a mixture, and the shared ones that every token passes.
struct Experts {
  std::int64_t count = 0;
  std::int64_t active = 0;        ///< per token
  std::int64_t width = 0;         ///< of one routed expert
  std::int64_t shared_width = 0;  ///< of all shared experts together; 0 for none
  std::int64_t latent_width = 0;  ///< experts work in this smaller space; 0 for hidden_size
  bool is_gated = true;
  bool shared_gate = false;      ///< a gate of hidden_size values on the shared experts
  bool bias = false;             ///< on the experts' projections (gpt-oss)
  bool router_bias = false;      ///< on the router
  bool correction_bias = false;  ///< one float32 per expert beside the router (DeepSeek-V3)

  bool operator==(const Experts&) const = default;
};

struct FeedForward {
  std::int64_t width = 0;  ///< of the dense network; 0 for none
  bool gated = true;       ///< gate, up and down projections (SwiGLU); else up and down
  bool bias = false;
  std::optional<Experts> experts =
      std::nullopt;  ///< beside the dense network where both are there (Gemma 4)

  bool operator==(const FeedForward&) const = default;
};

/// A tensor that no other field speaks of: a layer scale, learned positions, a pooler.
struct ExtraTensor {
  std::string name;           ///< module name within its layer or model
  std::int64_t rows = 0;      ///< length, for a vector
  std::int64_t columns = 0;   ///< 0 for a vector
  bool is_linear = false;     ///< a linear layer, which quantization schemes apply to
  bool is_float32 = false;    ///< kept in 32 bits whatever the checkpoint's dtype
  bool is_dealt_out = false;  ///< the ranks of tensor parallelism share its rows; else a copy each

  bool operator==(const ExtraTensor&) const = default;
};

struct Layer {
  Attention attention;  ///< kind None or Recurrent where the layer has none
  std::optional<Recurrent> recurrent =
      std::nullopt;  ///< beside attention where both are there (Falcon-H1)
  /// A second attention on an encoder's output (Whisper's decoder). A layer whose only attention
  /// reads an encoder is `attention` of kind Cross.
  std::optional<Attention> cross_attention = std::nullopt;
  FeedForward feed_forward;
  int norms = 2;           ///< norm vectors of hidden_size
  bool norm_bias = false;  ///< LayerNorm with bias rather than RMSNorm
  std::vector<ExtraTensor> extra = {};
  /// Values that a convolution beside the mixer keeps of a sequence, in the model's dtype
  /// (Qwen4-Exp's embeddings of n-grams); 0 for none.
  std::int64_t shifted_values = 0;

  bool operator==(const Layer&) const = default;
};

/// `count` equal layers in a row.
struct LayerRun {
  Layer layer;
  std::int64_t count = 0;

  bool operator==(const LayerRun&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::LayerKind> = std::to_array<NameRow<domain::LayerKind>>({
    {domain::LayerKind::Full, "full", "attention over the whole context"},
    {domain::LayerKind::Sliding, "sliding", "attention over a sliding window"},
    {domain::LayerKind::Chunked, "chunked", "attention inside local chunks"},
    {domain::LayerKind::Latent, "latent", "multi-head latent attention"},
    {domain::LayerKind::Compressed, "compressed", "compressed attention"},
    {domain::LayerKind::Recurrent, "recurrent", "a fixed state per sequence"},
    {domain::LayerKind::Cross, "cross", "attention on an encoder's output"},
    {domain::LayerKind::None, "none", "stores nothing"},
});
template <>
inline constexpr auto kNames<domain::HeadNorm> = std::to_array<NameRow<domain::HeadNorm>>({
    {domain::HeadNorm::None, "none", "queries and keys as projected"},
    {domain::HeadNorm::Shared, "shared", "one norm vector of the head size for all heads"},
    {domain::HeadNorm::Each, "each", "a norm value for every head and dimension"},
});
template <>
inline constexpr auto kNames<domain::OutputGate> = std::to_array<NameRow<domain::OutputGate>>({
    {domain::OutputGate::None, "none", "no gate"},
    {domain::OutputGate::Value, "value", "a gate for each output value"},
    {domain::OutputGate::Head, "head", "a gate for each head"},
});
template <>
inline constexpr auto kNames<domain::RecurrentKind> =
    std::to_array<NameRow<domain::RecurrentKind>>({
        {domain::RecurrentKind::GatedDelta, "gated-delta", "gated delta rule"},
        {domain::RecurrentKind::Kda, "kda", "Kimi delta attention"},
        {domain::RecurrentKind::Mamba, "mamba", "selective state space"},
        {domain::RecurrentKind::Mamba2, "mamba2", "state space with heads and groups"},
        {domain::RecurrentKind::Lightning, "lightning", "linear attention with decay"},
        {domain::RecurrentKind::ShortConv, "short-conv", "gated short convolution"},
        {domain::RecurrentKind::Rwkv, "rwkv", "time mixing with a decay per channel"},
        {domain::RecurrentKind::Griffin, "griffin", "gated linear recurrence"},
    });
}  // namespace gpushape
