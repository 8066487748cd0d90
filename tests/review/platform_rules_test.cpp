// Rules on how a platform gives out its GPUs (RV): the branches beside those of their cases.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "inventory/dcgm.hpp"
#include "support/reviewed.hpp"

using namespace gpushape;
using example::found_by;
using example::told_of;

namespace {

const std::string kH100Node = "nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3";

/// A pod whose limits stand in line 8.
std::string platform_pod(const std::string& limits, const std::string& annotations = {},
                         const std::string& head = {}, const std::string& selector = kH100Node) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ai" + head +
         ", annotations: {" + annotations + "}}\nspec:\n  nodeSelector: {" + selector +
         "}\n  containers:\n  - name: a\n    resources: {limits: {" + limits + "}}\n";
}

std::string platform_class(const std::string& name, const std::string& backing,
                           const std::string& annotations = {}, int devices = 1) {
  std::string text =
      "---\napiVersion: vmoperator.vmware.com/v1alpha2\nkind: VirtualMachineClass\nmetadata: "
      "{name: " +
      name + ", annotations: {" + annotations +
      "}}\nspec:\n  hardware: {cpus: 8, memory: 64Gi}\n  configSpec:\n    deviceChange:\n";
  for (int i = 0; i < devices; ++i) {
    text += "    - {device: {_typeName: VirtualPCIPassthrough, backing: {" + backing + "}}}\n";
  }
  return text;
}

std::string vgpu_backing(const std::string& profile) { return "vgpu: nvidia_h100xm-" + profile; }

std::string platform_cluster(const std::string& mode) {
  return "---\napiVersion: gpushape.dev/v1\nkind: Cluster\nname: lab\nhosts:\n- name: esx\n"
         "  hardware: {sockets: 2, coresPerSocket: 52, threadsPerCore: 2, baseMHz: 2000, "
         "memoryBytes: 2199023255552, release: 8.0 U3}\n  gpus:\n"
         "  - {device: h100-sxm-80, numaNode: 0, modes: [" +
         mode + "], count: 8}\n";
}

std::string stated_platform(const std::string& fields) {
  return "---\napiVersion: gpushape.dev/v1\nkind: Platform\nname: fleet\n" + fields;
}

std::string labelled_cluster(const std::string& name, const std::string& label,
                             const std::string& vm_class) {
  return "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: " + name +
         ", namespace: ai, labels: {" + label +
         "}}\nspec:\n  topology:\n    class: builtin-generic-v3.4.0\n    version: v1.33.1\n"
         "    workers:\n      machineDeployments:\n      - class: node-pool\n        name: gpu\n"
         "        replicas: 1\n        variables:\n          overrides:\n"
         "          - {name: vmClass, value: " +
         vm_class + "}\n";
}

std::string vgpu_layout(const std::string& rows) {
  return "version: v1\nvgpu-configs:\n  own:\n  - devices: all\n    vgpu-devices: {" + rows + "}\n";
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("RV-03: uncertainty is over by the object's age or by its telemetry") {
    using namespace std::chrono;
    review::ReviewRequest dated;
    dated.as_of = sys_days(2026y / November / 21);
    const std::string old = ", creationTimestamp: \"2026-09-01T08:00:00Z\"";
    const auto of = [&](const std::string& limits, const std::string& notes,
                        const std::string& head) {
      return found_by("RV-03", platform_pod(limits, notes, head), dated).size();
    };
    const std::string one = "nvidia.com/gpu: 1";
    CHECK(of(one, "gpushape.dev/evidence: E0", old) == 1);
    CHECK(of(one, "gpushape.dev/evidence: E1", old) == 1);
    CHECK(of(one, "gpushape.dev/evidence: E2", old) == 0);
    CHECK(of(one, "", old) == 0);
    // Its own date is LD-03's; fourteen days are enough, thirteen are not.
    CHECK(of(one, "gpushape.dev/evidence: E0, gpushape.dev/review-after: 2026-10-01", old) == 0);
    CHECK(of(one, "gpushape.dev/evidence: E0", ", creationTimestamp: \"2026-11-07T00:00:00Z\"") ==
          1);
    CHECK(of(one, "gpushape.dev/evidence: E0", ", creationTimestamp: \"2026-11-08T00:00:00Z\"") ==
          0);
    CHECK(of(one, "gpushape.dev/evidence: E0", ", creationTimestamp: soon") == 0);
    CHECK(of(one, "gpushape.dev/evidence: E0", "") == 0);
    // Parts of a GPU, and groups, are held for other reasons.
    CHECK(of("nvidia.com/mig-3g.40gb: 1", "gpushape.dev/evidence: E0", old) == 0);
    CHECK(of("nvidia.com/gpu: 2", "gpushape.dev/evidence: E0", old) == 0);

    const auto telemetry =
        document::read_file(std::string(GPUSHAPE_SOURCE_DIR) + "/examples/evidence/idle-gpu.json");
    REQUIRE(telemetry);
    const auto answer = document::read_json(*telemetry, "idle-gpu.json");
    REQUIRE(answer);
    const auto usage = inventory::read_usage(*answer).value();
    review::ReviewRequest watched;
    watched.usage = usage;
    const auto measured = found_by(
        "RV-03",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: notebook-ana, namespace: research, "
        "annotations: {gpushape.dev/evidence: E0}}\nspec:\n  nodeSelector: {" +
            kH100Node +
            "}\n  containers:\n  - name: a\n    resources: {limits: {nvidia.com/gpu: 1}}\n",
        watched);
    REQUIRE(measured.size() == 1);
    CHECK(measured[0].fix.contains("--usage"));
  }

  TEST_CASE("RV-05: what changes often is passed through nowhere") {
    domain::Workload often;
    often.change_rate =
        domain::Fact<domain::ChangeRate>{domain::ChangeRate::High, domain::Origin::File, "w"};
    domain::Workload seldom;
    seldom.change_rate =
        domain::Fact<domain::ChangeRate>{domain::ChangeRate::Low, domain::Origin::File, "w"};
    const std::string passed =
        platform_class("c", "customLabel: h, allowedDevice: [{vendorId: 4318, deviceId: 9008}]");
    CHECK(found_by("RV-05", passed).empty());
    CHECK(found_by("RV-05", passed, told_of(&seldom)).empty());
    CHECK(found_by("RV-05", passed, told_of(&often)).size() == 1);
    CHECK(found_by("RV-05", platform_class("c", vgpu_backing("80c")), told_of(&often)).empty());
    const auto unknown = found_by(
        "RV-05",
        platform_class("c", "customLabel: h, allowedDevice: [{vendorId: 4318, deviceId: 1}]",
                       "gpushape.dev/change-rate: high"));
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].message.contains("passes a GPU through"));

    const auto claimed = [](const std::string& device_class, const std::string& rate) {
      return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t, "
             "namespace: ai}\nspec: {spec: {devices: {requests: [{name: g, exactly: "
             "{deviceClassName: " +
             device_class +
             "}}]}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ai, "
             "annotations: "
             "{gpushape.dev/change-rate: " +
             rate +
             "}}\nspec:\n  resourceClaims: [{name: g, resourceClaimTemplateName: t}]\n"
             "  containers:\n  - name: a\n    resources:\n      claims:\n      - name: g\n";
    };
    const auto found = found_by("RV-05", claimed("vfio.gpu.nvidia.com", "high"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.line == 15);
    CHECK(found_by("RV-05", claimed("vfio.gpu.nvidia.com", "low")).empty());
    CHECK(found_by("RV-05", claimed("gpu.nvidia.com", "high")).empty());
  }

  TEST_CASE("RV-07: vGPUs that are spread leave no GPU for whole ones") {
    const std::string spread = stated_platform("assignmentPolicy: best-performance\n");
    const std::string whole = platform_class("w", vgpu_backing("80c"));
    const auto found = found_by("RV-07", whole + platform_cluster("same-size") + spread);
    REQUIRE(found.size() == 1);
    CHECK(found[0].excerpt == "assignmentPolicy: best-performance");
    CHECK(found[0].message.contains("VM class 'w' asks for whole ones"));
    // Elsewhere: grouped, no whole class, another mode, no cluster, passthrough.
    CHECK(found_by("RV-07", whole + platform_cluster("same-size") +
                                stated_platform("assignmentPolicy: consolidation\n"))
              .empty());
    CHECK(found_by("RV-07", platform_class("s", vgpu_backing("20c")) +
                                platform_cluster("same-size") + spread)
              .empty());
    CHECK(found_by("RV-07", whole + platform_cluster("mixed-size") + spread).empty());
    CHECK(found_by("RV-07", whole + spread).empty());
    CHECK(found_by("RV-07",
                   platform_class("p",
                                  "customLabel: h, allowedDevice: [{vendorId: 4318, deviceId: "
                                  "9008}]") +
                       platform_cluster("same-size") + spread)
              .empty());
  }

  TEST_CASE("RV-07: sizes are counted once, for a product in same-size mode") {
    std::string four;
    for (const char* size : {"8c", "10c", "20c", "40c"}) {
      four += platform_class(std::string("c") + size, vgpu_backing(size));
    }
    CHECK(found_by("RV-07", four + platform_cluster("same-size")).size() == 1);
    CHECK(found_by("RV-07", four + platform_cluster("mixed-size")).empty());
    CHECK(found_by("RV-07", four).empty());
    // Three sizes, one of them twice, and a MIG-backed one, which the mode does not cut.
    std::string three;
    for (const char* size : {"10c", "20c", "40c", "40c", "1-10c"}) {
      three += platform_class(std::string("c") + size, vgpu_backing(size));
    }
    CHECK(found_by("RV-07", three + platform_cluster("same-size")).empty());
  }

  TEST_CASE("RV-08: classes of one product that meet on a mixed GPU nest") {
    const std::string eight = platform_class("a", vgpu_backing("8c"));
    const std::string twenty = platform_class("b", vgpu_backing("20c"));
    const auto found = found_by("RV-08", eight + twenty + platform_cluster("mixed-size"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.starts_with("VM class 'b' meets other sizes on one GPU: 8C and 20C"));
    CHECK(found[0].fix.contains("10C"));
    CHECK(found_by("RV-08", eight + twenty + platform_cluster("same-size")).empty());
    CHECK(found_by("RV-08", eight + twenty).empty());
    // The same size twice, nesting sizes, another product, several devices.
    CHECK(found_by("RV-08", eight + eight + platform_cluster("mixed-size")).empty());
    CHECK(found_by("RV-08", platform_class("a", vgpu_backing("10c")) + twenty +
                                platform_cluster("mixed-size"))
              .empty());
    CHECK(found_by("RV-08", platform_class("a", "vgpu: nvidia_l40s-8c") + twenty +
                                platform_cluster("mixed-size"))
              .empty());
    CHECK(found_by("RV-08", platform_class("a", vgpu_backing("8c"), "", 2) + twenty +
                                platform_cluster("mixed-size"))
              .empty());
  }

  TEST_CASE("RV-08: a layout's graphics types are placed as those for compute") {
    CHECK(found_by("RV-08", vgpu_layout("A100D-8C: 1, A100D-20C: 1")).size() == 1);
    const auto found = found_by("RV-08", vgpu_layout("L40S-16Q: 1, L40S-24Q: 1"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message.contains("16C and 24C of l40s"));
    CHECK(found_by("RV-08", vgpu_layout("L40S-12Q: 1, L40S-24Q: 1")).empty());
    CHECK(found_by("RV-08", vgpu_layout("NoSuch-8C: 1, A100D-20C: 1")).empty());
  }

  TEST_CASE("RV-12: pools and clusters per team") {
    const auto of = [](const std::string& fields) {
      return found_by("RV-12", stated_platform(fields));
    };
    const auto pools = of("nodes: dedicated\nteams: 4\n");
    REQUIRE(pools.size() == 1);
    CHECK(pools[0].excerpt == "nodes: dedicated");
    CHECK(pools[0].message.contains("pool of GPU nodes each"));
    CHECK(of("nodes: dedicated\n").size() == 1);
    CHECK(of("nodes: dedicated\nteams: 1\n").empty());
    CHECK(of("nodes: private\nteams: 4\n").empty());
    CHECK(of("controlPlane: cluster-per-team\nnodes: dedicated\nteams: 4\n").size() == 2);

    const std::string gpus = platform_class("gpu-class", vgpu_backing("80c"));
    const auto two = found_by("RV-12", gpus + labelled_cluster("a", "team: red", "gpu-class") +
                                           labelled_cluster("b", "team: blue", "gpu-class") +
                                           labelled_cluster("c", "team: green", "gpu-class"));
    REQUIRE(two.size() == 1);
    CHECK(two[0].message.starts_with("teams blue and red have a cluster with GPUs each"));
    const auto quiet = [&](const std::string& first, const std::string& second,
                           const std::string& vm_class) {
      return found_by("RV-12", gpus + labelled_cluster("a", first, vm_class) +
                                   labelled_cluster("b", second, vm_class))
          .empty();
    };
    CHECK(quiet("team: red", "team: red", "gpu-class"));
    CHECK(quiet("team: red", "zone: blue", "gpu-class"));
    CHECK(quiet("team: red", "team: blue", "no-gpu-class"));
    CHECK_FALSE(quiet("gpushape.dev/team: red", "tenant: blue", "gpu-class"));
  }

  TEST_CASE("RV-22: memory that is lent twice, by layout, share or scaling") {
    const auto layout = [](const std::string& rows) {
      return found_by("RV-22", vgpu_layout(rows)).size();
    };
    CHECK(layout("L40S-24Q: 3") == 1);
    CHECK(layout("L40S-24Q: 2") == 0);
    CHECK(layout("L40S-24Q: 1, L40S-48C: 1") == 1);
    // Types that are not known, or of two products, are not added up.
    CHECK(layout("NoSuch-48C: 9") == 0);
    CHECK(layout("L40S-48C: 1, A100D-80C: 1") == 0);

    const auto share = [](const std::string& mib, const std::string& selector) {
      return found_by("RV-22", platform_pod("nvidia.com/gpu: 1, nvidia.com/gpumem: " + mib, "", "",
                                            selector))
          .size();
    };
    CHECK(share("81559", kH100Node) == 0);  // NVML's total of an H100 of 80 GB, in MiB
    CHECK(share("81560", kH100Node) == 1);
    CHECK(share("90000", "zone: a") == 0);  // nothing says which GPU

    const auto scaling = [](const std::string& text) { return found_by("RV-22", text); };
    const auto lent = scaling(
        "devicePlugin:\n  deviceMemoryScaling: 1.8\n  deviceSplitCount: 10\nscheduler: {}\n");
    REQUIRE(lent.size() == 1);
    CHECK(lent[0].place.line == 2);
    CHECK(lent[0].message.contains("1.8 times"));
    CHECK(lent[0].fix == "set deviceMemoryScaling to 1");
    CHECK(scaling("devicePlugin:\n  deviceMemoryScaling: 1\n").empty());
    CHECK(scaling("nvidia:\n  deviceMemoryScaling: 2\n").size() == 1);
  }
}
