// Start-up logs of engines that lie with the sources: read, and calibrated against a GPU.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::example {

/// By its path in the source tree.
inline std::string log_text(const std::string& name) {
  const Result<std::string> text =
      document::read_log_file(std::string(GPUSHAPE_SOURCE_DIR) + "/" + name);
  REQUIRE_MESSAGE(text.has_value(), name);
  return *text;
}

inline calibrate::EngineLog engine_log(const std::string& name) {
  const Result<calibrate::EngineLog> log = calibrate::read_engine_log(log_text(name), name);
  REQUIRE_MESSAGE(log.has_value(), name);
  return *log;
}

/// One of examples/logs.
inline calibrate::EngineLog recorded_log(const std::string& name) {
  return engine_log("examples/logs/" + name);
}

/// On a GPU of the total that the log prints, where it prints one.
inline domain::Calibration calibrated(const calibrate::EngineLog& log, const std::string& gpu) {
  const auto catalog = catalog::Catalog::open();
  const auto profiles = profiles::Profiles::open();
  calibrate::Surroundings surroundings;
  surroundings.model = *catalog->find(log.start.model);
  surroundings.engine = *catalog->engine(log.start.engine);
  const Result<domain::Device> device = profiles->find(gpu);
  REQUIRE_MESSAGE(device.has_value(), gpu);
  surroundings.gpu = domain::visible_memory(*device, nullptr);
  if (log.start.gpu_total_gib) {
    surroundings.gpu->bytes = domain::exactly(gib_of(*log.start.gpu_total_gib));
  } else {
    surroundings.gpu_from = "--gpu";
  }
  const Result<domain::Calibration> calibration = calibrate::calibrate(log, surroundings);
  REQUIRE(calibration.has_value());
  return *calibration;
}

inline domain::CalibratedTerm calibrated_term(const domain::Calibration& calibration,
                                                     std::string_view name) {
  for (const domain::CalibratedTerm& one : calibration.terms) {
    if (one.name == name) return one;
  }
  FAIL("no term " << name);
  return calibration.terms.front();
}

}  // namespace gpushape::example
