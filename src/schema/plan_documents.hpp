// Plans as documents: kinds ProfilePlan and HostPlan.
#pragma once

#include <vector>

#include "document/node.hpp"
#include "domain/host_plan.hpp"
#include "domain/profile_plan.hpp"

namespace gpushape::schema {

/// Best first.
document::Node profile_plans_node(const std::vector<domain::ProfilePlan>& plans);
document::Node host_plans_node(const std::vector<domain::HostPlan>& plans);

}  // namespace gpushape::schema
