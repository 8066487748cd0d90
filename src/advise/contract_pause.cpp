// Step 7, the pause of a live migration: an order of magnitude, from the GPU memory that moves
// while the VM stands still and from the link.
#include <fmt/format.h>

#include <algorithm>

#include "advise/contract_steps.hpp"
#include "domain/release.hpp"

namespace gpushape::advise {

using domain::ResourceContract;
using domain::Technology;

namespace {

constexpr int kFirstPrecopyMajor = 9;  // VCF 9 copies the static part while the VM runs
constexpr double kBitsPerByte = 8;
constexpr double kBytesPerGigabyte = 1e9;

bool can_move_live(Technology technology) {
  return technology == Technology::TimeSliced || technology == Technology::MigBackedVgpu ||
         technology == Technology::FullVgpu;
}

bool copies_beforehand(const domain::Host& host) {
  const auto release = domain::parse_release(host.release);
  return release && release->major >= kFirstPrecopyMajor;
}

}  // namespace

void estimate_pause(const ContractBasis& basis, ResourceContract& contract) {
  const domain::Host& host = basis.host;
  if (!can_move_live(contract.shape.technology) || host.release.empty()) return;
  if (host.vmotion_gigabits_per_second <= 0) {
    note(contract, "step-7",
         fmt::format("no pause estimate: the vMotion link of {} is not known", host.name));
    return;
  }
  const ContractConstants& k = basis.constants;
  // The formula takes the number in a profile's name as gigabytes.
  auto moved = static_cast<double>(basis.gpu_memory_gib);
  std::string what = "the whole profile";
  const bool is_partial = copies_beforehand(host) && basis.request.dynamic_bytes > Bytes(0);
  if (is_partial) {
    moved = static_cast<double>(basis.request.dynamic_bytes.count()) / kBytesPerGigabyte;
    what = "the dynamic part";
  }
  const double link = std::min(k.link_efficiency.value * host.vmotion_gigabits_per_second,
                               k.migration_ceiling.value);
  const double pause = k.pause_base.value + moved * kBitsPerByte / link;
  contract.pause_seconds = pause;
  note(contract, "step-7",
       fmt::format("a live migration pauses about {:.1f} s: {} of {:.1f} GB over {:g} Gb/s ({}); "
                   "take the platform's own stun time where it states one; {}",
                   pause, what, moved, host.vmotion_gigabits_per_second, host.release,
                   cite({&k.pause_base, &k.link_efficiency, &k.migration_ceiling})));
}

}  // namespace gpushape::advise
