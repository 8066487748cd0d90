// The totals of entries against published totals, where those were counted twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;

namespace {

// id, exact total, and the last column, which says what an independent count gave. Only the columns
// between may hold quoted commas.
struct Row {
  std::string id;
  std::string total;
  std::string check;
};

Row row_of(const std::string& line) {
  const std::size_t first = line.find(',');
  const std::size_t second = line.find(',', first + 1);
  return {line.substr(0, first), line.substr(first + 1, second - first - 1),
          line.substr(line.rfind(',') + 1)};
}

std::vector<Row> published_rows(const char* shared) {
  std::istringstream lines(
      file_text((std::filesystem::path(shared) / "data/models/parameter-counts.csv").string()));
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '"')) line.pop_back();
    rows.push_back(row_of(line));
  }
  return rows;
}

bool is_explained(const gpushape::domain::Model& model, const std::string& total) {
  return std::ranges::any_of(
      model.notes, [&](const std::string& note) { return note.find(total) != std::string::npos; });
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("entries have the exact totals of published counts that a formula agrees with") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    int agreeing = 0;
    for (const Row& row : published_rows(shared)) {
      if (!row.check.starts_with("formula agrees exactly") || row.total.empty()) continue;
      CAPTURE(row.id);
      const auto model = catalog.find(row.id);
      REQUIRE(model);
      CHECK(model->id == row.id);
      CHECK(std::to_string(model->parameters.total) == row.total);
      ++agreeing;
    }
    CHECK(agreeing > 80);
  }

  TEST_CASE("entries hold what the Hub counts, or say why their checkpoints hold something else") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    int entries = 0;
    for (const Row& row : published_rows(shared)) {
      const auto model = catalog.find(row.id);
      const bool has_entry = model && model->id == row.id && !model->weights.is_told_by_name;
      // Packed integers and scales are no parameters.
      if (!has_entry || row.total.empty() || model->weights.linear != model->weights.other)
        continue;
      CAPTURE(row.id);
      const std::string stored = std::to_string(model->parameters.stored.value_or(0));
      const bool is_held = std::to_string(model->parameters.total) == row.total ||
                           stored == row.total || is_explained(*model, row.total);
      CHECK(is_held);
      ++entries;
    }
    CHECK(entries > 450);
  }

  TEST_CASE("every published count and every count by formula is met, or a note explains it") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    int rows = 0;
    for (const Row& row : published_rows(shared)) {
      const auto model = catalog.find(row.id);
      if (!model) continue;
      CAPTURE(row.id);
      const std::string total = std::to_string(model->parameters.total);
      CAPTURE(total);
      if (!row.total.empty()) {
        CAPTURE(row.total);
        CHECK((row.total == total || is_explained(*model, row.total)));
      }
      constexpr std::string_view kFormula = "formula ";
      const std::size_t at = row.check.find(kFormula);
      if (at == std::string::npos) continue;
      const std::string formula = row.check.substr(at + kFormula.size());
      const std::string count = formula.substr(0, formula.find_first_not_of("0123456789"));
      CAPTURE(count);
      CHECK((count.empty() || count == total || is_explained(*model, count)));
      ++rows;
    }
    CHECK(rows > 200);
  }

  // https://huggingface.co/api/models/RedHatAI/...: safetensors.total of each.
  TEST_CASE("what quantized checkpoints hold is counted as the Hub counts it") {
    struct Row {
      const char* id;
      const char* published;
    };
    const auto catalog = gpushape::catalog::Catalog::open().value();
    for (const Row& row : {
             // 64 layers of 8192 + 2 x 1024 + 5120 + 2 x 25600 + 5120 rows, one scale for each.
             Row{"RedHatAI/Qwen3-32B-FP8-dynamic", "32766710784"},
             Row{"RedHatAI/gemma-3-4b-it-FP8-dynamic", "4301089136"},
             Row{"RedHatAI/gemma-3-12b-it-FP8-dynamic", "12189561456"},
             Row{"RedHatAI/Qwen2.5-VL-7B-Instruct-quantized.w8a8", "8293557248"},
             Row{"zai-org/GLM-4.6V-FP8", "107751931136"},
             // 31'205'621'760 / 8 words, 31'205'621'760 / 128 scales, 2 x 448 sizes, and the rest.
             Row{"RedHatAI/Qwen3-32B-quantized.w4a16", "5700999040"},
             Row{"RedHatAI/pixtral-12b-quantized.w4a16", "3225895472"},
             Row{"RedHatAI/Mistral-Small-3.1-24B-Instruct-2503-quantized.w4a16", "4733947440"},
             // Groups of 64; attention in 16 bits.
             Row{"RedHatAI/granite-3.1-2b-instruct-quantized.w4a16", "543603248"},
             Row{"RedHatAI/Llama-4-Scout-17B-16E-Instruct-quantized.w4a16", "19601967392"},
             // The tied head once more.
             Row{"RedHatAI/Qwen3-4B-quantized.w4a16", "1260658680"},
             Row{"RedHatAI/SmolLM-135M-Instruct-quantized.w8a16", "83356260"},
             Row{"RedHatAI/gemma-3-12b-it-quantized.w8a8", "13196440176"},
             Row{"RedHatAI/Llama-3.2-3B-Instruct-FP8", "3606752648"},
         }) {
      CAPTURE(row.id);
      const auto model = catalog.find(row.id);
      REQUIRE(model);
      CHECK(is_explained(*model, row.published));
    }
  }
}
