// The packing against a slow, obvious solver on every tiny mix, and plans worked out by hand.
#include "place/plan_profiles.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"

namespace {

using gpushape::Bytes;
using gpushape::domain::GpuMode;
using gpushape::domain::MixItem;
using gpushape::domain::ProfilePlan;
using gpushape::place::Contents;
using gpushape::place::pack;
using gpushape::place::PackedSize;
using gpushape::place::Packing;
using gpushape::place::plan_profiles;

/// Every share in every device at every start, devices opened in order: nothing clever.
class Obvious {
 public:
  Obvious(const std::vector<PackedSize>& sizes, int length, int compute)
      : sizes_(sizes), length_(length), compute_(compute) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      for (int copy = 0; copy < sizes[i].copies; ++copy) shares_.push_back(i);
    }
    best_ = shares_.size();
  }

  std::size_t run() {
    put(0);
    return best_;
  }

 private:
  struct Device {
    std::vector<bool> taken;
    int compute = 0;
    std::vector<int> counts;
  };

  void put(std::size_t next) {
    if (devices_.size() >= best_ && next < shares_.size() && devices_.size() > best_) return;
    if (next == shares_.size()) {
      best_ = std::min(best_, devices_.size());
      return;
    }
    const PackedSize& size = sizes_[shares_[next]];
    for (std::size_t d = 0; d <= devices_.size(); ++d) {
      const bool is_new = d == devices_.size();
      if (is_new) {
        if (devices_.size() >= best_) return;
        devices_.push_back({std::vector<bool>(static_cast<std::size_t>(length_)), 0,
                            std::vector<int>(sizes_.size())});
      }
      for (const int start : size.starts) {
        Device& device = devices_[d];
        bool is_free = start + size.size <= length_ &&
                       (compute_ == 0 || device.compute + size.compute <= compute_) &&
                       device.counts[shares_[next]] < size.most;
        for (int at = start; is_free && at < start + size.size; ++at) {
          is_free = !device.taken[static_cast<std::size_t>(at)];
        }
        if (!is_free) continue;
        mark(d, shares_[next], start, true);
        put(next + 1);
        mark(d, shares_[next], start, false);
      }
      if (is_new) {
        devices_.pop_back();
        return;
      }
    }
  }

  void mark(std::size_t d, std::size_t size, int start, bool is_taken) {
    Device& device = devices_[d];
    const int sign = is_taken ? 1 : -1;
    device.compute += sign * sizes_[size].compute;
    device.counts[size] += sign;
    for (int at = start; at < start + sizes_[size].size; ++at) {
      device.taken[static_cast<std::size_t>(at)] = is_taken;
    }
  }

  const std::vector<PackedSize>& sizes_;
  int length_;
  int compute_;
  std::vector<std::size_t> shares_;
  std::vector<Device> devices_;
  std::size_t best_;
};

// The geometry of an A100: NVIDIA MIG user guide, supported profiles.
std::vector<PackedSize> mig_sizes(const std::vector<int>& copies) {
  std::vector<PackedSize> sizes = {{0, 4, {0}, 1, 4},
                                   {0, 4, {0, 4}, 2, 3},
                                   {0, 2, {0, 2, 4}, 3, 2},
                                   {0, 1, {0, 1, 2, 3, 4, 5, 6}, 7, 1}};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i].copies = copies[i];
  return sizes;
}

gpushape::domain::Device device(const std::string& name) {
  return gpushape::profiles::Profiles::open().value().find(name).value();
}

MixItem item(const std::string& name, double gib, std::int64_t copies) {
  MixItem made;
  made.name = name;
  made.need_bytes = gpushape::gib_of(gib);
  made.copies = copies;
  return made;
}

}  // namespace

TEST_SUITE("place") {
  TEST_CASE("the packing finds the fewest devices, as the obvious solver does") {
    for (int a = 0; a <= 2; ++a) {
      for (int b = 0; b <= 2; ++b) {
        for (int c = 0; c <= 2; ++c) {
          for (int d = 0; d <= 2; ++d) {
            if (a + b + c + d == 0 || a + b + c + d > 6) continue;
            const std::vector<PackedSize> sizes = mig_sizes({a, b, c, d});
            CAPTURE(a);
            CAPTURE(b);
            CAPTURE(c);
            CAPTURE(d);
            const Packing packing = pack(sizes, 8, 7);
            CHECK(packing.is_proven);
            CHECK(packing.devices.size() == Obvious(sizes, 8, 7).run());
            CHECK(packing.least <= static_cast<std::int64_t>(packing.devices.size()));
            Contents sum(4, 0);
            for (const Contents& contents : packing.devices) {
              CHECK(!gpushape::place::lay_out(sizes, contents, 8).empty());
              for (std::size_t i = 0; i < 4; ++i) sum[i] += contents[i];
            }
            CHECK(sum == Contents{a, b, c, d});
          }
        }
      }
    }
  }

  TEST_CASE("a packing of large mixes stays within its budget and keeps its bound") {
    const Packing packing = pack(mig_sizes({3, 40, 37, 61}), 8, 7, 2000);
    CHECK(packing.least >= (3 * 4 + 40 * 3 + 37 * 2 + 61 + 6) / 7);
    CHECK(packing.least <= static_cast<std::int64_t>(packing.devices.size()));
  }

  TEST_CASE("a mix of halves and quarters fills mixed-size devices without stranding") {
    // On 80 GB: 40C holds 37.4 GiB, 20C 18.7, 10C 9.3. Two of 30, three of 15 and two of 8 take
    // 2 x 40 + 3 x 20 + 2 x 10 = 160 GB: two devices.
    const auto plans =
        plan_profiles(device("h100-sxm-80"), {item("a", 30, 2), item("b", 15, 3), item("c", 8, 2)});
    const auto mixed = std::ranges::find(plans, GpuMode::MixedSize, &ProfilePlan::mode);
    REQUIRE(mixed != plans.end());
    CHECK(mixed->devices == 2);
    CHECK(mixed->least_devices == 2);
    CHECK(mixed->is_proven);
    CHECK(mixed->stranded_bytes == Bytes());
    CHECK(mixed->sizes.size() == 3);
    // Same-size: one device for each two 40C, four 20C, eight 10C: three of them.
    const auto same = std::ranges::find(plans, GpuMode::SameSize, &ProfilePlan::mode);
    REQUIRE(same != plans.end());
    CHECK(same->devices <= 3);
    CHECK(plans.front().devices == 2);
  }

  TEST_CASE("hard isolation takes instances, and a need above every fraction a whole device") {
    MixItem tenant = item("tenant", 9, 3);
    tenant.needs_instance = true;
    const auto plans = plan_profiles(device("a100-sxm4-80"), {tenant, item("large", 60, 1)});
    REQUIRE(!plans.empty());
    const ProfilePlan& best = plans.front();
    CHECK(best.refusal.empty());
    CHECK(best.devices == 2);  // three 1g.10gb on one, the other whole
    CHECK(std::ranges::any_of(best.sizes,
                              [](const auto& size) { return size.profile == "1g.10gb"; }));
  }

  TEST_CASE("what no device holds is refused by name") {
    const auto plans = plan_profiles(device("l4"), {item("giant", 100, 1)});
    REQUIRE(!plans.empty());
    CHECK(plans.front().refusal.find("giant") != std::string::npos);
  }

  TEST_CASE("plans serve every copy with a size that holds it") {
    const gpushape::domain::Device a100 = device("a100-sxm4-80");
    CHECK(rc::check("plans serve the mix", [&] {
      std::vector<MixItem> mix;
      const int kinds = *rc::gen::inRange(1, 5);
      std::int64_t copies = 0;
      for (int i = 0; i < kinds; ++i) {
        mix.push_back(item(std::to_string(i), *rc::gen::inRange(1, 36), *rc::gen::inRange(1, 6)));
        copies += mix.back().copies;
      }
      for (const ProfilePlan& plan : plan_profiles(a100, mix, 5000)) {
        if (!plan.refusal.empty()) continue;
        std::int64_t shares = 0;
        for (const auto& gpus : plan.gpus) {
          shares += gpus.count * static_cast<std::int64_t>(gpus.shares.size());
        }
        RC_ASSERT(shares == copies);
        RC_ASSERT(plan.least_devices <= plan.devices);
        std::int64_t planned = 0;
        for (const auto& size : plan.sizes) planned += size.copies;
        RC_ASSERT(planned == copies);
      }
    }));
  }
}
