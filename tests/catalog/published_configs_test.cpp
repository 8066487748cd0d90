// Holds the catalog against the published files it was written from, where a folder with them is
// given in GPUSHAPE_SHARED.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "catalog/catalog.hpp"
#include "catalog/config.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::Catalog;
using gpushape::catalog::read_config_path;
namespace fs = std::filesystem;

namespace {

std::optional<fs::path> models_folder() {
  const char* shared = std::getenv("GPUSHAPE_SHARED");
  if (shared == nullptr) {
    MESSAGE("skipped: GPUSHAPE_SHARED is not set");
    return std::nullopt;
  }
  return fs::path(shared) / "data" / "models";
}

const std::string kSuffix = "_config.json";

std::string id_of(const fs::path& config) {
  std::string name = config.filename().string();
  name.erase(name.size() - kSuffix.size());
  return name.replace(name.find("--"), 2, "/");
}

gpushape::document::Document document_of(const fs::path& path) {
  const auto document = gpushape::document::read_json(file_text(path.string()), path.string());
  REQUIRE(document);
  return *document;
}

// The published configs by id: those of the families that are understood, or the others.
std::map<std::string, fs::path> published_configs(const fs::path& folder, bool understood) {
  const std::set<std::string> types = {"llama", "mistral", "qwen2", "qwen3"};
  std::map<std::string, fs::path> configs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kSuffix) || name.ends_with("_hf_quant_config.json")) continue;
    const auto document = document_of(entry.path());
    const auto* type = document.root.find("model_type");
    const bool is_dense = type != nullptr && types.contains(type->text());
    if (is_dense == understood) configs[id_of(entry.path())] = entry.path();
  }
  return configs;
}

struct Count {
  std::optional<std::int64_t> published;
  std::optional<std::int64_t> formula;
  bool agrees = false;
};

// parameter-counts.csv: hf_id, total_params_exact, …, check. Ids and totals hold no commas.
std::map<std::string, Count> published_counts(const fs::path& folder) {
  std::map<std::string, Count> counts;
  std::istringstream lines(file_text((folder / "parameter-counts.csv").string()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    Count count;
    const std::string total = line.substr(first + 1, second - first - 1);
    if (!total.empty() && std::isdigit(static_cast<unsigned char>(total[0])))
      count.published = std::stoll(total);
    count.agrees = line.find("formula agrees exactly") != std::string::npos;
    const std::size_t formula = line.find("formula ");
    if (formula != std::string::npos && !count.agrees &&
        std::isdigit(static_cast<unsigned char>(line[formula + 8])))
      count.formula = std::stoll(line.substr(formula + 8));
    counts[line.substr(0, first)] = count;
  }
  return counts;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("every published config of the families has the parameters that were counted") {
    const auto folder = models_folder();
    if (!folder) return;
    const auto counts = published_counts(*folder);
    int agreeing = 0;
    for (const auto& [id, path] : published_configs(*folder, true)) {
      CAPTURE(id);
      const auto model = read_config_path(path.string());
      if (!model) FAIL(messages(model.error()));
      const auto count = counts.find(id);
      REQUIRE(count != counts.end());
      if (count->second.agrees) {
        CHECK(model->parameters.total == count->second.published);
        ++agreeing;
      } else if (id == "Qwen/Qwen3-32B-FP8") {
        // That formula counts one scale per 128 x 128 block as well: a layer has 40 x 64 (q),
        // 2 x 40 x 8 (k, v), 64 x 40 (o) and 3 x 40 x 200 (gate, up, down) blocks.
        CHECK(model->parameters.total + std::int64_t{64} * (2'560 + 640 + 2'560 + 24'000) ==
              count->second.formula);
      } else {
        CHECK(model->parameters.total == count->second.formula);
      }
    }
    CHECK(agreeing > 30);
  }

  TEST_CASE("a published config of any other family is refused, never read as something else") {
    const auto folder = models_folder();
    if (!folder) return;
    const auto others = published_configs(*folder, false);
    CHECK(others.size() > 100);
    for (const auto& [id, path] : others) {
      CAPTURE(id);
      const auto model = read_config_path(path.string());
      REQUIRE_FALSE(model);
      CHECK(mentions(model.error(), "llama, mistral, qwen2, qwen3"));
    }
  }

  TEST_CASE("every entry agrees with the published config of its id") {
    const auto folder = models_folder();
    if (!folder) return;
    const Catalog catalog = Catalog::open().value();
    for (const auto& [id, path] : published_configs(*folder, true)) {
      CAPTURE(id);
      const auto entry = catalog.find(id);
      if (!entry) FAIL(messages(entry.error()));
      std::string side_name = path.filename().string();
      side_name.replace(side_name.size() - kSuffix.size(), kSuffix.size(), "_hf_quant_config.json");
      const fs::path side = path.parent_path() / side_name;
      std::optional<gpushape::document::Document> side_file;
      if (fs::exists(side)) side_file = document_of(side);
      const auto config =
          gpushape::catalog::read_config(document_of(path), id, side_file ? &*side_file : nullptr);
      if (!config) FAIL(messages(config.error()));
      CHECK(entry->id == id);
      CHECK(entry->family == config->family);
      CHECK(entry->architecture == config->architecture);
      CHECK(entry->layers == config->layers);
      CHECK(entry->hidden_size == config->hidden_size);
      CHECK(entry->vocabulary == config->vocabulary);
      CHECK(entry->max_context_tokens == config->max_context_tokens);
      CHECK(entry->tied_embeddings == config->tied_embeddings);
      CHECK(entry->rope == config->rope);
      CHECK(entry->weights == config->weights);
      CHECK(entry->checkpoint_kv_cache == config->checkpoint_kv_cache);
    }
  }
}
