// What `lstopo --of xml` prints of one host (hwloc 2): sockets, NUMA nodes with their memory,
// cores, and where PCI devices hang. Source of the element and attribute names: hwloc2.dtd.
#include <fmt/format.h>

#include <charconv>

#include "document/xml.hpp"
#include "inventory/document_header.hpp"
#include "inventory/import.hpp"

namespace gpushape::inventory {

using document::XmlElement;

namespace {

constexpr std::size_t kMostGpusOfTopology = 64;  // ours
constexpr int kMostNodes = 1024;
constexpr int kMostHostCores = 1'000'000;

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

std::string info_of(const XmlElement& object, std::string_view name) {
  for (const XmlElement& child : object.children) {
    if (child.name == "info" && child.attribute("name") == name) return child.attribute("value");
  }
  return {};
}

bool is_object(const XmlElement& element, std::string_view type) {
  return element.name == "object" && element.attribute("type") == type;
}

/// The one NUMA node that is a memory child of this object.
std::optional<int> own_node(const XmlElement& object) {
  std::optional<int> node;
  for (const XmlElement& child : object.children) {
    if (!is_object(child, "NUMANode")) continue;
    if (node) return std::nullopt;
    if (const auto index = whole(child.attribute("os_index"))) node = static_cast<int>(*index);
  }
  return node;
}

class Walk {
 public:
  Walk(const document::XmlDocument& document, SeenHost& host) : document_(document), host_(host) {}

  /// The depth of the tree is bounded by its reader.
  void visit(const XmlElement& object, std::optional<int> node) {
    if (const auto own = own_node(object)) node = own;
    if (is_object(object, "Package")) ++packages;
    if (is_object(object, "Core")) ++cores;
    if (is_object(object, "NUMANode")) read_node(object);
    if (is_object(object, "PCIDev")) read_device(object, node);
    if (is_object(object, "Machine")) host_.own_name = info_of(object, "HostName");
    for (const XmlElement& child : object.children) {
      if (child.name == "object") visit(child, node);
    }
  }

  int packages = 0;
  int cores = 0;
  int nodes = 0;
  Bytes memory;

 private:
  void read_node(const XmlElement& object) {
    // A node without memory of its own, or a GPU's own memory that the system shows as a node.
    const auto bytes = whole(object.attribute("local_memory"));
    const bool is_gpu_memory = object.attribute("subtype") == "GPUMemory";
    if (!bytes || *bytes == 0 || is_gpu_memory || Bytes(*bytes) > kMostMemory) return;
    ++nodes;
    if (nodes <= kMostNodes) memory += Bytes(*bytes);
  }

  void read_device(const XmlElement& object, std::optional<int> node) {
    // "0302 [10de:2330] [10de:16c1] a1": class, vendor and device. 03 is display.
    const std::string& type = object.attribute("pci_type");
    if (!type.starts_with("03") || type.find("[10de:") == std::string::npos) return;
    if (host_.gpus.size() == kMostGpusOfTopology) return;
    SeenGpu gpu;
    gpu.span = document_.source->span(object.position);
    gpu.pci_address = pci_address_of(object.attribute("pci_busid"));
    gpu.numa_node = node;
    for (const XmlElement& child : object.children) {
      if (!is_object(child, "OSDev")) continue;
      if (const std::string model = info_of(child, "GPUModel"); !model.empty()) gpu.product = model;
      if (const std::string id = info_of(child, "NVIDIAUUID"); !id.empty()) gpu.uuid = id;
    }
    host_.gpus.push_back(std::move(gpu));
  }

  const document::XmlDocument& document_;
  SeenHost& host_;
};

}  // namespace

bool is_lstopo(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return head.find("<topology") != std::string_view::npos &&
         head.find("<object type=\"Machine\"") != std::string_view::npos;
}

Diagnostics read_lstopo(const ImportFile& file, Seen& seen) {
  const Result<document::XmlDocument> document = document::read_xml(file.text, file.name);
  if (!document) return document.error();
  const XmlElement& root = document->root;
  const XmlElement* const machine = root.find("object");
  if (root.name != "topology" || machine == nullptr || !is_object(*machine, "Machine")) {
    return {document->source->diagnostic(root.position, "this is no topology of hwloc",
                                         "make it with lstopo --of xml")};
  }
  SeenHost host;
  host.name = file.host;
  host.span = document->source->span(machine->position);
  Walk walk(*document, host);
  walk.visit(*machine, std::nullopt);
  if (walk.cores == 0 || walk.nodes == 0 || walk.cores > kMostHostCores ||
      walk.nodes > kMostNodes) {
    return {document->source->diagnostic(
        machine->position,
        fmt::format("tells of {} cores and {} NUMA nodes with memory", walk.cores, walk.nodes),
        "make it with lstopo --of xml of hwloc 2, as an administrator of the host")};
  }
  host.millicores = walk.cores * domain::kMillicoresPerCore;
  host.memory_bytes = walk.memory;
  host.numa = domain::NumaLayout{
      .nodes = walk.nodes,
      .millicores_per_node = walk.cores * domain::kMillicoresPerCore / walk.nodes,
      .memory_per_node = Bytes(walk.memory.count() / walk.nodes)};
  // A GPU whose product this file does not know is one that another file lists.
  host.gpus_are_complete = !host.gpus.empty();
  for (const SeenGpu& gpu : host.gpus) {
    if (gpu.product.empty()) host.gpus_are_complete = false;
  }
  seen.hosts.push_back(std::move(host));
  return {};
}

}  // namespace gpushape::inventory
