#include "estimate/facts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using estimate::Conditions;
using estimate::Facts;

TEST_SUITE("estimate") {
  TEST_CASE("the most particular row wins, then the latest that the version has") {
    const domain::Engine engine = example::vllm();
    const Conditions large{.device_gib = 80, .gpu_given = 1};
    CHECK(Facts(engine, {0, 19, 0}, large).expected("maxNumSeqs") == 1024);
    CHECK(Facts(engine, {0, 19, 0}, {.device_gib = 80, .gpu_given = 1, .is_a100 = 1})
              .expected("maxNumSeqs") == 256);
    CHECK(Facts(engine, {0, 19, 0}, {}).expected("maxNumSeqs") == 128);
    CHECK(Facts(engine, {0, 19, 1}, large).expected("gpuMemoryUtilization") == 0.9);
    CHECK(Facts(engine, {0, 23, 0}, large).expected("gpuMemoryUtilization") == 0.92);
  }

  // The second generation took 1,024 sequences everywhere to 0.8.3; then vLLM asked for a name with
  // h100 or h200 (pull request 16158), for 70 GiB alone in 0.8.5 (17073), and for another name than
  // a100 from 0.9 on (17885).
  TEST_CASE("batch defaults of large devices changed by release") {
    const domain::Engine engine = *example::built_in_catalog().engine("vllm");
    const Conditions h100{.device_gib = 79.6, .gpu_given = 1, .is_h100 = 1};
    const Conditions a100{.device_gib = 80, .gpu_given = 1, .is_a100 = 1};
    const Conditions b200{.device_gib = 180, .gpu_given = 1};
    const auto sequences = [&](domain::EngineVersion version, const Conditions& device) {
      return Facts(engine, version, device).expected("maxNumSeqs");
    };
    CHECK(sequences({0, 8, 2}, h100) == 1024);
    const Conditions l4{.compute_capability = 8.9, .device_gib = 22, .gpu_given = 1};
    const Conditions t4{.compute_capability = 7.5, .device_gib = 15, .gpu_given = 1};
    const Conditions mi250{.device_gib = 64, .gpu_given = 1, .is_amd = 1};
    CHECK(sequences({0, 8, 2}, b200) == 1024);
    CHECK(sequences({0, 8, 3}, l4) == 1024);
    CHECK(sequences({0, 8, 3}, t4) == 256);  // the first generation
    CHECK(sequences({0, 8, 3}, mi250) == 256);
    CHECK(sequences({0, 8, 4}, h100) == 1024);
    CHECK(sequences({0, 8, 4}, b200) == 256);
    CHECK(sequences({0, 8, 4}, a100) == 256);
    CHECK(sequences({0, 8, 4}, l4) == 256);
    CHECK(sequences({0, 8, 5}, b200) == 1024);
    CHECK(sequences({0, 8, 5}, a100) == 1024);
    CHECK(sequences({0, 9, 0}, a100) == 256);
    CHECK(sequences({0, 9, 0}, h100) == 1024);
    Conditions program = h100;
    program.is_library = 1;
    CHECK(Facts(engine, {0, 8, 2}, program).expected("maxNumBatchedTokens") == 16384);
    program = a100;
    program.is_library = 1;
    CHECK(Facts(engine, {0, 8, 5}, program).expected("maxNumBatchedTokens") == 16384);
    CHECK(Facts(engine, {0, 9, 0}, program).expected("maxNumBatchedTokens") == 8192);
  }

  // What the search of candidates finds, against a walk through all rows that the header describes.
  TEST_CASE("every name has the constant that a walk through all rows ends with") {
    for (const char* engine_name : {"vllm", "sglang", "llama.cpp", "ollama"}) {
      const domain::Engine engine = *example::built_in_catalog().engine(engine_name);
      const auto last_of = [&](const std::string& name, domain::EngineVersion version,
                               const Conditions& conditions) {
        const domain::EngineConstant* best = nullptr;
        const auto comparisons = [](const domain::EngineConstant& constant) {
          return constant.when.empty() ? 0 : 1 + std::ranges::count(constant.when, ',');
        };
        for (const domain::EngineFacts& facts : engine.facts.rows()) {
          if (facts.since > version) break;
          for (const domain::EngineConstant& constant : facts.constants) {
            if (constant.name != name || !domain::holds(constant.when, conditions)) continue;
            if (best == nullptr || comparisons(constant) >= comparisons(*best)) best = &constant;
          }
        }
        return best;
      };
      for (const domain::EngineVersion version : engine.known_versions) {
        for (const Conditions& conditions :
             {Conditions{}, Conditions{.tensor_parallel = 4, .device_gib = 80, .gpu_given = 1},
              Conditions{.compute_capability = 9, .device_gib = 140, .gpu_given = 1, .is_h100 = 1},
              Conditions{.device_gib = 192, .gpu_given = 1, .is_amd = 1, .has_experts = 1}}) {
          const Facts facts(engine, version, conditions);
          for (const domain::EngineFacts& row : engine.facts.rows()) {
            for (const domain::EngineConstant& constant : row.constants) {
              CAPTURE(constant.name);
              CHECK(facts.find(NameKey{std::string_view(constant.name)}) ==
                    last_of(constant.name, version, conditions));
            }
          }
        }
      }
    }
  }

  TEST_CASE("facts change with the sequences where some of them ask for sequences") {
    const domain::Engine engine =
        example::vllm_with({example::constant("fewOnly", 1, "MiB", "sequences<8")});
    Facts facts(engine, {0, 19, 0}, {.sequences = 100});
    CHECK(facts.find("fewOnly") == nullptr);
    const Facts before = facts;
    facts.set_sequences(50);
    CHECK(facts.changes() == 0);
    facts.set_sequences(7);
    CHECK(facts.changes() == 1);
    CHECK(facts.expected("fewOnly") == 1024 * 1024);
    CHECK(before.find("fewOnly") == nullptr);
  }

  TEST_CASE("figures of memory come out in bytes") {
    const domain::Engine engine = example::vllm();
    const Facts facts(engine, {0, 19, 0}, {});
    CHECK(facts.expected("nonTorch") == 0.25 * 1024 * 1024 * 1024);
    CHECK(facts.expected("matrixWorkspace") == 32.0 * 1024 * 1024);
    CHECK(facts.expected("nothing of that name") == 0);
  }
}
