// The tensors that one rank holds after loading, fused the way engines fuse them.
//
// What a layer has follows from domain::tensors_of, how each tensor is stored from
// domain::scheme_of; here ranks take their share, tensors that engines keep in one allocation are
// put together, kernels get the padding they want, and the framework's allocator counts.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "domain/model.hpp"
#include "domain/quantization.hpp"
#include "estimate/pipeline.hpp"

namespace gpushape::estimate {

/// Multiples that a kernel wants of an expert's sizes; 1 for none.
struct ExpertPadding {
  std::int64_t width = 1;   ///< of one rank's share of an expert
  std::int64_t hidden = 1;  ///< of the space that experts work in
  /// Of the rows of MXFP4 scales, which the kernels lay out anew; 0 where they stay as they are.
  std::int64_t scale_rows = 0;
  bool keeps_scales = false;        ///< those of the checkpoint, beside the new ones
  bool has_float32_biases = false;  ///< of experts
  std::int64_t row_bytes = 0;  ///< as WeightsLayout::row_bytes, behind the rows of 16-bit experts
  std::int64_t group = 1;      ///< of a rank's width; other kernels, without padding, take the rest
  /// Experts that are dealt out whole are as wide as all ranks' padded shares of them.
  bool is_of_shares = false;

  bool operator==(const ExpertPadding&) const = default;
};

/// How the weights of a model are held in memory, on every rank alike.
struct WeightsLayout {
  domain::WeightScheme scheme = {};  ///< of the linear layers
  /// Each tensor in the scheme that the checkpoint has for it; otherwise linear layers in `scheme`
  /// and the rest in the model's dtype.
  bool is_as_stored = false;
  bool is_converted = false;  ///< the engine makes the scheme of 16-bit weights while it loads them
  std::int64_t dtype_bytes = 2;  ///< of everything that no scheme applies to
  bool head_quantized = false;
  /// Attention, recurrent layers and shared experts stay in the model's dtype, whatever the scheme.
  bool keeps_mixers_and_shared = false;
  /// Whether they do is not known: the publisher's recipe is not at hand.
  bool is_recipe_open = false;
  std::int64_t tensor_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t expert_parallel = 1;      ///< ranks that experts are dealt out to whole
  std::int64_t attention_scalars = 0;    ///< scale factors that each attention layer registers
  std::int64_t vocabulary_unit = 64;     ///< vocabulary rows are padded to a multiple of it
  std::int64_t sectioned_rope_rows = 1;  ///< rows for each position of a rope with sections
  ExpertPadding expert_padding = {};
  /// Left free behind each row of an FP8 layer whose length is a multiple of 512 bytes, so that
  /// rows do not all begin in the same memory channel.
  std::int64_t row_bytes = 0;
  /// The loader lets go of zero points and orders of GPTQ whose groups are symmetric and in place.
  bool drops_gptq_companions = false;
  /// Bits of a zero point that the loader lays out anew, of linear layers but experts; 0: as
  /// stored.
  int zero_bits = 0;
  /// Latent attention keeps the two halves of its up-projection once more, apart.
  bool splits_latents = true;
  /// Instead, its up-projections are multiplied into those of queries and outputs beforehand.
  bool absorbs_latents = false;
  bool has_whole_table = false;  ///< every rank holds the embedding of all words
  /// A shared expert is one of the routed for every rank, of which each has its part of all copies.
  bool has_whole_shared_experts = false;
  /// Where keys serve as values, their projection is loaded once more in the values' place.
  bool loads_keys_twice = false;
  double unsplit_share = 0;  ///< of a tensor: what the allocator leaves to it, see there
  /// Tables that layers look rows up in (n-grams) lie in pinned host memory.
  bool keeps_tables_on_host = false;
  bool shares_tables_across_data = false;  ///< ranks of data parallelism have a part of them each
  bool loads_towers = true;                ///< not where the engine is started for text alone
  bool holds_unused_towers = false;  ///< they are loaded all the same, though nothing runs them
  bool towers_whole = false;         ///< each rank has all of them
  bool converts_towers = false;      ///< encoders of images get the scheme as the layers do
  bool has_second_table = false;     ///< an embedding that is loaded twice
  bool leaves_out_layers = false;    ///< of towers: those that nothing is taken from
  bool has_float32_routers = false;
  bool has_embedding_on_every_stage = false;  ///< of a pipeline, not the first alone
  bool has_head_on_every_stage = false;       ///< not the last alone
  bool has_unused_head = false;  ///< an encoder that is loaded as the decoder it was made of
  /// Layers that predict further tokens are loaded.
  bool loads_drafts = false;
  /// Ranks of data parallelism that share dense layers, shared experts and the head as those of
  /// tensor parallelism do: attention alone is whole on each.
  std::int64_t dense_parallel = 1;
  std::int64_t rotary_bytes = 0;    ///< of one value of a rotary table; 0 for the model's dtype
  std::int64_t longest_rotary = 0;  ///< positions of a table at most; 0 for those of the rope
  bool has_rotary_of_each_layer = false;  ///< not one that all layers share
  bool repeats_block_scales = false;      ///< one for each row and block of inputs, in the dtype
  bool unfolds_scales = false;    ///< scales that are themselves quantized become 32-bit numbers
  bool may_keep_scales = false;   ///< or stay as they are: starts of the release show both
  bool has_rotary_tables = true;  ///< angles are not computed anew in every step

  bool operator==(const WeightsLayout&) const = default;
};

/// Encoders of images and sound with their projectors, a part of a stage's weights.
struct LoadedTowers {
  Bytes tensors;
  Bytes allocated;
  Bytes reserved;
};

/// Byte counts of the tensors of one stage on one rank.
struct LoadedWeights {
  Bytes tensors;  ///< as they are
  Bytes rotary;   ///< tables of the rotary embeddings
  /// Tensors and tables of the stage as one rank alone would hold them; what every stage of a
  /// pipeline has is the first one's.
  Bytes once;
  Bytes allocated;  ///< as the framework's allocator counts them
  Bytes reserved;   ///< as free memory shows them: the segments that they were cut from
  LoadedTowers towers;
};

LoadedWeights load_weights(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage);

/// Rows of the embedding after padding, of all ranks together.
std::int64_t padded_vocabulary(const domain::Model& model, const WeightsLayout& layout);
/// KV heads that one rank holds: shared out, or one copied to several ranks.
std::int64_t kv_heads_on_rank(const domain::Attention& attention, std::int64_t tensor_parallel);

}  // namespace gpushape::estimate
