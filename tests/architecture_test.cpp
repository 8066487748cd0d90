// Holds every #include of src/ against the picture of the rooms: a room includes itself and rooms
// below it.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

using Rooms = std::set<std::string>;

// The picture, room by room: what each may include beside itself. A room that is missing here fails
// the test.
const std::map<std::string, Rooms> kBelow = {
    {"base", {}},
    {"document", {"base"}},
    {"domain", {"base"}},
    {"schema", {"base", "document", "domain"}},
    {"catalog", {"base", "document", "domain"}},
    {"profiles", {"base", "document", "domain"}},
    {"inventory", {"base", "document", "domain"}},
    {"estimate", {"base", "domain"}},
    {"place", {"base", "domain"}},
    {"advise", {"base", "domain", "estimate", "place"}},
    {"review",
     {"base", "document", "domain", "schema", "catalog", "profiles", "inventory", "estimate",
      "place", "advise"}},
    {"simulate", {"base", "domain", "place"}},
    {"calibrate", {"base", "document", "domain", "catalog", "profiles", "estimate"}},
    {"emit",
     {"base", "document", "domain", "schema", "estimate", "place", "advise", "review", "simulate",
      "calibrate"}},
    {"render",
     {"base", "document", "domain", "schema", "estimate", "place", "advise", "review", "simulate",
      "calibrate"}},
    {"cli",
     {"base", "document", "domain", "schema", "catalog", "profiles", "inventory", "estimate",
      "place", "advise", "review", "simulate", "calibrate", "emit", "render"}},
};

// Third-party headers by the only rooms that may hold them.
struct Foreign {
  std::string prefix;
  Rooms rooms;
};
const std::vector<Foreign> kForeign = {
    {"CLI/", {"cli"}},           {"kainjow/", {"emit"}},   {"nlohmann/", {"document"}},
    {"yaml-cpp/", {"document"}}, {"zlib.h", {"document"}}, {"expat.h", {"document"}},
};

// Headers of the outside world, closed to the rooms that compute on values.
const Rooms kPure = {"base", "domain", "estimate", "place", "advise", "simulate"};
const std::set<std::string> kOutside = {"fstream", "filesystem", "iostream", "cstdio",   "ctime",
                                        "thread",  "random",     "unistd.h", "stdlib.h", "chrono"};

struct Include {
  std::string file;
  std::string room;
  std::string header;
  bool is_system = false;
};

std::vector<Include> all_includes() {
  const std::filesystem::path root = std::filesystem::path(GPUSHAPE_SOURCE_DIR) / "src";
  static const std::regex kPattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> includes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    const std::filesystem::path relative = std::filesystem::relative(entry.path(), root);
    std::ifstream input(entry.path());
    for (std::string line; std::getline(input, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, kPattern)) continue;
      includes.push_back(
          {relative.string(), relative.begin()->string(), match[2].str(), match[1].str() == "<"});
    }
  }
  return includes;
}

bool reads_clock(const std::string& file) {
  std::ifstream input(std::filesystem::path(GPUSHAPE_SOURCE_DIR) / "src" / file);
  for (std::string line; std::getline(input, line);) {
    if (line.contains("_clock")) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE("architecture") {
  TEST_CASE("every room stands in the picture, and the picture has no cycle") {
    const std::filesystem::path root = std::filesystem::path(GPUSHAPE_SOURCE_DIR) / "src";
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (!entry.is_directory()) continue;
      CAPTURE(entry.path().string());
      CHECK(kBelow.contains(entry.path().filename().string()));
    }
    for (const auto& [room, below] : kBelow) {
      for (const std::string& other : below) {
        CAPTURE(room);
        CAPTURE(other);
        CHECK_FALSE(kBelow.at(other).contains(room));
      }
    }
  }

  TEST_CASE("a room includes its own headers and those of rooms below it") {
    const std::vector<Include> includes = all_includes();
    CHECK(includes.size() > 50);  // the walk found the sources
    for (const Include& include : includes) {
      if (include.is_system) continue;
      CAPTURE(include.file);
      CAPTURE(include.header);
      const std::string room = include.header.substr(0, include.header.find('/'));
      REQUIRE(kBelow.contains(room));  // includes are written from src/, "room/file.hpp"
      CHECK((room == include.room || kBelow.at(include.room).contains(room)));
    }
  }

  TEST_CASE("third-party headers stay in their one room") {
    for (const Include& include : all_includes()) {
      for (const Foreign& foreign : kForeign) {
        if (!include.header.starts_with(foreign.prefix)) continue;
        CAPTURE(include.file);
        CAPTURE(include.header);
        CHECK(foreign.rooms.contains(include.room));
      }
    }
  }

  TEST_CASE("the rooms that compute on values touch neither files nor clocks nor terminals") {
    for (const Include& include : all_includes()) {
      if (!kPure.contains(include.room)) continue;
      CAPTURE(include.file);
      CAPTURE(include.header);
      // Days of a calendar are values; what the clock says is not.
      if (include.header == "chrono" && !reads_clock(include.file)) continue;
      CHECK_FALSE(kOutside.contains(include.header));
    }
  }
}
