#include "calibrate/record_gpu.hpp"

#include <doctest/doctest.h>

#include <array>

#include "support/built_in_profiles.hpp"

using namespace gpushape;
using calibrate::EngineStart;

TEST_SUITE("calibrate") {
  TEST_CASE("a GPU is found among the words that people write around its name") {
    struct Row {
      const char* words;
      double total_gib;  // of the tables; 0 where there is no such card
    };
    for (const Row& row :
         std::to_array<Row>({{"2\u00d7 RTX 3090 (sm86, 24 GB)", 23.69},
                             {"4 of 8x NVIDIA RTX PRO 6000 Blackwell Server Edition", 94.97},
                             {"8*H200", 139.8},
                             {"dual RTX 3090", 23.69},
                             {"RTX 4090 24GB", 23.65},
                             {"NVIDIA GB10 / DGX Spark (SM121)", 121.69},
                             {"NVIDIA L4 24GB (g6.12xlarge, 4x L4, PCIe)", 22.16},
                             {"RTX 4090 48GB", 0},  // not its maker's
                             {"somebody's card", 0}})) {
      CAPTURE(row.words);
      EngineStart start;
      start.gpu = row.words;
      const calibrate::RecordGpu gpu = calibrate::gpu_of(start, example::built_in_profiles());
      CHECK(gpu.is_named == (row.total_gib > 0));
      if (gpu.memory)
        CHECK(gpu.memory->bytes.expected.gib() == doctest::Approx(row.total_gib).epsilon(0.001));
    }
  }
}
