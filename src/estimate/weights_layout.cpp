#include "estimate/weights_layout.hpp"

#include <algorithm>
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
#include "estimate/weights_tally.hpp"

namespace gpushape::estimate {
namespace {

constexpr std::int64_t kScratchFloatBytes = 4;
constexpr std::size_t kUsualAllocations = 64;  ///< of a layer, at most, of most models
constexpr std::size_t kUsualKinds = 4;         ///< of layers

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
  LayerMemory(const domain::Model& model, const Layouts& layouts, WeightsTally& tally)
      : model_(model), layouts_(layouts), tally_(tally) {
    allocations_.bytes.reserve(kUsualAllocations);
    large_.reserve(kUsualAllocations);
    seen_.reserve(kUsualKinds);
    kinds_.reserve(kUsualKinds);
  }

  void add(const domain::Layer& layer, std::int64_t index, std::int64_t times) {
    const Seen& seen = seen_of(layer, index);
    if (seen.kind != open_kind_) flush();
    open_kind_ = seen.kind;
    open_times_ += times;
    tally_.add_once(seen.once * times);
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
    std::int64_t once = 0;
  };

  [[nodiscard]] std::span<const std::int64_t> large_of(const Kind& kind) const {
    return std::span(large_).subspan(kind.first, kind.batch.large);
  }

  const Seen& seen_of(const domain::Layer& layer, std::int64_t index) {
    const std::uint64_t exceptions = exceptions_of(model_, index);
    for (const Seen& seen : seen_) {
      if (seen.exceptions == exceptions && (seen.layer == &layer || *seen.layer == layer))
        return seen;
    }
    allocations_.clear();
    std::optional<domain::Layer> changed;
    append_allocations(loaded_tensors(layer, model_, layouts_.rank, changed), model_, layouts_,
                       index, false, allocations_);
    append_extras(layer, model_, layouts_, allocations_);
    const std::span<std::int64_t> bytes = allocations_.bytes;
    const CachingAllocator::Batch batch = CachingAllocator::batch_of(bytes);
    seen_.push_back({.layer = &layer,
                     .exceptions = exceptions,
                     .kind = kind_of(batch, bytes.first(batch.large)),
                     .once = allocations_.once});
    return seen_.back();
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
  const Layouts& layouts_;
  WeightsTally& tally_;
  std::vector<Seen> seen_;
  std::vector<Kind> kinds_;
  Allocations allocations_;  ///< of one layer, for the moment
  std::vector<std::int64_t> large_;
  std::size_t open_kind_ = 0;
  std::int64_t open_times_ = 0;
};

bool has_kind(const domain::Model& model, domain::LayerKind kind) {
  return std::ranges::any_of(
      model.layers, [&](const domain::LayerRun& run) { return run.layer.attention.kind == kind; });
}

void add_rotary_tables(WeightsTally& tally, const domain::Model& model, const WeightsLayout& layout,
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
  const auto add = [&](std::int64_t bytes, bool is_own) {
    tally.add_rotary(bytes);
    if (is_own) tally.add_once(bytes);
  };
  const bool is_first = stage.first_layer == 0;
  const std::int64_t bytes = values_of(model.rope) * value_bytes;
  add(tables * bytes, is_first || layout.has_rotary_of_each_layer);
  if (layout.has_rotary_of_each_layer) {
    for (std::int64_t further = 1; further < stage.layers; ++further) add(bytes, true);
  }
  for (const domain::Rope& rope : model.further_ropes) add(values_of(rope) * plain_bytes, is_first);
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

void add_layers(WeightsTally& tally, const domain::Model& model, const Layouts& layouts,
                const Stage& stage) {
  LayerMemory memory(model, layouts, tally);
  for_each_kind(model, stage,
                [&](const domain::Layer& layer, std::int64_t index, std::int64_t times) {
                  memory.add(layer, index, times);
                });
  memory.flush();
}

Layouts without_room_behind_rows(WeightsLayout layout) {
  layout.row_bytes = 0;
  layout.expert_padding.row_bytes = 0;
  return Layouts(layout);
}

/// Once all layers are loaded, rows are set apart, matrix by matrix. A new matrix often lies in the
/// room that another left, and what it leaves of that is lost to the driver. Source: vLLM
/// quantization/utils/fp8_utils.py (_maybe_pad_fp8_weight), fused_moe/
/// unquantized_fused_moe_method.py (_maybe_pad_weight): torch.nn.functional.pad, then
/// torch.cuda.empty_cache while the old matrix still stands. Ministral-3-14B in FP8 takes 17.60 GiB
/// of an MI300X, Qwen3-VL-30B-A3B 79.29 (0.14.1, https://github.com/ashishkamra/
/// vllm-memory-estimator): 15.3 and 63.5 without this.
void set_rows_apart(WeightsTally& tally, const domain::Model& model, const Layouts& layouts,
                    const Stage& stage) {
  const Layouts close = without_room_behind_rows(layouts.rank);
  Allocations before;
  Allocations after;
  for_each_kind(model, stage,
                [&](const domain::Layer& layer, std::int64_t index, std::int64_t times) {
                  std::optional<domain::Layer> changed;
                  const auto tensors = loaded_tensors(layer, model, layouts.rank, changed);
                  before.clear();
                  after.clear();
                  append_allocations(tensors, model, close, index, false, before);
                  append_allocations(tensors, model, layouts, index, false, after);
                  tally.add_once((after.once - before.once) * times);
                  for (std::int64_t time = 0; time < times; ++time) {
                    for (std::size_t i = 0; i < before.bytes.size(); ++i) {
                      if (before.bytes[i] != after.bytes[i])
                        tally.widen(before.bytes[i], after.bytes[i]);
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

void add_drafts(WeightsTally& tally, const domain::Model& model, const Layouts& layouts) {
  const domain::MultiTokenPrediction& prediction = *model.multi_token_prediction;
  Allocations allocations;
  std::int64_t layer = 0;
  for (const domain::LayerRun& run : prediction.layers) {
    const std::vector<domain::Tensor> tensors = tensors_of(run.layer, model);
    for (std::int64_t i = 0; i < run.count; ++i) {
      append_allocations(tensors, model, layouts, layer + i, true, allocations);
      append_extras(run.layer, model, layouts, allocations);
    }
    layer += run.count;
  }
  for (const domain::ExtraTensor& extra : prediction.extra) {
    const std::int64_t columns = std::max<std::int64_t>(1, extra.columns);
    const std::int64_t bytes = extra.rows * columns * layouts.rank.dtype_bytes;
    allocations.bytes.push_back(bytes);
    allocations.once += bytes;
  }
  tally.add(allocations.bytes);
  tally.add_once(allocations.once);
}

// Every stage has towers, though the first one alone encodes for requests. Source: vLLM
// model_executor/models (qwen2_5_vl.py, kimi_k25.py …) and SGLang's models make them on all ranks.
void add_towers(WeightsTally& tally, const domain::Model& model, const Layouts& layouts,
                const Stage& stage) {
  if (!layouts.rank.loads_towers && !layouts.rank.holds_unused_towers) return;
  for (const domain::Tower& tower : model.towers) {
    TowerAllocations allocations = tower_allocations(tower, model, layouts.rank);
    if (stage.first_layer == 0) {
      tally.add_once(layouts.is_dealt_out ? tower_allocations(tower, model, layouts.alone).bytes()
                                          : allocations.bytes());
    }
    tally.add(allocations.layer, allocations.layers);
    tally.add(allocations.rest);
  }
}

void add_all_but_towers(WeightsTally& tally, const domain::Model& model, const Layouts& layouts,
                        const Stage& stage) {
  const WeightsLayout& layout = layouts.rank;
  Allocations allocations;
  const auto add_outer = [&](const std::vector<domain::Tensor>& tensors, bool is_own) {
    allocations.clear();
    append_allocations(tensors, model, layouts, domain::kOutsideLayers, false, allocations);
    tally.add(allocations.bytes);
    if (is_own) tally.add_once(allocations.once);
  };
  const auto add_table = [&] {
    const std::int64_t bytes =
        padded_vocabulary(model, layout) * domain::embedding_columns(model) * layout.dtype_bytes;
    allocations.bytes = {bytes / layout.tensor_parallel};
    tally.add(allocations.bytes);
    tally.add_once(bytes);
  };
  if (stage.has_embedding && layout.is_as_stored) {
    const std::int64_t bytes = beyond_architecture(model, layout.loads_drafts).count();
    tally.add_unnamed(bytes / layout.tensor_parallel);
    tally.add_once(bytes);
  }
  const OuterTensors outer = outer_tensors_of(model, layout, stage);
  add_outer(outer.first, stage.has_embedding);
  add_rotary_tables(tally, model, layout, stage);
  const bool sets_apart = layout.row_bytes > 0 || layout.expert_padding.row_bytes > 0;
  if (sets_apart) {
    add_layers(tally, model, without_room_behind_rows(layout), stage);
  } else {
    add_layers(tally, model, layouts, stage);
  }
  add_outer(outer.last, stage.has_head);
  if (layout.has_unused_head && stage.has_head) add_table();
  if (layout.has_second_table && stage.has_embedding) add_table();
  if (layout.loads_drafts && stage.has_head && model.multi_token_prediction)
    add_drafts(tally, model, layouts);
  if (sets_apart) set_rows_apart(tally, model, layouts, stage);
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
  const Layouts layouts(layout);
  WeightsTally tally(layout);
  add_towers(tally, model, layouts, stage);
  const LoadedWeights towers = tally.loaded();
  add_all_but_towers(tally, model, layouts, stage);
  LoadedWeights loaded = tally.loaded();
  loaded.towers = {
      .tensors = towers.tensors, .allocated = towers.allocated, .reserved = towers.reserved};
  return loaded;
}

}  // namespace gpushape::estimate
