// Terraform, KAITO and Argo: what their documents ask for. And streams as Helm and kustomize print
// them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "document/hcl.hpp"
#include "profiles/profiles.hpp"
#include "review/asked_contracts.hpp"
#include "review/read_input.hpp"

using namespace gpushape;

namespace {

struct InputReading {
  std::vector<domain::Device> devices = profiles::Profiles::open().value().all().value();
  std::vector<document::Document> documents;
  review::ReviewRequest request;
  review::Deployment deployment;

  InputReading(const std::string& text, const char* file) {
    auto read = review::read_input(text, file);
    REQUIRE(read);
    documents = std::move(*read);
    request.documents = documents;
    request.devices = devices;
    deployment = review::read_deployment(request);
  }
};

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("a class of Terraform's vSphere provider reads as a VM class") {
    const InputReading read(R"(# the provider's own example, with a profile that exists
variable "cpus" { default = 4 }
resource "vsphere_virtual_machine_class" "vgpu" {
  name               = "vgpu-class"
  cpus               = 4
  memory             = 4096 // MB
  memory_reservation = 100
  vgpu_devices       = ["nvidia_l40s-48c",]
}
)",
                            "main.tf");
    REQUIRE(read.deployment.vm_classes.size() == 1);
    const review::VmClass& vm = read.deployment.vm_classes.front();
    CHECK(vm.name == "vgpu-class");
    CHECK(vm.cpus->value == 4);
    CHECK(vm.memory_bytes->value == 4096.0 * 1024 * 1024);
    CHECK(vm.memory_is_locked);
    REQUIRE(vm.devices.size() == 1);
    REQUIRE(vm.devices.front().product != nullptr);
    CHECK(vm.devices.front().product->id == "l40s");
    CHECK(vm.devices.front().node->position().line == 8);
    CHECK(vm.devices.front().node->position().column == 25);
    const auto asked = review::contracts_of(read.deployment);
    REQUIRE(asked.size() == 1);
    REQUIRE(asked.front().contract);
    CHECK((asked.front().contract->shape.technology == domain::Technology::FullVgpu));
  }

  TEST_CASE("a VM of Terraform is tied to the cards of one host") {
    const InputReading read(R"(resource "vsphere_virtual_machine" "llm" {
  name = "llm-${var.stage}"
  num_cpus = 16
  memory = 131072
  memory_reservation = 131072
  firmware = "efi"
  pci_device_id = [data.vsphere_host_pci_device.gpu.id, "0000:3d:00.0"]
  extra_config = { "pciPassthru.use64bitMMIO" = "TRUE" }
  disk {
    label = "a"
    size = max(20, var.size)
  }
  disk { label = "b" }
}
)",
                            "vm.tf");
    REQUIRE(read.deployment.vm_classes.size() == 1);
    const review::VmClass& vm = read.deployment.vm_classes.front();
    CHECK(vm.name == "llm-${var.stage}");
    CHECK(vm.devices.size() == 2);
    CHECK(vm.devices.front().product == nullptr);
    CHECK(vm.firmware->value == "efi");
    CHECK(vm.memory_reservation_mib->value == 131072);
    CHECK(vm.option("pciPassthru.use64bitMMIO")->value == "TRUE");
    const auto asked = review::contracts_of(read.deployment);
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().gap.contains("says nothing of the product"));
  }

  TEST_CASE("expressions of Terraform are kept as their text") {
    const InputReading read(R"(locals {
  tags = merge(
    { a = 1 },
    var.more,
  )
  by = { for k, v in var.vms : k => v.name }
}
resource "vsphere_virtual_machine" "llm" {
  for_each = toset(["a", "b"])
  num_cpus = var.cpus
  memory = 245760
  pci_device_id = [for d in data.vsphere_host_pci_device.gpu : d.id]
}
)",
                            "main.tf");
    const document::Node& root = read.documents.front().root;
    CHECK(root.find("locals")->find("by")->text() == "{ for k, v in var.vms : k => v.name }");
    REQUIRE(read.deployment.vm_classes.size() == 1);
    const review::VmClass& vm = read.deployment.vm_classes.front();
    CHECK_FALSE(vm.cpus);
    CHECK(vm.devices.size() == 1);
    CHECK(vm.name == "llm");
  }

  TEST_CASE("text that is no Terraform is refused with its place") {
    const struct {
      const char* text;
      int line;
      int column;
      const char* message;
    } kRows[] = {
        {"resource \"a\" \"b\" {\n  cpus = 4\n", 3, 1, "a block is not closed"},
        {"resource \"a {\n", 1, 10, "a string is not closed"},
        {"a = [1, 2\n", 1, 5, "a list is not closed"},
        {"a {\n  b = \n}\n", 2, 7, "a value is missing"},
        {"a = <<EOT\nnever\n", 1, 5, "is not closed"},
        {"= 4\n", 1, 1, "begins with a name"},
    };
    for (const auto& row : kRows) {
      CAPTURE(row.text);
      const auto read = document::read_hcl(row.text, "x.tf");
      REQUIRE_FALSE(read);
      CHECK(read.error().front().span.line == row.line);
      CHECK(read.error().front().span.column == row.column);
      CHECK(read.error().front().message.contains(row.message));
    }
  }

  TEST_CASE("deep and broken Terraform leaves the reader standing") {
    std::string deep = "a = ";
    for (int i = 0; i < 100'000; ++i) deep += '[';
    CHECK_FALSE(document::read_hcl(deep, "x.tf"));
    std::string blocks;
    for (int i = 0; i < 100'000; ++i) blocks += "a{";
    CHECK_FALSE(document::read_hcl(blocks, "x.tf"));
    const std::string sound =
        "r \"a\" \"b\" {\n x = \"${f(\"}\")}\"\n y = <<-E\n t\n E\n z = {a: 1}\n}\n";
    REQUIRE(document::read_hcl(sound, "x.tf"));
    for (std::size_t cut = 1; cut < sound.size(); ++cut) {
      (void)document::read_hcl(sound.substr(0, cut), "x.tf");
      (void)document::read_hcl(sound.substr(cut), "x.tf");
    }
  }

  TEST_CASE("a KAITO workspace asks for all GPUs of its instance type") {
    const InputReading read(R"(apiVersion: kaito.sh/v1beta1
kind: Workspace
metadata: {name: qwen}
resource:
  count: 2
  instanceType: Standard_NC48ads_A100_v4
  labelSelector: {matchLabels: {apps: qwen}}
inference: {preset: {name: Qwen/Qwen3-0.6B}}
)",
                            "kaito.yaml");
    REQUIRE(read.deployment.pods.size() == 1);
    const review::PodRequest& pod = read.deployment.pods.front();
    CHECK(pod.gpu_count() == 2);
    CHECK(pod.pods_per_replica == 2);
    REQUIRE_FALSE(read.deployment.sizing(pod).gpus.empty());
    CHECK(read.deployment.sizing(pod).gpus.front().device->id == "a100-pcie-80");
    CHECK(pod.engine_container() == nullptr);
  }

  TEST_CASE("the templates of an Argo workflow are pods that end") {
    const InputReading read(R"(apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec:
  schedule: "0 2 * * *"
  workflowSpec:
    entrypoint: main
    nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}
    templates:
      - name: main
        steps: [[{name: a, template: train}]]
      - name: train
        activeDeadlineSeconds: 3600
        container:
          image: trainer
          resources: {limits: {nvidia.com/gpu: 1}}
      - name: batch
        script:
          image: vllm/vllm-openai:v0.15.0
          command: [bash]
          source: "vllm run-batch"
)",
                            "workflow.yaml");
    REQUIRE(read.deployment.pods.size() == 2);
    const review::PodRequest& pod = read.deployment.pods.front();
    CHECK(pod.part == "train");
    CHECK(pod.ends);
    CHECK(pod.deadline_seconds->value == 3600);
    REQUIRE(pod.gpus.size() == 1);
    CHECK(read.deployment.sizing(pod).gpus.front().device->id == "l40s");
  }

  TEST_CASE("a stream of Helm or kustomize holds nothing, comments and lists among its documents") {
    const InputReading read(R"(---
# Source: chart/templates/empty.yaml
---
---
# Source: chart/templates/list.yaml
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: a}
    spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: b}
---
null
---
apiVersion: v1
kind: PodList
items: []
...
---
# Source: chart/templates/NOTES
)",
                            "-");
    CHECK(read.deployment.pods.size() == 1);
    CHECK(read.deployment.pods.front().name == "a");
    CHECK(read.deployment.objects.size() == 2);
  }
}
