// A start-up log beside the estimate for it, term by term, with what explains a difference.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "calibrate/engine_log.hpp"
#include "domain/calibration.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// What the log is compared with. Where the GPU is not known, its total is taken from the log, and
/// the answer asks for its name.
struct Surroundings {
  domain::Model model;
  domain::Engine engine;
  std::optional<domain::VisibleMemory> gpu;
  std::string model_from = "the log";
  std::string gpu_from = "the log";
  /// Settings that flags gave instead of the log: "maxNumSeqs" of "--max-num-seqs".
  std::map<std::string, std::string, std::less<>> of_flags = {};
};

/// A log whose engine version is not stated, or a start that cannot be (tensor parallel that does
/// not divide the model), is a Diagnostic.
Result<domain::Calibration> calibrate(const EngineLog& read, const Surroundings& stated);

}  // namespace gpushape::calibrate
