#include "domain/engine.hpp"

#include <doctest/doctest.h>

#include <string>

using gpushape::domain::engine_version;
using gpushape::domain::EngineVersion;
using gpushape::domain::to_text;

TEST_SUITE("domain") {
  TEST_CASE("a version reads back from what is printed for it, with a zero patch left out") {
    CHECK(to_text(EngineVersion{0, 19, 1}) == "0.19.1");
    CHECK(to_text(EngineVersion{0, 10, 0}) == "0.10");
    CHECK(engine_version("0.19.1") == EngineVersion{0, 19, 1});
    CHECK(engine_version("v0.10") == EngineVersion{0, 10, 0});
    CHECK(engine_version("1") == EngineVersion{1, 0, 0});
  }

  TEST_CASE("a text that is no version gives nothing") {
    for (const std::string text : {"", "v", "latest", "0.", ".1", "0..1", "0.1.2.3", "0.-1", "-1",
                                   "+1", "1e3", "0.19.1rc1", "0.99999999999999"}) {
      CAPTURE(text);
      CHECK_FALSE(engine_version(text).has_value());
    }
  }
}
