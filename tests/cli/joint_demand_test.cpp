// What sequences of public traces hold together, against a bootstrap: N requests drawn with
// replacement and added up, 20,000 times (bench/joint_demand prints it for any trace). The bar is
// -8 % to +5 % of its P99 for 4 to 256 sequences.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "document/text_format.hpp"
#include "estimate/traffic/lengths.hpp"
#include "estimate/traffic/token_demand.hpp"
#include "inventory/token_trace.hpp"

using namespace gpushape;

namespace {

struct Bootstrap {
  const char* trace;
  std::array<double, 7> p99;  ///< of 4, 8, 16 … 256 sequences
};
constexpr std::array kBootstraps = {
    Bootstrap{"AzureLLMInferenceTrace_conv.csv",
              {11'696, 19'492, 33'583, 59'355, 109'386, 205'246, 392'345}},
    Bootstrap{"mooncake_conversation.csv",
              {158'448, 241'785, 383'012, 645'095, 1'132'919, 2'042'343, 3'798'815}},
};

// token_percentiles.csv: prompts and answers of the two traces by eleven nearest-rank percentiles.
constexpr std::array kRanks = {1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0};
struct Traced {
  double mean;
  std::array<double, 11> percentiles;
};
constexpr std::array kPrompts = {
    Traced{1154.7, {29, 181, 207, 396, 1020, 1189, 2735, 4083, 4142, 6212, 14050}},
    Traced{12035.06, {894, 901, 964, 2306, 6909, 15368, 27367, 39552, 85401, 121301, 126195}}};
constexpr std::array kAnswers = {
    Traced{211.13, {16, 41, 54, 85, 129, 395, 424, 451, 601, 954, 1000}},
    Traced{342.62, {3, 10, 24, 156, 350, 472, 597, 698, 1120, 2000, 2000}}};

domain::TokenFigures figures_of(const Traced& row, bool has_mean) {
  domain::TokenFigures figures;
  if (has_mean) figures.mean = row.mean;
  for (std::size_t i = 0; i < kRanks.size(); ++i)
    figures.percentiles.push_back({.rank = kRanks.at(i), .tokens = row.percentiles.at(i)});
  return figures;
}

void check_within_bar(const domain::Lengths& lengths, const Bootstrap& bootstrap) {
  for (std::size_t i = 0; i < bootstrap.p99.size(); ++i) {
    const std::int64_t sequences = std::int64_t{4} << i;
    CAPTURE(bootstrap.trace);
    CAPTURE(sequences);
    const double found = estimate::tokens_in_flight(lengths, sequences, 0.99);
    CHECK(found / bootstrap.p99.at(i) >= 0.92);
    CHECK(found / bootstrap.p99.at(i) <= 1.05);
  }
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("recorded requests come out as a bootstrap of them does") {
    const char* const shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED names no folder with the traces");
      return;
    }
    for (const Bootstrap& bootstrap : kBootstraps) {
      const std::string path = std::string(shared) + "/data/traces/tokens/" + bootstrap.trace;
      const auto text = document::read_file(path);
      REQUIRE(text.has_value());
      const auto trace = inventory::read_token_trace(*text, path);
      REQUIRE(trace.has_value());
      check_within_bar(estimate::lengths_of_trace(*trace), bootstrap);
    }
  }

  TEST_CASE("percentiles of prompts and answers come out as a bootstrap of the requests does") {
    for (std::size_t i = 0; i < kBootstraps.size(); ++i) {
      for (const bool has_mean : {false, true}) {
        CAPTURE(has_mean);
        check_within_bar(estimate::lengths_of_figures(figures_of(kPrompts.at(i), has_mean),
                                                      figures_of(kAnswers.at(i), has_mean)),
                         kBootstraps.at(i));
      }
    }
  }
}
