// Any bytes as the start-up log of an engine and as published starts: read or refused, and what is
// read is compared with a prediction, never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/started_model.hpp"
#include "catalog/catalog.hpp"

using namespace gpushape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const catalog::Catalog kCatalog = *catalog::Catalog::open();
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(calibrate::read_engine_starts(text, "starts.jsonl"));
  const auto log = calibrate::read_engine_log(text, "start.log");
  if (!log) {
    if (log.error().empty()) std::abort();  // a refusal says why
    return 0;
  }
  const auto model = calibrate::find_started_model(log->start.model, kCatalog);
  const auto engine = kCatalog.engine(log->start.engine);
  if (!model || !engine) return 0;
  static_cast<void>(calibrate::calibrate(
      *log,
      {.model = *model, .engine = *engine, .gpu = std::nullopt, .model_from = {}, .gpu_from = {}}));
  return 0;
}
