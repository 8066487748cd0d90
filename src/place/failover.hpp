// Can the VMs of a host restart elsewhere? An exact answer: some assignment of all of them to the
// other hosts is found, or it is proven that there is none. Trying the VMs greedily may miss one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "place/snapshot.hpp"

namespace gpushape::place {

enum class Answer { Yes, No, NotKnown };

/// Where one VM would go.
struct Restart {
  std::string vm;
  std::size_t host = 0;
  Option option;
};

struct JointPlacement {
  Answer answer = Answer::NotKnown;
  std::vector<Restart> restarts;  ///< where the answer is yes
  std::int64_t steps = 0;         ///< states that the search looked at
};

struct NamedRequest {
  std::string name;
  Request request;
};

/// Ours: about a second. A search that ends there answers NotKnown.
inline constexpr std::int64_t kDefaultSteps = 200'000;

/// All of the requests at once on the hosts that are up; what is placed already stays.
JointPlacement place_all(const Snapshot& snapshot, std::vector<NamedRequest> requests,
                         std::int64_t most_steps = kDefaultSteps);

struct HostFailover {
  std::vector<std::string> pinned;  ///< static passthrough: these cannot restart elsewhere
  std::vector<std::string> vms;     ///< the others
  JointPlacement joint;             ///< of the others, without this host
  /// CPU and memory alone would let all of them restart: what admission control without an eye for
  /// devices believes.
  bool cpu_and_memory_suffice = false;
};

HostFailover failover_of(const Snapshot& snapshot, std::size_t host,
                         std::int64_t most_steps = kDefaultSteps);

}  // namespace gpushape::place
