// The GPU that a command line names, as an engine would find it.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "domain/device.hpp"
#include "domain/estimate.hpp"

namespace gpushape::cli {

/// A device, whole or the profile asked for.
Result<domain::VisibleMemory> memory_of(const domain::Device& device, const Invocation& invocation);
/// A total without a device: --memory-mib alone.
domain::VisibleMemory stated_memory(Bytes total);

}  // namespace gpushape::cli
