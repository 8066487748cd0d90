#include "estimate/cache_layout.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "estimate/compressed_groups.hpp"
#include "estimate/division.hpp"

namespace gpushape::estimate {
namespace {

/// Kinds of nearly equal count form groups of the larger count rather than many small ones.
constexpr double kNearlyEqual = 1.5;

/// Layers of a run that lie on the stage.
std::int64_t on_stage(const Stage& stage, std::int64_t start, std::int64_t count) {
  const std::int64_t first = std::max(start, stage.first_layer);
  const std::int64_t last = std::min(start + count, stage.first_layer + stage.layers);
  return std::max<std::int64_t>(0, last - first);
}

/// Encoders that are not asked for a next token keep nothing: they end with their last layer.
bool keeps_nothing(const domain::Model& model) { return !model.has_head && !model.has_final_norm; }

/// A window takes every token as long as it is not full; the states and windows of compressed
/// attention are full after a few.
std::int64_t token_bytes_of(const CacheSpec& spec) {
  const bool takes_tokens = !spec.is_state && !spec.is_of_encoder &&
                            (!spec.is_compressed || spec.held == layers::full_held_blocks);
  return takes_tokens ? spec.page_bytes / std::max<std::int64_t>(1, spec.block_tokens) : 0;
}

/// Gathers what layers keep, like with like.
class Collector {
 public:
  explicit Collector(const CacheGeometry& geometry) : geometry_(geometry) { specs_.reserve(8); }

  void add(const domain::Layer& layer, std::int64_t of_model, std::int64_t of_stage,
           bool is_of_draft = false) {
    specs_.clear();
    keep_layer(layer, geometry_, specs_);
    for (CacheSpec& spec : specs_) {
      spec.is_of_draft = is_of_draft && geometry_.has_drafts_apart;
      CacheKind& kind = kind_of(spec);
      kind.model_layers += of_model;
      kind.layers += of_stage;
    }
  }
  std::vector<CacheKind> take() { return std::move(kinds_); }

 private:
  CacheKind& kind_of(const CacheSpec& spec) {
    const auto same = std::ranges::find(kinds_, spec, &CacheKind::spec);
    if (same != kinds_.end()) return *same;
    kinds_.push_back({.spec = spec, .token_bytes = token_bytes_of(spec)});
    return kinds_.back();
  }

  const CacheGeometry& geometry_;
  std::vector<CacheSpec> specs_;
  std::vector<CacheKind> kinds_;
};

std::vector<CacheKind> collect(const domain::Model& model, const Stage& stage,
                               const CacheGeometry& geometry, const domain::Model* draft) {
  Collector collector(geometry);
  if (keeps_nothing(model) && !geometry.encoders_keep_tokens) return {};
  std::int64_t start = 0;
  for (const domain::LayerRun& run : model.layers) {
    collector.add(run.layer, run.count, on_stage(stage, start, run.count));
    start += run.count;
  }
  if (draft == nullptr && geometry.draft_tokens > 0 && model.multi_token_prediction) {
    // The last stage predicts further tokens.
    for (const domain::LayerRun& run : model.multi_token_prediction->layers)
      collector.add(run.layer, run.count, stage.has_head ? run.count : 0, true);
  }
  if (draft != nullptr) {
    for (const domain::LayerRun& run : draft->layers)
      collector.add(run.layer, run.count, stage.has_head ? run.count : 0, true);
  }
  return collector.take();
}

/// A block of attention grows until its page holds a state; then all pages are alike. Where states
/// are kept at every block's edge, a block is whole chunks of the recurrence. Source: vLLM
/// platforms/interface.py, _align_hybrid_block_size (before: models/config.py).
CacheGeometry grown_for_states(const domain::Model& model, CacheGeometry geometry) {
  std::int64_t state = 0;
  std::int64_t token = 0;
  std::int64_t chunk = 1;
  std::int64_t latent_unit = 1;
  bool is_latent = false;
  for (const domain::LayerRun& run : model.layers) {
    if (run.layer.recurrent) {
      const domain::Recurrent& recurrent = *run.layer.recurrent;
      state = std::max(state, layers::state_bytes(recurrent, geometry));
      if (layers::keeps_state_of_every_block(recurrent, geometry))
        chunk = layers::chunk_tokens(recurrent);
    }
    const domain::Attention& attention = run.layer.attention;
    if (token > 0 || attention.shares_cache) continue;
    is_latent = attention.kind == domain::LayerKind::Latent;
    if (is_latent) {
      token = layers::latent_token_bytes(attention, geometry);
      latent_unit = layers::latent_block_unit(attention, geometry);
    } else if (attention.kv_heads > 0 && attention.kind != domain::LayerKind::None &&
               attention.kind != domain::LayerKind::Recurrent) {
      token = geometry.has_indexer_tails ? layers::plain_token_bytes(attention, geometry)
                                         : layers::token_bytes(attention, geometry);
    }
  }
  geometry.keeps_state_of_every_block &= token > 0;
  if (state == 0 || token == 0 || geometry.is_one_table || geometry.lies_apart) return geometry;
  geometry.has_states = true;
  constexpr std::int64_t kMostChunked = 1'024;  // no kernel has larger blocks of its own
  const std::int64_t kernel = is_latent ? latent_unit : geometry.block_tokens;
  const std::int64_t unit = kernel <= kMostChunked ? std::lcm(chunk, kernel) : kernel;
  const std::int64_t block = unit * divide_up(state, unit * token);
  geometry.block_tokens = std::max(geometry.block_tokens, block);
  geometry.latent_block_tokens = is_latent ? geometry.block_tokens : 0;
  return geometry;
}

/// All kinds need the same number of blocks: they lie side by side in one group.
bool are_of_one_type(const std::vector<CacheKind>& kinds) {
  const CacheSpec& first = kinds.front().spec;
  return std::ranges::all_of(kinds, [&](const CacheKind& kind) {
    return kind.spec.held == first.held && kind.spec.block_tokens == first.block_tokens &&
           kind.spec.window_tokens == first.window_tokens;
  });
}

void put_into_one_group(CacheLayout& layout) {
  Bytes block;
  std::int64_t layers = 0;
  for (CacheKind& kind : layout.kinds) {
    block += Bytes(kind.spec.page_bytes) * kind.layers;
    layers += kind.layers;
    kind.groups = 0;
  }
  layout.kinds.front().groups = 1;
  layout.group_layers = layers;
  layout.block_bytes = block;
}

/// A block then stands for one of every kind that keeps tokens.
void keep_apart(CacheLayout& layout) {
  for (const CacheKind& kind : layout.kinds) {
    layout.group_layers += kind.layers;
    if (!kind.spec.is_state) layout.block_bytes += Bytes(kind.spec.page_bytes) * kind.layers;
  }
}

/// Makes a smaller page as large as the largest: more tokens to a block of attention, and what is
/// then missing is left empty. The page of a state is filled up.
void widen(CacheSpec& spec, std::int64_t page) {
  if (!spec.is_state && spec.page_bytes > 0) spec.block_tokens *= page / spec.page_bytes;
  spec.page_bytes = page;
}

/// States whose pages are as large are of one kind, whatever they hold.
void unite_states(std::vector<CacheKind>& kinds) {
  for (auto kind = kinds.begin(); kind != kinds.end();) {
    const auto same = std::find_if(kinds.begin(), kind, [&](const CacheKind& other) {
      return other.spec.is_state && other.spec == kind->spec;
    });
    if (!kind->spec.is_state || same == kind) {
      ++kind;
      continue;
    }
    same->model_layers += kind->model_layers;
    same->layers += kind->layers;
    kind = kinds.erase(kind);
  }
}

void put_into_groups(CacheLayout& layout) {
  const std::int64_t page = std::ranges::max_element(layout.kinds, {}, [](const CacheKind& kind) {
                              return kind.spec.page_bytes;
                            })->spec.page_bytes;
  for (CacheKind& kind : layout.kinds) widen(kind.spec, page);
  if (layout.geometry.has_indexer_tails) unite_states(layout.kinds);
  const auto [least, most] = std::ranges::minmax(layout.kinds, {}, &CacheKind::model_layers);
  const bool is_nearly_equal = static_cast<double>(most.model_layers) <
                               kNearlyEqual * static_cast<double>(least.model_layers);
  const std::int64_t size = is_nearly_equal ? most.model_layers : least.model_layers;
  for (CacheKind& kind : layout.kinds) {
    kind.groups = divide_up(kind.model_layers, size);
    // A kind's layers are dealt out to its groups in turn, so that stages have their share of each.
    layout.group_layers = std::max(layout.group_layers, divide_up(kind.layers, kind.groups));
  }
  layout.block_bytes = Bytes(page) * layout.group_layers;
}

}  // namespace

std::int64_t CacheLayout::groups() const {
  std::int64_t sum = 0;
  for (const CacheKind& kind : kinds) sum += kind.groups;
  return sum;
}

Bytes CacheLayout::request_bytes(std::int64_t tokens) const {
  if (!geometry.lies_apart) return block_bytes * (held_blocks(tokens) - held_state_blocks(tokens));
  Bytes sum;
  for (const CacheKind& kind : kinds) {
    if (kind.spec.is_state) continue;
    sum += Bytes(kind.spec.page_bytes) * kind.layers * kind.spec.held(kind.spec, geometry, tokens);
  }
  return sum;
}

Bytes CacheLayout::request_state_bytes(std::int64_t tokens) const {
  if (!geometry.lies_apart) return block_bytes * held_state_blocks(tokens);
  Bytes sum;
  for (const CacheKind& kind : kinds) {
    if (!kind.spec.is_state) continue;
    sum += Bytes(kind.spec.page_bytes) * kind.layers * kind.spec.held(kind.spec, geometry, tokens);
  }
  return sum;
}

std::int64_t CacheLayout::held_blocks(std::int64_t tokens) const {
  std::int64_t sum = 0;
  for (const CacheKind& kind : kinds)
    sum += kind.groups > 0 ? kind.groups * kind.spec.held(kind.spec, geometry, tokens) : 0;
  return sum;
}

std::int64_t CacheLayout::counted_blocks(std::int64_t tokens) const {
  if (kinds.empty() || kinds.front().counted_bytes == Bytes{}) return held_blocks(tokens);
  Bytes sum;
  for (const CacheKind& kind : kinds)
    sum += kind.counted_bytes * kind.spec.held(kind.spec, geometry, tokens);
  return divide_up(sum.count(), kinds.front().counted_bytes.count());
}

std::int64_t CacheLayout::held_state_blocks(std::int64_t tokens) const {
  std::int64_t sum = 0;
  for (const CacheKind& kind : kinds) {
    if (kind.spec.is_state && kind.groups > 0)
      sum += kind.groups * kind.spec.held(kind.spec, geometry, tokens);
  }
  return sum;
}

std::int64_t CacheLayout::least_block_tokens() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const CacheKind& kind : kinds) {
    if (!kind.spec.is_state) least = std::min(least, kind.spec.block_tokens);
  }
  return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

Bytes CacheLayout::bytes_per_token() const {
  Bytes sum;
  for (const CacheKind& kind : kinds) sum += Bytes(kind.token_bytes) * kind.layers;
  return sum / geometry.context_parallel;
}

CacheLayout lay_out_cache(const domain::Model& model, const Stage& stage,
                          const CacheGeometry& geometry, const domain::Model* draft) {
  CacheLayout layout;
  layout.geometry = grown_for_states(model, geometry);
  layout.kinds = collect(model, stage, layout.geometry, draft);
  if (layout.kinds.empty()) return layout;
  const bool is_compressed = std::ranges::any_of(
      layout.kinds, [](const CacheKind& kind) { return kind.spec.is_compressed; });
  if (geometry.lies_apart) {
    keep_apart(layout);
  } else if (layout.kinds.size() == 1 || are_of_one_type(layout.kinds) || geometry.is_one_table) {
    put_into_one_group(layout);
  } else if (is_compressed) {
    put_into_compressed_groups(layout);
  } else {
    put_into_groups(layout);
  }
  return layout;
}

PoolCount count_pool(const CacheLayout& layout, std::int64_t blocks, std::int64_t longest_request,
                     bool counts_requests) {
  PoolCount count;
  count.blocks = blocks;
  const std::int64_t held = layout.counted_blocks(longest_request);
  if (held <= 0) return count;
  count.requests = static_cast<double>(blocks) / static_cast<double>(held);
  // A block of states stands for the longest request. Source: vLLM config/cache.py,
  // mamba_block_size, which is max_model_len where none is given.
  const bool has_states =
      std::ranges::any_of(layout.kinds, [](const CacheKind& kind) { return kind.spec.is_state; });
  std::int64_t block_tokens = layout.least_block_tokens();
  if (block_tokens == 0 || (has_states && longest_request < block_tokens))
    block_tokens = longest_request;
  count.tokens =
      counts_requests
          ? static_cast<std::int64_t>(count.requests * static_cast<double>(longest_request))
          : blocks / layout.groups() * block_tokens * layout.geometry.context_parallel;
  return count;
}

}  // namespace gpushape::estimate
