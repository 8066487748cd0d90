// What llama.cpp allocates on each GPU and on the host for a model, its context and its slots.
//
// The order: model buffers, the cache of keys and values (windows apart), recurrent states, and the
// compute buffers that its planner finds by laying out the largest graph (graph_memory.hpp).
// Source: llama.cpp src/llama-model.cpp (load_tensors, create_memory), src/llama-kv-cache.cpp,
// src/llama-kv-cache-iswa.cpp, src/llama-memory-recurrent.cpp, src/llama-context.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "domain/model.hpp"
#include "estimate/ggml/file_weights.hpp"
#include "estimate/ggml/graph_memory.hpp"
#include "estimate/ggml/step_graph.hpp"

namespace gpushape::estimate::ggml {

/// What the slots are asked to hold.
struct SlotLoad {
  std::int64_t context = 0;  ///< tokens of a slot
  std::int64_t slots = 1;
  bool is_shared = false;  ///< slots share one cache of `context` cells

  bool operator==(const SlotLoad&) const = default;
};

/// Decided: which file, where its layers lie, how it is built.
struct Offload {
  std::optional<domain::Quantization> mix;  ///< empty: as the file's header says
  std::int64_t gpus = 0;                    ///< 0: everything stays with the host
  std::int64_t gpu_layers = 0;              ///< of the layers and the head, the last ones
  bool is_head_first = true;                ///< or the head after all layers only
  std::int64_t micro_batch = 512;
  std::int64_t context_unit = 256;  ///< cells come in multiples of it
  std::int64_t window_unit = 256;
  /// Tokens of a slot whose logits a step has room for; 0: all of its tokens.
  std::int64_t outputs_of_slot = 0;
  bool has_window_cache = true;      ///< layers with a window keep it alone
  bool encoders_keep_cells = false;  ///< which nobody reads
  bool keeps_tied_head = false;      ///< with the host: no device has a copy of its own
  std::int64_t copies = 1;           ///< of what passes between GPUs
  std::int64_t state_copies = 1;     ///< more where drafted tokens may be taken back
  domain::KvCacheType key_type = domain::KvCacheType::Fp16;
  domain::KvCacheType value_type = domain::KvCacheType::Fp16;
  BuildHabits habits;

  bool operator==(const Offload&) const = default;
};

/// Layers that mix a few tokens by a convolution alone, as LFM2's.
bool has_short_convolutions(const domain::Model& model);

/// Bytes of one device.
struct DeviceNeeds {
  std::int64_t layers = 0;
  std::int64_t first_layer = 0;
  bool has_head = false;
  std::int64_t weights = 0;
  std::int64_t cache = 0;
  std::int64_t window_cache = 0;  ///< of `cache`: layers that keep a window
  std::int64_t state = 0;
  std::int64_t compute = 0;
  std::int64_t token_bytes = 0;  ///< of cache, for one more token while no window is full
};

struct Needs {
  std::vector<DeviceNeeds> devices;  ///< GPUs in their order, the host last
  std::int64_t weights = 0;          ///< of all, each tensor once
  std::int64_t cells = 0;            ///< of the cache, all slots together
  std::int64_t window_cells = 0;     ///< of layers that keep a window, one slot
};

/// A model on the devices of one offload: weights and graph are found once, and every load asks for
/// the rest.
class OffloadedModel {
 public:
  /// Keeps the graph, not the model.
  OffloadedModel(const domain::Model& model, const Offload& offload, const FileWeights& weights);

  [[nodiscard]] Needs needs_of(const SlotLoad& load);

 private:
  /// Layers of one device whose caches have as many cells.
  struct Cells {
    std::size_t device = 0;
    std::int64_t window_tokens = 0;  ///< 0: as many as the context
    std::int64_t token_bytes = 0;
  };
  void place_weights(const FileWeights& weights, const std::vector<int>& places);
  void place_caches(const domain::Model& model, const std::vector<int>& places);
  void add_cells(const Cells& cells);
  [[nodiscard]] std::int64_t cells_of(const SlotLoad& load) const;
  [[nodiscard]] std::int64_t window_cells_of(std::int64_t window, const SlotLoad& load) const;
  [[nodiscard]] StepSizes step_of(const SlotLoad& load, const Needs& needs) const;

  Offload offload_;
  Needs still_;  ///< what no load changes
  std::vector<Cells> cells_;
  std::vector<std::int64_t> state_bytes_;  ///< of one slot, by device
  std::int64_t window_tokens_ = 0;         ///< of the last layers that keep a window
  GraphMemory graph_;
};

Needs needs_of(const domain::Model& model, const Offload& offload, const SlotLoad& load);

/// What was planned before. Needs follow from model, offload and load alone, so that the GPUs of a
/// sweep share them.
class PlannedNeeds {
 public:
  std::shared_ptr<const Needs> of(const domain::Model& model, const Offload& offload,
                                  const SlotLoad& load);

 private:
  struct Planned {
    const domain::Model* model = nullptr;
    Offload offload;
    OffloadedModel offloaded;
    SlotLoad load;  ///< the latest
    std::shared_ptr<const Needs> needs;
  };
  struct Counted {
    const domain::Model* model = nullptr;
    std::optional<domain::Quantization> mix;
    bool pads_rows = false;
    FileWeights weights;
  };
  Planned& planned_for(const domain::Model& model, const Offload& offload);
  const FileWeights& weights_of(const domain::Model& model, const Offload& offload);

  std::vector<std::unique_ptr<Planned>> planned_;  ///< the latest last
  std::vector<Counted> counted_;
};

}  // namespace gpushape::estimate::ggml
