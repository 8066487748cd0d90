// Which few running VMs to move so that a request finds a place: only VMs that can move, the fewest
// of them, and where each one goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "place/failover.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct Move {
  std::string vm;
  std::size_t from = 0;
  std::size_t to = 0;
  Option option;
  std::optional<double> pause_seconds;  ///< of the live migration, where known
};

struct DefragmentPlan {
  Answer answer = Answer::NotKnown;  ///< no: not with so few moves
  std::vector<Move> moves;           ///< none where the request fits already
  std::size_t host = 0;              ///< where the request then goes
  Option option;
  std::size_t most_moves = 0;  ///< that were tried
};

/// A VM can move that says so and is neither passed through nor bound to a device.
bool can_move(const domain::VirtualMachine& vm);

/// Moves end on another host or on another place of the same one. `vms` are those of the inventory.
DefragmentPlan defragment(const Snapshot& snapshot, const Request& request,
                          const std::vector<domain::VirtualMachine>& vms,
                          std::size_t most_moves = 3);

}  // namespace gpushape::place
