// The published test cases of the rule set (consumption-rules.md, section 11) that concern shapes,
// with the numbers they state.
#include <doctest/doctest.h>

#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

TEST_SUITE("advise") {
  TEST_CASE("case 1: 10 GB on a whole A100 is a fraction of it, with the idle rest named") {
    AdviceRequest request = ceiling(a100(), 10);
    request.workload.compute_share = declared(0.2);
    request.workload.consumption_model = declared(ConsumptionModel::Full);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.profile_short == "10C");
    CHECK(best.shape.profile == "grid_a100dx-10c");
    CHECK(best.shape.technology == Technology::TimeSliced);
    CHECK(best.reasons.front().rule == "CM-09");
    CHECK(best.fits);
    CHECK(names(advice->findings, "RV-01"));
    // 80.38 GB usable - 10 GB
    CHECK(text_of(advice->findings, "RV-01").find("70.3 GB") != std::string::npos);
    CHECK(advice->evidence == Evidence::E2);
    CHECK_FALSE(advice->review_after_days);

    SUBCASE("hard isolation makes it an instance of the hardware") {
      request.workload.isolation = declared(Isolation::Hard);
      const auto isolated = advise::advise(request);
      REQUIRE(isolated);
      REQUIRE_FALSE(isolated->shapes.empty());
      CHECK(isolated->shapes.front().shape.profile_short == "1g.10gb");
      CHECK(isolated->shapes.front().shape.technology == Technology::MigBackedVgpu);
      CHECK(names(isolated->shapes.front().reasons, "MD-01"));
    }
  }

  TEST_CASE("case 2: an 8B chat of unknown behaviour holds a whole L40S until a review") {
    Demand memory;
    memory.static_bytes = gb(16);
    SUBCASE("with the static part alone") {}
    SUBCASE("with a dynamic part beside it") { memory.dynamic_p99_bytes = gb(8); }
    const auto advice = advise::advise(demand(l40s(), memory, Evidence::E0));
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.profile_short == "48C");
    CHECK(best.shape.technology == Technology::FullVgpu);
    CHECK(best.reasons.front().rule == "CM-06");
    CHECK(advice->review_after_days == 14);
    CHECK(best.contract.review_after_days == 14);
    REQUIRE(advice->flip);
    CHECK(advice->flip->rule == "EV-01");
    REQUIRE(advice->flip->runner_up);
    CHECK(advice->flip->runner_up->profile_short == "24C");
    CHECK(advice->flip->change.find("22.4 GB") != std::string::npos);
  }

  TEST_CASE("case 3: an embedder of 4 GB shares an H100 in the size that nests") {
    AdviceRequest request = ceiling(h100(), 4, Evidence::E0);
    request.workload.role = declared(Role::Embed);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.profile_short == "10C");
    CHECK(advice->shapes.front().reasons.front().rule == "CM-10");
    // 4C has 3817 MiB = 4.002 GB: it fits, and comes after every size that nests.
    bool four_is_there = false;
    for (const RankedShape& ranked : advice->shapes) {
      if (ranked.shape.profile_short != "4C") continue;
      four_is_there = true;
      CHECK(ranked.fits);
      CHECK(ranked.stranded_bytes > Bytes(0));
    }
    CHECK(four_is_there);
  }

  TEST_CASE("case 4: 15 GB take 20C of an H100, because 16C strands memory") {
    const auto advice = advise::advise(ceiling(h100(), 15));
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.profile_short == "20C");
    CHECK(best.reasons.front().rule == "CM-09");
    CHECK(best.stranded_bytes == Bytes(0));
    CHECK(best.shape.compute_share == doctest::Approx(0.25));
  }

  TEST_CASE("case 5: 73 GB static and 70 GB dynamic take two linked H100") {
    Demand memory;
    memory.static_bytes = gb(73);
    memory.dynamic_p99_bytes = gb(70);
    const auto advice = advise::advise(demand(h100(), memory));
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.consumption_model == ConsumptionModel::MultiGpu);
    CHECK(best.shape.count == 2);
    CHECK(best.shape.device_group == "Nvidia:2@nvidia_h100xm-80c%NVLink");
    CHECK(best.shape.parallelism.tensor == 2);
    CHECK(best.reasons.front().rule == "CM-02");
    CHECK(names(best.reasons, "MG-01"));
    CHECK(names(best.reasons, "MG-02"));
    CHECK(best.need_bytes == gb(75));  // (73 + 70 + 7) / 2
  }

  TEST_CASE("case 6: two GPUs inside a pair; four across pairs are refused, two replicas named") {
    Demand memory;
    memory.static_bytes = gb(73);
    memory.dynamic_p99_bytes = gb(70);
    AdviceRequest request = demand(a100_pcie(), memory);
    request.wishes = {wish_for(a100_pcie(), 4, 2)};
    const auto pair = advise::advise(request);
    REQUIRE(pair);
    REQUIRE_FALSE(pair->shapes.empty());
    CHECK(pair->shapes.front().shape.count == 2);
    CHECK(pair->shapes.front().shape.device_group == "Nvidia:2@grid_a100d-80c%NVLink");

    request.workload.engine.tensor = declared<std::int64_t>(4);
    const auto four = advise::advise(request);
    REQUIRE(four);
    CHECK(four->shapes.empty());
    REQUIRE(names(four->findings, "RV-06"));
    CHECK(text_of(four->findings, "RV-06").find("2 replicas of 2 GPUs") != std::string::npos);
  }

  TEST_CASE("case 7: 65 GB static exceed the largest fraction of 40 GB") {
    Demand memory;
    memory.static_bytes = gb(65);
    SUBCASE("dynamic part not known") {}
    SUBCASE("dynamic part known") { memory.dynamic_p99_bytes = gb(8); }
    AdviceRequest request = demand(h100(), memory, Evidence::E1);
    request.workload.mixture_of_experts = declared(true);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.profile_short == "80C");
    CHECK(advice->shapes.front().reasons.front().rule == "CM-05");
    CHECK(names(advice->shapes.front().reasons, "CM-07"));
  }

  TEST_CASE("case 8: passthrough for a model that changes every week becomes a full vGPU") {
    AdviceRequest request = ceiling(h100(), 30);
    request.workload.consumption_model = declared(ConsumptionModel::Passthrough);
    request.workload.change_rate = declared(ChangeRate::High);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.technology == Technology::FullVgpu);
    CHECK(advice->shapes.front().reasons.front().rule == "CM-04");
    CHECK(names(advice->findings, "RV-05"));
    bool passthrough_is_refused = false;
    for (const RejectedShape& rejected : advice->rejected) {
      if (rejected.shape.technology != Technology::Passthrough) continue;
      passthrough_is_refused = true;
      CHECK(rejected.reason.rule == "CM-04");
    }
    CHECK(passthrough_is_refused);
  }

  TEST_CASE("case 9: three tenants with a strict target get instances of 1g.10gb") {
    AdviceRequest request = ceiling(a100(), 9);
    request.workload.tenants = declared<std::int64_t>(3);
    request.workload.latency_slo = declared(LatencySlo::Strict);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    const RankedShape& best = advice->shapes.front();
    CHECK(best.shape.profile_short == "1g.10gb");
    CHECK(best.shape.profile == "grid_a100dx-1-10c");
    CHECK(best.shape.compute_share == doctest::Approx(1.0 / 7));
    CHECK(best.per_device == 7);
    CHECK(names(best.reasons, "MD-01"));
    CHECK(names(best.reasons, "MD-02"));
  }

  TEST_CASE("case 11: 45 GB take a whole device, and 40C if the need falls by 5 GB") {
    const auto advice = advise::advise(ceiling(h100(), 45));
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.profile_short == "80C");
    CHECK(advice->shapes.front().reasons.front().rule == "CM-08");
    REQUIRE(advice->flip);
    REQUIRE(advice->flip->runner_up);
    CHECK(advice->flip->runner_up->profile_short == "40C");
    CHECK(advice->flip->fact == "need");
    CHECK(advice->flip->change.find("falls by 5 GB") != std::string::npos);
  }

  TEST_CASE("case 12: an agentic mixture of experts keeps a whole device until E2") {
    AdviceRequest request = ceiling(h100(), 30, Evidence::E1);
    request.workload.session = declared(Session::Durable);
    request.workload.mixture_of_experts = declared(true);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.profile_short == "80C");
    CHECK(advice->shapes.front().reasons.front().rule == "CM-07");
    CHECK(advice->review_after_days == 14);
  }

  TEST_CASE("case 13: a notebook with a ceiling of 8 GB shares from the start") {
    AdviceRequest request = ceiling(h100(), 8, Evidence::E0);
    request.workload.role = declared(Role::Notebook);
    const auto advice = advise::advise(request);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->shapes.empty());
    CHECK(advice->shapes.front().shape.profile_short == "10C");
    CHECK(advice->shapes.front().reasons.front().rule == "CM-10");
  }
}
