#include "profiles/import_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "document/text_format.hpp"
#include "profiles/check_device.hpp"
#include "profiles/device_file.hpp"
#include "profiles/node_fields.hpp"
#include "profiles/source_table.hpp"

namespace gpushape::profiles {
namespace {

using document::Node;
using node_fields::child;
using node_fields::drop;

/// "NVIDIA A100-SXM4-80GB" as "a100-sxm4-80gb".
std::string id_of_product(const std::string& product) {
  std::string id;
  for (const char letter : product) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (id.ends_with('-')) id.pop_back();
  if (id.starts_with("nvidia-")) id.erase(0, 7);
  return id.empty() ? "gpu" : id.substr(0, 80);
}

/// The number before "GB" in a product's name; 0 where it has none.
std::int64_t gigabytes_of_product(const std::string& product) {
  const std::size_t unit = product.find("GB");
  if (unit == std::string::npos) return 0;
  std::size_t first = unit;
  while (first > 0 && std::isdigit(static_cast<unsigned char>(product[first - 1])) != 0) --first;
  std::int64_t number = 0;
  std::from_chars(product.data() + first, product.data() + unit, number);
  return number <= 4096 ? number : 0;
}

Node sentence(const std::string& text) {
  Node list = Node::sequence();
  list.add(Node(text));
  return list;
}

}  // namespace

EntryOf::EntryOf(const domain::Device& device, document::Document table)
    : table_file_(table.source == nullptr ? std::string() : table.source->file),
      root_(std::move(table.root)) {
  imported_.id = device.id;
  imported_.name = device.name;
}

EntryOf::EntryOf(const PrintedGpu& gpu) : root_(Node::mapping()) {
  imported_.id = id_of_product(gpu.product);
  imported_.name = gpu.product;
  imported_.is_known = false;
  imported_.has_changed = true;
  root_.set("id", imported_.id);
  root_.set("name", gpu.product);
  root_.set("productNames", sentence(gpu.product)).in_flow();
  root_.set("vendor", "nvidia");
  root_.set("architecture", gpu.architecture.empty() ? "unknown" : gpu.architecture);
  if (!gpu.pci_device.empty()) {
    Node& pci = root_.set("pci", Node::mapping());
    pci.set("vendor", "10de");
    pci.set("devices", sentence(gpu.pci_device)).in_flow();
    pci.set("source", sentence("printed by nvidia-smi -q -x"));
  }
  Node& memory = root_.set("memory", Node::mapping());
  const std::int64_t named = gigabytes_of_product(gpu.product);
  const std::int64_t total = gpu.total_mib.value_or(1024);
  memory.set("nominalGb", std::max(named, (total + 1023) / 1024));
  memory.set("source", Node::mapping())
      .set("nominalGb",
           sentence(named > 0 ? "the product's name" : "derived: the driver's total, rounded up"));
  remark(RemarkKind::New, fmt::format("no table knows '{}'", gpu.product), gpu.span);
}

void EntryOf::remark(RemarkKind kind, std::string says, const SourceSpan& printed,
                     std::string table) {
  if (!said_.insert(says).second) return;
  if (kind == RemarkKind::New || kind == RemarkKind::Differs) imported_.has_changed = true;
  imported_.remarks.push_back({kind, std::move(says), printed, std::move(table)});
}

std::string EntryOf::place_of(const Node& node) const {
  if (table_file_.empty() || node.position().line == 0) return {};
  return fmt::format("{}:{}", table_file_, node.position().line);
}

Node* EntryOf::group_of(std::string_view name) { return child(root_, name); }

Node& EntryOf::group(std::string_view name) {
  Node* known = group_of(name);
  return known != nullptr ? *known : root_.set(std::string(name), Node::mapping());
}

Node* EntryOf::row_of(std::string_view group, std::string_view name) {
  Node* table = group_of(group);
  Node* rows = table == nullptr ? nullptr : child(*table, "profiles");
  if (rows == nullptr || !rows->is(Node::Kind::Sequence)) return nullptr;
  for (Node& row : rows->items()) {
    for (const char* field : {"name", "type"}) {
      const Node* value = row.find(field);
      if (value != nullptr && value->text() == name) return &row;
    }
    const Node* aliases = row.find("aliases");
    if (aliases == nullptr) continue;
    for (const Node& alias : aliases->items()) {
      if (alias.text() == name) return &row;
    }
  }
  return nullptr;
}

bool EntryOf::put(Node& parent, const char* field, std::int64_t value, const Figure& figure) {
  const std::string printed =
      figure.unit.empty() ? std::to_string(value) : fmt::format("{} {}", value, figure.unit);
  Node* known = child(parent, field);
  if (known == nullptr) {
    said_.insert(figure.what);
    remark(RemarkKind::New, fmt::format("{} {}", figure.what, printed), *figure.span);
    parent.set(field, value);
    return true;
  }
  if (known->integer() == value) {
    if (said_.insert(figure.what).second) ++imported_.agreeing;
    return false;
  }
  if (!said_.insert(figure.what).second) {
    remark(
        RemarkKind::LeftOut,
        fmt::format("{} {} of another board; the first one's figure is kept", figure.what, printed),
        *figure.span);
    return false;
  }
  const std::string table = place_of(*known);
  remark(RemarkKind::Differs,
         fmt::format("{} {}; the table has {}", figure.what, printed, known->integer()),
         *figure.span, table);
  *known = Node(value);
  return true;
}

void EntryOf::add_source(std::string_view name, const std::string& source) {
  Node* table = group_of(name);
  if (table == nullptr) return;
  Node* sources = child(*table, "source");
  if (sources == nullptr) {
    table->set("source", sentence(source));
    return;
  }
  if (!sources->is(Node::Kind::Sequence)) *sources = sentence(sources->text());
  const bool is_there = std::ranges::any_of(
      sources->items(), [&](const Node& item) { return item.text() == source; });
  if (!is_there) sources->add(Node(source));
}

void EntryOf::add_memory_source(std::string_view name, const char* field,
                                const std::string& source) {
  Node& table = group(name);
  Node* sources = child(table, "source");
  if (sources == nullptr) sources = &table.set("source", Node::mapping());
  drop(*sources, field);
  sources->set(field, sentence(source));
}

void EntryOf::drop_range_above(std::int64_t total_mib) {
  Node& memory = group("memory");
  Node* visible = child(memory, "visibleGib");
  const Node* high = visible == nullptr ? nullptr : visible->find("high");
  if (high == nullptr || high->number() * 1024 <= static_cast<double>(total_mib)) return;
  remark(RemarkKind::Differs,
         fmt::format("the table's total inside a process, up to {:.2f} GiB, is more than the "
                     "driver's: left out, the rule takes its place",
                     high->number()),
         {}, place_of(*visible));
  for (const char* field : {"visibleGib", "underWslGib"}) {
    drop(memory, field);
    if (Node* sources = child(memory, "source")) drop(*sources, field);
  }
}

void EntryOf::take(const PrintedGpu& gpu, const std::string& driver) {
  const std::string by = driver.empty() ? std::string() : fmt::format(", driver {}", driver);
  if (!gpu.product.empty()) take_totals(gpu, by);
  slices_.insert(slices_.end(), gpu.slices.begin(), gpu.slices.end());
  take_places(gpu);
  take_instances(gpu);
  take_types(gpu);
  if (!gpu.instances.empty()) add_source("mig", "printed by nvidia-smi mig -lgip" + by);
  if (!gpu.places.empty()) add_source("mig", "printed by nvidia-smi mig -lgipp" + by);
  if (!gpu.types.empty()) {
    add_source("timeSliced", "printed by nvidia-smi vgpu -s -v" + by);
    add_source("migBacked", "printed by nvidia-smi vgpu -s -v" + by);
  }
}

void EntryOf::take_totals(const PrintedGpu& gpu, const std::string& by) {
  const std::string source = "printed by nvidia-smi -q -x" + by;
  if (gpu.total_mib) {
    const Figure figure{"driver's total", "MiB", &gpu.total_span};
    if (put(group("memory"), "nvmlMib", *gpu.total_mib, figure)) {
      add_memory_source("memory", "nvmlMib", source);
      drop_range_above(*gpu.total_mib);
    }
  }
  const Node* board = group_of("board");
  if (gpu.bar1_mib && *gpu.bar1_mib % 1024 == 0) {
    if (put(group("board"), "bar1Gib", *gpu.bar1_mib / 1024, {"BAR1", "GiB", &gpu.span})) {
      add_memory_source("board", "bar1Gib", source);
    }
  }
  // The watts of a card with several GPUs are those of the card.
  const bool has_several = board != nullptr && board->find("gpus") != nullptr;
  if (gpu.watts && !has_several &&
      put(group("board"), "watts", *gpu.watts, {"default power limit", "W", &gpu.span})) {
    add_memory_source("board", "watts", source);
  }
  Node* names = child(root_, "productNames");
  if (names == nullptr) names = &root_.set("productNames", Node::sequence()).in_flow();
  const bool is_known_name = std::ranges::any_of(
      names->items(), [&](const Node& name) { return name.text() == gpu.product; });
  if (is_known_name) {
    if (said_.insert("product").second) ++imported_.agreeing;
  } else {
    remark(RemarkKind::New, fmt::format("product name '{}'", gpu.product), gpu.span,
           place_of(*names));
    names->add(Node(gpu.product));
  }
}

Result<ImportedDevice> EntryOf::finish() {
  compare_slices();
  const auto documents = document::read_yaml(document::write_yaml(root_), imported_.id);
  if (!documents) return std::unexpected(documents.error());
  Result<domain::Device> device = read_device(documents->front(), built_in_sources());
  Diagnostics faults = device ? check_device(*device) : device.error();
  if (!faults.empty()) {
    for (Diagnostic& fault : faults) {
      fault.message = "what is printed makes no table that holds: " + fault.message;
      if (imported_.remarks.empty()) continue;
      fault.span = imported_.remarks.front().printed;
      fault.excerpt.clear();
    }
    return failure(std::move(faults));
  }
  imported_.entry = std::move(root_);
  return std::move(imported_);
}

}  // namespace gpushape::profiles
