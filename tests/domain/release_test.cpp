#include "domain/release.hpp"

#include <doctest/doctest.h>

#include <string_view>

using gpushape::domain::parse_release;
using gpushape::domain::Release;

TEST_SUITE("domain") {
  TEST_CASE("a release is understood as hosts and people write it") {
    CHECK(parse_release("8.0 U3") == Release{8, 0, 3});
    CHECK(parse_release("8.0.3") == Release{8, 0, 3});
    CHECK(parse_release("8.0u3") == Release{8, 0, 3});
    CHECK(parse_release("vSphere 7.0 U2") == Release{7, 0, 2});
    CHECK(parse_release("ESXi 8.0") == Release{8, 0, 0});
    CHECK(parse_release("VCF 9.0.1") == Release{9, 0, 1});
    CHECK(parse_release("vcf 9") == Release{9, 0, 0});
    CHECK(parse_release("VCF 9.0").value() > parse_release("8.0 U3").value());
  }

  TEST_CASE("what names no release of vSphere is not guessed") {
    for (const std::string_view text : {"", "VCF", "VCF 5.2", "8.", "8.0 U", "8.0 build 3", "eight",
                                        "-8", "8.0.3.1", "0", "99999999999", "8.0 U3 and more"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_release(text).has_value());
    }
  }
}
