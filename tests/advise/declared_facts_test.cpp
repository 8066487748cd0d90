// Every declared fact of a workload: one case each in which it alone changes the answer.
#include <doctest/doctest.h>

#include <functional>

#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

Advice answer_of(const AdviceRequest& request) {
  const auto advice = advise::advise(request);
  REQUIRE(advice);
  return *advice;
}

/// "profile technology x count, replicas; rule": what somebody would act on.
std::string first_shape(const Advice& advice) {
  if (advice.shapes.empty()) return "none";
  const RankedShape& best = advice.shapes.front();
  return best.shape.profile_short + " " + std::string(name_of(best.shape.technology)) + " " +
         best.reasons.front().rule;
}

AdviceRequest appliance() {
  AdviceRequest request = ceiling(h100(), 30);
  request.workload.appliance = declared(true);
  request.workload.change_rate = declared(ChangeRate::Low);
  return request;
}

struct Change {
  std::string_view fact;
  std::function<AdviceRequest()> base;
  std::function<void(Workload&)> change;
  std::string before;
  std::string after;
};

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("every declared fact changes the answer by itself") {
    const auto fraction = [] { return ceiling(h100(), 9); };
    const std::vector<Change> changes = {
        {"isolation", fraction, [](Workload& w) { w.isolation = declared(Isolation::Hard); },
         "10C time-sliced CM-09", "1g.10gb mig-backed-vgpu CM-09"},
        {"tenants", fraction, [](Workload& w) { w.tenants = declared<std::int64_t>(2); },
         "10C time-sliced CM-09", "1g.10gb mig-backed-vgpu CM-09"},
        {"latency target", fraction,
         [](Workload& w) { w.latency_slo = declared(LatencySlo::Strict); }, "10C time-sliced CM-09",
         "1g.10gb mig-backed-vgpu CM-09"},
        {"image that supports MIG",
         [] {
           AdviceRequest request = ceiling(h100(), 9);
           request.workload.technology = declared(Technology::MigBackedVgpu);
           return request;
         },
         [](Workload& w) { w.image_supports_mig = declared(false); },
         "1g.10gb mig-backed-vgpu CM-09", "10C time-sliced CM-09"},
        {"replicas",
         [] {
           AdviceRequest request = ceiling(h100(), 9);
           request.workload.technology = declared(Technology::MigBackedVgpu);
           return request;
         },
         [](Workload& w) { w.replicas = declared<std::int64_t>(8); },
         "1g.10gb mig-backed-vgpu CM-09", "10C time-sliced CM-09"},
        {"appliance",
         [] {
           AdviceRequest request = ceiling(h100(), 30);
           request.workload.change_rate = declared(ChangeRate::Low);
           return request;
         },
         [](Workload& w) { w.appliance = declared(true); }, "40C time-sliced CM-09",
         " passthrough CM-03"},
        {"change rate", appliance, [](Workload& w) { w.change_rate = declared(ChangeRate::High); },
         " passthrough CM-03", "80C full-vgpu CM-04"},
        {"live migration", appliance, [](Workload& w) { w.needs_live_migration = declared(true); },
         " passthrough CM-03", "80C full-vgpu CM-04"},
        {"evidence", fraction, [](Workload& w) { w.evidence = declared(Evidence::E0); },
         "10C time-sliced CM-09", "80C full-vgpu CM-06"},
        {"spread", fraction, [](Workload& w) { w.spread = declared(1.6); }, "10C time-sliced CM-09",
         "80C full-vgpu CM-06"},
        {"session", [] { return ceiling(h100(), 9, Evidence::E1); },
         [](Workload& w) { w.session = declared(Session::Durable); }, "10C time-sliced CM-09",
         "80C full-vgpu CM-07"},
        {"mixture of experts", [] { return ceiling(h100(), 9, Evidence::E1); },
         [](Workload& w) { w.mixture_of_experts = declared(true); }, "10C time-sliced CM-09",
         "80C full-vgpu CM-07"},
        {"role", [] { return ceiling(h100(), 9, Evidence::E0); },
         [](Workload& w) { w.role = declared(Role::Embed); }, "80C full-vgpu CM-06",
         "10C time-sliced CM-10"},
        {"platform", fraction, [](Workload& w) { w.platform = declared(Platform::Kubernetes); },
         "10C time-sliced CM-09", "1g.10gb mig CM-09"},
        {"technology", fraction,
         [](Workload& w) { w.technology = declared(Technology::MigBackedVgpu); },
         "10C time-sliced CM-09", "1g.10gb mig-backed-vgpu CM-09"},
    };
    for (const Change& row : changes) {
      CAPTURE(row.fact);
      AdviceRequest request = row.base();
      CHECK(first_shape(answer_of(request)) == row.before);
      row.change(request.workload);
      CHECK(first_shape(answer_of(request)) == row.after);
    }
  }

  TEST_CASE("high availability asks for a binding that another host can keep") {
    AdviceRequest request = appliance();
    CHECK_FALSE(names(answer_of(request).shapes.front().reasons, "LC-02"));
    request.workload.needs_ha = declared(true);
    const Advice advice = answer_of(request);
    CHECK(names(advice.shapes.front().reasons, "LC-02"));
    CHECK(names(advice.findings, "LC-03"));
    CHECK(advice.shapes.front().contract.needs_ha);
  }

  TEST_CASE("passthrough that must restart elsewhere asks for a hardware label") {
    AdviceRequest request = appliance();
    CHECK_FALSE(names(answer_of(request).findings, "LC-02"));
    request.workload.needs_ha = declared(true);
    CHECK(names(answer_of(request).findings, "LC-02"));
    request.workload.hardware_label = declared<std::string>("h100-pool");
    CHECK_FALSE(names(answer_of(request).findings, "LC-02"));
    request.workload.hardware_label.reset();
    request.workload.appliance = declared(false);  // a vGPU needs no label
    CHECK_FALSE(names(answer_of(request).findings, "LC-02"));
  }

  TEST_CASE("an appliance takes the whole device where there are no virtual machines") {
    for (const Platform platform : {Platform::BareMetal, Platform::Kubernetes}) {
      for (const ChangeRate change_rate : {ChangeRate::Low, ChangeRate::High}) {
        AdviceRequest request = appliance();
        request.workload.platform = declared(platform);
        request.workload.change_rate = declared(change_rate);
        const Advice advice = answer_of(request);
        REQUIRE_FALSE(advice.shapes.empty());
        const RankedShape& best = advice.shapes.front();
        CHECK(best.shape.technology == Technology::WholeGpu);
        CHECK(best.shape.consumption_model == ConsumptionModel::Full);
        CHECK(best.reasons.front().rule == "CM-03");
        request.workload.appliance = declared(false);
        CHECK_FALSE(names(answer_of(request).shapes.front().reasons, "CM-03"));
      }
    }
  }

  TEST_CASE("a pause that is not tolerated is a finding") {
    AdviceRequest request = ceiling(h100(), 45);
    request.workload.needs_live_migration = declared(true);
    request.workload.contract.tolerated_pause_seconds = declared(60.0);
    CHECK_FALSE(names(answer_of(request).findings, "LC-04"));
    request.workload.contract.tolerated_pause_seconds = declared(2.0);
    CHECK(names(answer_of(request).findings, "LC-04"));
  }

  TEST_CASE("replicas are counted in the contract") {
    AdviceRequest request = ceiling(h100(), 9);
    request.workload.replicas = declared<std::int64_t>(3);
    CHECK(answer_of(request).shapes.front().contract.replicas == 3);
  }

  TEST_CASE("measured compute makes an idle whole device a finding, busy compute does not") {
    AdviceRequest request = ceiling(h100(), 9);
    request.workload.consumption_model = declared(ConsumptionModel::Full);
    request.workload.compute_share = declared(0.8);
    CHECK_FALSE(names(answer_of(request).findings, "RV-01"));
    request.workload.compute_share = declared(0.2);
    CHECK(names(answer_of(request).findings, "RV-01"));
  }

  TEST_CASE("hard isolation on a device without MIG takes the whole device") {
    AdviceRequest request = ceiling(l40s(), 9);
    CHECK(first_shape(answer_of(request)) == "12C time-sliced CM-09");
    request.workload.isolation = declared(Isolation::Hard);
    const Advice advice = answer_of(request);
    CHECK(first_shape(advice) == "48C full-vgpu CM-08");
    for (const RejectedShape& rejected : advice.rejected) {
      if (rejected.shape.technology == Technology::TimeSliced) {
        CHECK(rejected.reason.rule == "MD-01");
      }
    }
  }

  TEST_CASE("a fraction asked for without evidence is offered last, with what speaks against it") {
    AdviceRequest request = ceiling(h100(), 9, Evidence::E0);
    request.workload.consumption_model = declared(ConsumptionModel::Fractional);
    const Advice advice = answer_of(request);
    REQUIRE(advice.shapes.size() > 1);
    CHECK(first_shape(advice) == "80C full-vgpu CM-06");
    CHECK(advice.shapes.at(1).shape.profile_short == "10C");
    CHECK(advice.shapes.at(1).reasons.front().says.find("against it") != std::string::npos);
    CHECK(names(advice.findings, "CM-06"));
  }

  TEST_CASE("only the profile that is named is offered, and a wrong name gets the nearest") {
    AdviceRequest request = ceiling(h100(), 9);
    request.profile = "20c";
    const Advice advice = answer_of(request);
    REQUIRE(advice.shapes.size() == 1);
    CHECK(advice.shapes.front().shape.profile_short == "20C");
    request.profile = "21C";
    const auto wrong = advise::advise(request);
    REQUIRE_FALSE(wrong);
    CHECK(to_text(wrong.error()).find("20C") != std::string::npos);
  }

  TEST_CASE("a required capability refuses devices that lack it, an unknown one is a complaint") {
    AdviceRequest request = ceiling(l40s(), 9);
    request.workload.requires_ = {"mig"};
    const Advice advice = answer_of(request);
    CHECK(advice.shapes.empty());
    REQUIRE(advice.rejected.size() == 1);
    CHECK(advice.rejected.front().reason.rule == "capability");
    request.workload.requires_ = {"nvlnk"};
    const auto unknown = advise::advise(request);
    REQUIRE_FALSE(unknown);
    CHECK(to_text(unknown.error()).find("nvlink") != std::string::npos);
  }

  TEST_CASE("every fact of the workload is listed with where it came from") {
    AdviceRequest request = ceiling(h100(), 9);
    request.workload.isolation = declared(Isolation::Soft);
    const Advice advice = answer_of(request);
    const auto listed = [&](std::string_view fact) -> const Assumption* {
      for (const Assumption& assumption : advice.assumptions) {
        if (assumption.fact == fact) return &assumption;
      }
      return nullptr;
    };
    for (const std::string_view fact :
         {"platform", "role", "isolation", "tenants", "latencySlo", "session", "changeRate",
          "appliance", "needsHa", "needsLiveMigration", "mixtureOfExperts", "imageSupportsMig",
          "replicas", "evidence", "spread", "tier", "qos", "loader", "host"}) {
      CAPTURE(fact);
      CHECK(listed(fact) != nullptr);
    }
    CHECK(listed("isolation")->from == "from test");
    CHECK(listed("isolation")->origin == Origin::Flag);
    CHECK(listed("tenants")->from == "default");
    CHECK(listed("tenants")->origin == Origin::Default);
  }

  TEST_CASE("without a model or a demand there is a question and no shape") {
    AdviceRequest request;
    request.wishes = {wish_for(h100())};
    const Advice advice = answer_of(request);
    CHECK(advice.shapes.empty());
    REQUIRE(advice.asks.size() == 1);
    CHECK(advice.asks.front().fact == "model");
    CHECK(names(advice.findings, "CM-01"));
  }
}
