// The facts of a workload that a manifest has no field for, as annotations of ours: those that
// somebody gave and that are not what everybody has, and what its advice warned of. A review reads them (docs/annotations.md).
#pragma once

#include <string>
#include <vector>

#include "emit/targets.hpp"

namespace gpushape::emit {

struct WorkloadNote {
  std::string_view name;  ///< behind "gpushape.dev/": "isolation"
  std::string value;
};

/// In a fixed order; empty where nothing out of the ordinary is told.
std::vector<WorkloadNote> workload_notes(const EmitRequest& request,
                                         const domain::ResourceContract& contract);

}  // namespace gpushape::emit
