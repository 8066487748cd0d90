#include "render/shape_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "render/engine_flags.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::RankedShape;
using domain::Shape;

namespace {

constexpr std::size_t kShapeLabelWidth = 17;
constexpr std::size_t kOtherShapes = 8;  // ours: what fits one screen; -v lists all

template <class E>
std::string description_of(E value) {
  for (const auto& row : kNames<E>) {
    if (row.value == value) return std::string(row.description);
  }
  return {};
}

std::string count_text(const Shape& shape) {
  std::string text = fmt::format("{}", shape.count);
  const auto add = [&text](std::string_view axis, std::int64_t size) {
    if (size > 1) text += fmt::format(", {} {}", axis, size);
  };
  add("tensor", shape.parallelism.tensor);
  add("pipeline", shape.parallelism.pipeline);
  add("data", shape.parallelism.data);
  add("expert", shape.parallelism.expert);
  if (shape.nodes > 1) text += fmt::format(", on {} hosts", shape.nodes);
  if (shape.count > 1 && !shape.interconnect.empty()) {
    text += fmt::format(", over {}", shape.interconnect);
  }
  return text;
}

std::string profile_text(const RankedShape& ranked) {
  const Shape& shape = ranked.shape;
  if (shape.profile.empty()) return {};
  std::string text = shape.profile;
  if (!shape.profile_short.empty() && shape.profile_short != shape.profile) {
    text += fmt::format(" ({})", shape.profile_short);
  }
  if (ranked.per_device > 1) text += fmt::format(", up to {} on one device", ranked.per_device);
  if (shape.is_mixed_size) text += ", mixed-size mode";
  return text;
}

std::string memory_text(const RankedShape& ranked) {
  std::string text = fmt::format("{} needed of {} usable", size_text(ranked.need_bytes),
                                 size_text(ranked.shape.memory_bytes));
  if (ranked.headroom_bytes < Bytes(0)) {
    text +=
        fmt::format("; {} too little at the high end", size_text(Bytes(0) - ranked.headroom_bytes));
  }
  return text;
}

std::string concurrency_text(const RankedShape& ranked, const domain::Advice& advice) {
  std::string text = fmt::format("up to {} sequences", plain_number(*ranked.max_concurrency));
  const std::optional<domain::Estimate>& estimate =
      ranked.estimate ? ranked.estimate : advice.estimate;
  if (estimate && estimate->context_tokens) {
    text += fmt::format(" of {} tokens", grouped(estimate->context_tokens->value));
  }
  if (ranked.concurrency) text += fmt::format("; {} wanted", grouped(*ranked.concurrency));
  return text;
}

/// The engine that the advice rests on; empty for a demand without a model.
std::string_view engine_of(const RankedShape& ranked, const domain::Advice& advice) {
  const std::optional<domain::Estimate>& estimate =
      ranked.estimate ? ranked.estimate : advice.estimate;
  return estimate ? std::string_view(estimate->engine.value) : std::string_view();
}

std::string deciding_rule(const RankedShape& ranked) {
  return ranked.reasons.empty() ? std::string() : ranked.reasons.front().rule;
}

/// In a table: "2 x (48C of l40s)" where one of the shape does not carry the load.
std::string name_with_replicas(const RankedShape& ranked) {
  std::string name = shape_name(ranked.shape);
  if (ranked.quantization) name += fmt::format(", {}", name_of(*ranked.quantization));
  return ranked.replicas > 1 ? fmt::format("{} x ({})", ranked.replicas, name) : name;
}

std::string reservation_text(const domain::ResourceContract& contract) {
  const std::string overcommit = contract.vcpus_per_core == 1
                                     ? "one vCPU to a core"
                                     : fmt::format("{} vCPU to a core", contract.vcpus_per_core);
  if (contract.cpu_reservation_mhz == 0) {
    return fmt::format("none; {} ({})", overcommit, name_of(contract.qos));
  }
  return fmt::format("{} MHz = {}; {} ({})", grouped(contract.cpu_reservation_mhz),
                     counted(contract.reserved_cores, "core"), overcommit, name_of(contract.qos));
}

std::string numa_text(const domain::ResourceContract& contract) {
  if (!contract.numa) return "assigned at power on";
  const domain::VirtualNuma& numa = *contract.numa;
  std::map<std::int64_t, std::string> devices;
  for (const domain::DeviceNode& place : numa.devices) {
    std::string& list = devices[place.node];
    list += fmt::format("{}{}", list.empty() ? "" : ", ", place.device);
  }
  std::string text = fmt::format("{} virtual nodes of {} cores", numa.nodes, numa.cores_per_node);
  for (const auto& [node, list] : devices) {
    text += fmt::format("; GPU {} on node {}", list, node);
  }
  return text;
}

std::string pause_text(const domain::ResourceContract& contract) {
  if (!contract.pause_seconds) return "none: this shape cannot move while it runs";
  return fmt::format("about {} s, an order of magnitude", plain_number(*contract.pause_seconds));
}

/// "2, 4-7" for ascending numbers.
std::string number_list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", numbers[last]);
    first = last + 1;
  }
  return text;
}

/// What changing each of the other shapes later takes; equal answers stand once.
void show_changes(Page& page, std::span<const RankedShape> shapes) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> changes;  // answer, numbers
  for (std::size_t index = 0; index < shapes.size(); ++index) {
    const std::string& change = shapes[index].to_change;
    if (change.empty()) continue;
    const auto same =
        std::ranges::find_if(changes, [&](const auto& row) { return row.first == change; });
    auto& row =
        same == changes.end() ? changes.emplace_back(change, std::vector<std::size_t>{}) : *same;
    row.second.push_back(index + 2);
  }
  for (const auto& [change, numbers] : changes) {
    page.labelled("changing " + number_list(numbers), kShapeLabelWidth, change);
  }
}

struct Bound {
  std::string_view name;
  std::int64_t count;
};

std::vector<Bound> bounds_of(const domain::Density& density) {
  std::vector<Bound> bounds = {
      {"GPU slots", density.gpu_slots}, {"vCPU", density.by_vcpus}, {"RAM", density.by_memory}};
  if (density.by_reservation) bounds.push_back({"CPU reservation", *density.by_reservation});
  return bounds;
}

std::string cost_text(const domain::Cost& cost) {
  std::string text = fmt::format("{:.2f} {} an hour", cost.per_hour, cost.currency);
  if (cost.per_million_tokens) {
    text += fmt::format(", {:.2f} {} a million tokens", *cost.per_million_tokens, cost.currency);
  }
  return fmt::format("{}: {}", text, cost.basis);
}

}  // namespace

std::string density_text(const domain::Density& density) {
  const std::vector<Bound> bounds = bounds_of(density);
  const auto least = std::ranges::min_element(bounds, {}, &Bound::count);
  std::string text = fmt::format("{} on one host, bound by {}", grouped(least->count), least->name);
  std::string others;
  for (const Bound& bound : bounds) {
    if (bound.name == least->name) continue;
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", bound.name, grouped(bound.count));
  }
  return fmt::format("{} ({})", text, others);
}

void show_shape(Page& page, const RankedShape& ranked, const domain::Advice& advice) {
  const Shape& shape = ranked.shape;
  const std::string replicas =
      ranked.replicas > 1 ? fmt::format("{} replicas of ", ranked.replicas) : std::string();
  page.heading(fmt::format("First choice: {}{}", replicas, shape_name(shape)));
  const auto show = [&](std::string_view label, const std::string& text, Tone tone = Tone::Plain) {
    if (!text.empty()) page.labelled(label, kShapeLabelWidth, text, 2, tone);
  };
  show("consumption model", fmt::format("{}: {}", name_of(shape.consumption_model),
                                        description_of(shape.consumption_model)));
  show("technology",
       fmt::format("{}: {}", name_of(shape.technology), description_of(shape.technology)));
  show("device", shape.device);
  show("profile", profile_text(ranked));
  show("count", count_text(shape));
  show("device group", shape.device_group);
  if (ranked.replicas > 1) show("replicas", fmt::format("{}, each of this shape", ranked.replicas));
  show("compute share", fmt::format("{} of {}", percent(shape.compute_share),
                                    shape.count > 1 ? "each device" : "the device"));
  show("memory", memory_text(ranked), ranked.fits ? Tone::Plain : Tone::Bad);
  if (ranked.headroom_bytes >= Bytes(0)) {
    show("headroom",
         fmt::format("{} at the high end of the range", size_text(ranked.headroom_bytes)));
  }
  show("stranded", ranked.stranded_bytes > Bytes(0)
                       ? fmt::format("{} of the device that no other profile can use",
                                     size_text(ranked.stranded_bytes))
                       : "nothing");
  if (ranked.max_concurrency) show("concurrency", concurrency_text(ranked, advice));
  if (ranked.cost) show("cost", cost_text(*ranked.cost));
  show("engine flags", engine_flags(ranked, engine_of(ranked, advice)));
  show("changing it", ranked.to_change);
  page.blank();
  page.paragraph("Why", 2, Tone::Strong);
  for (const domain::Reason& reason : ranked.reasons) {
    page.labelled(reason.rule, kShapeLabelWidth, reason.says);
  }
}

void show_contract(Page& page, const domain::ResourceContract& contract,
                   const domain::Advice& advice) {
  const bool is_vm =
      advice.platform == domain::Platform::Vsphere || advice.platform == domain::Platform::Vks;
  page.heading(fmt::format("{}{}", is_vm ? "VM contract" : "CPU and memory that go with it",
                           contract.host.empty() ? "" : fmt::format(", on {}", contract.host)));
  const auto show = [&](std::string_view label, const std::string& text) {
    page.labelled(label, kShapeLabelWidth, text);
  };
  show("vCPU", fmt::format("{}, at least {} ({} tier)", contract.vcpus, contract.minimum_vcpus,
                           name_of(contract.tier)));
  show("RAM",
       fmt::format("{}, at least {}; {} of it shared memory", size_text(contract.memory_bytes),
                   size_text(contract.minimum_memory_bytes),
                   size_text(contract.shared_memory_bytes)));
  show("RAM reservation", contract.memory_reservation_bytes == contract.memory_bytes
                              ? "all of it, locked"
                              : size_text(contract.memory_reservation_bytes));
  show("CPU reservation", reservation_text(contract));
  show("NUMA", numa_text(contract));
  if (is_vm) {
    show("MMIO space", fmt::format("{} GiB{}", grouped(contract.mmio_gib),
                                   contract.needs_efi ? ", EFI firmware" : ""));
    if (contract.least_hardware_version > 0) {
      show("hardware version", fmt::format("{} or later", contract.least_hardware_version));
    }
    show("migration pause", pause_text(contract));
  }
  if (!contract.hardware_label.empty()) show("hardware label", contract.hardware_label);
  const domain::PlacementTerms& terms = contract.placement;
  const auto show_all = [&](std::string_view label, const std::vector<std::string>& names) {
    if (!names.empty()) show(label, fmt::format("{}", fmt::join(names, ", ")));
  };
  show_all("bound to", terms.pci_addresses);
  show_all("datastores", terms.datastores);
  show_all("networks", terms.networks);
  if (!terms.tenant.empty()) show("tenant", terms.tenant);
  if (terms.most_per_host > 0) {
    show("spread", fmt::format("at most {} on one host", terms.most_per_host));
  }
  show("density", density_text(contract.density));
  // Steps say how a figure came about; rules say what to mind.
  for (const domain::ContractNote& note : contract.notes) {
    const bool is_step = note.id.starts_with("step");
    const bool is_found = std::ranges::any_of(advice.findings, [&](const domain::Reason& finding) {
      return finding.rule == note.id && finding.says == note.says;
    });
    if (is_found || (is_step && page.style().verbosity <= 0)) continue;
    page.labelled(note.id, kShapeLabelWidth, note.says);
  }
}

void show_other_shapes(Page& page, std::span<const RankedShape> shapes) {
  if (shapes.empty()) return;
  page.heading("Other shapes that would do (memory in GiB)");
  const bool shows_all = page.style().verbosity > 0;
  const std::size_t shown = shows_all ? shapes.size() : std::min(shapes.size(), kOtherShapes);
  Table table;
  table.columns = {{"", Align::Right},      {"shape", Align::Left},     {"technology", Align::Left},
                   {"share", Align::Right}, {"headroom", Align::Right}, {"stranded", Align::Right},
                   {"rule", Align::Left}};
  const bool has_cost = std::ranges::any_of(
      shapes, [](const RankedShape& ranked) { return ranked.cost.has_value(); });
  if (has_cost) table.columns.push_back({"an hour", Align::Right});
  for (std::size_t index = 0; index < shown; ++index) {
    const RankedShape& ranked = shapes[index];
    table.rows.push_back({fmt::format("{}", index + 2), name_with_replicas(ranked),
                          std::string(name_of(ranked.shape.technology)),
                          percent(ranked.shape.compute_share), gib_text(ranked.headroom_bytes),
                          gib_text(ranked.stranded_bytes), deciding_rule(ranked)});
    if (has_cost) {
      table.rows.back().push_back(ranked.cost ? fmt::format("{:.2f}", ranked.cost->per_hour) : "-");
    }
  }
  page.table(table);
  if (shown < shapes.size()) {
    page.paragraph(fmt::format("and {} more; -v lists them", shapes.size() - shown), 2,
                   Tone::Faint);
  }
  show_changes(page, shapes.first(shown));
}

}  // namespace gpushape::render
