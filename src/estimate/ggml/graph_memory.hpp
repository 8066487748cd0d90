// The compute buffers that a graph needs, one a device, to the byte: the scheduler's splits and
// copies between devices, and the allocator that gives freed memory to later tensors.
//
// Source: llama.cpp ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl, ggml_dyn_tallocr) and
// ggml/src/ggml-backend.cpp (ggml_backend_sched_split_graph).
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {

/// Offsets of tensors are multiples of it. Source: TENSOR_ALIGNMENT in ggml-impl.h; ggml-cuda.cu.
inline constexpr std::int64_t kHostAlignment = 32;
inline constexpr std::int64_t kDeviceAlignment = 128;

/// Bytes of each device's buffer, the host's last. `copies`: of every tensor that passes between
/// devices; more than one where several steps are on their way at once.
std::vector<std::int64_t> buffer_bytes(Graph graph, int copies);

}  // namespace gpushape::estimate::ggml
