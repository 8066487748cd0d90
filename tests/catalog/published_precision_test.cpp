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
#include "catalog/published_models.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::read_config_path;
using gpushape::domain::Quantization;
namespace fs = std::filesystem;

namespace {

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
  TEST_CASE(
      "every published config with a quantization is read, and its lists become few patterns") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    int quantized = 0;
    for (const auto& entry : fs::directory_iterator(*folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(gpushape::catalog::testing::kConfigSuffix) ||
          name.ends_with("_hf_quant_config.json"))
        continue;
      CAPTURE(name);
      const auto model = read_config_path(entry.path().string());
      if (!model) {
        const bool says_precision =
            file_text(entry.path().string()).find("quantization_config") != std::string::npos;
        if (says_precision) FAIL_CHECK(messages(model.error()));
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
        MESSAGE(name << " " << gpushape::name_of(model->weights.linear) << " kept "
                     << model->weights.kept.size() << " modules " << model->weights.modules.size()
                     << " exceptions " << model->exceptions.size() << " bits " << bits << " GiB "
                     << static_cast<double>(stored_bytes(*model)) / (1LL << 30));
        for (const std::string& note : model->notes) MESSAGE("    note: " << note);
      }
    }
    CHECK(quantized >= 60);
  }

  TEST_CASE("published sizes of GGUF files of one block type are bytes of that type") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    struct Row {
      const char* config;
      Quantization type;
      double gib;
    };
    // gguf-sizes.csv, llama-bench tables and file sizes: every matrix in the type, vectors in 32
    // bits. The keys of the file itself (vocabulary, merges) add a few MB.
    const std::vector<Row> rows = {
        {"meta-llama--Meta-Llama-3.1-8B", Quantization::Bf16, 14.96},
        {"nvidia--Llama-3.1-70B-Instruct-FP8", Quantization::Q8_0, 74.98e9 / (1LL << 30)},
        {"nvidia--Llama-3.1-70B-Instruct-FP8", Quantization::Q6K, 57.89e9 / (1LL << 30)},
    };
    for (const Row& row : rows) {
      const fs::path config = *folder / (row.config + gpushape::catalog::testing::kConfigSuffix);
      if (!fs::exists(config)) continue;
      CAPTURE(row.config);
      const auto model = read_config_path(config.string());
      REQUIRE(model);
      std::int64_t bytes = 0;
      const auto add = [&](const auto& tensors, std::int64_t count) {
        for (const auto& tensor : tensors) {
          const auto& scheme =
              gpushape::domain::scheme(tensor.columns == 0 ? Quantization::Fp32 : row.type);
          bytes += count * stored_bytes(tensor, scheme);
        }
      };
      for (const auto& run : model->layers) add(tensors_of(run.layer, *model), run.count);
      add(outer_tensors(*model), 1);
      CHECK(static_cast<double>(bytes) / (1LL << 30) == doctest::Approx(row.gib).epsilon(0.001));
    }
  }

  TEST_CASE("published sizes of weight files are what architecture and scheme give") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    // Not what the scheme gives: both repositories of gpt-oss hold the weights twice, in the layout
    // of two libraries; the side file of Nemotron 3 Ultra names none of its exceptions.
    const std::map<std::string, double> others = {
        {"openai/gpt-oss-20b", 2},
        {"openai/gpt-oss-120b", 2},
        {"nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4", 0}};
    for (const auto& [id, published] : published_sizes(*folder)) {
      const auto other = others.find(id);
      if (other != others.end() && other->second == 0) continue;
      const double gib = other == others.end() ? published : published / other->second;
      std::string name = id;
      name.replace(name.find('/'), 1, "--");
      const fs::path config = *folder / (name + gpushape::catalog::testing::kConfigSuffix);
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
