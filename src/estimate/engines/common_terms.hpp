// The rows of terms that several engines have. An engine lists them with the budget that each comes
// off, in words or under a condition of its own where those differ.
#pragma once

#include "estimate/engines.hpp"

namespace gpushape::estimate::engines {

constexpr TermRow described(TermRow row, std::string_view description) {
  row.description = description;
  return row;
}

constexpr TermRow where(TermRow row, bool (*applies)(const Situation&)) {
  row.applies = applies;
  return row;
}

inline constexpr TermRow kWeights = {
    .name = "weights",
    .part = domain::Part::Weights,
    .description = "parameters as the engine holds them",
    .bytes = terms::weights_bytes,
    .describe = terms::describe_weights,
    .applies = terms::always,
    .follows = Follows::Plan,
};

inline constexpr TermRow kTowers = {
    .name = "towers",
    .part = domain::Part::Weights,
    .description = "encoders of images and sound, with their projectors",
    .bytes = terms::towers_bytes,
    .describe = terms::describe_towers,
    .applies = terms::has_towers,
    .follows = Follows::Plan,
};

inline constexpr TermRow kAdapters = {
    .name = "adapters",
    .part = domain::Part::Adapters,
    .description = "slots for LoRA adapters",
    .bytes = terms::adapters_bytes,
    .describe = terms::describe_adapters,
    .applies = terms::has_adapters,
    .follows = Follows::Plan,
};

inline constexpr TermRow kDraft = {
    .name = "draft",
    .part = domain::Part::Draft,
    .description = "weights of the draft model",
    .bytes = terms::draft_bytes,
    .describe = terms::describe_draft,
    .applies = terms::has_draft,
    .follows = Follows::Plan,
};

inline constexpr TermRow kKvCache = {
    .name = "kvCache",
    .part = domain::Part::KvCache,
    .description = "KV cache of the declared context and concurrency",
    .bytes = terms::kv_cache_bytes,
    .describe = terms::describe_kv_cache,
    .applies = terms::kv_cache_is_asked_for,
};

inline constexpr TermRow kImageCache = {
    .name = "imageCache",
    .part = domain::Part::KvCache,
    .description = "KV cache of the images of the requests",
    .bytes = terms::image_cache_bytes,
    .describe = terms::describe_image_cache,
    .applies = terms::images_are_asked_for,
};

inline constexpr TermRow kState = {
    .name = "state",
    .part = domain::Part::State,
    .description = "recurrent state of the sequences in flight",
    .bytes = terms::state_bytes,
    .describe = terms::describe_state,
    .applies = terms::state_is_asked_for,
};

inline constexpr TermRow kActivation = {
    .name = "activation",
    .part = domain::Part::Activation,
    .description = "forward peak of the largest batch",
    .bytes = terms::activation_bytes,
    .describe = terms::describe_activation,
    .applies = terms::always,
    .follows = Follows::Batch,
};

inline constexpr TermRow kGraphs = {
    .name = "graphs",
    .part = domain::Part::Graphs,
    .description = "captured CUDA graphs",
    .bytes = terms::graphs_bytes,
    .describe = terms::describe_graphs,
    .applies = terms::graphs_are_captured,
    .follows = Follows::Batch,
};

inline constexpr TermRow kNonTorch = {
    .name = "nonTorch",
    .part = domain::Part::Context,
    .description = "buffers past the framework's allocator",
    .bytes = terms::non_torch_bytes,
    .describe = terms::describe_non_torch,
    .applies = terms::always,
    .follows = Follows::Plan,
};

inline constexpr TermRow kCudaContext = {
    .name = "cudaContext",
    .part = domain::Part::Context,
    .description = "the CUDA context",
    .bytes = terms::cuda_context_bytes,
    .describe = terms::describe_cuda_context,
    .applies = terms::always,
    .follows = Follows::Plan,
};

inline constexpr TermRow kCommunicators = {
    .name = "communicators",
    .part = domain::Part::Communication,
    .description = "communicators between the GPUs",
    .bytes = terms::communicators_bytes,
    .describe = terms::describe_communicators,
    .applies = terms::several_gpus_work_together,
    .follows = Follows::Plan,
};

}  // namespace gpushape::estimate::engines
