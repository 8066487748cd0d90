// The published configurations of the shared data, where a machine has them.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace gpushape::catalog::testing {

inline const std::string kConfigSuffix = "_config.json";

/// None where GPUSHAPE_SHARED is not set; the test says so.
inline std::optional<std::filesystem::path> models_folder() {
  const char* shared = std::getenv("GPUSHAPE_SHARED");
  if (shared == nullptr) {
    MESSAGE("skipped: GPUSHAPE_SHARED is not set");
    return std::nullopt;
  }
  return std::filesystem::path(shared) / "data" / "models";
}

}  // namespace gpushape::catalog::testing
