// The flip: each change that it states, applied to the request, gives the outcome that it states.
// Sizes and limits: consumption-rules.md, sections 1 to 3.
#include "advise/flip.hpp"

#include <doctest/doctest.h>

#include <string>

#include "advise/advise.hpp"
#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

Advice answer_with_shapes(const AdviceRequest& request) {
  auto advice = advise::advise(request);
  REQUIRE(advice);
  REQUIRE_FALSE(advice->shapes.empty());
  return *advice;
}

Demand of(double static_gb, double dynamic_gb) {
  Demand memory;
  memory.static_bytes = gb(static_gb);
  memory.dynamic_p99_bytes = gb(dynamic_gb);
  return memory;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("where mode rules leave no fraction, the flip is the fact of one of them") {
    AdviceRequest request = ceiling(h100(), 30);
    SUBCASE("an image without MIG, under hard isolation") {
      request.workload.image_supports_mig = declared(false);
      request.workload.isolation = declared(Isolation::Hard);
      const Advice advice = answer_with_shapes(request);
      CHECK(advice.shapes.front().shape.profile_short == "80C");
      REQUIRE(advice.flip);
      CHECK(advice.flip->rule == "MD-05");
      CHECK(advice.flip->fact == "imageSupportsMig");
      CHECK(advice.flip->outcome == "3g.40gb");
      request.workload.image_supports_mig = declared(true);
      CHECK(answer_with_shapes(request).shapes.front().shape == advice.flip->runner_up);
    }
    SUBCASE("a device without MIG, under hard isolation") {
      request = ceiling(l40s(), 20);
      request.workload.isolation = declared(Isolation::Hard);
      const Advice advice = answer_with_shapes(request);
      CHECK(advice.shapes.front().shape.profile_short == "48C");
      REQUIRE(advice.flip);
      CHECK(advice.flip->rule == "MD-01");
      CHECK(advice.flip->fact == "isolation");
      CHECK(advice.flip->outcome == "24C");
      request.workload.isolation = declared(Isolation::None);
      CHECK(answer_with_shapes(request).shapes.front().shape == advice.flip->runner_up);
    }
    SUBCASE("three tenants with a strict target: no single fact does") {
      request = ceiling(l40s(), 9);
      request.workload.tenants = declared<std::int64_t>(3);
      request.workload.latency_slo = declared(LatencySlo::Strict);
      const Advice advice = answer_with_shapes(request);
      CHECK(advice.shapes.front().shape.profile_short == "48C");
      CHECK_FALSE(advice.flip);
    }
  }

  TEST_CASE("a smaller static part is stated with all that CM-07 and CM-08 ask for") {
    // 65 + 5 x 1.2 = 71 GB; 40C holds 40.18 GB: the static part falls by 30.8 GB, to 34.18.
    AdviceRequest request = demand(h100(), of(65, 5), Evidence::E1);
    request.workload.mixture_of_experts = declared(true);
    const Advice advice = answer_with_shapes(request);
    CHECK(advice.shapes.front().reasons.front().rule == "CM-05");
    REQUIRE(advice.flip);
    CHECK(advice.flip->fact == "static");
    CHECK(has(advice.flip->change, "falls by 31 GB"));
    CHECK(has(advice.flip->change, "34.1 GB"));
    CHECK(has(advice.flip->change, "need of 66.1 GiB"));
    CHECK(has(advice.flip->change, "evidence E2"));
    CHECK(advice.flip->outcome == "40C");
    request.workload.demand = of(34.1, 5);
    request.workload.evidence = declared(Evidence::E2);
    CHECK(answer_with_shapes(request).shapes.front().shape == advice.flip->runner_up);
  }

  TEST_CASE("passthrough names every clause that fails") {
    AdviceRequest request = ceiling(h100(), 60);
    request.workload.consumption_model = declared(ConsumptionModel::Passthrough);
    SUBCASE("the appliance alone") {
      const Advice advice = answer_with_shapes(request);
      REQUIRE(advice.flip);
      CHECK(advice.flip->rule == "CM-03");
      CHECK(advice.flip->fact == "appliance");
      CHECK_FALSE(has(advice.flip->change, "change rate"));
    }
    SUBCASE("and a high change rate") {
      request.workload.change_rate = declared(ChangeRate::High);
      const Advice advice = answer_with_shapes(request);
      REQUIRE(advice.flip);
      CHECK(advice.flip->fact == "appliance");
      CHECK(has(advice.flip->change, "low change rate"));
      request.workload.change_rate = declared(ChangeRate::Low);
    }
    request.workload.appliance = declared(true);
    CHECK(answer_with_shapes(request).shapes.front().shape.technology == Technology::Passthrough);
  }

  TEST_CASE("evidence is stated with the need now where that is above the largest fraction") {
    // 10 + 35 x 1.1 = 48.5 GB = 45.2 GiB
    const Advice advice = answer_with_shapes(demand(h100(), of(10, 35), Evidence::E0));
    REQUIRE(advice.flip);
    CHECK(advice.flip->rule == "EV-01");
    CHECK(advice.flip->fact == "evidence");
    CHECK(has(advice.flip->change, "now 45.2 GiB"));
    CHECK(advice.flip->outcome == "40C");
  }

  TEST_CASE("with all the evidence there is, a wide spread is the fact") {
    AdviceRequest request = ceiling(h100(), 30);
    request.workload.spread = declared(1.6);
    const Advice advice = answer_with_shapes(request);
    CHECK(advice.shapes.front().reasons.front().rule == "CM-06");
    REQUIRE(advice.flip);
    CHECK(advice.flip->fact == "spread");
    CHECK(advice.flip->change == "a spread of at most 1.5 (now 1.6)");
    request.workload.spread = declared(1.5);
    CHECK(answer_with_shapes(request).shapes.front().shape == advice.flip->runner_up);
  }

  TEST_CASE("a larger need leads to the next larger shape as they are ranked") {
    AdviceRequest request = ceiling(a100(), 8, Evidence::E0);
    request.workload.role = declared(Role::Notebook);
    request.workload.isolation = declared(Isolation::Hard);
    const Advice advice = answer_with_shapes(request);
    REQUIRE(advice.shapes.size() > 1);
    CHECK(advice.shapes.front().shape.profile_short == "1g.10gb");
    REQUIRE(advice.flip);
    CHECK(advice.flip->rule == "EV-02");
    CHECK(advice.flip->outcome == "1g.20gb");
    CHECK(advice.flip->runner_up == advice.shapes[1].shape);
  }
}
