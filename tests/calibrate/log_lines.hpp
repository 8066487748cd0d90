// Logs of a few lines, for tests of this room.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/started_model.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

inline calibrate::EngineLog read_lines(const std::string& text) {
  const Result<calibrate::EngineLog> log = calibrate::read_engine_log(text, "a log");
  REQUIRE(log.has_value());
  return *log;
}

inline domain::Calibration without_gpu(const calibrate::EngineLog& log) {
  const auto model = calibrate::find_started_model(log.start.model, built_in_catalog());
  REQUIRE(model.has_value());
  const auto engine = built_in_catalog().engine(log.start.engine);
  REQUIRE(engine.has_value());
  const auto calibration = calibrate::calibrate(
      log,
      {.model = *model, .engine = *engine, .gpu = std::nullopt, .model_from = {}, .gpu_from = {}});
  REQUIRE(calibration.has_value());
  return *calibration;
}

}  // namespace gpushape::example
