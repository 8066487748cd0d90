// The order in which a graph's tensors are computed and move between devices, as llama.cpp's
// scheduler lays it down. Source: llama.cpp ggml/src/ggml-backend.cpp
// (ggml_backend_sched_split_graph).
#pragma once

#include <vector>

#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {

/// A node of the graph, or something that moves between devices.
struct Step {
  Id tensor = kNoTensor;
  bool holds_source = false;  ///< keeps `tensor` until its copy is made
  bool is_copy = false;       ///< `tensor` is the copy
};

/// The graph with the copies between its devices.
struct Schedule {
  int devices = 1;
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  std::vector<Id> first;  ///< laid out before everything else
  std::vector<bool> is_kept;
};

/// `copies`: of every tensor that passes between devices; more than one where several steps are on
/// their way at once.
Schedule scheduled(Graph graph, int copies);

}  // namespace gpushape::estimate::ggml
