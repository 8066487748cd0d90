// The graph of one step as ggml builds it, as far as memory goes: which tensors there are, in which
// order they are computed, and what each is computed from. How large they are follows the step
// (extent.hpp), so that a graph is drawn once for steps of every size.
//
// Tensors of a graph are a number each. Weights and caches are external: they have their own
// buffers. A view has no memory of its own and keeps that of its root alive. Everything else gets
// memory from the allocator of its device (graph_memory.hpp). Source: llama.cpp ggml/src/ggml.c
// (ggml_visit_parents_graph, ggml_build_forward_expand).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "estimate/ggml/extent.hpp"

namespace gpushape::estimate::ggml {

using Shape = std::array<Extent, 4>;
using Id = std::int32_t;
inline constexpr Id kNoTensor = -1;

enum class Kind : std::uint8_t {
  External,  ///< a weight or a cache, in a buffer of the device that computes
  Weight,    ///< in a buffer of the host, for a device that computes: it has a copy for a while
  Cache,     ///< so, too
  Input,     ///< written by the host before the step
  Computed,
  InPlace,  ///< computed; takes over the memory of a source that nobody else needs
  View,
  Write  ///< into a cache
};

constexpr bool has_own_buffer(Kind kind) {
  return kind == Kind::External || kind == Kind::Weight || kind == Kind::Cache;
}

constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kLong = 8;

struct Tensor {
  static constexpr std::size_t kMostSources = 6;
  Kind kind = Kind::Computed;
  bool is_contiguous = true;
  std::int16_t device = 0;
  std::int8_t source_count = 0;
  Id root = kNoTensor;  ///< of a view or a write
  std::array<Id, kMostSources> sources = {};
  Shape shape = {};
  std::int64_t value_bytes = kFloat;

  [[nodiscard]] Extent bytes() const {
    return shape[0] * shape[1] * shape[2] * shape[3] * value_bytes;
  }
};

/// Of a file: how many values a matrix has, and its bytes.
struct StoredWeight {
  std::int64_t values = 0;
  std::int64_t bytes = 0;
};

class Graph {
 public:
  /// The host's own device is the last one: `devices` counts it, too.
  explicit Graph(int devices);

  [[nodiscard]] int devices() const { return devices_; }
  [[nodiscard]] int host() const { return devices_ - 1; }
  /// Where tensors that are made from now on are computed.
  void place_on(int device) { device_ = device; }
  [[nodiscard]] int place() const { return device_; }
  /// Weights and caches from now on lie with the host, these among them; nullptr: not. They must
  /// outlive the drawing.
  void keep_away(const std::vector<StoredWeight>* weights) { away_ = weights; }
  [[nodiscard]] bool is_away() const { return away_ != nullptr; }

  /// A weight or a cache. None has memory here, so that one stands for all.
  Id external();
  /// A weight of `values`, where it lies; of matrices with as many the largest.
  Id weight(const Extent& values);
  /// A cache of `bytes`, where it lies.
  Id cache(const Extent& bytes);
  Id input(const Shape& shape, std::int64_t value_bytes);
  Id compute(const Shape& shape, std::initializer_list<Id> sources, std::int64_t bytes = kFloat);
  /// Of the shape of its first source.
  Id in_place(std::initializer_list<Id> sources);
  Id view(Id source, const Shape& shape, bool is_contiguous = true);
  Id reshape(Id source, const Shape& shape) { return view(source, shape); }
  Id write(Id cache, Id values, Id rows);

  /// Appends what `tensor` is computed from and the tensor itself, as far as they are not there.
  void expand(Id tensor);

  // By value: tensors move when the graph grows, and nobody outside may hold on to one.
  [[nodiscard]] Shape shape(Id id) const { return at(id).shape; }
  [[nodiscard]] bool is_contiguous(Id id) const { return at(id).is_contiguous; }
  [[nodiscard]] std::size_t size() const { return tensors_.size(); }
  /// Leaves none behind.
  [[nodiscard]] std::vector<Tensor> take_tensors() { return std::move(tensors_); }
  /// In the order of computation; inputs apart.
  [[nodiscard]] const std::vector<Id>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Id>& inputs() const { return inputs_; }

 private:
  Id stored(Kind kind, const Extent& bytes);
  Id add(Tensor tensor, std::initializer_list<Id> sources);
  [[nodiscard]] const Tensor& at(Id id) const { return tensors_[static_cast<std::size_t>(id)]; }

  int devices_;
  int device_ = 0;
  const std::vector<StoredWeight>* away_ = nullptr;
  Id external_ = kNoTensor;
  std::vector<Tensor> tensors_;
  std::vector<bool> is_visited_;
  std::vector<std::pair<Id, std::int8_t>> path_;  ///< of `expand`, kept for the next one
  std::vector<Id> nodes_;
  std::vector<Id> inputs_;
};

}  // namespace gpushape::estimate::ggml
