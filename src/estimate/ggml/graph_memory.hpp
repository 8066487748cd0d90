// The compute buffers that a graph needs, one a device, to the byte: the allocator gives freed
// memory to later tensors. A graph is planned once, and asked for steps of many sizes.
//
// Source: llama.cpp ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl, ggml_dyn_tallocr).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/ggml/course.hpp"
#include "estimate/ggml/device_use.hpp"
#include "estimate/ggml/extent.hpp"
#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {

/// Offsets of tensors are multiples of it. Source: TENSOR_ALIGNMENT in ggml-impl.h; ggml-cuda.cu.
inline constexpr std::int64_t kHostAlignment = 32;
inline constexpr std::int64_t kDeviceAlignment = 128;

/// The memory of one device. What it was asked for before is found again without laying it out.
class DeviceMemory {
 public:
  DeviceMemory(DeviceUse use, std::int64_t alignment);

  [[nodiscard]] bool is_alike(const DeviceUse& use, std::int64_t alignment) const {
    return alignment == alignment_ && use == use_;
  }
  std::int64_t buffer_bytes(const StepLengths& lengths);

 private:
  void measure(const StepLengths& lengths);
  [[nodiscard]] std::int64_t lay_out() const;
  [[nodiscard]] Course charted() const;

  DeviceUse use_;
  std::int64_t alignment_;
  std::vector<std::int64_t> sizes_;  ///< of the step that is asked for
  bool was_asked_ = false;
  std::vector<Course> courses_;  ///< the one that held last at the end
};

class GraphMemory {
 public:
  /// `copies`: of every tensor that passes between devices; more than one where several steps are
  /// on their way at once.
  GraphMemory(Graph graph, int copies);

  /// Bytes of each device's buffer, the host's last. They stand until the next question.
  const std::vector<std::int64_t>& buffer_bytes(const StepSizes& sizes);

 private:
  std::vector<DeviceMemory> memories_;  ///< devices that do the same share one
  std::vector<std::size_t> memory_of_device_;
  std::vector<std::int64_t> asked_;  ///< of each memory
  std::vector<std::int64_t> bytes_;
};

}  // namespace gpushape::estimate::ggml
