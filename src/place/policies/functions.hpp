// The policies behind the rows of policies.cpp, one file each.
#pragma once

#include "place/policies.hpp"

namespace gpushape::place {

HostChoice best_performance(const PolicyQuestion& question);
HostChoice consolidation(const PolicyQuestion& question);
HostChoice least_fragmentation_by_touch(const PolicyQuestion& question);
HostChoice least_fragmentation_by_fill(const PolicyQuestion& question);

}  // namespace gpushape::place
