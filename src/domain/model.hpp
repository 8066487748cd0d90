// A model as memory arithmetic sees it: what each layer holds, how the weights are stored, and
// where each fact is from.
//
// A Model is made by the catalog (built-in entry, overlay, config.json …) and read by estimate. It
// holds no device and no engine. Layers that are alike stand once in `layers` with their count, in
// the order of the network.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/fact.hpp"
#include "domain/layer.hpp"
#include "domain/quantization.hpp"
#include "domain/tensor_part.hpp"
#include "domain/weight_scheme.hpp"

namespace gpushape::domain {

/// Rotary position embedding, as far as it costs memory: the engine keeps a table of `positions`
/// rows of rotary_dim values.
struct Rope {
  double theta = 0;  ///< 0 where it is not known: no memory depends on it
  std::int64_t rotary_dim = 0;
  std::string scaling;  ///< "llama3", "linear", "yarn", "dynamic"…; empty for none
  double factor = 1;    ///< of the scaling
  std::int64_t original_max_positions = 0;  ///< of the scaling; 0 where the config does not say
  std::int64_t positions = 0;  ///< rows of the table: the scaling is counted in already
  /// Rows, columns and time of images each rotate a section of a head (`mrope_section`).
  bool has_sections = false;

  bool operator==(const Rope&) const = default;
};

/// Modules stored otherwise than the rest: those whose full name ("model.layers.0.mlp.down_proj")
/// the pattern matches. How a pattern is read: modules.hpp.
struct ModuleFormat {
  std::string pattern;
  Quantization quantization = Quantization::Bf16;  ///< a plain type: as WeightFormat::other
  int group = 0;                                   ///< as WeightFormat::group
  bool zero_points = false;
  bool static_activation_scales = false;

  bool operator==(const ModuleFormat&) const = default;
};

/// How much less and more of a checkpoint may be loaded than its recipe says, of itself.
struct SizeDoubt {
  double less = 0;
  double more = 0;

  bool operator==(const SizeDoubt&) const = default;
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
  bool is_named = false;         ///< the precision is that which the repository's name tells
  bool is_usual = false;         ///< a repository of several files, and the one that most take
  bool is_told_by_name = false;  ///< of the repository: what stays in `other` is the usual recipe
  /// Of a publisher who chooses layers to keep in `other` model by model: how much larger the
  /// checkpoint is at most, of itself.
  double richer = 0;
  /// Of a checkpoint whose size is known, and which its recipe does not explain.
  std::optional<SizeDoubt> doubt = std::nullopt;
  /// Mixed precision: of what is not `kept`, the first that matches a module decides.
  std::vector<ModuleFormat> modules;

  bool operator==(const WeightFormat&) const = default;
};

/// WeightFormat::group of a checkpoint whose groups are whole rows ("group_size": -1).
inline constexpr int kWholeRow = -1;

/// The scheme of the linear layers with the checkpoint's own group size, zero points and scales of
/// the inputs. Of a WeightFormat or a ModuleFormat.
template <class Format>
constexpr WeightScheme scheme_with(Quantization quantization, const Format& format) {
  WeightScheme result = scheme(quantization);
  if (format.group == kWholeRow) {
    result.granularity = ScaleGranularity::Channel;
    result.group = 0;
  } else if (format.group > 0) {
    if (result.granularity != ScaleGranularity::Block) result.granularity = ScaleGranularity::Group;
    result.group = format.group;
  }
  if (format.zero_points && result.zero_bits == 0) result.zero_bits = result.weight_bits;
  if (format.static_activation_scales) result.input_scale_bits = 32;
  return result;
}
constexpr WeightScheme scheme_of(const WeightFormat& format) {
  return scheme_with(format.linear, format);
}

/// A tensor of some layers that is stored otherwise than WeightFormat::linear and ::other say.
struct TensorException {
  std::string tensor;  ///< Tensor::name
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  bool is_multi_token = false;  ///< of the layers of Model::multi_token_prediction
  WeightScheme scheme;

  bool operator==(const TensorException&) const = default;
};

/// What a header says that a checkpoint holds: bytes by part and stored type.
struct StoredPart {
  TensorPart part = TensorPart::Other;
  std::string dtype;  ///< as the file names it: "BF16", "F8_E4M3", "Q4_K"
  std::int64_t tensors = 0;
  std::int64_t values = 0;
  std::int64_t bytes = 0;

  bool operator==(const StoredPart&) const = default;
};

struct ParameterCounts {
  /// What the checkpoint's own total counts: tied tensors once, no buffers; with the layers that
  /// predict further tokens, and the scales of fp8 blocks and MXFP4 groups. What an engine loads to
  /// serve the model itself is domain::count_parameters.
  std::int64_t total = 0;
  std::int64_t active = 0;  ///< used for one token
  std::int64_t scales = 0;  ///< of the total
  std::optional<std::int64_t>
      stored;  ///< what the checkpoint holds, where a header or a published figure says
  std::optional<std::int64_t> multi_token_prediction;  ///< of the total

  bool operator==(const ParameterCounts&) const = default;
};

enum class TowerKind { Vision, Audio, Encoder, Projector };

/// A part of a model beside its decoder: an encoder of images or sound, or what maps its output to
/// the decoder's space. An encoder-decoder's encoder is a tower, too.
struct Tower {
  TowerKind kind = TowerKind::Vision;
  std::int64_t hidden_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t width = 0;  ///< of the feed-forward network
  bool gated = false;
  /// Its attention copies queries and keys and rotates them in 32 bits, as gated ones do.
  bool rotates_copies = false;
  /// So it does, with queries and keys as one tensor.
  bool rotates_joined = false;
  std::int64_t parameters = 0;  ///< of the whole tower
  /// The last of its layers, behind the one whose outputs the decoder gets (vision_feature_layer):
  /// stored, and loaded by engines that do not leave them out.
  std::int64_t unused_layers = 0;
  /// Tokens that its largest input (image, frames, 30 s of sound) has inside the tower, and that it
  /// hands to the decoder; 0 where not known.
  std::int64_t inner_tokens = 0;
  std::int64_t output_tokens = 0;
  /// Numbers of that input as the tower takes it (pixels x channels, mel bins x frames).
  std::int64_t input_values = 0;
  /// Numbers of fixed tables (positions by sine and cosine) that its class makes as it is built: no
  /// file holds them, and no count of parameters.
  std::int64_t table_values = 0;
  /// Bytes that its class reckons one of the inner tokens with where it takes its inputs in chunks
  /// of a tenth of the GPU; 0 where it takes them whole.
  std::int64_t chunk_token_bytes = 0;
  /// Layers of the decoder that get outputs of their own beside the tokens (DeepStack).
  std::int64_t fed_layers = 0;
  /// Loaded with the model, though the count that is published of it leaves the tower out.
  bool is_beside_total = false;

  bool operator==(const Tower&) const = default;
};

/// What a checkpoint holds for predicting more than one token: servers load it for speculative
/// decoding only.
struct MultiTokenPrediction {
  std::vector<LayerRun> layers;
  std::vector<ExtraTensor> extra;  ///< projections and norms beside the layers
  bool holds_embedding = false;    ///< a copy of embedding and head is stored with it

  bool operator==(const MultiTokenPrediction&) const = default;
};

enum class Role { Llm, Embed, Rerank, Vision, Speech, Notebook, Ci, FineTune };

struct Model {
  std::string id;  ///< Hugging Face id, or the path it was read from
  /// The id of the catalog's entry that a name without an entry of its own was read as.
  std::optional<std::string> base;
  /// The misspelled name that was asked for; empty where it was a name of the model's.
  std::string asked_as;
  std::string origin;  ///< "catalog", "overlay", "config.json" …: Estimate's model.source
  std::vector<std::string> aliases;
  std::string family;        ///< "llama", "qwen2" …: Hugging Face model_type
  std::string architecture;  ///< Hugging Face class name, "LlamaForCausalLM"
  Role role = Role::Llm;     ///< what the checkpoint is for when nobody says
  std::int64_t hidden_size = 0;
  std::int64_t vocabulary = 0;
  /// Of an embedding narrower than the network, which projections widen; 0 for the hidden size.
  std::int64_t embedding_width = 0;
  std::int64_t max_context_tokens = 0;  ///< the longest context, with the rope's scaling
  bool tied_embeddings = false;
  bool has_head = true;        ///< a language-model head takes part in inference
  bool has_final_norm = true;  ///< encoders end with the norm of their last layer
  bool final_norm_bias = false;
  /// Tokens of an image or a video attend both ways among themselves: a step must hold it whole.
  bool has_whole_items = false;
  std::vector<LayerRun> layers;
  std::vector<ExtraTensor> extra;  ///< beside embedding, final norm and head
  /// Of the dense layers behind the pooling of an embedding model, which lie in files of their own
  /// (Sentence-Transformers) and are part of no total.
  std::int64_t pooling_values = 0;
  std::vector<Tower> towers;
  std::optional<MultiTokenPrediction> multi_token_prediction;
  Rope rope;
  /// Further distinct tables: local and global layers that rotate differently (Gemma 3).
  std::vector<Rope> further_ropes;
  WeightFormat weights;
  /// What `weights.kept` and `weights.modules` come to, or what a header says: modules.hpp.
  std::vector<TensorException> exceptions;
  std::vector<StoredPart> stored;  ///< from a header; empty where none was read
  std::optional<KvCacheType>
      checkpoint_kv_cache;  ///< the checkpoint itself asks for a KV cache type
  ParameterCounts parameters;
  std::vector<FactSource> sources;
  std::vector<std::string> notes;  ///< differences from published figures, explained

  bool operator==(const Model&) const = default;
};

/// Columns of the embedding and of the head.
constexpr std::int64_t embedding_columns(const Model& model) {
  return model.embedding_width > 0 ? model.embedding_width : model.hidden_size;
}
/// Values of either of them.
constexpr std::int64_t vocabulary_values(const Model& model) {
  return model.vocabulary * embedding_columns(model);
}

/// The classes of a head on the hidden states of a larger model (EAGLE: "LlamaForCausalLMEagle3",
/// DFlash: "DFlashDraftModel"). NVIDIA's Eagle, which takes images
/// ("Eagle2_5_VLForConditionalGeneration"), is a whole model.
inline bool is_block_draft(std::string_view architecture) {
  return architecture.contains("DFlash");
}
inline bool is_draft_class(std::string_view architecture) {
  const bool is_eagle =
      architecture.contains("Eagle") && !architecture.ends_with("ForConditionalGeneration");
  return is_eagle || is_block_draft(architecture);
}
/// A draft that is no model of its own.
inline bool is_draft_head(const Model& model) { return is_draft_class(model.architecture); }

/// Some layers keep a recurrent state.
inline bool has_recurrent_layers(const Model& model) {
  return std::ranges::any_of(model.layers,
                             [](const LayerRun& run) { return run.layer.recurrent.has_value(); });
}

/// Some layers are recurrent in the place of attention.
inline bool has_linear_attention(const Model& model) {
  return std::ranges::any_of(model.layers, [](const LayerRun& run) {
    return run.layer.attention.kind == LayerKind::Recurrent;
  });
}

/// Some layers route tokens to experts.
inline bool has_experts(const Model& model) {
  return std::ranges::any_of(
      model.layers, [](const LayerRun& run) { return run.layer.feed_forward.experts.has_value(); });
}

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::TowerKind> = std::to_array<NameRow<domain::TowerKind>>({
    {domain::TowerKind::Vision, "vision", "encodes images and video frames"},
    {domain::TowerKind::Audio, "audio", "encodes sound"},
    {domain::TowerKind::Encoder, "encoder", "the encoder of an encoder-decoder"},
    {domain::TowerKind::Projector, "projector", "maps a tower's output to the decoder's space"},
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
