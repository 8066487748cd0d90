#include "base/calendar.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpushape;

TEST_SUITE("base") {
  TEST_CASE("a duration is a number and its unit") {
    CHECK(parse_duration("30s") == 30);
    CHECK(parse_duration("90m") == 5'400);
    CHECK(parse_duration("8h") == 28'800);
    CHECK(parse_duration("14d") == 1'209'600);
    for (const std::string text : {"", "h", "8", "8 h", "-8h", "+8h", "0h", "8w", "1e3s", "36501d",
                                   "99999999999999999999s", "8h "}) {
      CAPTURE(text);
      CHECK_FALSE(parse_duration(text));
    }
  }

  TEST_CASE("seconds are shown in the largest unit that holds them whole") {
    CHECK(duration_text(86'400) == "1d");
    CHECK(duration_text(129'600) == "36h");  // 1.5 days
    CHECK(duration_text(5'400) == "90m");
    CHECK(duration_text(61) == "61s");
  }

  TEST_CASE("a date is a day that the calendar has") {
    REQUIRE(parse_date("2028-02-29"));  // a leap year
    CHECK(date_text(*parse_date("2028-02-29") + std::chrono::days(1)) == "2028-03-01");
    CHECK(date_text(*parse_date("2026-11-21") + std::chrono::days(14)) == "2026-12-05");
    for (const std::string text : {"", "2027-02-29", "2026-13-01", "2026-1-1", "26-11-28",
                                   "2026/11/28", "2026-11-28T00", "+026-11-28", "today"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_date(text));
    }
  }
}
