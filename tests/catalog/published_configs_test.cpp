// Holds the catalog against the published files it was written from, where a folder with them is
// given in GPUSHAPE_SHARED.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "catalog/catalog.hpp"
#include "catalog/config.hpp"
#include "catalog/published_models.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::Catalog;
namespace fs = std::filesystem;

namespace {

std::string id_of(const fs::path& config) {
  std::string name = config.filename().string();
  name.erase(name.size() - gpushape::catalog::testing::kConfigSuffix.size());
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
    if (!name.ends_with(gpushape::catalog::testing::kConfigSuffix) ||
        name.ends_with("_hf_quant_config.json"))
      continue;
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
  std::optional<std::int64_t> active;
  bool agrees = false;
  bool is_text_only = false;  // the formula is of the text part of a model with towers
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
    const std::string active = line.substr(second + 1, line.find(',', second + 1) - second - 1);
    if (!active.empty() && std::isdigit(static_cast<unsigned char>(active[0])))
      count.active = std::stoll(active);
    // Towers are left out of two counts without a word in brackets.
    count.is_text_only = line.find("(text part only)") != std::string::npos ||
                         line.starts_with("THUDM/glm-4v-9b,") ||
                         line.starts_with("moonshotai/Kimi-K2.5,");
    count.agrees = line.find("formula agrees exactly") != std::string::npos;
    const std::size_t formula = line.find("formula ");
    if (formula != std::string::npos && !count.agrees &&
        std::isdigit(static_cast<unsigned char>(line[formula + 8])))
      count.formula = std::stoll(line.substr(formula + 8));
    counts[line.substr(0, first)] = count;
  }
  return counts;
}

// A config whose count is another than parameter-counts.csv gives, and why.
struct Difference {
  const char* id;
  std::int64_t beyond;  // of the number there
  const char* why;
};
const std::vector<Difference> kDifferences = {
    {"Qwen/Qwen3.8-2.4T-A95B-FP8", 146'276'352,
     "the number leaves out the scales of the experts' fp8 blocks: 93 layers with 512 experts of "
     "3 x 16 x 64"},
    {"zai-org/GLM-5.2-FP8", -31'920,
     "the number counts scales of indexers that 57 layers share: 512 of wq_b and 48 of wk each"},
    {"Qwen/Qwen3-VL-235B-A22B-Thinking", -414'720,
     "the copy of the config gives 14 pixels a patch in place of 16: 6 x 60 x 1152 values fewer"},
    {"XiaomiMiMo/MiMo-V2-Flash", -987'770'496,
     "the config does not speak of the checkpoint's layers for further tokens"},
    {"Qwen/Qwen3-Omni-30B-A3B-Instruct", -4'249'450'433,
     "the number counts talker and voice (3'540'613'057), and the copy leaves out 152064 tokens "
     "and "
     "32 heads, for which the class has 3584 and 28: 2 x 148480 x 2048 and 48 x 2 x 4 x 128 x 2048 "
     "values fewer"},
    {"deepseek-ai/DeepSeek-V4-Flash", 132'875'550'720,
     "the number counts bytes of packed experts, two values each"},
    {"deepseek-ai/DeepSeek-V4-Pro", 737'232'814'080,
     "the number counts bytes of packed experts, two values each"},
};

// Copies that leave out sizes which are not those of the class: the class's stand in for them.
const std::set<std::string> kAbridged = {"Qwen/Qwen3-Omni-30B-A3B-Instruct"};

// Configs that are published with a caveat stand in one file, one to a line.
std::map<std::string, gpushape::document::Document> configs_with_caveats(const fs::path& folder) {
  std::map<std::string, gpushape::document::Document> configs;
  std::istringstream lines(file_text((folder / "configs-with-caveats.jsonl").string()));
  for (std::string line; std::getline(lines, line);) {
    const auto row = gpushape::document::read_json(line, "configs-with-caveats.jsonl");
    REQUIRE(row);
    const auto* id = row->root.find("hf_id");
    const auto* config = row->root.find("config");
    REQUIRE(id != nullptr);
    REQUIRE(config != nullptr);
    configs.emplace(std::string(id->text()),
                    gpushape::document::Document{.root = *config, .source = row->source});
  }
  return configs;
}

std::map<std::string, gpushape::document::Document> all_configs(const fs::path& folder) {
  auto configs = configs_with_caveats(folder);
  for (const bool understood : {true, false}) {
    for (const auto& [id, path] : published_configs(folder, understood))
      configs.emplace(id, document_of(path));
  }
  return configs;
}

std::optional<gpushape::document::Document> side_file_of(const fs::path& folder, std::string id) {
  id.replace(id.find('/'), 1, "--");
  const fs::path path = folder / (id + "_hf_quant_config.json");
  if (!fs::exists(path)) return std::nullopt;
  return document_of(path);
}

// The number to hold a total against; nothing where none was published or counted.
std::optional<std::int64_t> expected_total(const Count& count) {
  return count.agrees || !count.formula ? count.published : count.formula;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("every published config has the parameters that were counted") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    const auto counts = published_counts(*folder);
    int agreeing = 0;
    for (const auto& [id, document] : all_configs(*folder)) {
      CAPTURE(id);
      const auto side_file = side_file_of(*folder, id);
      const auto model =
          gpushape::catalog::read_config(document, id, side_file ? &*side_file : nullptr);
      if (!model) FAIL(messages(model.error()));
      const auto count = counts.find(id);
      if (count == counts.end()) continue;
      const auto expected = expected_total(count->second);
      if (!expected) continue;
      std::int64_t total = model->parameters.total;
      if (count->second.is_text_only) {
        for (const auto& tower : model->towers) total -= tower.parameters;
      }
      const auto difference = std::ranges::find(
          kDifferences, id, [](const Difference& row) { return std::string(row.id); });
      const std::int64_t beyond = difference == kDifferences.end() ? 0 : difference->beyond;
      CHECK(total - beyond == *expected);
      if (count->second.agrees) ++agreeing;
    }
    CHECK(agreeing > 90);
  }

  TEST_CASE("what a token passes is near the published number of every mixture") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    const auto counts = published_counts(*folder);
    for (const auto& [id, document] : all_configs(*folder)) {
      CAPTURE(id);
      const auto count = counts.find(id);
      if (count == counts.end() || !count->second.active || kAbridged.contains(id)) continue;
      const auto model = gpushape::catalog::read_config(document, id);
      if (!model) FAIL(messages(model.error()));
      // Published are whole billions, some counted without embedding and head, which together
      // bound the difference.
      const auto published = static_cast<double>(*count->second.active);
      const auto embeddings = static_cast<double>(2 * model->vocabulary * model->hidden_size) + 1e9;
      CHECK(static_cast<double>(model->parameters.active) > published * 0.95);
      CHECK(static_cast<double>(model->parameters.active) < published * 1.06 + embeddings);
    }
  }

  TEST_CASE("every entry agrees with the published config of its id") {
    const auto folder = gpushape::catalog::testing::models_folder();
    if (!folder) return;
    const Catalog catalog = Catalog::open().value();
    for (const auto& [id, path] : published_configs(*folder, true)) {
      CAPTURE(id);
      const auto entry = catalog.find(id);
      if (!entry) FAIL(messages(entry.error()));
      std::string side_name = path.filename().string();
      side_name.replace(side_name.size() - gpushape::catalog::testing::kConfigSuffix.size(),
                        gpushape::catalog::testing::kConfigSuffix.size(), "_hf_quant_config.json");
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
