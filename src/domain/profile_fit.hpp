// The answer whether a set of profiles is legal on one GPU, and where each lies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/device.hpp"

namespace gpushape::domain {

/// One copy of a profile and its place on the axis of its mode: GB for time-sliced shares in
/// mixed-size mode, memory slices for MIG. In same-size mode the places are one behind another.
struct FittedProfile {
  std::string name;
  int start = 0;
  int size = 0;
  std::vector<int> legal_starts;  ///< those that occur in any legal layout of the set, ascending
  std::string vgpu = {};          ///< type that takes turns in this instance; empty for none
  int vgpus = 0;                  ///< of that type, in this instance
  int most_vgpus = 0;

  bool operator==(const FittedProfile&) const = default;
};

struct ProfileFit {
  std::string device;
  GpuMode mode = GpuMode::Mig;
  bool is_legal = false;
  std::string why;                    ///< why it is not; empty where it is
  std::vector<FittedProfile> placed;  ///< by start; empty where it is not legal
  int length = 0;                     ///< of the axis
  int compute = 0;                    ///< compute slices of the GPU; 0 where they do not count
  int compute_used = 0;
  std::int64_t layouts = 0;  ///< legal ones, equal profiles not told apart
  bool is_exhausted = true;  ///< false: the search stopped early; `layouts` and starts are a part
  std::vector<std::string> room;  ///< profiles of which one more would lie beside this set

  bool operator==(const ProfileFit&) const = default;
};

}  // namespace gpushape::domain
