#include "base/bytes.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

using gpushape::Bytes;

TEST_SUITE("base") {
  TEST_CASE("bytes add, subtract, multiply and divide") {
    CHECK(Bytes(5) + Bytes(3) == Bytes(8));
    CHECK(Bytes(5) - Bytes(8) == Bytes(-3));
    CHECK(Bytes(5) * 3 == Bytes(15));
    CHECK(3 * Bytes(5) == Bytes(15));
    CHECK(Bytes(17) / 5 == Bytes(3));
    CHECK(Bytes(17) / Bytes(5) == 3);
    CHECK(gpushape::kib(2) == Bytes(2048));
    CHECK(gpushape::mib(3) == Bytes(3'145'728));
    CHECK(gpushape::gib(1) == Bytes(1'073'741'824));
    CHECK(Bytes(1'610'612'736).gib() == 1.5);
    // 44.52 GiB * 2^30 = 47 802 986 004.48 (the total that a log prints for an L40S)
    CHECK(gpushape::gib_of(44.52) == Bytes(47'802'986'004));
    CHECK(round_up(Bytes(9), Bytes(4)) == Bytes(12));
    CHECK(round_up(Bytes(8), Bytes(4)) == Bytes(8));
    CHECK(round_up(Bytes(0), Bytes(4)) == Bytes(0));
  }

  TEST_CASE("arithmetic that does not fit 64 bits throws") {
    const Bytes most(std::numeric_limits<std::int64_t>::max());
    const Bytes least(std::numeric_limits<std::int64_t>::min());
    CHECK_THROWS_AS(most + Bytes(1), std::overflow_error);
    CHECK_THROWS_AS(least - Bytes(1), std::overflow_error);
    CHECK_THROWS_AS(most * 2, std::overflow_error);
    CHECK_THROWS_AS(least * -1, std::overflow_error);
    CHECK_THROWS_AS(gpushape::gib(std::int64_t{1} << 40U), std::overflow_error);
    CHECK(most + Bytes(0) == most);
    CHECK(most - most == Bytes(0));
  }
}
