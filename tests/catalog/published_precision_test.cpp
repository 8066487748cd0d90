// The quantized checkpoints of the published collection, where a folder with it is given in
// GPUSHAPE_SHARED: each config is read, and where the size of the weight files was published, too,
// the bytes that architecture and scheme give are held against it.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "catalog/config.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config_path;
using gpushape::domain::Quantization;
namespace fs = std::filesystem;

namespace {

const std::string kSuffix = "_config.json";

std::optional<fs::path> models_folder() {
  const char* shared = std::getenv("GPUSHAPE_SHARED");
  if (shared == nullptr) {
    MESSAGE("skipped: GPUSHAPE_SHARED is not set");
    return std::nullopt;
  }
  return fs::path(shared) / "data" / "models";
}

/// "weight files 554.32GiB" of parameter-counts.csv, by id.
std::map<std::string, double> published_sizes(const fs::path& folder) {
  std::map<std::string, double> sizes;
  std::ifstream file(folder / "parameter-counts.csv");
  for (std::string line; std::getline(file, line);) {
    const std::string words = "weight files ";
    const std::size_t at = line.find(words);
    if (at == std::string::npos) continue;
    sizes[line.substr(0, line.find(','))] = std::stod(line.substr(at + words.size()));
  }
  return sizes;
}

bool is_quantized(const gpushape::domain::Model& model) {
  return model.weights.linear != model.weights.other || !model.weights.modules.empty();
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("every published config with a quantization is read, and its lists become few patterns") {
    const auto folder = models_folder();
    if (!folder) return;
    int quantized = 0;
    for (const auto& entry : fs::directory_iterator(*folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(kSuffix) || name.ends_with("_hf_quant_config.json")) continue;
      CAPTURE(name);
      const auto model = read_config_path(entry.path().string());
      if (!model) {
        FAIL_CHECK(messages(model.error()));
        continue;
      }
      if (!is_quantized(*model)) continue;
      ++quantized;
      CHECK(model->weights.kept.size() + model->weights.modules.size() <= 120);
      CHECK(model->exceptions.size() <= 400);
      // The scheme is smaller than 16 bits, and larger than 3.
      const double bits = 8.0 * static_cast<double>(stored_bytes(*model)) /
                          static_cast<double>(count_parameters(*model));
      CAPTURE(bits);
      CHECK(bits > 3);
      CHECK(bits < 17);
      if (std::getenv("GPUSHAPE_TABLE") != nullptr) {
        MESSAGE(name << " " << name_of(model->weights.linear) << " kept "
                     << model->weights.kept.size() << " modules " << model->weights.modules.size()
                     << " exceptions " << model->exceptions.size() << " bits " << bits << " GiB "
                     << static_cast<double>(stored_bytes(*model)) / (1LL << 30));
        for (const std::string& note : model->notes) MESSAGE("    note: " << note);
      }
    }
    CHECK(quantized >= 60);
  }

  TEST_CASE("published sizes of weight files are what architecture and scheme give") {
    const auto folder = models_folder();
    if (!folder) return;
    for (const auto& [id, gib] : published_sizes(*folder)) {
      std::string name = id;
      name.replace(name.find('/'), 1, "--");
      const fs::path config = *folder / (name + kSuffix);
      if (!fs::exists(config)) continue;
      const auto model = read_config_path(config.string());
      if (!model) continue;
      const double own = static_cast<double>(stored_bytes(*model)) / (1LL << 30);
      CAPTURE(id);
      CAPTURE(own);
      CAPTURE(gib);
      if (std::getenv("GPUSHAPE_TABLE") != nullptr)
        MESSAGE(id << " " << own << " published " << gib << " " << (own / gib - 1) * 100 << " %");
      CHECK(own == doctest::Approx(gib).epsilon(0.005));
    }
  }
}
