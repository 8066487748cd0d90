#include "calibrate/record_gpu.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>

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

  // CUDA totals that starts print: 23.52 and 23.65 GiB under Linux, 23.99 under WSL.
  TEST_CASE("a GeForce shows less under Linux than under WSL") {
    const auto total_of = [](bool is_under_wsl, std::optional<double> printed) {
      EngineStart start;
      start.gpu = "RTX 4090";
      start.is_under_wsl = is_under_wsl;
      start.gpu_total_gib = printed;
      return calibrate::gpu_of(start, example::built_in_profiles()).memory->bytes;
    };
    const domain::Range linux = total_of(false, {});
    CHECK(linux.low.gib() <= 23.52);
    CHECK(linux.high.gib() >= 23.65);
    CHECK(linux.high.gib() < 23.8);
    const domain::Range wsl = total_of(true, {});
    CHECK(wsl.low == wsl.high);
    CHECK(wsl.expected.gib() == doctest::Approx(23.99).epsilon(0.001));
    // What is printed is neither's guess.
    CHECK(total_of(true, 23.5).expected == gib_of(23.5));
    CHECK(total_of(false, 23.9).expected == gib_of(23.9));
  }

  // nvidia-smi shows 32,607 MiB of an RTX 5090 and 24,463 of its laptop's.
  TEST_CASE("a card whose memory in brackets is another's leaves its total open") {
    const auto reason_of = [](const char* words, std::optional<double> total) {
      EngineStart start;
      start.gpu = words;
      start.gpu_total_gib = total;
      const calibrate::RecordGpu gpu = calibrate::gpu_of(start, example::built_in_profiles());
      CHECK(gpu.is_named);
      return gpu.reason;
    };
    CHECK(reason_of("RTX 5090 (32607 MiB)", std::nullopt).empty());
    CHECK(reason_of("RTX 5090 (32607 MiB", std::nullopt).empty());
    CHECK(reason_of("RTX 5090 (32", std::nullopt).empty());
    CHECK(reason_of("RTX 5090 (32 ", std::nullopt).empty());
    CHECK(reason_of("RTX 5090 (24463MiB)", std::nullopt).contains("another memory"));
    CHECK(reason_of("RTX 4070 (8GB laptop)", std::nullopt).contains("another memory"));
    CHECK(reason_of("RTX 4070 (8GB laptop)", 7.65).empty());
  }

  // Total as https://github.com/vllm-project/vllm/issues/11230 prints it in an A40-48Q guest, whose
  // manager keeps 48 GiB / 16 + 16 MiB + 128 MiB (NVIDIA AI Enterprise): 3216 MiB.
  TEST_CASE("a guest's GPU is the vGPU that its name is a type of") {
    for (const char* name : {"NVIDIA A40-48C", "NVIDIA A40-48Q", "A40-48C"}) {
      CAPTURE(name);
      EngineStart start;
      start.gpu = name;
      start.gpu_total_gib = 47.74;
      const calibrate::RecordGpu gpu = calibrate::gpu_of(start, example::built_in_profiles());
      REQUIRE(gpu.is_named);
      CHECK(gpu.memory->profile == "48C");
      REQUIRE(gpu.memory->takeable_bytes);
      CHECK((gpu.memory->bytes.expected - *gpu.memory->takeable_bytes).gib() ==
            doctest::Approx(3216.0 / 1024).epsilon(0.01));
    }
    EngineStart start;
    start.gpu = "NVIDIA A40-5C";  // no such type
    CHECK_FALSE(calibrate::gpu_of(start, example::built_in_profiles()).is_named);
  }

  // NVIDIA sells both in 40 and 80 GB, 16 and 32 GB; their kernels are the same.
  TEST_CASE("a name that two sizes share tells the kernels and no pool") {
    const auto gpu_called = [](const char* name, std::optional<double> total_gib) {
      EngineStart start;
      start.gpu = name;
      start.gpu_total_gib = total_gib;
      return calibrate::gpu_of(start, example::built_in_profiles());
    };
    const calibrate::RecordGpu a100 = gpu_called("A100 SXM4", {});
    REQUIRE(a100.memory);
    CHECK(a100.memory->compute_capability == "8.0");
    CHECK_FALSE(a100.is_named);
    CHECK_FALSE(a100.reason.empty());
    const calibrate::RecordGpu v100 = gpu_called("V100", {});
    REQUIRE(v100.memory);
    CHECK(v100.memory->compute_capability == "7.0");
    CHECK(gpu_called("A100 SXM4", 39.49).reason.empty());  // the total tells which
  }
}
