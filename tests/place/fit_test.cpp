// Legal sets: NVIDIA's MIG user guide, "supported profiles" of A100-80 (a 3g instance starts at
// slice 0 or 4, 2g at 0, 2 or 4, 1g.10gb at 0 to 6; seven compute slices), and the mixed-size
// placements that AI Enterprise documents.
#include "place/fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using gpushape::domain::FittedProfile;
using gpushape::domain::GpuMode;
using gpushape::domain::GpuUse;
using gpushape::domain::ProfileFit;
using gpushape::place::DeviceGeometry;
using gpushape::place::fit_profiles;

DeviceGeometry a100_80() {
  DeviceGeometry device;
  device.id = "a100-sxm4-80";
  device.memory_gb = 80;
  device.mig_slices = 8;
  device.mig_compute = 7;
  const auto mig = [&](std::string name, int size, std::vector<int> starts, int max, int compute) {
    device.profiles.push_back(
        {std::move(name), {}, GpuUse::Mig, size, std::move(starts), max, compute});
  };
  mig("7g.80gb", 8, {0}, 1, 7);
  mig("4g.40gb", 4, {0}, 1, 4);
  mig("3g.40gb", 4, {0, 4}, 2, 3);
  mig("2g.20gb", 2, {0, 2, 4}, 3, 2);
  mig("1g.20gb", 2, {0, 2, 4, 6}, 4, 1);
  mig("1g.10gb", 1, {0, 1, 2, 3, 4, 5, 6}, 7, 1);
  mig("1g.10gb+me", 1, {0, 1, 2, 3, 4, 5, 6}, 1, 1);
  const auto share = [&](std::string name, int size, std::vector<int> starts, int max) {
    device.profiles.push_back(
        {std::move(name), {}, GpuUse::TimeSliced, size, std::move(starts), max, 0});
  };
  share("80C", 80, {0}, 1);
  share("40C", 40, {0, 40}, 2);
  share("20C", 20, {0, 20, 40, 60}, 4);
  share("16C", 16, {0, 24, 40, 64}, 5);
  return device;
}

ProfileFit fit(const std::vector<std::string>& names) {
  return fit_profiles(a100_80(), true, names);
}

const FittedProfile& placed(const ProfileFit& fit, const std::string& name) {
  return *std::ranges::find(fit.placed, name, &FittedProfile::name);
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("two 1g, a 2g and a 3g lie together only with the 3g at slice 4") {
    const ProfileFit set = fit({"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"});
    REQUIRE(set.is_legal);
    CHECK(set.mode == GpuMode::Mig);
    CHECK(set.compute_used == 7);
    // With the 3g at 0 the 2g has only slices 4 and 5, and one 1g slice 6: the other finds none,
    // since slice 7 starts no 1g.
    CHECK(placed(set, "3g.40gb").legal_starts == std::vector<int>{4});
    CHECK(placed(set, "3g.40gb").start == 4);
    // The 2g at 0 and both 1g at 2 and 3, or the 2g at 2 and both at 0 and 1.
    CHECK(set.layouts == 2);
    CHECK(placed(set, "2g.20gb").legal_starts == std::vector<int>{0, 2});
    CHECK(placed(set, "1g.10gb").legal_starts == std::vector<int>{0, 1, 2, 3});
    CHECK(set.room.empty());
  }

  TEST_CASE("what does not lie together says why") {
    // 3 + 3 + 1 compute slices, but the two 3g hold all eight memory slices.
    CHECK(fit({"3g.40gb", "3g.40gb", "1g.10gb"}).why == "together they take 9 of 8 memory slices");
    CHECK(fit({"4g.40gb", "4g.40gb"}).why == "together they take 8 of 7 compute slices");
    CHECK(fit({"1g.10gb+me", "1g.10gb+me"}).why == "2 x 1g.10gb+me: one GPU holds at most 1");
    // 4 + 2 + 1 slices of 8; the 4g holds 0 to 3, so the 2g starts at 4 and the 1g.20gb at 6.
    CHECK(fit({"4g.40gb", "2g.20gb", "1g.20gb"}).is_legal);
    // Three 1g.20gb and a 2g: 8 memory slices, but the 2g never starts at 6, where one 1g.20gb can.
    CHECK(fit({"1g.20gb", "1g.20gb", "1g.20gb", "2g.20gb"}).is_legal);
    CHECK(fit({"40C", "3g.40gb"}).why ==
          "time-sliced shares and MIG instances exclude each other on one GPU");
    CHECK(fit({"12C"}).why == "a100-sxm4-80 has no profile 12C");
    CHECK_FALSE(fit({}).is_legal);
  }

  TEST_CASE("time-sliced shares of one size are same-size, of several mixed") {
    const ProfileFit same = fit({"16C", "16C", "16C", "16C", "16C"});
    CHECK(same.is_legal);  // five, though only four start in mixed-size mode
    CHECK(same.mode == GpuMode::SameSize);
    CHECK_FALSE(fit({"16C", "16C", "16C", "16C", "16C", "16C"}).is_legal);
    const ProfileFit mixed = fit({"40C", "20C", "16C"});
    REQUIRE(mixed.is_legal);
    CHECK(mixed.mode == GpuMode::MixedSize);
    // 40C at 0: 20C at 40 and 16C at 64, or 20C at 60 and 16C at 40. 40C at 40 likewise below.
    CHECK(mixed.layouts == 4);
    CHECK_FALSE(fit_profiles(a100_80(), false, {"40C", "20C"}).is_legal);
  }

  TEST_CASE("every layout lies inside, overlaps nothing, and starts where the table says") {
    const DeviceGeometry device = a100_80();
    const std::vector<std::string> names = {"4g.40gb", "3g.40gb", "2g.20gb", "1g.20gb", "1g.10gb"};
    for (const std::string& a : names) {
      for (const std::string& b : names) {
        for (const std::string& c : names) {
          const ProfileFit set = fit({a, b, c});
          for (std::size_t i = 0; i < set.placed.size(); ++i) {
            const FittedProfile& one = set.placed[i];
            CHECK(one.start + one.size <= set.length);
            if (i > 0) CHECK(set.placed[i - 1].start + set.placed[i - 1].size <= one.start);
            const auto& row =
                device.profiles[static_cast<std::size_t>(device.find(GpuUse::Mig, one.name))];
            CHECK(std::ranges::find(row.starts, one.start) != row.starts.end());
          }
        }
      }
    }
  }

  TEST_CASE("vGPUs that take turns fill an instance before they take another") {
    // RTX PRO 6000: two DC-2-24C share a 2g.48gb instance; the GPU has 4 compute slices.
    DeviceGeometry device;
    device.id = "rtx-pro-6000-se";
    device.mig_slices = 12;
    device.mig_compute = 4;
    device.profiles.push_back({"2g.48gb", {"DC-2-24C"}, GpuUse::Mig, 6, {0, 6}, 2, 2});
    device.shared_instances.push_back({"DC-2-24C", {}, "2g.48gb", 2});
    const ProfileFit three = fit_profiles(device, true, {"DC-2-24C", "DC-2-24C", "DC-2-24C"});
    REQUIRE(three.is_legal);
    REQUIRE(three.placed.size() == 2);
    CHECK(three.placed[0].vgpus + three.placed[1].vgpus == 3);
    CHECK(three.placed[0].most_vgpus == 2);
    const ProfileFit five =
        fit_profiles(device, true, {"DC-2-24C", "DC-2-24C", "DC-2-24C", "DC-2-24C", "DC-2-24C"});
    CHECK(!five.is_legal);  // three instances of 2 slices
  }

  TEST_CASE("partitions of one GPU are all alike") {
    DeviceGeometry device;
    device.id = "mi300x";
    device.memory_gb = 192;
    device.profiles.push_back({"qpx_nps4", {}, GpuUse::TimeSliced, 48, {}, 4, 0, true});
    device.profiles.push_back({"cpx_nps4", {}, GpuUse::TimeSliced, 24, {}, 8, 0, true});
    CHECK(fit_profiles(device, false, {"cpx_nps4", "cpx_nps4"}).is_legal);
    const ProfileFit mixed = fit_profiles(device, false, {"cpx_nps4", "qpx_nps4"});
    CHECK(!mixed.is_legal);
    CHECK(mixed.why.find("all its partitions are alike") != std::string::npos);
  }
}
