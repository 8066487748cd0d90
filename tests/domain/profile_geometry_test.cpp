// The arithmetic of placements on a table made for the purpose.
#include "domain/profile_geometry.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gpushape::domain {
namespace {

/// Seven places of one slice on an axis of eight: the eighth slice is out of reach.
Device seven_of_eight() {
  Device device;
  device.id = "toy";
  device.nominal_gb = 80;
  device.nvml_bytes = gib(80);
  device.supports_mig = true;
  device.mig_compute_slices = 7;
  device.mig_memory_slices = 8;
  Profile one;
  one.name = "1g.10gb";
  one.technology = Technology::Mig;
  one.compute_slices = 1;
  one.memory_slices = 1;
  one.placement_size = 1;
  one.placement_ids = {0, 1, 2, 3, 4, 5, 6};
  one.max_per_gpu = 7;
  device.profiles = {one};
  return device;
}

}  // namespace

TEST_SUITE("domain") {
  TEST_CASE("slices that no instance can reach are stranded") {
    const Device device = seven_of_eight();
    CHECK(stranded_bytes(device, device.profiles.front(), GpuMode::Mig) == gib(10));
  }

  TEST_CASE("compute slices bound what memory slices would allow") {
    Device device = seven_of_eight();
    Profile wide = device.profiles.front();
    wide.name = "4g.10gb";
    wide.compute_slices = 4;
    wide.placement_ids = {7};
    wide.max_per_gpu = 1;
    device.profiles.push_back(wide);
    // Beside the 4g at 7 only three of the seven 1g have compute left: four slices are lost.
    CHECK(stranded_bytes(device, wide, GpuMode::Mig) == gib(40));
  }

  TEST_CASE("attributes take no part in covering the rest") {
    Device device = seven_of_eight();
    Profile media = device.profiles.front();
    media.name = "1g.10gb+me";
    media.attributes = {"me"};
    media.placement_ids = {7};
    device.profiles.push_back(media);
    CHECK(stranded_bytes(device, device.profiles.front(), GpuMode::Mig) == gib(10));
  }

  TEST_CASE("a device without a placement axis strands nothing that is known") {
    Device device;
    Profile profile;
    profile.technology = Technology::TimeSliced;
    profile.frame_buffer_bytes = gib(4);
    device.profiles = {profile};
    CHECK(stranded_bytes(device, profile, GpuMode::MixedSize) == Bytes());
    CHECK(stranded_bytes(device, profile, GpuMode::SameSize) == Bytes());
    CHECK(nesting_profiles(device).empty());
  }
}

}  // namespace gpushape::domain
