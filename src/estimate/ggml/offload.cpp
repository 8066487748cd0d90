#include "estimate/ggml/offload.hpp"

#include <algorithm>

#include "estimate/division.hpp"
#include "estimate/ggml/file_weights.hpp"
#include "estimate/ggml/graph_memory.hpp"

namespace gpushape::estimate::ggml {
namespace {

using domain::KvCacheType;

std::int64_t padded_window(std::int64_t count, std::int64_t unit) {
  return unit > 1 ? divide_up(count, unit) * unit : count;
}

std::int64_t layer_total(const domain::Model& model) {
  std::int64_t sum = 0;
  for (const domain::LayerRun& run : model.layers) sum += run.count;
  return sum;
}

/// Device of each layer and of the head: the last `gpu_layers` of them, dealt out evenly.
std::vector<int> placed_layers(std::int64_t layers, const Offload& offload) {
  const auto host = static_cast<int>(offload.gpus);
  const std::int64_t on_gpus = std::min(offload.gpu_layers, layers + 1);
  const std::int64_t first = layers + 1 - on_gpus;
  std::vector<int> devices;
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    if (offload.gpus == 0 || layer < first) {
      devices.push_back(host);
    } else {
      devices.push_back(static_cast<int>((layer - first) * offload.gpus / on_gpus));
    }
  }
  return devices;
}

std::int64_t side_width(const domain::KvSide& side, std::int64_t width) {
  return domain::bytes_of(side, width);
}

/// Bytes that one layer keeps of a token.
std::int64_t token_bytes(const domain::Attention& attention, const Offload& offload) {
  const domain::KvSide key = domain::kv_cache_format(offload.key_type).key;
  const domain::KvSide value = domain::kv_cache_format(offload.value_type).value;
  if (attention.latent && offload.habits.is_latent_compressed) {
    std::int64_t bytes = side_width(key, attention.latent->kv_rank + attention.latent->rope_dim);
    if (attention.indexer && !attention.indexer->is_shared)
      bytes += side_width(key, attention.indexer->head_dim);
    return bytes;
  }
  return side_width(key, attention.kv_heads * attention.head_dim) +
         side_width(value, attention.kv_heads * attention.value_head_dim);
}

bool keeps_window(const domain::Attention& attention, const Offload& offload) {
  return attention.window_tokens > 0 && offload.has_window_cache;
}

std::int64_t window_cells_of(const domain::Attention& attention, const Offload& offload) {
  const std::int64_t sequences = offload.is_shared ? offload.slots : 1;
  const std::int64_t wanted = attention.window_tokens * sequences + offload.micro_batch;
  return padded_window(std::min(cells_of(offload), wanted), offload.window_unit);
}

std::int64_t streams_of(const Offload& offload) { return offload.is_shared ? 1 : offload.slots; }

/// Keys and values of one layer, all slots.
std::int64_t cache_bytes(const domain::Attention& attention, const Offload& offload) {
  if (attention.shares_cache || attention.kv_heads <= 0) return 0;
  const bool keeps_nothing =
      attention.kind == domain::LayerKind::None || attention.kind == domain::LayerKind::Recurrent;
  if (keeps_nothing) return 0;
  const std::int64_t cells =
      keeps_window(attention, offload) ? window_cells_of(attention, offload) : cells_of(offload);
  return token_bytes(attention, offload) * cells * streams_of(offload);
}

/// Values of one sequence's state: inputs of the convolution, and the state itself. Source:
/// llama-hparams.cpp, n_embd_r and n_embd_s; both are kept in 32 bits.
std::int64_t state_values(const domain::Recurrent& mixer) {
  using domain::RecurrentKind;
  const std::int64_t kept = std::max<std::int64_t>(0, mixer.convolution - 1);
  const std::int64_t keys = mixer.key_heads * mixer.key_dim;
  const std::int64_t values = mixer.value_heads * mixer.value_dim;
  switch (mixer.kind) {
    case RecurrentKind::GatedDelta:
      return kept * (2 * keys + values) + values * mixer.key_dim;
    case RecurrentKind::Kda:
      return 3 * kept * values + values * mixer.value_dim;
    case RecurrentKind::Mamba:
      return kept * mixer.inner + mixer.inner * mixer.state;
    case RecurrentKind::Mamba2:
      return kept * (values + 2 * mixer.groups * mixer.state) + values * mixer.state;
    case RecurrentKind::Lightning:
      return values * mixer.value_dim;
    case RecurrentKind::ShortConv:
      return kept * mixer.inner;
  }
  return 0;
}

bool keeps_nothing(const domain::Model& model) { return !model.has_head && !model.has_final_norm; }

class Planner {
 public:
  Planner(const domain::Model& model, const Offload& offload, const FileWeights& weights)
      : model_(model),
        offload_(offload),
        places_(placed_layers(layer_total(model), offload)),
        weights_(weights) {
    needs_.devices.resize(static_cast<std::size_t>(offload.gpus) + 1);
  }

  Needs run() {
    needs_.cells = cells_of(offload_) * streams_of(offload_);
    place_weights();
    place_caches();
    plan_graph();
    return std::move(needs_);
  }

 private:
  DeviceNeeds& device(int index) { return needs_.devices[static_cast<std::size_t>(index)]; }
  DeviceNeeds& host() { return needs_.devices.back(); }
  [[nodiscard]] bool is_host(int index) const { return index == static_cast<int>(offload_.gpus); }

  std::int64_t bytes_on(int index, const HeldBytes& bytes) const {
    return is_host(index) ? bytes.host : bytes.device;
  }

  void place_weights() {
    needs_.weights = weights_.file_bytes();
    host().weights += weights_.embedding.host + weights_.other.host;
    for (std::size_t i = 0; i < weights_.layers.size(); ++i) {
      DeviceNeeds& here = device(places_[i]);
      if (here.layers++ == 0) here.first_layer = static_cast<std::int64_t>(i);
      here.weights += bytes_on(places_[i], weights_.layers[i]);
    }
    DeviceNeeds& last = device(places_.back());
    last.has_head = true;
    last.weights += bytes_on(places_.back(), weights_.behind);
    if (!is_host(places_.back())) last.weights += weights_.tied_head.device;
  }

  void place_caches() {
    if (keeps_nothing(model_)) return;
    std::size_t index = 0;
    for (const domain::LayerRun& run : model_.layers) {
      const domain::Attention& attention = run.layer.attention;
      const std::int64_t cache = cache_bytes(attention, offload_);
      const std::int64_t state = run.layer.recurrent ? state_values(*run.layer.recurrent) * kFloat *
                                                           offload_.slots * offload_.state_copies
                                                     : 0;
      if (keeps_window(attention, offload_) && !attention.shares_cache)
        needs_.window_cells = window_cells_of(attention, offload_);
      for (std::int64_t i = 0; i < run.count; ++i) {
        DeviceNeeds& here = device(places_[index++]);
        here.cache += cache;
        here.state += state;
        if (cache > 0) here.token_bytes += token_bytes(attention, offload_);
      }
    }
  }

  void plan_graph() {
    DecoderGraph plan;
    plan.habits = offload_.habits;
    plan.key_type = offload_.key_type;
    plan.value_type = offload_.value_type;
    plan.device_of_layer = places_;
    plan.devices = static_cast<int>(offload_.gpus) + 1;
    StepSizes& sizes = plan.sizes;
    sizes.cells = cells_of(offload_);
    sizes.window_cells = needs_.window_cells > 0 ? needs_.window_cells : sizes.cells;
    sizes.streams = streams_of(offload_);
    sizes.sequences = offload_.slots;
    const std::int64_t tokens = std::min(needs_.cells, offload_.micro_batch);
    sizes.outputs = tokens;
    sizes.tokens = padded_window(tokens, offload_.slots);
    const auto bytes = buffer_bytes(decoder_graph(model_, plan), static_cast<int>(offload_.copies));
    for (std::size_t i = 0; i < bytes.size(); ++i) needs_.devices[i].compute = bytes[i];
  }

  const domain::Model& model_;
  const Offload& offload_;
  std::vector<int> places_;
  const FileWeights& weights_;
  Needs needs_;
};

}  // namespace

std::int64_t cells_of(const Offload& offload) {
  return padded_window(offload.context, offload.context_unit);
}

Needs needs_of(const domain::Model& model, const Offload& offload) {
  return Planner(model, offload, file_weights(model, offload.mix, offload.gpus > 0)).run();
}

const FileWeights& PlannedNeeds::weights_of(const domain::Model& model, const Offload& offload) {
  constexpr std::size_t kMostCounted = 64;
  const bool pads_rows = offload.gpus > 0;
  for (const Counted& one : counted_) {
    if (one.model == &model && one.mix == offload.mix && one.pads_rows == pads_rows)
      return one.weights;
  }
  if (counted_.size() == kMostCounted) counted_.clear();
  counted_.push_back({.model = &model,
                      .mix = offload.mix,
                      .pads_rows = pads_rows,
                      .weights = file_weights(model, offload.mix, pads_rows)});
  return counted_.back().weights;
}

std::shared_ptr<const Needs> PlannedNeeds::of(const domain::Model& model, const Offload& offload) {
  constexpr std::size_t kMostPlanned = 8;  // what one load's GPUs differ by
  for (auto one = planned_.rbegin(); one != planned_.rend(); ++one) {
    if (one->model == &model && one->offload == offload) return one->needs;
  }
  if (planned_.size() == kMostPlanned) planned_.erase(planned_.begin());
  auto needs =
      std::make_shared<const Needs>(Planner(model, offload, weights_of(model, offload)).run());
  planned_.push_back({.model = &model, .offload = offload, .needs = needs});
  return needs;
}

}  // namespace gpushape::estimate::ggml
