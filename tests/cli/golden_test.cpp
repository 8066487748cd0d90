// Whole runs against recorded answers: tests/golden/cli/<case>/{command,stdout,stderr,status}. With
// GPUSHAPE_UPDATE_GOLDEN set, the records are written anew; the diff is then for a person to judge.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/program.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cases() {
  std::vector<fs::path> folders;
  for (const auto& entry :
       fs::directory_iterator(fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/cli")) {
    if (fs::exists(entry.path() / "command")) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("every recorded run answers as recorded") {
    const bool is_update = std::getenv("GPUSHAPE_UPDATE_GOLDEN") != nullptr;
    const std::vector<fs::path> folders = cases();
    CHECK(folders.size() >= 10);
    for (const fs::path& folder : folders) {
      CAPTURE(folder.filename().string());
      const gpushape::test::Outcome outcome =
          gpushape::test::run_line(gpushape::test::read_text(folder / "command"));
      if (is_update) {
        std::ofstream(folder / "stdout", std::ios::binary) << outcome.out;
        std::ofstream(folder / "stderr", std::ios::binary) << outcome.err;
        std::ofstream(folder / "status") << outcome.status << "\n";
        continue;
      }
      CHECK(outcome.out == gpushape::test::read_text(folder / "stdout"));
      CHECK(outcome.err == gpushape::test::read_text(folder / "stderr"));
      CHECK(std::to_string(outcome.status) + "\n" == gpushape::test::read_text(folder / "status"));
    }
  }

  TEST_CASE("the same command gives the same bytes") {
    const char* line =
        "advise llama-3.1-8b-instruct --context 8192 --concurrency 32 --gpu h100-sxm-80 -o json";
    CHECK(gpushape::test::run_line(line).out == gpushape::test::run_line(line).out);
  }
}
