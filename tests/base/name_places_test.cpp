#include "base/name_places.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using gpushape::NameKey;
using gpushape::NamePlaces;

TEST_SUITE("base") {
  TEST_CASE("names keep the place at which they were first added, also among many") {
    NamePlaces places;
    CHECK(places.find("first") == NamePlaces::kUnknown);
    constexpr std::size_t kMany = 1000;  // several times what there is room for at first
    for (std::size_t i = 0; i < kMany; ++i) CHECK(places.add("name" + std::to_string(i)) == i);
    CHECK(places.add("name0") == 0);
    CHECK(places.add("name999") == 999);
    CHECK(places.find("name500") == 500);
    CHECK(places.find("name1000") == NamePlaces::kUnknown);
    CHECK(places.names().size() == kMany);
  }

  TEST_CASE("a name that the compiler has read is the one that was read from a file") {
    constexpr NameKey kLiteral = "gpuMemoryUtilization";
    const std::string text = "gpuMemoryUtilization";
    const NameKey read{std::string_view(text)};
    CHECK(kLiteral.hash() == read.hash());
    CHECK(kLiteral.name() == "gpuMemoryUtilization");
    NamePlaces places;
    places.add("maxNumSeqs");
    CHECK(places.add(std::string("gpuMemoryUtilization")) == 1);
    CHECK(places.find(kLiteral) == 1);
  }

  TEST_CASE("names that differ in the middle alone, or are shorter than a word, are told apart") {
    NamePlaces places;
    CHECK(places.add("beginning-a-theEnding") == 0);
    CHECK(places.add("beginning-b-theEnding") == 1);
    CHECK(places.add("a") == 2);
    CHECK(places.add("") == 3);
    CHECK(places.find("beginning-b-theEnding") == 1);
    CHECK(places.find("") == 3);
    CHECK(places.find("b") == NamePlaces::kUnknown);
  }
}
