// Node lists of published traces as CSV, told by their heads: "sn, cpu_milli, memory_mib, gpu,
// model" (Alibaba openb 2023), and "node_name, cpu_num, gpu_model, gpu_capacity_num" with or
// without "memory_mib" (Alibaba spot GPU 2026).
#include <fmt/format.h>

#include "inventory/csv.hpp"
#include "inventory/import.hpp"
#include "inventory/traces.hpp"

namespace gpushape::inventory {

bool is_csv_nodes(std::string_view text) { return is_node_list(text); }

Diagnostics read_csv_nodes(const ImportFile& file, Seen& seen) {
  const Result<std::vector<domain::SharedNode>> nodes = read_node_list(file.text, file.name);
  if (!nodes) return nodes.error();
  int line = 1;
  for (const domain::SharedNode& node : *nodes) {
    ++line;
    SeenHost host;
    host.name = node.name;
    host.span = {.file = file.name, .line = line, .column = 1, .length = 1};
    host.millicores = node.millicores;
    host.memory_bytes = node.memory_bytes;
    host.gpus_are_complete = true;
    for (int i = 0; i < node.gpus; ++i) {
      SeenGpu gpu;
      gpu.name = fmt::format("gpu{}", i);
      gpu.product = node.model;
      gpu.span = host.span;
      host.gpus.push_back(std::move(gpu));
    }
    seen.hosts.push_back(std::move(host));
  }
  return {};
}

}  // namespace gpushape::inventory
