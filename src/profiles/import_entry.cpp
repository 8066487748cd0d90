#include "profiles/import_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/check_device.hpp"
#include "profiles/device_file.hpp"
#include "profiles/source_table.hpp"

namespace gpushape::profiles {
namespace {

using document::Node;

// Every published instance is a multiple of 64 MiB (5.81 GiB is 93 of them, 9.62 is 154): the form
// rounds it.
constexpr std::int64_t kInstanceStepMib = 64;
constexpr double kHalfPrinted = 0.0051;  // half of the last decimal

std::int64_t mib_of_printed(double gib) {
  const double steps = gib * 1024 / static_cast<double>(kInstanceStepMib);
  const auto nearest = static_cast<std::int64_t>(std::llround(steps)) * kInstanceStepMib;
  if (std::abs(static_cast<double>(nearest) / 1024 - gib) < kHalfPrinted) return nearest;
  return static_cast<std::int64_t>(gib * 1024);
}

Node* child(Node& node, std::string_view name) {
  if (!node.is(Node::Kind::Mapping)) return nullptr;
  for (Node::Entry& entry : node.entries()) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

void drop(Node& node, std::string_view name) {
  if (!node.is(Node::Kind::Mapping)) return;
  std::erase_if(node.entries(), [&](const Node::Entry& entry) { return entry.name == name; });
}

/// "1g.10gb+me" has one compute slice; 0 where the name has another form.
std::int64_t slices_of(const std::string& name) {
  std::int64_t slices = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), slices);
  const bool is_form = error == std::errc() && end != name.data() + name.size() && *end == 'g';
  return is_form && slices > 0 && slices <= 64 ? slices : 0;
}

/// The number at the end of "A100X-4-40C" or "A100X-1-10CME".
std::int64_t size_of_type(const std::string& type) {
  const std::size_t dash = type.find_last_of('-');
  if (dash == std::string::npos) return 0;
  std::int64_t size = 0;
  std::from_chars(type.data() + dash + 1, type.data() + type.size(), size);
  return size > 0 && size <= 4096 ? size : 0;
}

/// As hosts list it: "NVIDIA A100X-40C" is "nvidia_a100x-40c".
std::string host_name_of(const PrintedType& type) {
  std::string name = (type.brand.empty() ? "NVIDIA" : type.brand) + "_" + type.type;
  for (char& letter : name) {
    if (letter == ' ') letter = '_';
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return name;
}

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

bool is_printed_size(Bytes bytes, double gib) { return std::abs(bytes.gib() - gib) < kHalfPrinted; }

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
  drop(memory, "visibleGib");
  if (Node* sources = child(memory, "source")) drop(*sources, "visibleGib");
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

void EntryOf::compare_slices() {
  Node* table = group_of("mig");
  Node* rows = table == nullptr ? nullptr : child(*table, "profiles");
  for (const PrintedSlice& slice : slices_) {
    bool is_found = false;
    if (rows != nullptr) {
      for (const Node& row : rows->items()) {
        const Node* memory = row.find("memoryMib");
        const Node* cores = row.find("multiprocessors");
        is_found |= memory != nullptr && cores != nullptr && memory->integer() == slice.mib &&
                    cores->integer() == slice.multiprocessors;
      }
    }
    if (is_found) {
      if (said_.insert(fmt::format("slice {} {}", slice.mib, slice.multiprocessors)).second) {
        ++imported_.agreeing;
      }
    } else {
      remark(RemarkKind::LeftOut,
             fmt::format("an instance of {} MiB and {} multiprocessors, which no row of MIG "
                         "profiles has",
                         slice.mib, slice.multiprocessors),
             slice.span, rows == nullptr ? std::string() : place_of(*rows));
    }
  }
}

void EntryOf::take_places(const PrintedGpu& gpu) {
  Node* table = group_of("mig");
  Node* rows = table == nullptr ? nullptr : child(*table, "profiles");
  if (rows == nullptr) return;
  for (const PrintedPlaces& places : gpu.places) {
    for (Node& row : rows->items()) {
      const Node* id = row.find("id");
      const Node* name = row.find("name");
      if (id == nullptr || name == nullptr || id->integer() != places.id) continue;
      // The listing of sizes may give this id to another profile.
      const auto other = std::ranges::find(gpu.instances, places.id, &PrintedInstance::id);
      if (other != gpu.instances.end() && row_of("mig", other->name) != &row) continue;
      put(row, "memory", places.size,
          {fmt::format("{}: memory slices", name->text()), "", &places.span});
      std::vector<std::int64_t> known;
      Node* starts = child(row, "starts");
      if (starts != nullptr) {
        for (const Node& start : starts->items()) known.push_back(start.integer());
      }
      if (known == places.starts) {
        if (said_.insert(name->text() + " starts").second) ++imported_.agreeing;
        continue;
      }
      Node list = Node::sequence();
      for (const std::int64_t start : places.starts) list.add(Node(start));
      remark(known.empty() ? RemarkKind::New : RemarkKind::Differs,
             fmt::format("{}: starts {}{}", name->text(), fmt::join(places.starts, ", "),
                         known.empty() ? std::string()
                                       : fmt::format("; the table has {}", fmt::join(known, ", "))),
             places.span, starts == nullptr ? place_of(row) : place_of(*starts));
      drop(row, "starts");
      row.set("starts", std::move(list));
    }
  }
}

void EntryOf::take_instances(const PrintedGpu& gpu) {
  for (const PrintedInstance& printed : gpu.instances) {
    Node* row = row_of("mig", printed.name);
    if (row == nullptr) {
      add_instance(gpu, printed);
      continue;
    }
    const Node* memory = row->find("memoryMib");
    const bool agrees = memory != nullptr && is_printed_size(mib(memory->integer()), printed.gib);
    const std::string& name = printed.name;
    put(*row, "memoryMib", agrees ? memory->integer() : mib_of_printed(printed.gib),
        {name + ": memory", "MiB", &printed.span});
    put(*row, "multiprocessors", printed.multiprocessors,
        {name + ": multiprocessors", "", &printed.span});
    put(*row, "id", printed.id, {name + ": profile id", "", &printed.span});
    // "0/0" stands there while MIG mode is off.
    if (printed.most > 0) put(*row, "max", printed.most, {name + ": most", "", &printed.span});
  }
  if (!gpu.instances.empty()) note_absent_instances(gpu);
}

void EntryOf::add_instance(const PrintedGpu& gpu, const PrintedInstance& printed) {
  const auto places = std::ranges::find(gpu.places, printed.id, &PrintedPlaces::id);
  const std::int64_t compute = slices_of(printed.name);
  if (places == gpu.places.end() || compute == 0 || printed.most == 0) {
    remark(RemarkKind::LeftOut,
           fmt::format("{}: a profile that the table lacks, without {}", printed.name,
                       compute == 0 ? "a number of slices in its name"
                                    : "placements (give mig -lgipp with it)"),
           printed.span);
    return;
  }
  remark(RemarkKind::New, fmt::format("{}: a profile that the table lacks", printed.name),
         printed.span);
  Node& table = group("mig");
  const auto raise = [&](const char* field, std::int64_t value) {
    Node* known = child(table, field);
    if (known == nullptr) {
      table.set(field, value);
    } else if (known->integer() < value) {
      *known = Node(value);
    }
  };
  raise("computeSlices", compute);
  raise("memorySlices", places->starts.back() + places->size);
  raise("maxInstances", printed.most);
  Node* rows = child(table, "profiles");
  if (rows == nullptr) rows = &table.set("profiles", Node::sequence());
  Node& row = rows->add(Node::mapping());
  row.set("name", printed.name);
  row.set("id", printed.id);
  row.set("compute", compute);
  row.set("memory", places->size);
  row.set("memoryMib", mib_of_printed(printed.gib));
  row.set("multiprocessors", printed.multiprocessors);
  row.set("max", printed.most);
  Node& starts = row.set("starts", Node::sequence());
  for (const std::int64_t start : places->starts) starts.add(Node(start));
  row.in_flow();
}

void EntryOf::note_absent_instances(const PrintedGpu& gpu) {
  Node* table = group_of("mig");
  const Node* rows = table == nullptr ? nullptr : child(*table, "profiles");
  if (rows == nullptr) return;
  for (const Node& row : rows->items()) {
    const Node* name = row.find("name");
    const bool is_printed = std::ranges::any_of(
        gpu.instances, [&](const PrintedInstance& one) { return row_of("mig", one.name) == &row; });
    if (is_printed || name == nullptr) continue;
    const Node* needs = row.find("requires");
    remark(
        RemarkKind::Absent,
        fmt::format("{} is not printed{}", name->text(),
                    needs == nullptr ? std::string() : fmt::format("; it needs {}", needs->text())),
        {}, place_of(row));
  }
}

void EntryOf::take_types(const PrintedGpu& gpu) {
  std::int64_t others = 0;
  for (const PrintedType& printed : gpu.types) {
    if (!printed.is_compute) {
      ++others;
      continue;
    }
    Node* row = row_of("timeSliced", printed.type);
    const bool is_backed = row == nullptr;
    if (row == nullptr) row = row_of("migBacked", printed.type);
    if (row == nullptr) {
      add_type(printed);
      continue;
    }
    const std::string& name = printed.type;
    if (printed.frame_buffer_mib) {
      put(*row, "frameBufferMib", *printed.frame_buffer_mib,
          {name + ": frame buffer", "MiB", &printed.span});
    }
    if (printed.most && *printed.most > 0) {
      put(*row, "max", *printed.most, {name + ": most", "", &printed.span});
    }
    if (is_backed && printed.per_instance && *printed.per_instance > 1) {
      put(*row, "perInstance", *printed.per_instance,
          {name + ": most of one instance", "", &printed.span});
    }
  }
  if (others > 0) {
    remark(RemarkKind::LeftOut,
           fmt::format("{} vGPU types that are not of the class Compute (B, Q, A series)", others),
           gpu.span);
  }
}

void EntryOf::add_type(const PrintedType& printed) {
  const std::int64_t size = size_of_type(printed.type);
  const std::int64_t most = printed.most.value_or(0);
  if (size == 0 || most == 0) {
    remark(RemarkKind::LeftOut,
           fmt::format("{}: a vGPU type that the table lacks, without {}", printed.type,
                       size == 0 ? "a size in its name" : "its count of a GPU"),
           printed.span);
    return;
  }
  std::string instance;
  if (printed.instance_id) {
    const Node* mig = group_of("mig");
    const Node* rows = mig == nullptr ? nullptr : mig->find("profiles");
    for (const Node& row : rows == nullptr ? std::vector<Node>() : rows->items()) {
      const Node* id = row.find("id");
      if (id != nullptr && id->integer() == *printed.instance_id) {
        instance = row.find("name")->text();
      }
    }
    if (instance.empty()) {
      remark(RemarkKind::LeftOut,
             fmt::format("{}: backed by MIG profile {}, which no row has (give mig -lgip and "
                         "-lgipp with it)",
                         printed.type, *printed.instance_id),
             printed.span);
      return;
    }
  }
  remark(RemarkKind::New, fmt::format("{}: a vGPU type that the table lacks", printed.type),
         printed.span);
  Node& table = group(instance.empty() ? "timeSliced" : "migBacked");
  if (table.find("typePrefix") == nullptr) {
    const std::size_t cut = printed.type.find('-');
    table.set("typePrefix", printed.type.substr(0, cut));
  }
  Node* rows = child(table, "profiles");
  if (rows == nullptr) rows = &table.set("profiles", Node::sequence());
  Node& row = rows->add(Node::mapping());
  row.set("name", host_name_of(printed));
  row.set("type", printed.type);
  row.set("gib", size);
  if (printed.frame_buffer_mib) row.set("frameBufferMib", *printed.frame_buffer_mib);
  row.set("max", most);
  if (!instance.empty()) {
    row.set("instance", instance);
    if (printed.per_instance.value_or(1) > 1) row.set("perInstance", *printed.per_instance);
  } else if (most == 1) {
    row.set("fullSize", true);
  }
  row.in_flow();
}

void EntryOf::take_guest(const PrintedGpu& gpu) {
  const std::string type = gpu.product.substr(gpu.product.find(' ') + 1);
  const char* group = row_of("timeSliced", type) != nullptr ? "timeSliced" : "migBacked";
  const Node* row = row_of(group, type);
  const Node* frame = row == nullptr ? nullptr : row->find("frameBufferMib");
  if (row == nullptr || !gpu.total_mib) return;
  remark(RemarkKind::LeftOut,
         frame == nullptr ? fmt::format("a guest with {} sees {} MiB", type, *gpu.total_mib)
                          : fmt::format("a guest with {} sees {} MiB of a frame buffer of {} MiB",
                                        type, *gpu.total_mib, frame->integer()),
         gpu.total_span, place_of(*row));
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
