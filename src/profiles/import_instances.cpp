// The MIG rows of an entry: sizes of mig -lgip, places of mig -lgipp, slices of -q -x.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "profiles/import_entry.hpp"
#include "profiles/node_fields.hpp"

namespace gpushape::profiles {

using document::Node;
using node_fields::child;
using node_fields::drop;

namespace {

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

/// "1g.10gb+me" has one compute slice; 0 where the name has another form.
std::int64_t slices_of(const std::string& name) {
  std::int64_t slices = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), slices);
  const bool is_form = error == std::errc() && end != name.data() + name.size() && *end == 'g';
  return is_form && slices > 0 && slices <= 64 ? slices : 0;
}

}  // namespace

bool is_printed_size(Bytes bytes, double gib) { return std::abs(bytes.gib() - gib) < kHalfPrinted; }

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

}  // namespace gpushape::profiles
