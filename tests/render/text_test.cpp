// The text answers: exact on hand-made values, and within the width whatever they hold.
#include "render/text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "render/formats.hpp"
#include "render/text_width.hpp"
#include "schema/kinds.hpp"
#include "support/sample_answers.hpp"

namespace {

namespace fs = std::filesystem;
namespace domain = gpushape::domain;
namespace samples = gpushape::samples;
using gpushape::Bytes;
using gpushape::render::advice_text;
using gpushape::render::estimate_text;
using gpushape::render::Style;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// To rewrite: GPUSHAPE_WRITE_GOLDEN=1 test_render, and look at the diff.
void check_golden(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/render" / (name + ".txt");
  if (std::getenv("GPUSHAPE_WRITE_GOLDEN") != nullptr) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  const std::ifstream input(path, std::ios::binary);
  std::ostringstream expected;
  expected << input.rdbuf();
  CAPTURE(name);
  CHECK(text == expected.str());
}

Style style_with(int verbosity, bool has_unicode = true) {
  Style style;
  style.verbosity = verbosity;
  style.has_unicode = has_unicode;
  return style;
}

// ---- answers as odd as the types allow ----

std::string odd_text() {
  static const std::vector<std::string> kPieces = {
      "a",
      "word",
      " ",
      "--flag",
      "\x1b[31m",
      "日本語",
      "größe",
      "\n",
      "\xff",
      "…",
      "(",
      "%",
      "averylongwordwithoutanyspaceinitthatnoterminallinecaneverholdbecauseitjustgoesonandonandon"};
  const auto count = *rc::gen::inRange(0, 12);
  std::string text;
  for (int piece = 0; piece < count; ++piece) text += *rc::gen::elementOf(kPieces);
  return text;
}

std::int64_t odd_count() {
  return *rc::gen::elementOf(std::vector<std::int64_t>{
      0, 1, 2, 7, 100, 131'072, 999'999'999, std::numeric_limits<std::int64_t>::max() / 1024});
}

Bytes odd_bytes() {
  return Bytes(*rc::gen::elementOf(std::vector<std::int64_t>{
      0, 1, -1, 1023, 131'072, 1LL << 30U, -(5LL << 30U), 79LL << 30U, 1LL << 50U}));
}

domain::Range odd_range() {
  const Bytes low = odd_bytes();
  return {low, low + gpushape::gib(1), low + gpushape::gib(2)};
}

double odd_number() {
  return *rc::gen::elementOf(
      std::vector<double>{0, 0.1, 1.0 / 3, 1, 62.125, 1e6, 1e30, -1, std::nan(""), INFINITY});
}

bool odd_boolean() { return *rc::gen::arbitrary<bool>(); }

template <class E>
E odd_choice() {
  const auto last = static_cast<int>(gpushape::kNames<E>.size()) - 1;
  return gpushape::kNames<E>.at(static_cast<std::size_t>(*rc::gen::inRange(0, last + 1))).value;
}

domain::Shape odd_shape() {
  domain::Shape shape = samples::full_shape();
  shape.consumption_model = odd_choice<domain::ConsumptionModel>();
  shape.technology = odd_choice<domain::Technology>();
  shape.device = odd_text();
  shape.profile = odd_text();
  shape.profile_short = odd_text();
  shape.count = odd_count();
  shape.interconnect = odd_text();
  shape.device_group = odd_text();
  shape.compute_share = odd_number();
  shape.memory_bytes = odd_bytes();
  shape.is_mixed_size = odd_boolean();
  return shape;
}

domain::Estimate odd_estimate() {
  domain::Estimate estimate = samples::full_estimate();
  if (odd_boolean()) estimate.model_id = odd_text();
  estimate.model_source = odd_text();
  estimate.parameters.total = odd_count();
  estimate.parameters.active = odd_count();
  if (odd_boolean()) estimate.context_tokens.reset();
  if (odd_boolean()) estimate.concurrency.reset();
  estimate.terms.clear();
  for (const auto& row : gpushape::kNames<domain::Part>) {
    if (odd_boolean()) continue;
    domain::Term term = samples::term(odd_text(), row.value, 1, 2, 3);
    term.bytes = odd_range();
    term.formula = odd_text();
    term.source = odd_text();
    term.inputs = {{"count", odd_count()}, {"number", odd_number()}, {"t", odd_text()}};
    estimate.terms.push_back(term);
  }
  estimate.total_bytes = odd_range();
  estimate.kv_bytes_per_token = odd_bytes();
  if (odd_boolean()) estimate.capacity.reset();
  if (estimate.capacity) {
    estimate.capacity->gpu = odd_text();
    estimate.capacity->profile = odd_text();
    estimate.capacity->visible_bytes = odd_range();
    estimate.capacity->kv_pool_bytes = odd_range();
    estimate.capacity->kv_pool_tokens = odd_count();
    estimate.capacity->max_concurrency_at_context = odd_number();
    estimate.capacity->utilization = odd_number();
    estimate.capacity->fits_at = odd_choice<domain::FitsAt>();
  }
  estimate.notes = {odd_text()};
  return estimate;
}

domain::RankedShape odd_ranked() {
  domain::RankedShape ranked = samples::ranked(odd_shape(), 1);
  ranked.fits_at = odd_choice<domain::FitsAt>();
  ranked.need_bytes = odd_bytes();
  ranked.headroom_bytes = odd_bytes();
  ranked.stranded_bytes = odd_bytes();
  ranked.max_concurrency = odd_number();
  ranked.max_num_seqs = odd_count();
  ranked.reasons = {{odd_text(), odd_text()}};
  ranked.to_change = odd_text();
  ranked.contract.host = odd_text();
  ranked.contract.memory_bytes = odd_bytes();
  ranked.contract.notes = {{odd_text(), odd_text()}};
  ranked.contract.pause_seconds = odd_number();
  ranked.replicas = odd_count();
  ranked.per_device = odd_count();
  if (odd_boolean()) ranked.estimate = odd_estimate();
  return ranked;
}

domain::Advice odd_advice() {
  domain::Advice advice;
  if (odd_boolean()) advice.estimate = odd_estimate();
  for (int count = *rc::gen::inRange(0, 13); count > 0; --count) {
    advice.shapes.push_back(odd_ranked());
  }
  for (int count = *rc::gen::inRange(0, 13); count > 0; --count) {
    advice.rejected.push_back({odd_shape(), {odd_text(), odd_text()}});
  }
  for (int count = *rc::gen::inRange(0, 6); count > 0; --count) {
    advice.assumptions.push_back(
        {odd_text(), odd_text(), odd_choice<domain::Origin>(), odd_text(), odd_text()});
    advice.asks.push_back({odd_text(), odd_text(), odd_text()});
    advice.findings.push_back({odd_text(), odd_text()});
    domain::Potential potential;
    potential.device = odd_text();
    potential.count = odd_count();
    potential.free_bytes = odd_bytes();
    potential.tokens = odd_count();
    potential.context_tokens = odd_count();
    potential.sequences = odd_count();
    potential.fits = odd_boolean();
    potential.says = odd_text();
    advice.potentials.push_back(potential);
  }
  if (odd_boolean()) {
    advice.flip = domain::Flip{odd_shape(), odd_text(), odd_text(), odd_text(), odd_text()};
  }
  if (odd_boolean()) advice.review_after_days = odd_count();
  advice.platform = odd_choice<domain::Platform>();
  return advice;
}

Style odd_style() {
  Style style = style_with(*rc::gen::inRange(-1, 2), odd_boolean());
  style.command = odd_text();
  return style;
}

/// Within 80 columns, nothing a terminal would obey, ASCII where that was asked for.
void check_layout(const std::string& text, const Style& style) {
  RC_ASSERT(text.ends_with('\n'));
  for (const std::string& line : lines_of(text)) {
    RC_ASSERT(gpushape::render::display_width(line) <= 80U);
    RC_ASSERT(gpushape::render::printable(line, style.has_unicode) == line);
    RC_ASSERT(!line.ends_with(' '));
  }
}

}  // namespace

TEST_SUITE("render") {
  TEST_CASE("text answers are what the golden files say") {
    check_golden("estimate", estimate_text(samples::full_estimate(), style_with(0)));
    check_golden("estimate-verbose", estimate_text(samples::full_estimate(), style_with(1)));
    check_golden("estimate-ascii", estimate_text(samples::full_estimate(), style_with(0, false)));
    check_golden("estimate-model-alone", estimate_text(samples::bare_estimate(), style_with(0)));
    check_golden("advice", advice_text(samples::full_advice(), style_with(0)));
    check_golden("advice-verbose", advice_text(samples::full_advice(), style_with(1)));
    check_golden("advice-quiet", advice_text(samples::full_advice(), style_with(-1)));
    check_golden("advice-asking", advice_text(samples::asking_advice(), style_with(0)));
    check_golden("advice-refusing", advice_text(samples::refusing_advice(), style_with(0)));
  }

  TEST_CASE("no answer is wider than 80 columns or holds what a terminal would obey") {
    CHECK(rc::check("estimate", [] {
      const Style style = odd_style();
      check_layout(estimate_text(odd_estimate(), style), style);
    }));
    CHECK(rc::check("advice", [] {
      const Style style = odd_style();
      check_layout(advice_text(odd_advice(), style), style);
    }));
  }

  TEST_CASE("the verdict has three lines, whatever they have to say") {
    CHECK(lines_of(gpushape::render::verdict(samples::full_advice(), {})).size() == 3);
    CHECK(rc::check("verdict", [] {
      const Style style = odd_style();
      const std::string text = gpushape::render::verdict(odd_advice(), style);
      check_layout(text, style);
      RC_ASSERT(lines_of(text).size() == 3U);
    }));
  }

  TEST_CASE("colour changes nothing but the colour") {
    Style colored = style_with(1);
    colored.has_color = true;
    std::string text = advice_text(samples::full_advice(), colored);
    CHECK(mentions(text, "\x1b["));
    for (std::size_t start = text.find('\x1b'); start != std::string::npos;
         start = text.find('\x1b')) {
      text.erase(start, text.find('m', start) - start + 1);
    }
    CHECK(text == advice_text(samples::full_advice(), style_with(1)));
  }

  TEST_CASE("assumptions come first, the verdict and the next command last") {
    const std::string text = advice_text(samples::full_advice(), style_with(0));
    CHECK(text.find("from --context") < text.find("Memory of one GPU"));
    CHECK(text.find("Memory of one GPU") < text.find("First choice"));
    CHECK(text.find("First choice") < text.find("VM contract"));
    CHECK(text.find("VM contract") < text.find("Verdict"));
    const std::vector<std::string> lines = lines_of(text);
    CHECK(mentions(lines.back(), "-o vm-class"));
  }

  TEST_CASE("the next command is the user's own with the target that its platform takes") {
    Style style = style_with(0);
    style.command = "gpushape advise llama --context 8192";
    domain::Advice advice = samples::full_advice();
    CHECK(mentions(advice_text(advice, style), "gpushape advise llama --context 8192 -o vm-class"));
    advice.platform = domain::Platform::Kubernetes;
    CHECK(mentions(advice_text(advice, style),
                   "gpushape advise llama --context 8192 -o resource-claim"));
    CHECK_FALSE(mentions(advice_text(advice, style), "VM contract"));
  }

  TEST_CASE("a need above what is there shows where the memory ends") {
    domain::Estimate estimate = samples::full_estimate();
    estimate.capacity->visible_bytes = domain::exactly(gpushape::gib_of(22.16));
    estimate.capacity->fits_at = domain::FitsAt::None;
    estimate.capacity->fits = false;
    const std::string text = estimate_text(estimate, style_with(0));
    CHECK(mentions(text, "^ 22.16 GiB are there"));
    CHECK(mentions(text, "does not fit h100-sxm-80"));
  }

  TEST_CASE("stages of a pipeline stand one by one, and those that hold the same together") {
    std::string words;
    for (const std::string& line :
         lines_of(estimate_text(samples::staged_estimate(), style_with(0))))
      words += line.substr(std::min(line.size(), line.find_first_not_of(' '))) + " ";
    CHECK(mentions(words,
                   "1: 8 layers, 4.00 GiB of weights, 12.00 GiB in all; 2 to 3: 8 layers, 3.00 GiB "
                   "of weights, 11.00 GiB in all; 4: 8 layers, 4.00 GiB of weights, 12.00 GiB in "
                   "all"));
    CHECK_FALSE(mentions(estimate_text(samples::full_estimate(), style_with(0)), "Stages"));
  }

  // An encoder keeps nothing: "0 tokens" would read as a pool that is full.
  TEST_CASE("a model without a cache is shown no count of tokens") {
    domain::Estimate estimate = samples::full_estimate();
    CHECK(mentions(estimate_text(estimate, style_with(0)), "would report it"));
    estimate.kv_bytes_per_token = Bytes(0);
    estimate.capacity->kv_pool_tokens = 0;
    const std::string text = estimate_text(estimate, style_with(0));
    CHECK(mentions(text, "Tokens in flight keep no KV cache."));
    CHECK_FALSE(mentions(text, "would report it"));
  }

  TEST_CASE("a shape that does not fit at the high end says so in the verdict") {
    domain::Advice advice = samples::full_advice();
    advice.shapes.front().fits = false;
    advice.shapes.front().fits_at = domain::FitsAt::Expected;
    CHECK(mentions(gpushape::render::verdict(advice, {}), "expected value only"));
  }

  TEST_CASE("a shape that takes replicas is never shown as one of it") {
    domain::Advice advice = samples::full_advice();
    advice.shapes.push_back(samples::ranked(samples::fraction_shape("gpu-x", "p", "10C"), 1));
    CHECK_FALSE(mentions(advice_text(advice, style_with(0)), "x (10C of gpu-x)"));
    advice.shapes.back().replicas = 2;
    CHECK(mentions(advice_text(advice, style_with(0)), "2 x (10C of gpu-x)"));
    advice.shapes = {advice.shapes.back()};
    CHECK(mentions(advice_text(advice, style_with(0)), "First choice: 2 replicas of 10C of gpu-x"));
    CHECK(mentions(gpushape::render::verdict(advice, {}), "2 replicas of 10C of gpu-x"));
  }

  TEST_CASE("many shapes and refusals are cut short, and listed whole when asked") {
    domain::Advice advice = samples::full_advice();
    for (int index = 0; index < 20; ++index) {
      const std::string device = "gpu-" + std::to_string(index);
      advice.shapes.push_back(samples::ranked(samples::fraction_shape(device, "p", "10C"), 1));
      advice.rejected.push_back(
          {samples::fraction_shape(device, "p", "5C"), {"fit", "too small by a GiB"}});
    }
    const std::string text = advice_text(advice, style_with(0));
    CHECK_FALSE(mentions(text, "gpu-19"));
    CHECK(mentions(text, "and 14 more; -v lists them"));  // 22 others, 8 shown
    CHECK(mentions(text, "21 shapes of 21 devices"));     // refused under "fit": 20 and the l40s
    CHECK(mentions(text, "2 shapes of 1 device"));        // refused under CM-08
    CHECK(mentions(text, "-v lists every shape with its fact"));
    CHECK(mentions(advice_text(advice, style_with(1)), "10C of gpu-19"));
    CHECK(mentions(advice_text(advice, style_with(1)), "gpu-19: 5C"));
  }

  TEST_CASE("addresses behind a default are left to the verbose answer") {
    domain::Advice advice = samples::full_advice();
    advice.assumptions.back().from = "the usual server: a guide: https://example.org/guide";
    CHECK(mentions(advice_text(advice, style_with(0)), "default: the usual server (--host)"));
    CHECK_FALSE(mentions(advice_text(advice, style_with(0)), "https://"));
    CHECK(mentions(advice_text(advice, style_with(1)), "https://example.org"));
  }

  TEST_CASE("JSON and YAML are the published documents") {
    const auto advice = samples::full_advice();
    const auto formats = gpushape::render::formats();
    REQUIRE(formats.size() == 3);
    CHECK(formats[0].name == "text");
    const auto json = gpushape::document::read_json(formats[1].advice(advice, {}), "out.json");
    REQUIRE(json.has_value());
    CHECK(json->root == gpushape::schema::to_node(advice));
    const auto yaml = gpushape::document::read_yaml(formats[2].advice(advice, {}), "out.yaml");
    REQUIRE(yaml.has_value());
    CHECK(yaml->front().root == gpushape::schema::to_node(advice));
    const auto estimate =
        gpushape::document::read_json(formats[1].estimate(samples::full_estimate(), {}), "out");
    REQUIRE(estimate.has_value());
    CHECK(estimate->root == gpushape::schema::to_node(samples::full_estimate()));
  }
}
