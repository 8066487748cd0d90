// What is shown beside a figure must lead to it: every term's formula, computed from the inputs
// that stand beside it, is the term's expected value, and says where it is from.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "estimate/engines.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

/// What stands behind each name.
using Values = std::map<std::string, double, std::less<>>;

/// Sums, differences, products ("x"), quotients, max(), min() and ceil() over names and numbers.
class Formula {
 public:
  Formula(std::string_view text, const std::vector<domain::Input>& inputs) : rest_(text) {
    for (const domain::Input& input : inputs) {
      if (const auto* whole = std::get_if<std::int64_t>(&input.value))
        values_.emplace(input.name, static_cast<double>(*whole));
      if (const auto* real = std::get_if<double>(&input.value)) values_.emplace(input.name, *real);
    }
  }
  Formula(std::string_view text, Values values) : rest_(text), values_(std::move(values)) {}

  /// Nothing where the text is no formula, or names what is no input.
  std::optional<double> value() {
    const double result = sum();
    skip();
    return is_readable_ && rest_.empty() ? std::optional(result) : std::nullopt;
  }

 private:
  void skip() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  double sum() {
    double result = product();
    while (true) {
      if (take("+ ")) {
        result += product();
      } else if (take("- ")) {
        result -= product();
      } else {
        return result;
      }
    }
  }
  double product() {
    double result = factor();
    while (true) {
      if (take("x ")) {
        result *= factor();
      } else if (take("/ ")) {
        result /= factor();
      } else {
        return result;
      }
    }
  }
  double factor() {
    if (take("max(")) return list([](double a, double b) { return std::max(a, b); });
    if (take("min(")) return list([](double a, double b) { return std::min(a, b); });
    if (take("ceil(")) return std::ceil(list([](double, double b) { return b; }));
    if (take("(")) return list([](double, double b) { return b; });
    skip();
    const auto end = std::ranges::find_if(
        rest_, [](unsigned char letter) { return std::isalnum(letter) == 0 && letter != '.'; });
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return read(word);
  }
  double list(double (*join)(double, double)) {
    double result = sum();
    while (take(",")) result = join(result, sum());
    if (!take(")")) is_readable_ = false;
    return result;
  }
  double read(std::string_view word) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) return number;
    if (const auto value = values_.find(word); value != values_.end()) return value->second;
    is_readable_ = false;
    return 0;
  }

  std::string_view rest_;
  Values values_;
  bool is_readable_ = true;
};

void check_terms(const domain::Estimate& estimate, const std::string& what) {
  for (const domain::Term& term : estimate.terms) {
    INFO(what, ", ", term.name, ": ", term.formula);
    CHECK_FALSE(term.source.empty());
    const std::optional<double> value = Formula(term.formula, term.inputs).value();
    REQUIRE(value);
    const auto expected = static_cast<double>(term.bytes.expected.count());
    // Whole bytes are shown of inputs that are not whole.
    CHECK(std::abs(*value - expected) <= std::max(2.0, 1e-6 * expected));
  }
}

}  // namespace

TEST_SUITE("formulas") {
  TEST_CASE("a formula is read as it is written") {
    const std::vector<domain::Input> inputs = {{"a", std::int64_t{6}}, {"b", 0.5}};
    CHECK(Formula("a x (b + 2) - 1", inputs).value() == 14.0);  // 6 x 2.5 - 1
    CHECK(Formula("max(a / 4, b) x 2", inputs).value() == 3.0);
    CHECK_FALSE(Formula("a x c", inputs).value());
    CHECK_FALSE(Formula("as the planner does", inputs).value());
  }

  TEST_CASE("every engine's terms follow from their formula and inputs, whatever the model") {
    std::vector<std::string> names = {"deepseek-ai/DeepSeek-V3.2",
                                      "deepseek-ai/DeepSeek-V4-Flash",
                                      "Qwen/Qwen3-Next-80B-A3B-Instruct",
                                      "Qwen/Qwen3-VL-8B-Instruct",
                                      "meta-llama/Llama-3.2-11B-Vision",
                                      "openai/gpt-oss-20b",
                                      "openai/whisper-large-v3",
                                      "google/gemma-3n-E4B-it",
                                      "ibm-granite/granite-4.0-h-tiny",
                                      "BAAI/bge-m3",
                                      "nvidia/Llama-3_3-Nemotron-Super-49B-v1"};
    const std::vector<std::string> all = example::built_in_catalog().models();
    constexpr std::size_t kStride = 41;
    for (std::size_t at = 0; at < all.size(); at += kStride) names.push_back(all[at]);
    std::size_t estimates = 0;
    for (const std::string& name : names) {
      const auto model = example::built_in_catalog().find_name(name);
      REQUIRE_MESSAGE(model, name);
      for (const estimate::EngineRow& row : estimate::engine_rows()) {
        const auto engine = example::built_in_catalog().engine(row.name);
        REQUIRE(engine);
        for (const std::int64_t ranks : {1, 2}) {
          domain::Workload workload = example::workload(512, 4);
          workload.engine.tensor = example::flag(ranks);
          const auto made = estimate::estimate_memory(*model, workload, *engine, example::h100());
          if (!made) continue;  // refused: ranks that do not divide it, a family not served
          check_terms(*made, fmt::format("{} by {} on {}", name, row.name, ranks));
          ++estimates;
        }
      }
    }
    CHECK(estimates > 300);
  }

  TEST_CASE("a pool follows from the share, the GPU and the terms that its formula names") {
    const auto model = example::built_in_catalog().find_name("Qwen/Qwen3-8B");
    REQUIRE(model);
    for (const std::string name : {"sglang", "tensorrt-llm", "transformers"}) {
      CAPTURE(name);
      const auto engine = example::built_in_catalog().engine(name);
      REQUIRE(engine);
      for (const std::int64_t ranks : {1, 2}) {
        domain::Workload workload = example::workload(2048, 4);
        workload.engine.tensor = example::flag(ranks);
        const auto made = estimate::estimate_memory(*model, workload, *engine, example::h100());
        REQUIRE(made);
        REQUIRE(made->capacity);
        const domain::Capacity& capacity = *made->capacity;
        Values values = {{"utilization", capacity.utilization},
                         {"visible", static_cast<double>(capacity.visible_bytes.expected.count())}};
        for (const domain::Term& term : made->terms)
          values.emplace(term.name, static_cast<double>(term.bytes.expected.count()));
        const std::optional<double> pool = Formula(capacity.kv_pool_formula, values).value();
        REQUIRE(pool);
        CAPTURE(capacity.kv_pool_formula);
        const auto expected = static_cast<double>(capacity.kv_pool_bytes.expected.count());
        CHECK(std::max(*pool, 0.0) == doctest::Approx(expected).epsilon(1e-6));
      }
    }
  }

  TEST_CASE("a publisher's recipe is sized by its mix and a ratio, and pipelines by their stages") {
    const auto model = example::built_in_catalog().find_name("Qwen/Qwen3-30B-A3B");
    REQUIRE(model);
    domain::Workload workload = example::workload(8192, 1);
    workload.quantization = example::flag(domain::Quantization::UdQ4KXl);
    const auto llama_cpp = example::built_in_catalog().engine("llama.cpp");
    REQUIRE(llama_cpp);
    const auto recipe = estimate::estimate_memory(*model, workload, *llama_cpp, example::h100());
    REQUIRE(recipe);
    check_terms(*recipe, "ud-q4_k_xl");
    workload = example::workload(8192, 1);
    workload.engine.pipeline = example::flag<std::int64_t>(2);
    workload.adapters = domain::Adapters{};
    const auto sglang = example::built_in_catalog().engine("sglang");
    REQUIRE(sglang);
    const auto staged = estimate::estimate_memory(*model, workload, *sglang, example::h100());
    REQUIRE(staged);
    check_terms(*staged, "two stages");
  }
}
