// Prediction beside measurement: what an estimate says of one start of an engine, what the engine
// printed, and what explains the difference. Made by the room calibrate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/engine.hpp"
#include "domain/measurement.hpp"
#include "domain/range.hpp"

namespace gpushape::domain {

struct CalibratedTerm {
  std::string name;  ///< "weights", "activation", "nonTorch", "graphs", "kvPool"
  std::string description;
  Range predicted;
  std::optional<Range> measured;  ///< as wide as the printed digits leave open
  std::vector<Bytes> ranks;       ///< of every rank that printed it, where there are several
  bool is_off = false;            ///< the measured range lies outside the predicted one
  std::vector<std::string> causes;
  /// The cause that makes the figure none of the engine as it was asked for, so that it is no
  /// evidence; empty where it is.
  std::string withheld = {};

  bool operator==(const CalibratedTerm&) const = default;
};

/// Tokens that the printed pool allows, and the printed count.
struct CalibratedTokens {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t printed = 0;

  bool operator==(const CalibratedTokens&) const = default;
};

/// One setting of the start, and where it is from: "the log", "--gpu", "default".
struct CalibratedSetting {
  std::string name;
  std::string value;
  std::string from;

  bool operator==(const CalibratedSetting&) const = default;
};

struct Calibration {
  std::string log;
  std::vector<CalibratedSetting> settings;
  std::vector<CalibratedTerm> terms;
  std::optional<CalibratedTokens> tokens;
  std::string token_cause;        ///< settings that would explain a count outside its bounds
  std::vector<std::string> asks;  ///< what the log does not say, and the flag that does
  std::vector<std::string> notes;
  std::string verdict;
  bool has_started = true;  ///< the engine came up
  Measurement measurement;

  /// The engine started, no term is off and the tokens agree.
  [[nodiscard]] bool agrees() const {
    if (!has_started) return false;
    for (const CalibratedTerm& term : terms) {
      if (term.is_off) return false;
    }
    return !tokens || (tokens->least <= tokens->printed && tokens->printed <= tokens->most);
  }

  bool operator==(const Calibration&) const = default;
};

}  // namespace gpushape::domain
