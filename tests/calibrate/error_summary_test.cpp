// Errors of many comparisons in a line.
#include "calibrate/error_summary.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "calibrate/comparison.hpp"

using namespace gpushape;
using calibrate::Comparison;
using calibrate::ErrorSummary;

TEST_SUITE("calibrate") {
  TEST_CASE("a summary takes median, mean and worst of the absolute errors") {
    std::vector<Comparison> comparisons(4);
    const std::array measured{100.0, 100.0, 100.0};
    const std::array predicted{101.0, 97.0, 100.0};  // 1, 3 and 0 percent off
    for (std::size_t i = 0; i < measured.size(); ++i) {
      comparisons[i].start.id = std::to_string(i);
      comparisons[i].pool = calibrate::Figure{.predicted = domain::exactly(gib_of(predicted.at(i))),
                                              .measured_gib = measured.at(i)};
    }
    const ErrorSummary summary = calibrate::summarize(comparisons, &Comparison::pool);
    CHECK(summary.count == 3);
    CHECK(summary.median == doctest::Approx(0.01));
    CHECK(summary.mean_absolute == doctest::Approx(0.04 / 3));
    CHECK(summary.worst == doctest::Approx(0.03));
    CHECK(summary.worst_id == "1");
    CHECK(summary.in_range == 1);

    // Several figures together: weights that are 5 percent off join the three pools.
    comparisons[3].weights = calibrate::Figure{
        .predicted = {gib_of(94.0), gib_of(95.0), gib_of(96.0)}, .measured_gib = 100.0};
    const std::array figures{&Comparison::weights, &Comparison::pool};
    const ErrorSummary both = calibrate::summarize(comparisons, figures);
    CHECK(both.count == 4);
    CHECK(both.median == doctest::Approx(0.02));       // of 0, 1, 3 and 5 percent
    CHECK(both.median_width == doctest::Approx(0.0));  // of 0, 0, 0 and 2 percent
    CHECK(both.worst == doctest::Approx(0.05));
    CHECK(both.in_range == 1);
  }
}
