// What a real start of an engine measured: memory terms of one GPU that stand in place of a
// prediction where the same is asked for again.
//
// Made by calibrate from a start-up log, written and read by schema as an Evidence document. Beside
// the figures stands what the start was asked for, as far as it decides one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/engine.hpp"
#include "domain/kv_cache_type.hpp"
#include "domain/quantization.hpp"
#include "domain/range.hpp"

namespace gpushape::domain {

struct MeasuredTerm {
  /// "weights", "activation", "graphs", or "nonTorch", which holds the collectives, too.
  std::string name;
  Range bytes;  ///< of one GPU; as wide as the printed digits leave open

  bool operator==(const MeasuredTerm&) const = default;
};

/// Slots that the engine kept for low-rank adapters.
struct MeasuredAdapters {
  std::int64_t count = 1;
  std::int64_t rank = 16;  ///< of the widest, as domain::Adapters has it

  bool operator==(const MeasuredAdapters&) const = default;
};

/// One start on GPUs of one kind. Empty and absent: not known, and then it is not compared, save
/// where a default is given: that is what a start has of which nothing else is said.
struct Measurement {
  std::string model;  ///< catalog id
  std::optional<Quantization> quantization;
  std::string engine;
  EngineVersion version;
  std::string gpu;          ///< device id; without it the weights alone speak of another start
  std::string mig_profile;  ///< "3g.40gb"; empty: not on a MIG instance
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t context_parallel = 1;  ///< "decode context parallel" of vLLM
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::int64_t context_tokens = 0;
  std::optional<KvCacheType> kv_cache_type;  ///< never Auto
  bool enforce_eager = false;
  std::optional<MeasuredAdapters> adapters;  ///< empty: none
  std::string draft_model;                   ///< empty: none
  std::int64_t draft_tokens = 0;             ///< of a step; 0: none, or not known
  // Whether the engine made room for them, where the model takes any.
  bool takes_images = true;
  bool takes_videos = true;
  bool keeps_towers_whole = false;              ///< ranks share images, not the towers' layers
  Bytes offloaded_bytes;                        ///< of one GPU's weights, in host memory
  std::optional<bool> has_tables_on_host = {};  ///< of n-grams; empty: as the release keeps them
  std::optional<std::int64_t> gpu_layers;       ///< of llama.cpp: on GPUs, the head counted as one
  bool is_first_generation = false;             ///< of vLLM's engine ("V0")
  std::optional<bool> has_second_runner = {};   ///< of vLLM's model runners
  std::vector<MeasuredTerm> terms;
  std::string source;              ///< the log it was read from
  std::vector<std::string> notes;  ///< what of it is no evidence, and why

  bool operator==(const Measurement&) const = default;
};

}  // namespace gpushape::domain
