#include "cli/flags.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "cli/program.hpp"

using gpushape::test::run_line;

TEST_SUITE("cli") {
  TEST_CASE("every flag that an answer tells the user to state is one that advise takes") {
    std::set<std::string> known;
    for (const gpushape::cli::FlagRow& row : gpushape::cli::flags()) {
      if ((row.takers & gpushape::cli::kAdvise) != 0) known.emplace(row.name);
    }
    static const std::regex kFlag("--[a-z][a-z-]+");
    std::set<std::string> named;
    for (const char* line :
         {"advise llama-3.1-8b-instruct --gpu h100-sxm-80 -v",
          "advise llama-3.1-8b-instruct --context 8k --concurrency 8 --gpu l40s -v",
          "advise llama-3.3-70b-instruct --context 8k --concurrency 8 --gpu h100-sxm-80 -v",
          "advise -f examples/workloads/appliance.yaml --gpu l40s --needs-ha --replicas 2 -v",
          "advise --role notebook --memory-ceiling 8GB --isolation hard --gpu a100-sxm4-80 -v"}) {
      const std::string text = run_line(line).out;
      for (std::sregex_iterator at(text.begin(), text.end(), kFlag), end; at != end; ++at) {
        named.insert(at->str());
      }
    }
    // Flags of the engine's own that the answer prints for its command line.
    named.erase("--tensor-parallel-size");
    named.erase("--pipeline-parallel-size");
    CHECK(named.size() > 15);
    for (const std::string& flag : named) {
      CAPTURE(flag);
      CHECK(known.contains(flag));
    }
  }
}
