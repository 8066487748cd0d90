#include "estimate/weights_layout.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "estimate/caching_allocator.hpp"
#include "estimate/division.hpp"
#include "estimate/header_bytes.hpp"
#include "estimate/rank_tensors.hpp"
#include "estimate/rank_towers.hpp"

namespace gpushape::estimate {
namespace {

constexpr std::int64_t kScratchFloatBytes = 4;
constexpr std::size_t kUsualAllocations = 64;  ///< of a layer, at most, of most models

/// Sums tensors, and asks the allocator for each where somebody wants to know.
class Tally {
 public:
  enum class Asks { Allocator, Nobody };

  Tally(const WeightsLayout& layout, Asks asks)
      : allocates_(asks == Asks::Allocator), allocator_(layout.unsplit_share) {}
  void add(const CachingAllocator::Batch& batch, std::span<const std::int64_t> large,
           std::int64_t times) {
    tensors_ += batch.bytes * times;
    if (allocates_) allocator_.allocate(batch, large, times);
  }
  /// Where nobody asks the allocator, the sum alone.
  [[nodiscard]] CachingAllocator::Batch batch_of(std::vector<std::int64_t>& bytes) const {
    if (allocates_) return CachingAllocator::batch_of(bytes);
    return {.bytes = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
  }
  void add(std::vector<std::int64_t>& bytes, std::int64_t times = 1) {
    const CachingAllocator::Batch batch = batch_of(bytes);
    add(batch, std::span(bytes).first(batch.large), times);
  }
  void add_rotary(std::int64_t bytes) {
    rotary_ += bytes;
    if (allocates_) allocator_.allocate(bytes);
  }
  /// Makes a tensor anew with room behind its rows, and only then gives the old one back.
  void widen(std::int64_t bytes, std::int64_t wider) {
    tensors_ += wider - bytes;
    if (!allocates_) return;
    allocator_.allocate(wider);
    allocator_.release();
    allocator_.free(bytes);
  }
  /// Bytes that belong to no tensor that is known by name; they may be negative.
  void add_unnamed(std::int64_t bytes) { unnamed_ += bytes; }
  [[nodiscard]] Bytes held() const { return Bytes(tensors_ + unnamed_ + rotary_); }
  [[nodiscard]] LoadedWeights loaded() const {
    return {.tensors = Bytes(tensors_ + unnamed_),
            .rotary = Bytes(rotary_),
            .allocated = allocator_.allocated() + Bytes(unnamed_),
            .reserved = allocator_.reserved() + Bytes(unnamed_),
            .towers = {}};
  }

 private:
  std::int64_t tensors_ = 0;
  std::int64_t rotary_ = 0;
  std::int64_t unnamed_ = 0;
  bool allocates_;
  CachingAllocator allocator_;
};

/// Which exceptions speak of a layer: layers with the same ones hold the same.
std::uint64_t exceptions_of(const domain::Model& model, std::int64_t layer) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < model.exceptions.size(); ++i) {
    const domain::TensorException& exception = model.exceptions[i];
    const bool holds = !exception.is_multi_token && exception.first_layer <= layer &&
                       layer < exception.first_layer + exception.layers;
    if (holds) sum = (sum ^ (i + 1)) * kMix;
  }
  return sum;
}

/// Of the layer as it is loaded, which `changed` holds where that is otherwise than it is: the
/// tensors' names may point into it.
std::vector<domain::Tensor> loaded_tensors(const domain::Layer& layer, const domain::Model& model,
                                           const WeightsLayout& layout,
                                           std::optional<domain::Layer>& changed) {
  if (!layout.loads_keys_twice) return tensors_of(layer, model);
  changed = layer;
  changed->attention.value_is_key = false;
  return tensors_of(*changed, model);
}

/// The allocations of a stage's layers. A network has few kinds of layers, and many of those are
/// alike to the allocator.
class LayerMemory {
 public:
  LayerMemory(const domain::Model& model, const WeightsLayout& layout, Tally& tally)
      : model_(model), layout_(layout), tally_(tally) {
    bytes_.reserve(kUsualAllocations);
    large_.reserve(kUsualAllocations);
  }

  void add(const domain::Layer& layer, std::int64_t index, std::int64_t times) {
    const std::size_t kind = kind_of(layer, index);
    if (kind != open_kind_) flush();
    open_kind_ = kind;
    open_times_ += times;
  }
  /// What was added last waits for more of its kind until this is called.
  void flush() {
    if (open_times_ == 0) return;
    const Kind& kind = kinds_[open_kind_];
    tally_.add(kind.batch, large_of(kind), open_times_);
    open_times_ = 0;
  }

 private:
  struct Kind {
    std::size_t first = 0;  ///< in large_
    CachingAllocator::Batch batch;
  };
  struct Seen {
    const domain::Layer* layer = nullptr;
    std::uint64_t exceptions = 0;
    std::size_t kind = 0;
  };

  [[nodiscard]] std::span<const std::int64_t> large_of(const Kind& kind) const {
    return std::span(large_).subspan(kind.first, kind.batch.large);
  }

  std::size_t kind_of(const domain::Layer& layer, std::int64_t index) {
    const std::uint64_t exceptions = exceptions_of(model_, index);
    for (const Seen& seen : seen_) {
      if (seen.exceptions == exceptions && (seen.layer == &layer || *seen.layer == layer))
        return seen.kind;
    }
    bytes_.clear();
    std::optional<domain::Layer> changed;
    append_allocations(loaded_tensors(layer, model_, layout_, changed), model_, layout_, index,
                       false, bytes_);
    append_extras(layer, model_, layout_, bytes_);
    const CachingAllocator::Batch batch = tally_.batch_of(bytes_);
    const std::size_t kind = kind_of(batch, std::span(bytes_).first(batch.large));
    seen_.push_back({.layer = &layer, .exceptions = exceptions, .kind = kind});
    return kind;
  }
  std::size_t kind_of(const CachingAllocator::Batch& batch, std::span<const std::int64_t> large) {
    const auto same = std::ranges::find_if(kinds_, [&](const Kind& kind) {
      return kind.batch == batch && std::ranges::equal(large_of(kind), large);
    });
    const auto place = static_cast<std::size_t>(same - kinds_.begin());
    if (same == kinds_.end()) {
      kinds_.push_back({.first = large_.size(), .batch = batch});
      large_.insert(large_.end(), large.begin(), large.end());
    }
    return place;
  }

  const domain::Model& model_;
  const WeightsLayout& layout_;
  Tally& tally_;
  std::vector<Seen> seen_;
  std::vector<Kind> kinds_;
  std::vector<std::int64_t> bytes_;  ///< of one layer, for the moment
  std::vector<std::int64_t> large_;
  std::size_t open_kind_ = 0;
  std::int64_t open_times_ = 0;
};

bool has_kind(const domain::Model& model, domain::LayerKind kind) {
  return std::ranges::any_of(
      model.layers, [&](const domain::LayerRun& run) { return run.layer.attention.kind == kind; });
}

void add_rotary_tables(Tally& tally, const domain::Model& model, const WeightsLayout& layout,
                       const Stage& stage) {
  if (!layout.has_rotary_tables) return;
  const std::int64_t plain_bytes = std::max(layout.rotary_bytes, layout.dtype_bytes);
  // Latent attention keeps its table in 32 bits: DeepSeek-V2-Lite loads 29.43 GiB and Kimi-VL-A3B
  // 30.74 with such a table, 29.41 and 30.72 with half of it (0.19 series).
  const std::int64_t value_bytes = has_kind(model, domain::LayerKind::Latent)
                                       ? std::max(kScratchFloatBytes, plain_bytes)
                                       : plain_bytes;
  // One table for each distinct rope serves all layers of the stage.
  const auto values_of = [&](const domain::Rope& rope) {
    const std::int64_t rows = rope.has_sections ? layout.sectioned_rope_rows : 1;
    const std::int64_t positions = layout.longest_rotary > 0
                                       ? std::min(rope.positions, layout.longest_rotary)
                                       : rope.positions;
    return rows * positions * rope.rotary_dim;
  };
  // Compressed attention rotates its windows and its entries with bases of their own. Source: vLLM
  // vllm/models/deepseek_v4/common/rope.py.
  const std::int64_t tables = has_kind(model, domain::LayerKind::Compressed) ? 2 : 1;
  tally.add_rotary(tables * values_of(model.rope) * value_bytes);
  if (layout.has_rotary_of_each_layer) {
    for (std::int64_t further = 1; further < stage.layers; ++further)
      tally.add_rotary(values_of(model.rope) * value_bytes);
  }
  for (const domain::Rope& rope : model.further_ropes)
    tally.add_rotary(values_of(rope) * plain_bytes);
}

/// Calls `use` with the layer, its index and how many alike follow it, for all layers of a stage.
template <typename Use>
void for_each_kind(const domain::Model& model, const Stage& stage, const Use& use) {
  const std::int64_t stage_end = stage.first_layer + stage.layers;
  std::int64_t start = 0;
  for (const domain::LayerRun& run : model.layers) {
    const std::int64_t end = std::min(start + run.count, stage_end);
    std::int64_t layer = std::max(start, stage.first_layer);
    while (layer < end) {
      const std::int64_t same_end = std::min(domain::next_change(model, layer, end), end);
      use(run.layer, layer, same_end - layer);
      layer = same_end;
    }
    start += run.count;
  }
}

void add_layers(Tally& tally, const domain::Model& model, const WeightsLayout& layout,
                const Stage& stage) {
  LayerMemory memory(model, layout, tally);
  for_each_kind(model, stage,
                [&](const domain::Layer& layer, std::int64_t index, std::int64_t times) {
                  memory.add(layer, index, times);
                });
  memory.flush();
}

WeightsLayout without_room_behind_rows(WeightsLayout layout) {
  layout.row_bytes = 0;
  layout.expert_padding.row_bytes = 0;
  return layout;
}

/// Once all layers are loaded, rows are set apart, matrix by matrix. A new matrix often lies in the
/// room that another left, and what it leaves of that is lost to the driver. Source: vLLM
/// quantization/utils/fp8_utils.py (_maybe_pad_fp8_weight), fused_moe/
/// unquantized_fused_moe_method.py (_maybe_pad_weight): torch.nn.functional.pad, then
/// torch.cuda.empty_cache while the old matrix still stands. Ministral-3-14B in FP8 takes 17.60 GiB
/// of an MI300X, Qwen3-VL-30B-A3B 79.29 (0.14.1, https://github.com/ashishkamra/
/// vllm-memory-estimator): 15.3 and 63.5 without this.
void set_rows_apart(Tally& tally, const domain::Model& model, const WeightsLayout& layout,
                    const Stage& stage) {
  const WeightsLayout close = without_room_behind_rows(layout);
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  for_each_kind(
      model, stage, [&](const domain::Layer& layer, std::int64_t index, std::int64_t times) {
        std::optional<domain::Layer> changed;
        const std::vector<domain::Tensor> tensors = loaded_tensors(layer, model, layout, changed);
        before.clear();
        after.clear();
        append_allocations(tensors, model, close, index, false, before);
        append_allocations(tensors, model, layout, index, false, after);
        for (std::int64_t time = 0; time < times; ++time) {
          for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i] != after[i]) tally.widen(before[i], after[i]);
          }
        }
      });
}

/// Embedding and what belongs to it on the first stage, final norm and head on the last, unless the
/// engine's class holds them on every stage.
struct OuterTensors {
  std::vector<domain::Tensor> first;
  std::vector<domain::Tensor> last;
};

OuterTensors outer_tensors_of(const domain::Model& model, const WeightsLayout& layout,
                              const Stage& stage) {
  OuterTensors outer;
  const bool has_table = layout.has_embedding_on_every_stage ||
                         (model.tied_embeddings && stage.has_head && model.has_head);
  const bool has_head = stage.has_head || layout.has_head_on_every_stage;
  for (const domain::Tensor& tensor : domain::outer_tensors(model)) {
    const bool is_last =
        tensor.part == domain::TensorPart::Head || tensor.part == domain::TensorPart::Norm;
    if (is_last) {
      if (has_head) outer.last.push_back(tensor);
      continue;
    }
    const bool is_table = tensor.split == domain::Split::Vocabulary;
    if (stage.has_embedding || (is_table && has_table)) outer.first.push_back(tensor);
  }
  return outer;
}

void add_drafts(Tally& tally, const domain::Model& model, const WeightsLayout& layout) {
  const domain::MultiTokenPrediction& prediction = *model.multi_token_prediction;
  std::vector<std::int64_t> bytes;
  std::int64_t layer = 0;
  for (const domain::LayerRun& run : prediction.layers) {
    const std::vector<domain::Tensor> tensors = tensors_of(run.layer, model);
    for (std::int64_t i = 0; i < run.count; ++i) {
      append_allocations(tensors, model, layout, layer + i, true, bytes);
      append_extras(run.layer, model, layout, bytes);
    }
    layer += run.count;
  }
  for (const domain::ExtraTensor& extra : prediction.extra) {
    const std::int64_t columns = std::max<std::int64_t>(1, extra.columns);
    bytes.push_back(extra.rows * columns * layout.dtype_bytes);
  }
  tally.add(bytes);
}

// Every stage has towers, though the first one alone encodes for requests. Source: vLLM
// model_executor/models (qwen2_5_vl.py, kimi_k25.py …) and SGLang's models make them on all ranks.
void add_towers(Tally& tally, const domain::Model& model, const WeightsLayout& layout) {
  if (!layout.loads_towers) return;
  for (const domain::Tower& tower : model.towers) {
    TowerAllocations allocations = tower_allocations(tower, model, layout);
    tally.add(allocations.layer, allocations.layers);
    tally.add(allocations.rest);
  }
}

void add_all_but_towers(Tally& tally, const domain::Model& model, const WeightsLayout& layout,
                        const Stage& stage) {
  std::vector<std::int64_t> bytes;
  bytes.reserve(kUsualAllocations);
  const auto add_outer = [&](const std::vector<domain::Tensor>& tensors) {
    bytes.clear();
    append_allocations(tensors, model, layout, domain::kOutsideLayers, false, bytes);
    tally.add(bytes);
  };
  if (stage.has_embedding && layout.is_as_stored) {
    tally.add_unnamed(beyond_architecture(model, layout.loads_drafts).count() /
                      layout.tensor_parallel);
  }
  const OuterTensors outer = outer_tensors_of(model, layout, stage);
  add_outer(outer.first);
  add_rotary_tables(tally, model, layout, stage);
  const bool sets_apart = layout.row_bytes > 0 || layout.expert_padding.row_bytes > 0;
  add_layers(tally, model, sets_apart ? without_room_behind_rows(layout) : layout, stage);
  add_outer(outer.last);
  const std::int64_t table_bytes = padded_vocabulary(model, layout) *
                                   domain::embedding_columns(model) * layout.dtype_bytes /
                                   layout.tensor_parallel;
  if (layout.has_unused_head && stage.has_head) {
    bytes = {table_bytes};
    tally.add(bytes);
  }
  if (layout.has_second_table && stage.has_embedding) {
    bytes = {table_bytes};
    tally.add(bytes);
  }
  if (layout.loads_drafts && stage.has_head && model.multi_token_prediction)
    add_drafts(tally, model, layout);
  if (sets_apart) set_rows_apart(tally, model, layout, stage);
}

}  // namespace

std::int64_t padded_vocabulary(const domain::Model& model, const WeightsLayout& layout) {
  return divide_up(model.vocabulary, layout.vocabulary_unit) * layout.vocabulary_unit;
}

std::int64_t kv_heads_on_rank(const domain::Attention& attention, std::int64_t tensor_parallel) {
  return std::max<std::int64_t>(1, attention.kv_heads / tensor_parallel);
}

LoadedWeights load_weights(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage) {
  Tally tally(layout, Tally::Asks::Allocator);
  add_towers(tally, model, layout);
  const LoadedWeights towers = tally.loaded();
  add_all_but_towers(tally, model, layout, stage);
  LoadedWeights loaded = tally.loaded();
  loaded.towers = {
      .tensors = towers.tensors, .allocated = towers.allocated, .reserved = towers.reserved};
  return loaded;
}

Bytes held_weights(const domain::Model& model, const WeightsLayout& layout, const Stage& stage) {
  Tally tally(layout, Tally::Asks::Nobody);
  add_towers(tally, model, layout);
  add_all_but_towers(tally, model, layout, stage);
  return tally.held();
}

}  // namespace gpushape::estimate
