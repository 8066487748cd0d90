#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "document/text_format.hpp"
#include "emit/emitted_documents.hpp"
#include "emit/targets.hpp"
#include "schema/kinds.hpp"

using namespace gpushape;
using document::Node;
using domain::ConsumptionModel;
using domain::Platform;
using domain::RankedShape;
using domain::Technology;
using emit::Emitted;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("a claim takes the form of its Kubernetes release") {
    struct Row {
      std::string release;
      std::string api;
      std::string path;
    };
    const std::vector<Row> rows = {
        {"1.32", "resource.k8s.io/v1beta1", "spec.devices.requests[0]"},
        {"1.33", "resource.k8s.io/v1beta2", "spec.devices.requests[0].exactly"},
        {"1.34", "resource.k8s.io/v1", "spec.devices.requests[0].exactly"},
        {"1.36", "resource.k8s.io/v1", "spec.devices.requests[0].exactly"}};
    for (const Row& row : rows) {
      CAPTURE(row.release);
      Case one = make("x", "resource-claim", Platform::Kubernetes, {cases::whole("h100-sxm-80")});
      one.kubernetes = row.release;
      const Node root = document_of(one);
      CHECK(at(root, "apiVersion").text() == row.api);
      CHECK(at(root, row.path + ".deviceClassName").text() == "gpu.nvidia.com");
    }
    Case wrong = make("x", "resource-claim", Platform::Kubernetes, {cases::whole("h100-sxm-80")});
    wrong.kubernetes = "1.31";
    CHECK_FALSE(emitted(wrong));
  }

  TEST_CASE("several wishes stay in order, and an older release says what it leaves out") {
    Case list = make("x", "resource-claim", Platform::Kubernetes,
                     {cases::whole("h200-sxm-141"), cases::whole("a100-sxm4-80", 2)});
    const Result<Emitted> now = emitted(list);
    REQUIRE(now);
    CHECK(now->notes.empty());
    const Node& request = at(now->documents[0], "spec.devices.requests[0]");
    REQUIRE(at(request, "firstAvailable").items().size() == 2);
    CHECK(at(request, "firstAvailable[0].name").text() == "h200-sxm-141");
    CHECK(at(request, "firstAvailable[1].name").text() == "2x-a100-sxm4-80");
    CHECK(at(request, "firstAvailable[1].count").integer() == 2);

    list.kubernetes = "1.33";
    const Result<Emitted> before = emitted(list);
    REQUIRE(before);
    REQUIRE(before->notes.size() == 1);
    CHECK(before->notes[0].find("2x-a100-sxm4-80") != std::string::npos);
    CHECK(at(before->documents[0], "spec.devices.requests[0]").find("firstAvailable") == nullptr);
  }

  TEST_CASE("more wishes than a request takes are cut, and named") {
    const std::vector<RankedShape> nine(9, cases::whole("h200-sxm-141"));
    const Result<Emitted> result = emitted(make("x", "resource-claim", Platform::Kubernetes, nine));
    REQUIRE(result);
    CHECK(at(result->documents[0], "spec.devices.requests[0].firstAvailable").items().size() == 8);
    CHECK(result->notes.size() == 1);
  }

  TEST_CASE("a claim for several replicas says that each takes its own") {
    RankedShape copies = cases::whole("h100-sxm-80");
    copies.contract.replicas = 6;
    const Result<Emitted> result =
        emitted(make("x", "resource-claim", Platform::Kubernetes, {copies}));
    REQUIRE(result);
    REQUIRE(result->notes.size() == 1);
    CHECK(result->notes[0].find("6 of h100-sxm-80") != std::string::npos);
  }

  // An "80 GB" H100 publishes 81559Mi, that is 79.6 GiB: a threshold of 80Gi would match none. 2 %
  // less are 78.05 GiB.
  TEST_CASE("a physical GPU is asked for by the name and memory that NVML prints") {
    const Node root = document_of(
        make("x", "resource-claim", Platform::Kubernetes, {cases::whole("h100-sxm-80")}));
    const auto found = expressions(at(root, "spec.devices.requests[0].exactly"));
    CHECK(mentions(found, "productName == 'NVIDIA H100 80GB HBM3'"));
    CHECK(mentions(found, "quantity('78Gi')"));
    CHECK_FALSE(mentions(found, "pcieRoot"));
    for (const std::string& expression : found) CHECK(expression.starts_with("'"));
  }

  TEST_CASE("inside a VM a claim asks for what the guest publishes") {
    const RankedShape slice =
        cases::ranked(cases::shape(ConsumptionModel::Fractional, Technology::TimeSliced,
                                   "a100-pcie-40", "grid_a100-10c"),
                      {6, 4, 24, 24, 0, 256}, "H1");
    const Node vgpu = document_of(make("x", "resource-claim", Platform::Vks, {slice}));
    CHECK(mentions(expressions(at(vgpu, "spec.devices.requests[0].exactly")),
                   "productName == 'GRID A100-10C'"));
    const Node card =
        document_of(make("x", "resource-claim", Platform::Vsphere, {cases::passthrough_a30()}));
    CHECK(at(card, "spec.devices.requests[0].exactly.deviceClassName").text() == "gpu.nvidia.com");
    CHECK(mentions(expressions(at(card, "spec.devices.requests[0].exactly")), "'NVIDIA A30'"));
    const Node node =
        document_of(make("x", "resource-claim", Platform::Kubernetes, {cases::passthrough_a30()}));
    CHECK(at(node, "spec.devices.requests[0].exactly.deviceClassName").text() ==
          "vfio.gpu.nvidia.com");
  }
}
