// What shares really offer: reservations, totals seen by CUDA, MIG instances. Expected values are
// vendor arithmetic or figures of logs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "domain/profile_memory.hpp"
#include "profiles/memory_rules.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::profiles {
namespace {

domain::Device device_of(const std::string& name) {
  static const Profiles profiles = Profiles::open().value();
  Result<domain::Device> device = profiles.find(name);
  if (!device) FAIL(to_text(device.error()));
  return *device;
}

domain::Profile profile_of(const std::string& device, const std::string& name) {
  const domain::Device found = device_of(device);
  const Result<const domain::Profile*> profile = domain::find_profile(found, name);
  if (!profile) FAIL(to_text(profile.error()));
  return **profile;
}

}  // namespace

TEST_SUITE("profiles") {
  TEST_CASE("a vGPU leaves its guest the frame buffer less the documented reservation") {
    // profile/16 + 16 + ECC (profile/16) + 128/max + compression, in MiB.
    struct Row {
      std::string device;
      std::string profile;
      std::int64_t usable_mib;
    };
    const std::vector<Row> rows = {
        {"h100-sxm-80", "10C", 10240 - (640 + 16 + 16)},              // 10.03 GB
        {"h100-sxm-80", "20C", 20480 - (1280 + 16 + 32)},             // 20.08 GB
        {"h100-sxm-80", "40C", 40960 - (2560 + 16 + 64)},             // 40.18 GB
        {"h100-sxm-80", "80C", 81920 - (5120 + 16 + 128)},            // 80.38 GB
        {"l40s", "24C", 24576 - (1536 + 16 + 1536 + 64)},             // ECC: 22.46 GB
        {"t4", "16C", 16384 - (1024 + 16 + 1024 + 128 + 28)},         // Turing, 28 of compression
        {"quadro-rtx-8000", "48C", 49152 - (3072 + 16 + 128 + 238)},  // Turing, ECC off
    };
    for (const Row& row : rows) {
      CAPTURE(row.device);
      CAPTURE(row.profile);
      CHECK(profile_of(row.device, row.profile).usable_bytes == mib(row.usable_mib));
    }
  }

  TEST_CASE("the usable sizes that the consumption rules quote come out, in GB") {
    struct Row {
      std::string device;
      std::string profile;
      double gb;
    };
    const std::vector<Row> rows = {{"h100", "10C", 10.03},
                                   {"h100", "20C", 20.08},
                                   {"h100", "40C", 40.18},
                                   {"h100", "80C", 80.38},
                                   {"l40s", "24C", 22.46}};
    for (const Row& row : rows) {
      CAPTURE(row.profile);
      const auto bytes =
          static_cast<double>(profile_of(row.device, row.profile).usable_bytes.count());
      CHECK(bytes / 1e9 == doctest::Approx(row.gb).epsilon(0.0003));
    }
  }

  TEST_CASE("an odd count divides the retirement share without rounding to a MiB") {
    // 128 MiB / 20 vGPUs = 6710886.4 bytes, rounded down.
    CHECK(reserved_bytes({.bytes = mib(4096),
                          .max_per_gpu = 20,
                          .ecc_takes_memory = false,
                          .compression_bytes = {}}) == mib(256 + 16) + Bytes(6'710'886));
  }

  TEST_CASE("a guest counts its reservation in the total it sees") {
    // A guest with an A100-20C prints a CUDA total of 20476 MiB, of 20480.
    const domain::Range visible = profile_of("a100-pcie-40", "20C").visible_bytes;
    CHECK(visible.low <= mib(20476));
    CHECK(mib(20476) <= visible.high);
    CHECK(visible.high == mib(20480));
    // A40-48Q: 43.85 GiB were free when loading began, so the total is no less.
    CHECK(gib_of(43.85) <= profile_of("a40", "48C").visible_bytes.high);
  }

  TEST_CASE("a MIG instance offers what nvidia-smi lists, and CUDA sees nearly that") {
    CHECK(profile_of("h100", "1g.10gb").usable_bytes == mib(9984));
    CHECK(profile_of("h100", "3g.40gb").usable_bytes == mib(40448));
    struct Row {
      std::string device;
      std::string profile;
      double seen_gib;
    };
    const std::vector<Row> rows = {
        {"h200", "1g.35gb", 32.5},       // vLLM pull request 50463
        {"h100-nvl", "1g.12gb", 10.75},  // mig-parted pull request 101
        {"h100-nvl", "2g.24gb", 21.62}, {"h100-nvl", "3g.47gb", 46.38},
        {"gb200", "1g.24gb", 20.00},  // gpu-operator pull request 1303
        {"gb200", "2g.47gb", 45.50},
    };
    for (const Row& row : rows) {
      CAPTURE(row.device);
      CAPTURE(row.profile);
      const domain::Range visible = profile_of(row.device, row.profile).visible_bytes;
      CHECK(visible.low <= gib_of(row.seen_gib));
      CHECK(gib_of(row.seen_gib) <= visible.high);
    }
  }

  TEST_CASE("an instance that no source sizes gets a cautious share, and says so") {
    const domain::Profile profile = profile_of("h100-sxm-64", "1g.8gb");
    CHECK_FALSE(profile.frame_buffer_is_published);
    CHECK(profile.usable_bytes == gib(8) * 860 / 1000);  // 0.86 of an eighth of 64 GiB
    CHECK(profile.usable_source.starts_with("rule: "));
    CHECK(profile.visible_bytes.low == profile.usable_bytes);
    CHECK(profile.visible_bytes.high == gib(8));
  }

  TEST_CASE("a MIG-backed vGPU offers its instance, several in one instance their reservation") {
    CHECK(profile_of("h100", "3-40C").usable_bytes == mib(40448));
    CHECK(profile_of("h100", "3-40C").technology == domain::Technology::MigBackedVgpu);
    CHECK(profile_of("h100", "3-40C").compute_slices == 3);
    // RTX PRO 6000: two 1-12C in one 1g.24gb+gfx, eight on the device: 12288/16 + 16 + 128/8.
    const domain::Profile shared = profile_of("rtx-pro-6000", "1-12C");
    CHECK(shared.max_per_instance == 2);
    CHECK(shared.usable_bytes == mib(12288 - (768 + 16 + 16)));
  }

  TEST_CASE("the CUDA total of a device is what logs show") {
    struct Row {
      std::string device;
      double seen_gib;
    };
    const std::vector<Row> rows = {{"h100-sxm-80", 79.19},
                                   {"h100-sxm-80", 79.18},
                                   {"a100-sxm4-80", 79.25},
                                   {"a100-sxm4-40", 39.49},
                                   {"a100-sxm4-40", 39.39},
                                   {"a100-sxm4-40", 39.56},
                                   {"h200-sxm-141", 139.80},
                                   {"h200-sxm-141", 139.72},
                                   {"t4", 14.56},
                                   {"t4", 14.74},
                                   {"l4", 22.16},
                                   {"l40s", 44.52},
                                   {"l40s", 44.39},
                                   {"b200-sxm-180", 178.35},
                                   {"h100-nvl-94", 93.10},
                                   {"gb300-288", 275.5},
                                   {"rtx-pro-6000-se", 94.97},
                                   {"rtx-6000-ada", 44.43},
                                   {"rtx-a6000", 44.6},
                                   {"a30", 23.53},
                                   {"v100-sxm2-32", 31.74},
                                   {"v100-sxm2-16", 15.77},
                                   {"a10", 22.06},
                                   {"a10", 22.18},
                                   {"b300-sxm-288", 267.69},
                                   {"gb200-186", 184.31},
                                   {"mi250x", 63.98},
                                   {"mi300x", 191.45},
                                   {"mi300x", 191.98},
                                   {"mi325x", 255.69},
                                   {"mi325x", 255.98},
                                   {"mi355x", 287.98}};
    for (const Row& row : rows) {
      CAPTURE(row.device);
      CAPTURE(row.seen_gib);
      const domain::Range visible = device_of(row.device).visible_bytes;
      CHECK(visible.low <= gib_of(row.seen_gib));
      CHECK(gib_of(row.seen_gib) <= visible.high);
    }
    CHECK(device_of("h100-sxm-80").visible_bytes.expected == gib_of(79.19));
    CHECK(device_of("l40s").visible_bytes.expected == gib_of(44.52));
  }

  TEST_CASE("a total that no log shows is a wide range with its rule") {
    const domain::Device a2 = device_of("a2");  // 15356 MiB by NVML
    CHECK(a2.visible_source.starts_with("rule: 0.970 to 0.997 of the NVML total"));
    CHECK(a2.visible_bytes.low == mib(15356) * 970 / 1000);
    CHECK(a2.visible_bytes.high == mib(15356) * 997 / 1000);
    const domain::Device h100 = device_of("h100-sxm-64");  // not even an NVML total
    CHECK_FALSE(h100.nvml_bytes.has_value());
    CHECK(h100.visible_source.starts_with("rule: the NVML total is 0.932 to 1"));
    CHECK(h100.visible_bytes.low < gib(59));
    CHECK(h100.visible_bytes.high <= gib(64));
    // Every device whose NVML and CUDA totals are both logged obeys the rule.
    for (const char* name : {"t4", "l4", "l40s", "a100-sxm4-40", "a100-sxm4-80", "h100-sxm-80",
                             "h200-sxm-141", "b200-sxm-180", "a30", "gb300-288"}) {
      CAPTURE(name);
      const domain::Device device = device_of(name);
      const domain::Range rule = visible_of_nvml(device.nvml_bytes.value());
      CHECK(rule.low <= device.visible_bytes.expected);
      CHECK(device.visible_bytes.expected <= rule.high);
    }
  }

  TEST_CASE("an engine in a guest finds the guest's names and sizes, in an instance the parent's") {
    const domain::Device h100 = device_of("h100");
    const domain::VisibleMemory whole = domain::visible_memory(h100, nullptr);
    CHECK(whole.device == "h100-sxm-80");
    CHECK(whole.profile.empty());
    CHECK(whole.bytes == h100.visible_bytes);
    CHECK(whole.parent_bytes == mib(81559));
    CHECK(whole.product_name == "NVIDIA H100 80GB HBM3");
    CHECK_FALSE(whole.takeable_bytes.has_value());

    const domain::VisibleMemory guest =
        domain::visible_memory(h100, domain::find_profile(h100, "40C").value());
    CHECK(guest.profile == "40C");
    CHECK(guest.parent_bytes == mib(40960));
    CHECK(guest.product_name == "NVIDIA H100XM-40C");
    CHECK(guest.takeable_bytes == mib(38320));
    CHECK_FALSE(guest.is_mig);
    CHECK(guest.multiprocessors == 132);

    const domain::VisibleMemory instance =
        domain::visible_memory(h100, domain::find_profile(h100, "1g.10gb").value());
    CHECK(instance.is_mig);
    CHECK(instance.parent_bytes == mib(81559));
    CHECK(instance.product_name == "NVIDIA H100 80GB HBM3");
    CHECK(instance.multiprocessors == 16);

    const domain::Device a100 = device_of("a100-pcie-80");
    CHECK(domain::visible_memory(a100, domain::find_profile(a100, "40C").value()).product_name ==
          "GRID A100D-40C");
  }

  TEST_CASE("the largest fraction is half of the device") {
    using enum domain::Technology;
    const domain::Device h100 = device_of("h100");
    CHECK(domain::largest_fraction_bytes(h100, TimeSliced) == mib(38320));
    CHECK(domain::largest_fraction_bytes(h100, Mig) == mib(40448));
    CHECK(domain::largest_fraction_bytes(h100) == mib(40448));
    CHECK(domain::largest_fraction_bytes(device_of("h100-nvl"), TimeSliced) ==
          profile_of("h100-nvl", "47C").usable_bytes);
    CHECK(domain::largest_fraction_bytes(device_of("l40s")) == mib(21424));
    CHECK(domain::largest_fraction_bytes(device_of("b200"), TimeSliced) == Bytes());
    CHECK(domain::largest_fraction_bytes(device_of("b200"), Mig) > gib(80));
    CHECK(domain::largest_fraction_bytes(device_of("a10g")) == Bytes());
  }

  TEST_CASE("a profile answers to every name it goes by, and an unknown one gets the nearest") {
    const domain::Device h100 = device_of("h100");
    for (const char* name : {"40C", "40c", "nvidia_h100xm-40c", "H100XM-40C"}) {
      CAPTURE(name);
      CHECK(domain::find_profile(h100, name).value()->name == "nvidia_h100xm-40c");
    }
    CHECK(domain::find_profile(h100, "3G.40GB").value()->technology == domain::Technology::Mig);
    CHECK(profile_of("gb200", "1g.24gb").name == "1g.23gb");  // another driver's name
    CHECK(profile_of("rtx-pro-6000", "RTX Pro 6000 Blackwell DC-48C").short_name == "48C");
    const auto unknown = domain::find_profile(h100, "41C");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().front().message == "h100-sxm-80 has no profile '41C'");
    CHECK(unknown.error().front().help.contains("40C"));
    const auto none = domain::find_profile(device_of("a10g"), "24C");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().front().help == "leave --profile out");
  }

  TEST_CASE("a partition has its part of the memory, whatever the memory mode") {
    // AMD: eight partitions of an MI300X (CPX) have 38 compute units and 24 of 192 GB each.
    const domain::Device mi300x = device_of("mi300x");
    for (const char* name : {"cpx_nps4", "cpx_nps1", "CPX/NPS4"}) {
      CAPTURE(name);
      const domain::Profile cpx = *domain::find_profile(mi300x, name).value();
      CHECK(cpx.technology == domain::Technology::Partition);
      CHECK(cpx.max_per_gpu == 8);
      CHECK(cpx.multiprocessors == 38);
      CHECK(cpx.visible_bytes.expected == mi300x.visible_bytes.expected / 8);
      CHECK(cpx.visible_bytes.high <= gib(24));
    }
    CHECK(profile_of("mi350x", "qpx_nps2").max_per_gpu == 4);
    CHECK(!domain::find_profile(mi300x, "spx_nps4").has_value());  // SPX goes with NPS1 alone
    CHECK(domain::largest_fraction_bytes(mi300x) == mi300x.visible_bytes.expected / 2);
  }

  TEST_CASE("where CPU and GPU share the memory, what is free at the start bounds an engine") {
    // 101.3 of 121.69 GiB free on a headless GB10: a share of 0.83 starts, 0.87 does not.
    const domain::Device gb10 = device_of("gb10");
    REQUIRE(gb10.free_at_start.has_value());
    const domain::VisibleMemory memory = domain::visible_memory(gb10, nullptr);
    CHECK(memory.bytes.expected.gib() == doctest::Approx(121.69));
    REQUIRE(memory.takeable_bytes.has_value());
    CHECK(memory.takeable_bytes->gib() / memory.bytes.expected.gib() > 0.83);
    CHECK(memory.takeable_bytes->gib() / memory.bytes.expected.gib() < 0.87);
    CHECK(domain::usable_bytes(gb10, nullptr) == *memory.takeable_bytes);
    CHECK(!domain::visible_memory(device_of("h100"), nullptr).takeable_bytes.has_value());
  }

  TEST_CASE("an engine sees one die of an MI250X") {
    CHECK(device_of("mi250x").nominal_gb == 64);
    const Profiles profiles = Profiles::open().value();
    CHECK(profiles.usual_server(device_of("mi250x")).value().gpus.size() == 8);
  }
}

}  // namespace gpushape::profiles
