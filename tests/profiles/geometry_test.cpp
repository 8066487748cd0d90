// Which sizes nest, and what a placed profile strands, on the published placements.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "domain/profile_geometry.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"
#include "support/built_in_profiles.hpp"

namespace gpushape::profiles {
namespace {

std::vector<std::string> nesting(const std::string& name) {
  const domain::Device device = example::built_in_profiles().find(name).value();
  std::vector<std::string> names;
  for (const domain::Profile* profile : domain::nesting_profiles(device)) {
    names.push_back(profile->short_name);
  }
  return names;
}

Bytes stranded(const std::string& name, const std::string& profile, domain::GpuMode mode) {
  const domain::Device device = example::built_in_profiles().find(name).value();
  return domain::stranded_bytes(device, *domain::find_profile(device, profile).value(), mode);
}

}  // namespace

TEST_SUITE("profiles") {
  TEST_CASE("the nesting sizes halve the device") {
    using Names = std::vector<std::string>;
    // 16C, 8C and 4C lose places on 80 GB, 16C, 8C and 4C on 48 GB (published mixed-size counts).
    CHECK(nesting("h100-sxm-80") == Names{"80C", "40C", "20C", "10C", "5C"});
    CHECK(nesting("a100-sxm4-80") == Names{"80C", "40C", "20C", "10C"});
    CHECK(nesting("l40s") == Names{"48C", "24C", "12C", "6C"});
    CHECK(nesting("l4") == Names{"24C", "12C", "6C"});
    CHECK(nesting("h100-nvl") == Names{"94C", "47C", "23C", "11C"});
    CHECK(nesting("rtx-pro-6000") == Names{"96C", "48C", "24C", "12C"});
    // No mixed-size mode: nothing nests in the whole.
    CHECK(nesting("t4") == Names{"16C"});
    CHECK(nesting("b200") == Names{"180C"});
    CHECK(nesting("a10g").empty());
  }

  TEST_CASE("sizes without published placements nest by their counts") {
    // H200: 70C 2, 35C 4, 17C 8, 8C 16, 4C 32 per GPU in both modes; 28C 5 and 14C 10 do not halve.
    CHECK(nesting("h200") == std::vector<std::string>{"141C", "70C", "35C", "17C", "8C", "4C"});
  }

  TEST_CASE("in mixed-size mode a size that does not nest strands the rest of its block") {
    using enum domain::GpuMode;
    // A 16C at 0 leaves 16 to 20 of a 20C block, where no 10C starts; an 8C leaves 8 to 10, a 4C
    // at 0 leaves 4 to 10.
    CHECK(stranded("a100-sxm4-80", "16C", MixedSize) == gib(4));
    CHECK(stranded("a100-sxm4-80", "8C", MixedSize) == gib(2));
    CHECK(stranded("a100-sxm4-80", "4C", MixedSize) == gib(6));
    CHECK(stranded("h100-sxm-80", "4C", MixedSize) == gib(1));  // a 5C fits behind it
    for (const char* nests : {"40C", "20C", "10C", "80C"}) {
      CAPTURE(nests);
      CHECK(stranded("a100-sxm4-80", nests, MixedSize) == Bytes());
    }
  }

  TEST_CASE("in same-size mode a size strands what its count leaves over") {
    using enum domain::GpuMode;
    CHECK(stranded("h100-sxm-80", "20C", SameSize) == Bytes());
    CHECK(stranded("h100-sxm-80", "16C", SameSize) == Bytes());     // 5 x 16
    CHECK(stranded("quadro-rtx-8000", "4C", SameSize) == gib(16));  // 8 x 4 of 48
    CHECK(stranded("h100-nvl", "11C", SameSize) == mib(96246 - 8 * 11264));
  }

  TEST_CASE("one MIG instance strands nothing when it starts well") {
    using enum domain::GpuMode;
    // 1g at 0 leaves room for 1g, 2g and 3g: seven compute and eight memory slices in use.
    CHECK(stranded("h100-sxm-80", "1g.10gb", Mig) == Bytes());
    CHECK(stranded("h100-sxm-80", "3g.40gb", Mig) == Bytes());
    CHECK(stranded("h100-sxm-80", "4g.40gb", Mig) == Bytes());
    CHECK(stranded("h100-sxm-80", "3-40C", Mig) == Bytes());
    CHECK(stranded("a30", "2g.12gb", Mig) == Bytes());
  }
}

}  // namespace gpushape::profiles
