// Every form that a trace is read from, one row each: told by the heads of its columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "domain/trace.hpp"
#include "inventory/csv.hpp"

namespace gpushape::inventory {

/// VMs with times on hosts with modes, or tasks on shared GPUs.
using AnyTrace = std::variant<domain::Trace, std::vector<domain::SharedTask>>;

struct TraceRow {
  std::string_view name;
  std::string_view description;
  std::string_view heads;  ///< those that tell it, separated by commas
  Result<AnyTrace> (*read)(CsvTable& table);
};

std::span<const TraceRow> traces();
Result<AnyTrace> read_trace(std::string_view text, std::string file);

/// Node lists: sn, cpu_milli, memory_mib, gpu, model (openb), or node_name, cpu_num, gpu_model,
/// gpu_capacity_num (the spot GPU fleet).
bool is_node_list(std::string_view text);
Result<std::vector<domain::SharedNode>> read_node_list(std::string_view text, std::string file);

}  // namespace gpushape::inventory
