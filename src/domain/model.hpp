// A model as memory arithmetic sees it: what each layer holds, how the weights are stored, and
// where each fact is from.
//
// A Model is made by the catalog (built-in entry, overlay, config.json …) and read by estimate. It
// holds no device and no engine. Layers that are alike stand once in `layers` with their count, in
// the order of the network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/fact.hpp"
#include "domain/quantization.hpp"

namespace gpushape::domain {

/// What a layer stores per token or per sequence.
enum class LayerKind { Full, Sliding, Chunked, Latent, Compressed, Recurrent, Cross, None };

struct Attention {
  LayerKind kind = LayerKind::Full;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;        ///< width of one key (and query) head
  std::int64_t value_head_dim = 0;  ///< width of one value head; equals head_dim almost everywhere
  std::int64_t window_tokens = 0;   ///< Sliding, Chunked: tokens a layer looks back on
  bool qkv_bias = false;
  bool output_bias = false;
  bool query_key_norm = false;  ///< one norm vector of head_dim each for queries and keys (Qwen3)

  bool operator==(const Attention&) const = default;
};

struct FeedForward {
  std::int64_t width = 0;
  bool gated = true;  ///< gate, up and down projections (SwiGLU); else up and down
  bool bias = false;

  bool operator==(const FeedForward&) const = default;
};

struct Layer {
  Attention attention;
  FeedForward feed_forward;
  int norms = 2;           ///< norm vectors of hidden_size
  bool norm_bias = false;  ///< LayerNorm with bias rather than RMSNorm

  bool operator==(const Layer&) const = default;
};

/// `count` equal layers in a row.
struct LayerRun {
  Layer layer;
  std::int64_t count = 0;

  bool operator==(const LayerRun&) const = default;
};

/// Rotary position embedding, as far as it costs memory: the engine keeps a table of `positions`
/// rows of rotary_dim values.
struct Rope {
  double theta = 0;  ///< 0 where it is not known: no memory depends on it
  std::int64_t rotary_dim = 0;
  std::string scaling;  ///< "llama3", "linear", "yarn", "dynamic"…; empty for none
  double factor = 1;    ///< of the scaling
  std::int64_t original_max_positions = 0;  ///< of the scaling; 0 where the config does not say
  std::int64_t positions = 0;  ///< rows of the table: the scaling is counted in already

  bool operator==(const Rope&) const = default;
};

/// How the tensors of a checkpoint are stored.
struct WeightFormat {
  Quantization linear = Quantization::Bf16;  ///< the linear layers of the blocks
  Quantization other =
      Quantization::Bf16;  ///< embeddings, norms, biases and everything named in `kept`
  bool head_quantized = false;
  std::vector<std::string>
      kept;       ///< module name patterns left in `other`, as the checkpoint lists them
  int group = 0;  ///< overrides the scheme's group where the checkpoint says so; 0 for the scheme's
                  ///< own, kWholeRow for one scale per output row
  bool zero_points = false;  ///< a symmetric integer scheme with zero points all the same
  bool static_activation_scales = false;

  bool operator==(const WeightFormat&) const = default;
};

/// WeightFormat::group of a checkpoint whose groups are whole rows ("group_size": -1).
inline constexpr int kWholeRow = -1;

/// The scheme of the linear layers with the checkpoint's own group size and zero points.
constexpr WeightScheme scheme_of(const WeightFormat& format) {
  WeightScheme result = scheme(format.linear);
  if (format.group == kWholeRow) {
    result.granularity = ScaleGranularity::Channel;
    result.group = 0;
  } else if (format.group > 0) {
    if (result.granularity != ScaleGranularity::Block) result.granularity = ScaleGranularity::Group;
    result.group = format.group;
  }
  if (format.zero_points && result.zero_bits == 0) result.zero_bits = result.weight_bits;
  return result;
}

struct ParameterCounts {
  std::int64_t total = 0;   ///< logical: tied tensors once, no scales, no buffers
  std::int64_t active = 0;  ///< used for one token
  std::optional<std::int64_t>
      stored;  ///< what the checkpoint holds, where a header or a published figure says
  std::optional<std::int64_t> multi_token_prediction;

  bool operator==(const ParameterCounts&) const = default;
};

enum class Role { Llm, Embed, Rerank, Vision, Speech, Notebook, Ci, FineTune };

struct Model {
  std::string id;      ///< Hugging Face id, or the path it was read from
  std::string origin;  ///< "catalog", "overlay", "config.json" …: Estimate's model.source
  std::vector<std::string> aliases;
  std::string family;        ///< "llama", "qwen2" …: Hugging Face model_type
  std::string architecture;  ///< Hugging Face class name, "LlamaForCausalLM"
  Role role = Role::Llm;     ///< what the checkpoint is for when nobody says
  std::int64_t hidden_size = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_context_tokens = 0;  ///< the longest context, with the rope's scaling
  bool tied_embeddings = false;
  bool has_head = true;  ///< a language-model head takes part in inference
  bool final_norm_bias = false;
  std::vector<LayerRun> layers;
  Rope rope;
  WeightFormat weights;
  std::optional<KvCacheType>
      checkpoint_kv_cache;  ///< the checkpoint itself asks for a KV cache type
  ParameterCounts parameters;
  std::vector<FactSource> sources;
  std::vector<std::string> notes;  ///< differences from published figures, explained

  bool operator==(const Model&) const = default;
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
inline constexpr auto kNames<domain::Role> = std::to_array<NameRow<domain::Role>>({
    {domain::Role::Llm, "llm", "serves a language model"},
    {domain::Role::Embed, "embed", "serves embeddings"},
    {domain::Role::Rerank, "rerank", "scores pairs of texts"},
    {domain::Role::Vision, "vision", "serves a vision or vision-language model"},
    {domain::Role::Speech, "speech", "serves a speech model"},
    {domain::Role::Notebook, "notebook", "an interactive notebook"},
    {domain::Role::Ci, "ci", "continuous integration jobs"},
    {domain::Role::FineTune, "fine-tune", "trains or fine-tunes a model"},
});
}  // namespace gpushape
