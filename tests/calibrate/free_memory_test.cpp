// What an engine reads as free memory where others share it.
#include "calibrate/free_memory.hpp"

#include <doctest/doctest.h>

#include "domain/range.hpp"

using namespace gpushape;
using calibrate::as_read;
using calibrate::EngineStart;
using domain::Range;

TEST_SUITE("calibrate") {
  // Qwen3-30B-A3B-FP8 by 0.13.0 on GB10, of which 121.6 GiB are visible: 0.3 of them less 29.04 of
  // weights and 1.4 of a step leave 6.0, and 4.04 are printed. Qwen3.5-35B-A3B-FP8 by 0.18.1
  // captures its graphs in 0.04 GiB.
  TEST_CASE(
      "a pool of shared memory holds what the page cache may take, and graphs may show none") {
    domain::VisibleMemory gb10;
    gb10.device = "gb10";
    gb10.bytes = domain::exactly(gib_of(121.6));
    const Range pool = as_read(domain::exactly(gib_of(6.0)), "kvPool", {}, gb10);
    CHECK(pool.low < gib_of(4.04));
    CHECK(pool.low > gib_of(2));
    CHECK(pool.high > gib_of(6));
    const Range graphs = as_read({.low = gib_of(0.2), .expected = gib_of(1.5), .high = gib_of(5.6)},
                                 "graphs", {}, gb10);
    CHECK(graphs.low == Bytes(0));
    CHECK(graphs.high == gib_of(5.6));
    const Range weights = domain::exactly(gib_of(29.04));
    CHECK(as_read(weights, "weights", {}, gb10) == weights);
    CHECK_FALSE(calibrate::why_read_otherwise({}, gb10).empty());
    // SGLang reads them off free memory: Qwen3.8-27B by 0.5.15 loads 51.86 GiB, 51.06 of tensors.
    EngineStart sglang;
    sglang.engine = "sglang";
    CHECK(as_read(domain::exactly(gib_of(51.06)), "weights", sglang, gb10).high > gib_of(51.86));
    // Qwen2.5-1.5B by 0.5.10 prints graphs of 3.02 to 3.74 there, and 0.9 on a server's GPU.
    const Range few = {.low = gib_of(0.1), .expected = gib_of(0.96), .high = gib_of(2.04)};
    CHECK(as_read(few, "graphs", sglang, gb10).high > gib_of(3.74));
    CHECK(as_read(Range{}, "graphs", sglang, gb10) == Range{});
  }

  // dots.ocr by 0.9.1 under WSL prints graphs of 4.09 GiB, LLaVA-1.5-7B by 0.10.2 of 0.00.
  TEST_CASE("graphs under WSL hold what Windows moves while they are captured") {
    EngineStart start;
    start.is_under_wsl = true;
    const Range few = {.low = gib_of(0.26), .expected = gib_of(0.42), .high = gib_of(1.66)};
    const Range graphs = as_read(few, "graphs", start, {});
    CHECK(graphs.low == Bytes(0));
    CHECK(graphs.high >= gib_of(4.09));
    // Without graphs nothing is captured.
    CHECK(as_read(Range{}, "graphs", start, {}) == Range{});
    start.is_under_wsl = false;
    CHECK(as_read(few, "graphs", start, {}) == few);
    CHECK(calibrate::why_read_otherwise(start, {}).empty());
  }
}
