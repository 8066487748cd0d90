#include "base/edit_distance.hpp"

#include <doctest/doctest.h>

TEST_SUITE("base") {
  TEST_CASE("a swap of neighbours counts once and letter case not at all") {
    CHECK(gpushape::edit_distance("h100", "h010") == 1);
    CHECK(gpushape::edit_distance("L40S", "l40s") == 0);
    CHECK(gpushape::edit_distance("kitten", "sitting") == 3);  // the textbook pair: k>s, e>i, +g
    CHECK(gpushape::edit_distance("", "abc") == 3);
  }

  TEST_CASE("the nearest name comes first and far names are left out") {
    const std::vector<std::string> names = {"l40", "l40s", "h100-sxm-80", "a100-sxm4-80"};
    CHECK(gpushape::nearest_names("l40z", names).front() == "l40");
    const std::vector<std::string> near = gpushape::nearest_names("h100-smx-80", names);
    CHECK(near == std::vector<std::string>{"h100-sxm-80", "a100-sxm4-80"});
    CHECK(gpushape::nearest_names("banana", names).empty());
    CHECK(gpushape::suggestion("l40ss", names) == "did you mean 'l40s' or 'l40'?");
    CHECK(gpushape::suggestion("banana", names, "see the list") == "see the list");
  }

  TEST_CASE("a name with all the words that were written comes before one spelled alike") {
    const std::vector<std::string> names = {"dgx-h100", "dgx-b100", "dgx-a100-640", "hgx-a100-8"};
    const std::vector<std::string> near = gpushape::nearest_names("dgx-a100", names);
    REQUIRE(!near.empty());
    CHECK(near.front() == "dgx-a100-640");
    CHECK(gpushape::nearest_names("640-A100", names).front() == "dgx-a100-640");
    CHECK(gpushape::nearest_names("dgx-h10", names).front() == "dgx-h100");
  }
}
