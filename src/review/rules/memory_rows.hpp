// The rows of the rules on memory (ME) and on the life of a deployment (LD).
#pragma once

#include <array>

#include "review/rules/functions.hpp"

namespace gpushape::review {

inline constexpr auto kMemoryRows = std::to_array<RuleRow>({
    {"ME-01", domain::Severity::Error, "The engine fits its GPU",
     "An engine that finds no room for one sequence of its whole context exits at the start",
     "take more memory, fewer bits or a shorter context", "gpushape estimate; vLLM start-up errors",
     rules_of::me_01},
    {"ME-02", domain::Severity::Warning, "The engine fits at the high end of the range",
     "Nineteen of twenty starts lie inside the range, and its high end does not fit",
     "leave some room: a shorter context, fewer sequences or more memory", "gpushape estimate",
     rules_of::me_02},
    {"ME-03", domain::Severity::Error, "The model has the context",
     "An engine refuses a context beyond the model's positions, or answers with noise",
     "set the context to what the model has", "vLLM, config/model.py", rules_of::me_03},
    {"ME-04", domain::Severity::Warning, "The pool holds the sequences",
     "Sequences beyond the pool wait, or are preempted and computed again",
     "admit what the pool holds, or enlarge it", "vLLM, Optimization and Tuning: preemption",
     rules_of::me_04},
    {"ME-05", domain::Severity::Error, "The utilization leaves room for the context",
     "The CUDA context and what a version does not count stand outside the utilization; without "
     "room for them the engine does not start, or fails under load",
     "lower --gpu-memory-utilization", "vllm-project/vllm 20305", rules_of::me_05},
    {"ME-06", domain::Severity::Warning, "A share is taken once",
     "Inside a slice the engine sees the slice as its whole GPU",
     "leave the utilization at its default inside a slice", "NVIDIA MIG User Guide; HAMi",
     rules_of::me_06},
    {"ME-07", domain::Severity::Warning, "Batch limits are given on a MIG instance",
     "vLLM asks the parent GPU for its size: 1024 sequences take 1.9 GiB of sampler in a slice of "
     "10 GB",
     "set --max-num-seqs and --max-num-batched-tokens", "vllm-project/vllm 41776, 50463",
     rules_of::me_07},
    {"ME-08", domain::Severity::Note, "Tensor parallelism stays within the KV heads",
     "A rank beyond the KV heads keeps a copy of a head: the cache does not shrink any more",
     "add data or pipeline parallelism instead, or context parallelism",
     "vLLM, get_num_kv_heads: max(1, total // size)", rules_of::me_08},
    {"ME-09", domain::Severity::Error, "The attention heads divide by the tensor parallel size",
     "The engine refuses a split that does not come out even", "take a size that divides the heads",
     "vLLM, config/model.py", rules_of::me_09},
    {"ME-10", domain::Severity::Note, "The cache is as narrow as the weights",
     "8-bit weights leave the cache in 16 bits unless it is asked for",
     "add --kv-cache-dtype=fp8 where the quality allows it", "vLLM, Quantized KV Cache",
     rules_of::me_10},
    {"ME-11", domain::Severity::Warning, "The sampler's peak is bounded",
     "The peak grows with the admitted sequences times the vocabulary, and is taken off the pool "
     "whether they come or not",
     "set --max-num-seqs to what the pool holds", "vLLM, profile_run", rules_of::me_11},
    {"ME-12", domain::Severity::Note, "Groups of layers come out even",
     "vLLM cuts the layers of a hybrid model into groups of one size; what a short group lacks is "
     "paid for and holds nothing",
     "nothing to set: the estimate counts it; a model whose kinds of layers divide evenly has none",
     "vLLM, v1/core/kv_cache_utils.py: padding layers", rules_of::me_12},
    {"LD-01", domain::Severity::Warning, "A roll-out can finish",
     "The new pod waits for a GPU that the old one holds until the new one is ready",
     "set strategy.rollingUpdate.maxSurge to 0 with maxUnavailable 1, or type Recreate",
     "Kubernetes, Deployment: rollingUpdate", rules_of::ld_01},
    {"LD-02", domain::Severity::Error, "The volume holds the checkpoint",
     "A download that fills its volume fails, and again at the next start",
     "enlarge the claim: the checkpoint plus what a second version takes",
     "checkpoint headers of the catalog", rules_of::ld_02},
    {"LD-03", domain::Severity::Warning, "Evidence is younger than its review date",
     "Uncertainty was the reason for the shape; the time to know has come",
     "measure, run advise with --evidence, or record why not",
     "F. Denneman, GPU Consumption Models as the First Architectural Choice (RV-03)",
     rules_of::ld_03},
    {"LD-04", domain::Severity::Error, "The driver runs the image's CUDA",
     "A container whose CUDA is a major release above the driver's does not start",
     "take an image of the driver's CUDA, or a newer driver branch", "NVIDIA, CUDA Compatibility",
     rules_of::ld_04},
    {"LD-05", domain::Severity::Error, "A passthrough address is there",
     "A card that moved, or a host that was rebuilt, has another address: the VM starts nowhere",
     "use Dynamic DirectPath I/O, or the address that the host has now",
     "vSphere, DirectPath I/O; consumption rule LC-02", rules_of::ld_05},
});

}  // namespace gpushape::review
