// How well the VMs of a host have it, 0 to 100: the mean of what is known of three things, alike.
//
//   cores   of the NUMA nodes that a VM's GPUs are on, over the cores that the VMs at home there
//           reserve (of the whole host where nodes are not known): at most 1
//   memory  the same of their memory: what does not fit is remote
//   links   1 where several GPUs of a VM are one link domain, else 0
#pragma once

#include <map>
#include <string>

#include "place/snapshot.hpp"

namespace gpushape::place {

struct Happiness {
  double value = 0;  ///< 0 to 100
  std::string fact;  ///< "cores 1.00, memory 0.75, links 1.00"
};

/// By VM.
std::map<std::string, Happiness> happiness_on(const Snapshot& snapshot, std::size_t host);

}  // namespace gpushape::place
