#include "inventory/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace gpushape::inventory {

using domain::GpuUse;
using domain::SharedNode;
using domain::SharedTask;
using domain::TraceEvent;

namespace {

constexpr double kMostSeconds = 1e10;  // limits are ours
constexpr double kMostPerNode = 1e9;
constexpr std::int64_t kMostVcpus = 100'000;
constexpr std::int64_t kMostGib = 1'048'576;
constexpr std::int64_t kMostMillicores = 1'000'000'000;
constexpr std::int64_t kMostMib = 1'073'741'824;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

GpuUse use_of(CsvTable& table, std::size_t row) {
  const std::string& kind = table.cell(row, "kind");
  if (kind == "mig") return GpuUse::Mig;
  if (kind == "passthrough") return GpuUse::Passthrough;
  if (kind != "timeslice" && kind != "time-sliced") {
    table.complain(row, "kind", fmt::format("'{}' is not known", kind),
                   "expected timeslice, mig or passthrough");
  }
  return GpuUse::TimeSliced;
}

/// The arrival, and the departure where the row states one: empty stays to the end.
void add_stay(CsvTable& table, std::size_t row, std::string_view departs_column, TraceEvent arrival,
              domain::Trace& trace) {
  const auto departs = table.number(row, departs_column, 0, kMostSeconds);
  if (departs && *departs < arrival.seconds) {
    table.complain(row, departs_column, "it leaves before it arrives");
  }
  if (departs) {
    TraceEvent departure;
    departure.is_arrival = false;
    departure.vm = arrival.vm;
    departure.seconds = *departs;
    trace.events.push_back(std::move(departure));
  }
  trace.events.push_back(std::move(arrival));
}

/// By time; what leaves at a moment leaves before what arrives then.
Result<AnyTrace> in_order(CsvTable& table, domain::Trace trace) {
  std::ranges::stable_sort(trace.events, {}, [](const TraceEvent& event) {
    return std::pair(event.seconds, event.is_arrival);
  });
  trace.source = table.file();
  if (Diagnostics faults = table.take_diagnostics(); !faults.empty()) {
    return failure(std::move(faults));
  }
  return trace;
}

/// Each row is a VM: arrive_s, depart_s (empty: it stays), vm, kind, profile, gpus, nvlink, vcpu,
/// mem_gb.
Result<AnyTrace> read_lifecycle(CsvTable& table) {
  domain::Trace trace;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TraceEvent arrival;
    arrival.vm = table.cell(row, "vm");
    arrival.seconds = table.number(row, "arrive_s", 0, kMostSeconds).value_or(0);
    arrival.request.use = use_of(table, row);
    if (arrival.request.use != GpuUse::Passthrough) {
      arrival.request.profile = table.cell(row, "profile");
    }
    arrival.request.gpus = table.integer(row, "gpus", 1, 64);
    arrival.request.needs_links = table.cell(row, "nvlink") == "1";
    arrival.request.millicores =
        table.integer(row, "vcpu", 0, kMostVcpus) * domain::kMillicoresPerCore;
    arrival.request.memory_bytes = gib(table.integer(row, "mem_gb", 0, kMostGib));
    add_stay(table, row, "depart_s", std::move(arrival), trace);
  }
  return in_order(table, std::move(trace));
}

/// Each row is a task: cpu_milli, memory_mib, num_gpu, gpu_milli, and where there is one gpu_spec.
Result<AnyTrace> read_tasks(CsvTable& table) {
  std::vector<SharedTask> tasks;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    SharedTask task;
    task.name = table.cell(row, "name");
    task.millicores = table.integer(row, "cpu_milli", 0, kMostMillicores);
    task.memory_bytes = mib(table.integer(row, "memory_mib", 0, kMostMib));
    task.gpus = static_cast<int>(table.integer(row, "num_gpu", 0, domain::kMostSharedGpus));
    task.gpu_milli = table.integer(row, "gpu_milli", 0, domain::kMilliPerGpu);
    if (task.gpus == 0) task.gpu_milli = 0;
    if (task.gpus > 0 && task.gpu_milli == 0) {
      table.complain(row, "gpu_milli", "a task with GPUs takes a share above 0 of each");
    }
    task.models = split(table.cell(row, "gpu_spec"), '|');
    std::ranges::sort(task.models);
    task.models.erase(std::ranges::unique(task.models).begin(), task.models.end());
    tasks.push_back(std::move(task));
  }
  if (Diagnostics faults = table.take_diagnostics(); !faults.empty()) {
    return failure(std::move(faults));
  }
  return tasks;
}

/// Each row is an instance of a service: instance_sn, cpu_request (vCPU), gpu_request,
/// memory_request (GiB), creation_time (empty: before the start), deletion_time (empty: it stays),
/// max_instance_per_node (of one app_name). Whole GPUs.
Result<AnyTrace> read_services(CsvTable& table) {
  domain::Trace trace;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TraceEvent arrival;
    arrival.vm = table.cell(row, "instance_sn");
    arrival.seconds = table.number(row, "creation_time", 0, kMostSeconds).value_or(0);
    arrival.request.use = GpuUse::Passthrough;
    arrival.request.gpus = table.integer(row, "gpu_request", 1, 64);
    arrival.request.millicores =
        table.integer(row, "cpu_request", 0, kMostVcpus) * domain::kMillicoresPerCore;
    const double memory =
        table.number(row, "memory_request", 0, static_cast<double>(kMostGib)).value_or(0);
    constexpr double kMibPerGib = 1024;
    arrival.request.memory_bytes = mib(std::llround(memory * kMibPerGib));
    // -1 stands for any number.
    const auto most = table.number(row, "max_instance_per_node", -1, kMostPerNode).value_or(-1);
    if (most > 0) {
      arrival.request.group = table.cell(row, "app_name");
      arrival.request.most_per_host = std::llround(most);
    }
    add_stay(table, row, "deletion_time", std::move(arrival), trace);
  }
  return in_order(table, std::move(trace));
}

constexpr auto kTraces = std::to_array<TraceRow>({
    {"lifecycle", "VMs with arrival and departure", "arrive_s,depart_s,vm,kind,profile",
     read_lifecycle},
    {"services", "instances of services on whole GPUs",
     "instance_sn,app_name,cpu_request,gpu_request,memory_request", read_services},
    {"tasks", "tasks on shared GPUs, without times", "cpu_milli,memory_mib,num_gpu,gpu_milli",
     read_tasks},
});

bool has_heads(const CsvTable& table, std::string_view heads) {
  return std::ranges::all_of(split(heads, ','),
                             [&](const std::string& head) { return table.has(head); });
}

constexpr std::string_view kNodeHeads = "sn,cpu_milli,memory_mib,gpu,model";
constexpr std::string_view kFleetHeads = "node_name,cpu_num,gpu_model,gpu_capacity_num";

/// openb: cpu_milli, memory_mib, gpu, model.
SharedNode openb_node(CsvTable& table, std::size_t row) {
  SharedNode node;
  node.name = table.cell(row, "sn");
  node.model = table.cell(row, "model");
  node.millicores = table.integer(row, "cpu_milli", 0, kMostMillicores);
  node.memory_bytes = mib(table.integer(row, "memory_mib", 0, kMostMib));
  node.gpus = static_cast<int>(table.integer(row, "gpu", 0, domain::kMostSharedGpus));
  return node;
}

/// The spot GPU fleet: cpu_num is in vCPU; memory_mib is a column that someone may add.
SharedNode fleet_node(CsvTable& table, std::size_t row) {
  SharedNode node;
  node.name = table.cell(row, "node_name");
  node.model = table.cell(row, "gpu_model");
  node.millicores = table.integer(row, "cpu_num", 0, kMostVcpus) * domain::kMillicoresPerCore;
  if (table.has("memory_mib")) {
    node.memory_bytes = mib(table.integer(row, "memory_mib", 0, kMostMib));
  }
  node.gpus = static_cast<int>(table.integer(row, "gpu_capacity_num", 0, domain::kMostSharedGpus));
  return node;
}

}  // namespace

std::span<const TraceRow> traces() { return kTraces; }

Result<AnyTrace> read_trace(std::string_view text, std::string file) {
  Result<CsvTable> table = CsvTable::read(text, std::move(file));
  if (!table) return std::unexpected(table.error());
  for (const TraceRow& row : kTraces) {
    if (has_heads(*table, row.heads)) return row.read(*table);
  }
  std::vector<std::string> forms;
  forms.reserve(kTraces.size());
  for (const TraceRow& row : kTraces) forms.push_back(fmt::format("{} ({})", row.name, row.heads));
  return failure(fmt::format("{}: this is no trace that gpushape reads", table->file()),
                 fmt::format("it reads {}", fmt::join(forms, "; ")));
}

bool is_node_list(std::string_view text) {
  const Result<CsvTable> heads = CsvTable::read(text.substr(0, text.find('\n')), {});
  return heads && (has_heads(*heads, kNodeHeads) || has_heads(*heads, kFleetHeads));
}

Result<std::vector<SharedNode>> read_node_list(std::string_view text, std::string file) {
  Result<CsvTable> table = CsvTable::read(text, std::move(file));
  if (!table) return std::unexpected(table.error());
  const bool is_fleet = has_heads(*table, kFleetHeads);
  if (!is_fleet && !has_heads(*table, kNodeHeads)) {
    return failure(fmt::format("{}: this is no node list that gpushape reads", table->file()),
                   fmt::format("it reads {}; {}", kNodeHeads, kFleetHeads));
  }
  std::vector<SharedNode> nodes;
  nodes.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows(); ++row) {
    nodes.push_back(is_fleet ? fleet_node(*table, row) : openb_node(*table, row));
  }
  if (Diagnostics faults = table->take_diagnostics(); !faults.empty()) {
    return failure(std::move(faults));
  }
  return nodes;
}

}  // namespace gpushape::inventory
