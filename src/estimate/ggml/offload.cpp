#include "estimate/ggml/offload.hpp"

#include <algorithm>
#include <ranges>

#include "estimate/division.hpp"
#include "estimate/ggml/encoder_graph.hpp"
#include "estimate/ggml/file_weights.hpp"
#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {
namespace {

std::int64_t padded_window(std::int64_t count, std::int64_t unit) {
  return unit > 1 ? divide_up(count, unit) * unit : count;
}

std::int64_t layer_total(const domain::Model& model) {
  std::int64_t sum = 0;
  for (const domain::LayerRun& run : model.layers) sum += run.count;
  return sum;
}

/// Device of each layer and of the head: the last `gpu_layers` of them, dealt out evenly. Where the
/// head does not come first, it is left to the host as long as there are not more than layers.
std::vector<int> placed_layers(std::int64_t layers, const Offload& offload) {
  const auto host = static_cast<int>(offload.gpus);
  const std::int64_t on_gpus = std::min(offload.gpu_layers, layers + 1);
  const bool is_head_left = !offload.is_head_first && on_gpus <= layers;
  const std::int64_t end = is_head_left ? layers : layers + 1;
  const std::int64_t first = end - on_gpus;
  std::vector<int> devices;
  for (std::int64_t layer = 0; layer <= layers; ++layer) {
    if (offload.gpus == 0 || layer < first || layer >= end) {
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

bool keeps_cells(const domain::Attention& attention, bool is_of_encoder) {
  return !attention.shares_cache && attention.kv_heads > 0 &&
         (attention.kind != domain::LayerKind::None || is_of_encoder) &&
         attention.kind != domain::LayerKind::Recurrent;
}

std::int64_t streams_of(const SlotLoad& load) { return load.is_shared ? 1 : load.slots; }

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
    case RecurrentKind::Rwkv:
      return 2 * mixer.inner + values * mixer.value_dim;
    case RecurrentKind::Griffin:
      return kept * mixer.inner + mixer.inner;
  }
  return 0;
}

bool keeps_nothing(const domain::Model& model, const Offload& offload) {
  if (is_encoder(model)) return !offload.encoders_keep_cells;
  return !model.has_head && !model.has_final_norm;
}

/// A step's graph, for steps of every size.
Graph graph_of(const domain::Model& model, const Offload& offload, const FileWeights& weights,
               const std::vector<int>& places) {
  const bool is_shared = offload.gpus > 0 && places.front() == static_cast<int>(offload.gpus);
  return step_graph(
      model, {.habits = offload.habits,
              .key_type = offload.key_type,
              .value_type = offload.value_type,
              .device_of_layer = places,
              .devices = static_cast<int>(offload.gpus) + 1,
              .weights_of_layer = is_shared ? weights.matrices : decltype(weights.matrices)()});
}

std::vector<int> places_in(const domain::Model& model, const Offload& offload) {
  return placed_layers(layer_total(model), offload);
}

}  // namespace

bool has_short_convolutions(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    return run.layer.recurrent && run.layer.recurrent->kind == domain::RecurrentKind::ShortConv;
  });
}

OffloadedModel::OffloadedModel(const domain::Model& model, const Offload& offload,
                               const FileWeights& weights)
    : offload_(offload),
      state_bytes_(static_cast<std::size_t>(offload.gpus) + 1),
      graph_(graph_of(model, offload, weights, places_in(model, offload)),
             static_cast<int>(offload.copies)) {
  still_.devices.resize(static_cast<std::size_t>(offload.gpus) + 1);
  const std::vector<int> places = places_in(model, offload);
  place_weights(weights, places);
  if (!keeps_nothing(model, offload)) place_caches(model, places);
}

void OffloadedModel::place_weights(const FileWeights& weights, const std::vector<int>& places) {
  const auto is_host = [&](int device) { return device == static_cast<int>(offload_.gpus); };
  const auto bytes_on = [&](int device, const HeldBytes& bytes) {
    return is_host(device) ? bytes.host : bytes.device;
  };
  const auto at = [&](int device) -> DeviceNeeds& {
    return still_.devices[static_cast<std::size_t>(device)];
  };
  still_.weights = weights.file_bytes();
  still_.devices.back().weights += weights.embedding.host + weights.other.host;
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    DeviceNeeds& here = at(places[i]);
    if (here.layers++ == 0) here.first_layer = static_cast<std::int64_t>(i);
    here.weights += bytes_on(places[i], weights.layers[i]);
  }
  DeviceNeeds& last = at(places.back());
  last.has_head = true;
  last.weights += bytes_on(places.back(), weights.behind);
  if (!is_host(places.back()) && !offload_.keeps_tied_head)
    last.weights += weights.tied_head.device;
}

void OffloadedModel::place_caches(const domain::Model& model, const std::vector<int>& places) {
  const bool encodes = is_encoder(model);
  std::size_t index = 0;
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    const bool is_window = keeps_window(attention, offload_);
    const std::int64_t window = is_window ? attention.window_tokens : 0;
    if (is_window && !attention.shares_cache) window_tokens_ = window;
    const std::int64_t bytes =
        keeps_cells(attention, encodes) ? token_bytes(attention, offload_) : 0;
    const std::int64_t state =
        run.layer.recurrent ? state_values(*run.layer.recurrent) * kFloat * offload_.state_copies
                            : 0;
    for (std::int64_t i = 0; i < run.count; ++i) {
      const auto device = static_cast<std::size_t>(places[index++]);
      add_cells({.device = device, .window_tokens = window, .token_bytes = bytes});
      still_.devices[device].token_bytes += bytes;
      state_bytes_[device] += state;
    }
  }
}

void OffloadedModel::add_cells(const Cells& cells) {
  if (cells.token_bytes == 0) return;
  const auto known = std::ranges::find_if(cells_, [&](const Cells& one) {
    return one.device == cells.device && one.window_tokens == cells.window_tokens;
  });
  if (known == cells_.end()) {
    cells_.push_back(cells);
  } else {
    known->token_bytes += cells.token_bytes;
  }
}

/// Of the full cache, for one stream.
std::int64_t OffloadedModel::cells_of(const SlotLoad& load) const {
  return padded_window(load.context, offload_.context_unit);
}

std::int64_t OffloadedModel::window_cells_of(std::int64_t window, const SlotLoad& load) const {
  const std::int64_t sequences = load.is_shared ? load.slots : 1;
  const std::int64_t wanted = window * sequences + offload_.micro_batch;
  return padded_window(std::min(cells_of(load), wanted), offload_.window_unit);
}

StepSizes OffloadedModel::step_of(const SlotLoad& load, const Needs& needs) const {
  const std::int64_t cells = cells_of(load);
  const std::int64_t tokens = std::min(needs.cells, offload_.micro_batch);
  return {.tokens = padded_window(tokens, load.slots),
          .outputs = offload_.outputs_of_slot > 0
                         ? std::min(tokens, load.slots * offload_.outputs_of_slot)
                         : tokens,
          .cells = cells,
          .window_cells = needs.window_cells > 0 ? needs.window_cells : cells,
          .sequences = load.slots};
}

Needs OffloadedModel::needs_of(const SlotLoad& load) {
  Needs needs = still_;
  const std::int64_t streams = streams_of(load);
  const std::int64_t cells = cells_of(load);
  needs.cells = cells * streams;
  if (window_tokens_ > 0) needs.window_cells = window_cells_of(window_tokens_, load);
  for (const Cells& one : cells_) {
    const std::int64_t count =
        one.window_tokens > 0 ? window_cells_of(one.window_tokens, load) : cells;
    const std::int64_t bytes = one.token_bytes * count * streams;
    needs.devices[one.device].cache += bytes;
    if (one.window_tokens > 0) needs.devices[one.device].window_cache += bytes;
  }
  const std::vector<std::int64_t>& compute = graph_.buffer_bytes(step_of(load, needs));
  for (std::size_t i = 0; i < needs.devices.size(); ++i) {
    needs.devices[i].state = state_bytes_[i] * load.slots;
    needs.devices[i].compute = compute[i];
  }
  return needs;
}

Needs needs_of(const domain::Model& model, const Offload& offload, const SlotLoad& load) {
  const FileWeights weights = file_weights(model, offload.mix, offload.gpus > 0);
  return OffloadedModel(model, offload, weights).needs_of(load);
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

PlannedNeeds::Planned& PlannedNeeds::planned_for(const domain::Model& model,
                                                 const Offload& offload) {
  constexpr std::size_t kMostPlanned = 8;  // what one load's GPUs differ by
  for (const auto& one : std::views::reverse(planned_)) {
    if (one->model == &model && one->offload == offload) return *one;
  }
  if (planned_.size() == kMostPlanned) planned_.erase(planned_.begin());
  planned_.push_back(std::make_unique<Planned>(
      Planned{.model = &model,
              .offload = offload,
              .offloaded = OffloadedModel(model, offload, weights_of(model, offload)),
              .load = {},
              .needs = nullptr}));
  return *planned_.back();
}

std::shared_ptr<const Needs> PlannedNeeds::of(const domain::Model& model, const Offload& offload,
                                              const SlotLoad& load) {
  Planned& planned = planned_for(model, offload);
  if (planned.needs == nullptr || planned.load != load) {
    planned.needs = std::make_shared<const Needs>(planned.offloaded.needs_of(load));
    planned.load = load;
  }
  return planned.needs;
}

}  // namespace gpushape::estimate::ggml
