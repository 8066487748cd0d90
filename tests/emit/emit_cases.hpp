// Advice built by hand: the worked examples of the VM contract and one case for every technology.
// Figures of the contracts are the examples' own; facts of devices are the vendors' (NVML totals as
// nvidia-smi prints them, product names of the driver's table, PCI ids of the PCI id list).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "domain/advice.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit::cases {

using namespace gpushape::domain;

inline Profile vgpu(std::string type, std::string short_name, std::int64_t gib_size,
                    Technology technology, std::string prefix = "nvidia_") {
  Profile profile;
  for (const char c : type) {
    prefix += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  profile.name = std::move(prefix);
  profile.type = std::move(type);
  profile.short_name = std::move(short_name);
  profile.technology = technology;
  profile.nominal_gib = gib_size;
  profile.frame_buffer_bytes = gib(gib_size);
  // Reserved in every vGPU: a sixteenth of the GiB-count in MiB, and 16 (AIE reference tables).
  profile.visible_bytes = exactly(gib(gib_size) - mib(gib_size * 64 + 16));
  return profile;
}

inline Profile mig(std::string name, std::int64_t mebibytes) {
  Profile profile;
  profile.name = profile.type = profile.short_name = std::move(name);
  profile.technology = Technology::Mig;
  profile.frame_buffer_bytes = mib(mebibytes);
  profile.visible_bytes = exactly(mib(mebibytes));
  return profile;
}

inline Device device(std::string id, std::string product, std::int64_t nominal_gb,
                     std::int64_t nvml_mib, std::string capability, std::string pci_device) {
  Device made;
  made.id = std::move(id);
  made.name = product;
  made.vendor = "nvidia";
  made.nominal_gb = nominal_gb;
  made.nvml_bytes = mib(nvml_mib);
  made.visible_bytes = exactly(mib(nvml_mib));
  made.compute_capability = std::move(capability);
  made.pci_vendor = "10de";
  made.pci_devices = {std::move(pci_device)};
  made.product_names = {std::move(product)};
  return made;
}

inline std::vector<Device> devices() {
  Device h100 = device("h100-sxm-80", "NVIDIA H100 80GB HBM3", 80, 81559, "9.0", "2330");
  h100.pci_devices.emplace_back("2336");
  h100.profiles = {vgpu("H100XM-80C", "80C", 80, Technology::FullVgpu),
                   vgpu("H100XM-20C", "20C", 20, Technology::TimeSliced),
                   vgpu("H100XM-3-40C", "3-40C", 40, Technology::MigBackedVgpu),
                   mig("3g.40gb", 40448)};
  Device l40s = device("l40s", "NVIDIA L40S", 48, 46068, "8.9", "26b9");
  l40s.profiles = {vgpu("L40S-48C", "48C", 48, Technology::FullVgpu)};
  Device a100 = device("a100-pcie-40", "NVIDIA A100-PCIE-40GB", 40, 40960, "8.0", "20f1");
  a100.profiles = {vgpu("A100-40C", "40C", 40, Technology::FullVgpu, "grid_"),
                   vgpu("A100-10C", "10C", 10, Technology::TimeSliced, "grid_"),
                   vgpu("A100-4C", "4C", 4, Technology::TimeSliced, "grid_")};
  Device a100_sxm = device("a100-sxm4-40", "NVIDIA A100-SXM4-40GB", 40, 40960, "8.0", "20b0");
  a100_sxm.profiles = {mig("3g.20gb", 19968), mig("1g.5gb", 4864)};
  Device h200 = device("h200-sxm-141", "NVIDIA H200", 141, 143771, "9.0", "2335");
  h200.profiles = {vgpu("H200X-141C", "141C", 141, Technology::FullVgpu)};
  Device nameless = device("h100-sxm-64", "", 64, 65247, "9.0", "2337");
  nameless.product_names.clear();
  return {h100,
          l40s,
          a100,
          a100_sxm,
          h200,
          nameless,
          device("a30", "NVIDIA A30", 24, 24576, "8.0", "20b7"),
          device("t4", "Tesla T4", 16, 15360, "7.5", "1eb8"),
          device("a100-sxm4-80", "NVIDIA A100-SXM4-80GB", 80, 81920, "8.0", "20b2")};
}

inline Shape shape(ConsumptionModel model, Technology technology, std::string device,
                   std::string profile = {}, std::int64_t count = 1) {
  Shape made;
  made.consumption_model = model;
  made.technology = technology;
  made.device = std::move(device);
  made.profile = std::move(profile);
  made.count = count;
  made.parallelism.tensor = count;
  for (const Device& row : devices()) {
    for (const Profile& candidate : row.profiles) {
      if (row.id == made.device && candidate.name == made.profile) {
        made.profile_short = candidate.short_name;
      }
    }
  }
  return made;
}

struct Sizes {
  std::int64_t vcpus, minimum_vcpus, memory_gib, minimum_memory_gib, reserved_cores, mmio_gib;
};

inline RankedShape ranked(Shape shape, Sizes sizes, std::string host, Qos qos = Qos::Engine) {
  RankedShape made;
  made.shape = shape;
  made.fits = true;
  made.fits_at = FitsAt::High;
  ResourceContract& contract = made.contract;
  contract.shape = std::move(shape);
  contract.vcpus = sizes.vcpus;
  contract.minimum_vcpus = sizes.minimum_vcpus;
  contract.memory_bytes = contract.memory_reservation_bytes = gib(sizes.memory_gib);
  contract.minimum_memory_bytes = gib(sizes.minimum_memory_gib);
  contract.reserved_cores = sizes.reserved_cores;
  contract.cpu_reservation_mhz = sizes.reserved_cores * 2000;  // every example host: 2000 MHz
  contract.mmio_gib = sizes.mmio_gib;
  contract.qos = qos;
  contract.host = std::move(host);
  contract.evidence = "E0";
  return made;
}

inline void is_for(RankedShape& made, std::string model, std::string quantization,
                   std::int64_t context, std::int64_t concurrency) {
  made.contract.model = std::move(model);
  made.contract.quantization = std::move(quantization);
  made.contract.context_tokens = context;
  made.contract.concurrency = concurrency;
  made.contract.engine = "vllm";
  made.contract.engine_version = "0.19";
}

/// A request that owns what it points at.
struct Case {
  std::string name;
  std::string target;
  Advice advice;
  std::vector<Label> labels;
  std::string kubernetes = "1.36";
  std::vector<std::string> beside = {};  ///< targets that are written together with this one
  std::optional<EngineCommand> command = std::nullopt;  ///< of the first shape's engine
  std::optional<std::int64_t> lifetime_seconds = std::nullopt;
  std::optional<Workload> workload = std::nullopt;

  [[nodiscard]] EmitRequest request() const {
    EmitRequest made;
    made.advice = &advice;
    for (const RankedShape& picked : advice.shapes) made.picked.push_back(&picked);
    made.devices = devices();
    made.kubernetes = kubernetes;
    made.labels = labels;
    made.command = "gpushape advise --case " + name + " -o " + target;
    made.targets = beside;
    made.targets.push_back(target);
    if (command) made.engine_command = &*command;
    made.lifetime_seconds = lifetime_seconds;
    if (workload) made.workload = &*workload;
    return made;
  }
};

/// Example 2: a 20B mixture of experts at 13 GB on a quarter of an H100.
inline RankedShape fraction_20c() {
  RankedShape made = ranked(shape(ConsumptionModel::Fractional, Technology::TimeSliced,
                                  "h100-sxm-80", "nvidia_h100xm-20c"),
                            {6, 6, 32, 24, 3, 256}, "H1");
  is_for(made, "openai/gpt-oss-20b", "mxfp4", 8192, 16);
  made.contract.evidence = "E2";
  made.reasons = {{"CM-09", "need 17.2 GB fits a quarter of the device, evidence E2"}};
  made.contract.notes = {{"step-1", "3 processes + 2; six per GPU x 0.25"},
                         {"step-5", "the engine's 3 processes x 2000 MHz"}};
  return made;
}

/// Example 4: an 8B model in 16 bits on a full L40S.
inline RankedShape full_l40s() {
  RankedShape made =
      ranked(shape(ConsumptionModel::Full, Technology::FullVgpu, "l40s", "nvidia_l40s-48c"),
             {10, 8, 72, 24, 3, 128}, "H2");
  is_for(made, "meta-llama/Llama-3.1-8B-Instruct", "bf16", 8192, 32);
  made.contract.review_after_days = 14;
  made.reasons = {{"CM-06", "evidence E0: a full GPU absorbs what is not known yet"}};
  return made;
}

/// Example 6: 70B at 8 bits on two H100 of one NVLink device group.
inline RankedShape tensor_pair() {
  Shape pair = shape(ConsumptionModel::MultiGpu, Technology::FullVgpu, "h100-sxm-80",
                     "nvidia_h100xm-80c", 2);
  pair.interconnect = "nvswitch";
  pair.device_group = "Nvidia:2@nvidia_h100xm-80c%NVLink";
  RankedShape made = ranked(pair, {12, 8, 240, 40, 12, 512}, "H1", Qos::Guaranteed);
  is_for(made, "meta-llama/Llama-3.3-70B-Instruct", "fp8", 8192, 85);
  made.contract.notes = {{"step-1", "four processes + 2 + ceil(85/64); six per GPU = 12"},
                         {"step-3", "one virtual node: assigned at power on"}};
  return made;
}

/// Example 7: 405B at 8 bits on eight H100, two virtual NUMA nodes of 24 vCPU.
inline RankedShape eight_on_two_nodes() {
  Shape eight = shape(ConsumptionModel::MultiGpu, Technology::FullVgpu, "h100-sxm-80",
                      "nvidia_h100xm-80c", 8);
  eight.interconnect = "nvswitch";
  eight.device_group = "Nvidia:8@nvidia_h100xm-80c%NVLink";
  RankedShape made = ranked(eight, {48, 12, 960, 64, 48, 2048}, "H1", Qos::Guaranteed);
  is_for(made, "meta-llama/Llama-3.1-405B-Instruct", "fp8", 8192, 128);
  VirtualNuma numa;
  numa.nodes = 2;
  numa.cores_per_socket = 24;
  numa.cores_per_node = 24;
  for (std::int64_t i = 0; i < 8; ++i) numa.devices.push_back({i, i < 4 ? 0 : 1});
  made.contract.numa = numa;
  made.contract.latency_sensitive = true;
  made.contract.notes = {{"step-3", "GPU 0-3 sit on node 0, 4-7 on node 1"},
                         {"VC-16", "one slot on this host"}};
  return made;
}

inline RankedShape mig_backed() {
  RankedShape made = ranked(shape(ConsumptionModel::Fractional, Technology::MigBackedVgpu,
                                  "h100-sxm-80", "nvidia_h100xm-3-40c"),
                            {6, 6, 64, 24, 3, 256}, "H1");
  is_for(made, "Qwen/Qwen3-14B", "fp8", 32768, 8);
  made.reasons = {{"MD-01", "isolation hard: an instance of its own"}};
  return made;
}

/// Example 8: an A30 passed through, two virtual nodes because of its memory.
inline RankedShape passthrough_a30() {
  RankedShape made = ranked(shape(ConsumptionModel::Passthrough, Technology::Passthrough, "a30"),
                            {10, 8, 336, 336, 3, 64}, "H4");
  is_for(made, "mistralai/Mistral-7B-Instruct-v0.3", "bf16", 8192, 32);
  VirtualNuma numa;
  numa.nodes = 2;
  numa.cores_per_socket = 5;
  numa.cores_per_node = 5;
  numa.devices = {{0, 0}};
  made.contract.numa = numa;
  made.contract.hardware_label = "a30-appliance";
  made.contract.notes = {{"LC-02", "dynamic DirectPath I/O only"}};
  return made;
}

inline RankedShape full_h200() {
  RankedShape made = ranked(
      shape(ConsumptionModel::Full, Technology::FullVgpu, "h200-sxm-141", "nvidia_h200x-141c"),
      {12, 8, 216, 96, 3, 512}, "H6");
  is_for(made, "meta-llama/Llama-3.3-70B-Instruct", "fp8", 8192, 85);
  return made;
}

/// What an engine is told: settings as advise gives them, weights of the estimate.
inline RankedShape served(RankedShape made, std::int64_t weights_bytes) {
  made.max_num_seqs = made.contract.concurrency;
  made.max_num_batched_tokens = 8192;
  made.gpu_memory_utilization = 0.9;
  made.contract.shared_memory_bytes = gib(made.shape.count > 1 ? 8 : 2);
  made.reasons.push_back({"settings",
                          "max-num-seqs 1 (the sequences in flight), "
                          "max-num-batched-tokens 8192 (the usual batch of a server)"});
  Estimate estimate;
  Term weights;
  weights.name = "weights";
  weights.part = Part::Weights;
  weights.bytes = exactly(Bytes(weights_bytes));
  estimate.terms = {weights};
  made.estimate = estimate;
  return made;
}

/// A MIG instance of a node's card.
inline RankedShape mig_instance() {
  RankedShape made =
      ranked(shape(ConsumptionModel::Fractional, Technology::Mig, "h100-sxm-80", "3g.40gb"),
             {6, 6, 64, 24, 3, 0}, "");
  is_for(made, "Qwen/Qwen3-14B", "fp8", 32768, 8);
  made.shape.memory_bytes = mib(40448);
  made.shape.compute_share = 3.0 / 7;
  made.per_device = 2;
  return served(std::move(made), 15'000'000'000);
}

/// A share that a scheduler keeps: a quarter of an H100.
inline RankedShape software_share() {
  RankedShape made =
      ranked(shape(ConsumptionModel::Fractional, Technology::SoftwareShare, "h100-sxm-80"),
             {6, 6, 32, 24, 3, 0}, "");
  is_for(made, "openai/gpt-oss-20b", "mxfp4", 8192, 16);
  made.shape.memory_bytes = mib(20480);
  made.shape.compute_share = 0.25;
  made.per_device = 4;
  return served(std::move(made), 13'000'000'000);
}

inline RankedShape whole(const std::string& device, std::int64_t count = 1) {
  RankedShape made = ranked(shape(count > 1 ? ConsumptionModel::MultiGpu : ConsumptionModel::Full,
                                  Technology::WholeGpu, device, {}, count),
                            {12, 8, 128, 64, 4, 256}, "");
  is_for(made, "meta-llama/Llama-3.3-70B-Instruct", "fp8", 8192, 85);
  return made;
}

/// 405B in 16 bits on two nodes of eight H100 each: tensor 8, pipeline 2.
inline RankedShape two_nodes() {
  RankedShape made = served(whole("h100-sxm-80", 16), 812'000'000'000);
  for (Shape* shape : {&made.shape, &made.contract.shape}) {
    shape->nodes = 2;
    shape->parallelism.tensor = 8;
    shape->parallelism.pipeline = 2;
  }
  return made;
}

inline Case make(std::string name, std::string target, Platform platform,
                 std::vector<RankedShape> shapes) {
  Case made;
  made.name = std::move(name);
  made.target = std::move(target);
  made.advice.platform = platform;
  made.advice.shapes = std::move(shapes);
  made.command = catalog::Catalog::engine_command(made.advice.shapes.front().contract.engine);
  return made;
}

}  // namespace gpushape::emit::cases
