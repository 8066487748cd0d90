// The embedded tables against the collected facts, field by field, and the totals that real logs
// print. The folder is named by GPUSHAPE_SHARED; without it these cases say that they are skipped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::profiles {
namespace {

using document::Node;
using domain::Device;
using domain::Profile;
using domain::Technology;

std::optional<std::string> shared_folder() {
  const char* folder = std::getenv("GPUSHAPE_SHARED");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: GPUSHAPE_SHARED is not set");
    return std::nullopt;
  }
  return std::string(folder);
}

Node read_gpus(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/data/gpus/" + name;
  const Result<std::string> text = document::read_file(path);
  if (!text) FAIL(to_text(text.error()));
  Result<std::vector<document::Document>> documents = document::read_yaml(*text, path);
  if (!documents) FAIL(to_text(documents.error()));
  return documents->front().root;
}

/// nullptr for an absent field and for null.
const Node* given(const Node& mapping, std::string_view name) {
  const Node* node = mapping.find(name);
  return node == nullptr || node->is(Node::Kind::Null) ? nullptr : node;
}

std::optional<std::int64_t> integer(const Node& mapping, std::string_view name) {
  const Node* node = given(mapping, name);
  return node == nullptr ? std::nullopt : std::optional(node->integer());
}

std::optional<double> number(const Node& mapping, std::string_view name) {
  const Node* node = given(mapping, name);
  return node == nullptr ? std::nullopt : std::optional(node->number());
}

bool is_true(const Node& mapping, std::string_view name) {
  const Node* node = given(mapping, name);
  return node != nullptr && node->boolean();
}

std::string text(const Node& mapping, std::string_view name) {
  const Node* node = given(mapping, name);
  return node == nullptr ? std::string() : node->text();
}

std::vector<std::int64_t> integers(const Node& node) {
  std::vector<std::int64_t> values;
  for (const Node& item : node.items()) values.push_back(item.integer());
  return values;
}

std::map<std::string, Device> embedded() {
  std::map<std::string, Device> devices;
  const Profiles profiles = Profiles::open().value();
  const Result<std::vector<Device>> all = profiles.all();
  for (const Device& device : all.value()) devices.emplace(device.id, device);
  return devices;
}

const Profile* profile_of(const Device& device, const std::string& name) {
  const auto found = std::ranges::find(device.profiles, name, &Profile::name);
  return found == device.profiles.end() ? nullptr : &*found;
}

// Machines with unified memory and GeForce cards, which the collection does not know.
const std::vector<std::string> kOurOwn = {
    "gb10",           "strix-halo-128",    "rtx-2080-ti",    "rtx-3060-12",    "rtx-3080-10",
    "rtx-3080-ti",    "rtx-3090-ti",       "rtx-4060",       "rtx-4060-ti-16", "rtx-4070",
    "rtx-4080",       "rtx-4070-ti-super", "rtx-4080-super", "rtx-4090-d",     "rtx-5070",
    "rtx-5060-ti-16", "rtx-5070-ti",       "rtx-5080"};

}  // namespace

TEST_SUITE("profiles") {
  TEST_CASE("device facts are those of the collection") {
    const auto folder = shared_folder();
    if (!folder) return;
    const std::map<std::string, Device> devices = embedded();
    const Node facts = read_gpus(*folder, "devices.yaml");
    std::size_t compared = 0;
    for (const Node& fact : facts.find("devices")->items()) {
      const std::string id = text(fact, "id");
      CAPTURE(id);
      REQUIRE(devices.contains(id));
      const Device& device = devices.at(id);
      ++compared;
      // The collection tells of the module, the system and its engines of each of its two dies.
      if (id == "mi250x") continue;
      CHECK(device.nominal_gb == integer(fact, "memory_gb"));
      const auto mib_total = integer(fact, "memory_mib");
      CHECK(device.nvml_bytes == (mib_total ? std::optional(mib(*mib_total)) : std::nullopt));
      CHECK(device.memory_gigabytes_per_second == number(fact, "memory_gbs"));
      CHECK(device.multiprocessors == integer(fact, "sm_count"));
      CHECK(device.compute_capability == text(fact, "compute_capability"));
      CHECK(device.watts == integer(fact, "tdp_w"));
      CHECK(device.mmio_gib == integer(fact, "mmio_gb"));
      CHECK(device.architecture == text(fact, "arch"));
      CHECK(device.form_factor == text(fact, "form_factor"));
      CHECK(device.gpus_per_board == integer(fact, "gpus_per_board"));
      const Node& hardware = *fact.find("hw_support");
      CHECK(device.supports_bf16 == is_true(hardware, "bf16"));
      CHECK(device.supports_fp8 == is_true(hardware, "fp8"));
      CHECK(device.supports_fp4 == is_true(hardware, "fp4"));
      CHECK(device.supports_int8 == is_true(hardware, "int8"));
      const Node& peaks = *fact.find("tflops");
      CHECK(device.tensor_peaks.fp16 == number(peaks, "fp16"));
      CHECK(device.tensor_peaks.bf16 == number(peaks, "bf16"));
      CHECK(device.tensor_peaks.fp8 == number(peaks, "fp8"));
      CHECK(device.tensor_peaks.fp4 == number(peaks, "fp4"));
      CHECK(device.tensor_peaks.int8 == number(peaks, "int8"));
      const Node& link = *fact.find("nvlink");
      CHECK(device.nvlink.kind == text(link, "kind"));
      CHECK(device.nvlink.generation == integer(link, "gen").value_or(0));
      CHECK(device.nvlink.gigabytes_per_second.value_or(0) ==
            number(link, "gbs_per_gpu").value_or(0));
      CHECK(device.nvlink.max_domain == integer(link, "max_domain").value_or(1));
      const Node& pci = *fact.find("pci");
      CHECK(device.pci_vendor == text(pci, "vendor"));
      std::vector<std::string> ids;
      for (const Node& item : pci.find("devices")->items()) ids.push_back(item.text());
      CHECK(device.pci_devices == ids);
      CHECK(device.supports_mig == is_true(fact, "mig"));
      const Node& vgpu = *fact.find("vgpu");
      CHECK(device.supports_mixed_size == is_true(vgpu, "mixed_size"));
      // The A10G has no C-series types, so no table.
      CHECK(device.supports_time_sliced == (is_true(vgpu, "time_sliced") && id != "a10g"));
    }
    CHECK(compared + kOurOwn.size() == devices.size());
  }

  TEST_CASE("vGPU types are those of the collection") {
    const auto folder = shared_folder();
    if (!folder) return;
    const std::map<std::string, Device> devices = embedded();
    const Node facts = read_gpus(*folder, "vgpu-profiles.yaml");
    std::size_t compared = 0;
    for (const Node& gpu : facts.find("gpus")->items()) {
      const Device& device = devices.at(text(gpu, "gpu"));
      CAPTURE(device.id);
      CHECK(device.mixed_region_gib ==
            (device.supports_mixed_size ? integer(*gpu.find("mixed_size"), "region_gb").value_or(0)
                                        : 0));
      std::size_t of_device = 0;
      for (const Node& row : gpu.find("profiles")->items()) {
        const std::string name = text(row, "name");
        CAPTURE(name);
        ++of_device;
        const Profile* profile = profile_of(device, name);
        REQUIRE(profile != nullptr);
        CHECK(profile->type == text(row, "type"));
        CHECK(profile->max_per_gpu == integer(row, "max"));
        CHECK(profile->max_per_gpu_mixed == integer(row, "max_mixed"));
        CHECK(profile->peer_to_peer == is_true(row, "p2p"));
        CHECK(profile->is_full_size == is_true(row, "full_size"));
        CHECK(profile->mig_profile == text(row, "mig_profile"));
        CHECK(profile->max_per_instance == integer(row, "max_per_instance").value_or(1));
        CHECK(profile->is_name_derived == is_true(row, "name_derived"));
        const auto frame_buffer = integer(row, "fb_mb");
        CHECK(profile->frame_buffer_is_published == frame_buffer.has_value());
        if (frame_buffer) CHECK(profile->frame_buffer_bytes == mib(*frame_buffer));
        const Node* ids = given(row, "placement_ids");
        CHECK(profile->placement_ids ==
              (ids == nullptr ? std::vector<std::int64_t>{} : integers(*ids)));
        CHECK(profile->placement_size == integer(row, "placement_size").value_or(0));
        const Node* needs = given(row, "requires");
        CHECK(profile->requires_release ==
              (needs == nullptr ? "" : "ESXi " + text(*needs, "esxi")));
        const std::string kind = text(row, "kind");
        CHECK((profile->technology == Technology::MigBackedVgpu) == (kind != "time-sliced"));
      }
      compared += of_device;
      CHECK(std::ranges::count_if(device.profiles, [](const Profile& profile) {
              return profile.technology != Technology::Mig;
            }) == static_cast<std::ptrdiff_t>(of_device));
    }
    CHECK(compared > 400);
  }

  TEST_CASE("MIG profiles are those of the collection") {
    const auto folder = shared_folder();
    if (!folder) return;
    const std::map<std::string, Device> devices = embedded();
    const Node facts = read_gpus(*folder, "mig-profiles.yaml");
    std::size_t compared = 0;
    for (const Node& gpu : facts.find("gpus")->items()) {
      const Device& device = devices.at(text(gpu, "gpu"));
      CAPTURE(device.id);
      CHECK(device.mig_compute_slices == integer(gpu, "compute_slices"));
      CHECK(device.mig_memory_slices == integer(gpu, "memory_slices"));
      CHECK(device.mig_max_instances == integer(gpu, "max_instances"));
      std::size_t of_device = 0;
      for (const Node& row : gpu.find("profiles")->items()) {
        const std::string name = text(row, "name");
        CAPTURE(name);
        ++of_device;
        const Profile* profile = profile_of(device, name);
        REQUIRE(profile != nullptr);
        CHECK(profile->technology == Technology::Mig);
        CHECK(profile->mig_profile_id == integer(row, "profile_id"));
        CHECK(profile->compute_slices == integer(row, "compute_slices"));
        CHECK(profile->memory_slices == integer(row, "memory_slices"));
        CHECK(profile->max_per_gpu == integer(row, "max"));
        // Logs found since give some rows the memory and multiprocessors that these lack.
        if (const auto memory = integer(row, "memory_mib")) {
          CHECK(profile->usable_bytes == mib(*memory));
        }
        if (const auto units = integer(row, "sm")) CHECK(profile->multiprocessors == units);
        std::vector<std::int64_t> starts;
        if (const Node* placements = given(row, "placements")) {
          for (const Node& placement : placements->items()) {
            starts.push_back(integer(placement, "start").value());
            CHECK(integer(placement, "size") == profile->placement_size);
          }
        }
        CHECK(profile->placement_ids == starts);
        std::vector<std::string> attributes;
        for (const Node& item : row.find("attributes")->items()) attributes.push_back(item.text());
        CHECK(profile->attributes == attributes);
      }
      compared += of_device;
      CHECK(std::ranges::count(device.profiles, Technology::Mig, &Profile::technology) ==
            static_cast<std::ptrdiff_t>(of_device));
    }
    CHECK(compared > 150);
  }

  TEST_CASE("boards are those of the collection") {
    const auto folder = shared_folder();
    if (!folder) return;
    const std::map<std::string, Device> devices = embedded();
    const Node facts = read_gpus(*folder, "topology.yaml");
    for (const Node& topology : facts.find("topologies")->items()) {
      const std::string id = text(topology, "id");
      CAPTURE(id);
      if (text(topology, "interconnect") == "xgmi") continue;
      // Ours is called by what it is; the rack's switch is an NVSwitch.
      const std::string ours = id == "pcie-no-nvlink-8" ? "pcie-8" : id;
      for (const Node& item : topology.find("devices")->items()) {
        CAPTURE(item.text());
        const auto& boards = devices.at(item.text()).boards;
        const auto board = std::ranges::find(boards, ours, &domain::Board::id);
        REQUIRE(board != boards.end());
        CHECK(board->gpus == integer(topology, "gpus"));
        CHECK(board->gigabytes_per_second == number(topology, "gbs_per_gpu"));
        const auto& domains = topology.find("nvlink_domains")->items();
        REQUIRE(board->link_domains.size() == domains.size());
        for (std::size_t i = 0; i < domains.size(); ++i) {
          std::vector<std::int64_t> modules;  // counted from 1 there
          for (const int gpu : board->link_domains[i].gpus) modules.push_back(gpu + 1);
          CHECK(modules == integers(domains[i]));
        }
        if (const Node* sizes = given(topology, "device_group_sizes")) {
          const std::vector<std::int64_t> expected = integers(*sizes);
          CHECK(std::vector<std::int64_t>(board->device_group_sizes.begin(),
                                          board->device_group_sizes.end()) == expected);
        }
        CHECK(board->sockets == integer(topology, "sockets").value_or(0));
      }
    }
  }

  TEST_CASE("the totals that real engines logged lie in the range of their GPU") {
    const auto folder = shared_folder();
    if (!folder) return;
    const Profiles profiles = Profiles::open().value();
    std::size_t compared = 0;
    for (const char* name : {"engine-logs-dense.jsonl", "engine-starts-vllm-0.19.jsonl",
                             "engine-logs-moe-hybrid.jsonl"}) {
      const Result<std::string> lines = document::read_file(*folder + "/data/ground-truth/" + name);
      if (!lines) FAIL(to_text(lines.error()));
      std::istringstream input(*lines);
      for (std::string line; std::getline(input, line);) {
        const Result<document::Document> row = document::read_json(line, name);
        REQUIRE(row.has_value());
        const auto total = number(row->root, "gpu_mem_total_gib");
        std::string gpu = text(row->root, "gpu");
        if (gpu == "H100 80GB (SXM)") gpu = "h100-sxm-80";
        if (!total || gpu.empty()) continue;
        const Result<Device> device = profiles.find(gpu);
        if (!device) continue;  // GeForce, and names that fit several boards
        CAPTURE(gpu);
        CAPTURE(*total);
        ++compared;
        // Two printed decimals.
        CHECK(device->visible_bytes.low <= gib_of(*total + 0.005));
        CHECK(gib_of(*total - 0.005) <=
              std::max(device->visible_bytes.high, device->under_wsl_bytes.value_or(Bytes())));
      }
    }
    CHECK(compared >= 40);
  }
}

}  // namespace gpushape::profiles
