// Platforms without vGPU: a fraction is MIG, else a share by software inside one tenant, else the
// whole device. The published cases 1, 3, 9 and 13 on every platform, with and without MIG.
#include "advise/software_shares.hpp"

#include <doctest/doctest.h>

#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

AdviceRequest on(AdviceRequest request, Platform platform) {
  request.workload.platform = declared(platform);
  return request;
}

RankedShape best_of(const AdviceRequest& request) {
  const auto advice = advise::advise(request);
  REQUIRE(advice);
  REQUIRE_FALSE(advice->shapes.empty());
  return advice->shapes.front();
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("case 1 without vGPU: 10 GB are an instance where there is MIG, else a share") {
    const AdviceRequest with_mig = ceiling(a100(), 10);
    for (const Platform platform : {Platform::Kubernetes, Platform::BareMetal}) {
      const RankedShape best = best_of(on(with_mig, platform));
      CHECK(best.shape.technology == Technology::Mig);
      CHECK(best.shape.profile_short == "1g.10gb");
    }
    // 44.52 GiB / 4 = 11.13 GiB = 11.95 GB hold 10 GB; an eighth does not.
    const RankedShape share = best_of(on(ceiling(l40s(), 10), Platform::Kubernetes));
    CHECK(share.shape.technology == Technology::SoftwareShare);
    CHECK(share.shape.profile_short == "quarter");
    CHECK(share.shape.memory_bytes == mib(11397));  // 45588 MiB / 4
    CHECK(share.per_device == 4);
    CHECK(share.reasons.front().rule == "CM-09");
    CHECK(text_of(share.reasons, "isolation").find("one tenant only") != std::string::npos);
    const RankedShape served = best_of(on(ceiling(l40s(), 10), Platform::BareMetal));
    CHECK(served.shape.technology == Technology::Mps);
    CHECK(text_of(served.reasons, "isolation").find("ends all of them") != std::string::npos);
    for (const Platform platform : {Platform::Vsphere, Platform::Vks})
      CHECK(best_of(on(ceiling(l40s(), 10), platform)).shape.profile_short == "12C");
  }

  TEST_CASE("case 1 with hard isolation: a device without MIG is held whole") {
    AdviceRequest request = ceiling(l40s(), 10);
    request.workload.isolation = declared(Isolation::Hard);
    for (const Platform platform :
         {Platform::Vsphere, Platform::Vks, Platform::Kubernetes, Platform::BareMetal}) {
      const RankedShape best = best_of(on(request, platform));
      CHECK(best.shape.consumption_model == ConsumptionModel::Full);
      CHECK(best.reasons.front().says.find("MD-01") != std::string::npos);
    }
  }

  TEST_CASE("case 3 without vGPU: an embedder of 4 GB") {
    for (const Platform platform : {Platform::Kubernetes, Platform::BareMetal}) {
      AdviceRequest request = ceiling(h100(), 4, Evidence::E0);
      request.workload.role = declared(Role::Embed);
      CHECK(best_of(on(request, platform)).shape.profile_short == "1g.10gb");
      AdviceRequest plain = ceiling(l40s(), 4, Evidence::E0);
      plain.workload.role = declared(Role::Embed);
      const RankedShape share = best_of(on(plain, platform));
      CHECK(share.shape.profile_short == "eighth");  // 5.56 GiB
      CHECK(share.reasons.front().rule == "CM-10");
    }
  }

  TEST_CASE("case 9 without vGPU: tenants that need a device's instances, or a device each") {
    AdviceRequest request = ceiling(h100(), 9);
    request.workload.tenants = declared<std::int64_t>(3);
    request.workload.latency_slo = declared(LatencySlo::Strict);
    AdviceRequest plain = ceiling(l40s(), 9);
    plain.workload.tenants = request.workload.tenants;
    plain.workload.latency_slo = request.workload.latency_slo;
    for (const Platform platform : {Platform::Kubernetes, Platform::BareMetal}) {
      const RankedShape best = best_of(on(request, platform));
      CHECK(best.shape.profile_short == "1g.10gb");
      CHECK(names(best.reasons, "MD-01"));
      CHECK(names(best.reasons, "MD-02"));
      CHECK(best_of(on(plain, platform)).shape.technology == Technology::WholeGpu);
    }
  }

  TEST_CASE("case 13 without vGPU: a notebook of 8 GB") {
    AdviceRequest request = ceiling(l40s(), 8, Evidence::E0);
    request.workload.role = declared(Role::Notebook);
    const RankedShape best = best_of(on(request, Platform::Kubernetes));
    CHECK(best.shape.profile_short == "quarter");
    CHECK(text_of(best.reasons, "MD-03").find("a share has the whole device") != std::string::npos);
    AdviceRequest with_mig = ceiling(h100(), 8, Evidence::E0);
    with_mig.workload.role = declared(Role::Notebook);
    CHECK(best_of(on(with_mig, Platform::BareMetal)).shape.profile_short == "1g.10gb");
  }

  TEST_CASE("a share is asked for by its technology, or where the image takes no MIG") {
    AdviceRequest request = on(ceiling(h100(), 8), Platform::Kubernetes);
    request.workload.technology = declared(Technology::Mps);
    const RankedShape asked = best_of(request);
    CHECK(asked.shape.technology == Technology::Mps);
    request.workload.technology.reset();
    request.workload.image_supports_mig = declared(false);
    const RankedShape other = best_of(request);
    CHECK(other.shape.technology == Technology::SoftwareShare);
    CHECK(names(other.reasons, "MD-05"));
  }

  TEST_CASE("MPS limits memory from Volta on, and of NVIDIA alone") {
    Wish wish = wish_for(l40s());
    const Thresholds thresholds;
    CHECK(software_shares(wish, Platform::Kubernetes, {}, thresholds).size() == 6);
    CHECK(software_shares(wish, Platform::BareMetal, {}, thresholds).size() == 3);
    CHECK(software_shares(wish, Platform::Vsphere, {}, thresholds).empty());
    wish.device.compute_capability = "6.1";
    CHECK(software_shares(wish, Platform::BareMetal, {}, thresholds).empty());
    wish.device.compute_capability = "8.9";
    wish.device.vendor = "amd";
    CHECK(software_shares(wish, Platform::Kubernetes, {}, thresholds).empty());
  }
}
