// What a real start of an engine measured: memory terms of one GPU that stand in place of a
// prediction where the same is asked for again.
//
// Made by calibrate from a start-up log, written and read by schema as an Evidence document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/engine.hpp"
#include "domain/quantization.hpp"
#include "domain/range.hpp"

namespace gpushape::domain {

struct MeasuredTerm {
  /// "weights", "activation", "graphs", or "nonTorch", which holds the collectives, too.
  std::string name;
  Range bytes;  ///< of one GPU; as wide as the printed digits leave open

  bool operator==(const MeasuredTerm&) const = default;
};

/// One start on GPUs of one kind. Empty and absent: not known, and then it is not compared.
struct Measurement {
  std::string model;  ///< catalog id
  std::optional<Quantization> quantization;
  std::string engine;
  EngineVersion version;
  std::string gpu;  ///< device id
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  bool enforce_eager = false;
  std::vector<MeasuredTerm> terms;
  std::string source;  ///< the log it was read from

  bool operator==(const Measurement&) const = default;
};

}  // namespace gpushape::domain
