// Weights of llama.cpp on Apple's GPUs, which share the host's memory: the file is mapped, and the
// GPU's buffer is all of it between the first and the last tensor that the GPU reads. Source:
// llama.cpp src/llama-model.cpp (load_tensors: buffer_from_host_ptr, get_mapping_range).
#pragma once

#include "calibrate/engine_start.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/range.hpp"

namespace gpushape::calibrate {

/// What is printed of `weights`, the tensors that the GPU reads. Files that quantize has written
/// have the head first, files as they were converted may have the embedding first: with every layer
/// on the GPU it is the whole file, or the file without what stands before the first layer.
domain::Range as_mapped(domain::Range weights, const EngineStart& start, const domain::Model& model,
                        const domain::Estimate& estimate);

/// GiB of the file that the estimate is of; 0 where it is of no file.
double file_gib_of(const domain::Estimate& estimate);

}  // namespace gpushape::calibrate
