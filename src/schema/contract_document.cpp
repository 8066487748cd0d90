// The document form of a ResourceContract, both ways.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/calendar.hpp"
#include "document/reader.hpp"
#include "schema/fields.hpp"
#include "schema/header.hpp"
#include "schema/kinds.hpp"
#include "schema/limits.hpp"
#include "schema/placement_terms.hpp"
#include "schema/shape_fields.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::ResourceContract;

namespace {

constexpr std::int64_t kMostNumaNodes = 1'024;  // ours
constexpr Bytes kGib = gib(1);

Node numa_node(const domain::VirtualNuma& numa) {
  Node node = Node::mapping();
  node.set("nodes", numa.nodes);
  node.set("coresPerSocket", numa.cores_per_socket);
  node.set("coresPerNode", numa.cores_per_node);
  Node devices = Node::sequence();
  for (const domain::DeviceNode& device : numa.devices) {
    Node entry = Node::mapping();
    entry.set("device", device.device);
    entry.set("node", device.node);
    devices.add(std::move(entry));
  }
  node.set("devices", std::move(devices));
  if (!numa.nics.empty()) {
    Node nics = Node::sequence();
    for (const domain::NicNode& nic : numa.nics) {
      Node entry = Node::mapping();
      entry.set("nic", nic.nic);
      entry.set("node", nic.node);
      nics.add(std::move(entry));
    }
    node.set("nics", std::move(nics));
  }
  set_known(node, "shownFromVcpus", numa.shown_from_vcpus);
  return node;
}

Node density_node(const domain::Density& density) {
  Node node = Node::mapping();
  node.set("gpuSlots", density.gpu_slots);
  node.set("byVcpus", density.by_vcpus);
  node.set("byMemory", density.by_memory);
  set_known(node, "byReservation", density.by_reservation);
  return node;
}

Node purpose_node(const ResourceContract& contract) {
  Node node = Node::mapping();
  set_text(node, "model", contract.model);
  set_text(node, "quantization", contract.quantization);
  set_known(node, "contextTokens", contract.context_tokens);
  set_known(node, "concurrency", contract.concurrency);
  set_text(node, "engine", contract.engine);
  set_text(node, "engineVersion", contract.engine_version);
  return node;
}

domain::VirtualNuma read_numa(Reader& reader) {
  domain::VirtualNuma numa;
  numa.nodes = reader.required_integer("nodes", {.least = 1, .most = kMostNumaNodes});
  numa.cores_per_socket = reader.required_integer("coresPerSocket", kOneOrMoreBounds);
  numa.cores_per_node = reader.required_integer("coresPerNode", kOneOrMoreBounds);
  for (Reader& entry : reader.mappings("devices")) {
    domain::DeviceNode device;
    device.device = entry.required_integer("device", kCountBounds);
    device.node = entry.required_integer("node", {.least = 0, .most = numa.nodes - 1});
    entry.finish();
    numa.devices.push_back(device);
  }
  for (Reader& entry : reader.mappings("nics")) {
    domain::NicNode nic;
    nic.nic = entry.required_text("nic");
    nic.node = entry.required_integer("node", {.least = 0, .most = numa.nodes - 1});
    entry.finish();
    numa.nics.push_back(std::move(nic));
  }
  numa.shown_from_vcpus = reader.integer("shownFromVcpus", kOneOrMoreBounds);
  reader.finish();
  return numa;
}

domain::Density read_density(Reader& reader) {
  domain::Density density;
  density.gpu_slots = reader.integer("gpuSlots", kCountBounds).value_or(0);
  density.by_vcpus = reader.integer("byVcpus", kCountBounds).value_or(0);
  density.by_memory = reader.integer("byMemory", kCountBounds).value_or(0);
  density.by_reservation = reader.integer("byReservation", kCountBounds);
  reader.finish();
  return density;
}

void read_purpose(Reader& reader, ResourceContract& contract) {
  contract.model = reader.filled_text("model").value_or("");
  contract.quantization = reader.filled_text("quantization").value_or("");
  contract.context_tokens = reader.integer("contextTokens", kTokensBounds);
  contract.concurrency = reader.integer("concurrency", kSequencesBounds);
  contract.engine = reader.filled_text("engine").value_or("");
  contract.engine_version = reader.filled_text("engineVersion").value_or("");
  reader.finish();
}

std::int64_t read_mmio_gib(Reader& reader) {
  const Bytes bytes = read_bytes(reader, "mmioBytes").value_or(Bytes(0));
  if (round_up(bytes, kGib) != bytes) {
    reader.complain("mmioBytes",
                    fmt::format("{} bytes of MMIO space are no whole number of GiB", bytes.count()),
                    fmt::format("write {}", round_up(bytes, kGib).count()));
  }
  return bytes / kGib;
}

void read_guarantees(Reader& reader, ResourceContract& contract) {
  contract.vcpus = reader.required_integer("vcpus", kOneOrMoreBounds);
  contract.minimum_vcpus =
      reader.integer("minimumVcpus", {.least = 0, .most = kOneOrMoreBounds.most}).value_or(0);
  if (!reader.has("memoryBytes")) static_cast<void>(reader.required_bytes("memoryBytes"));
  contract.memory_bytes = read_bytes(reader, "memoryBytes").value_or(Bytes(0));
  contract.minimum_memory_bytes = read_bytes(reader, "minimumMemoryBytes").value_or(Bytes(0));
  contract.memory_reservation_bytes =
      read_bytes(reader, "memoryReservationBytes").value_or(Bytes(0));
  contract.shared_memory_bytes = read_bytes(reader, "sharedMemoryBytes").value_or(Bytes(0));
  contract.cpu_reservation_mhz = reader.integer("cpuReservationMhz", kMegahertzBounds).value_or(0);
  contract.reserved_cores = reader.integer("reservedCores", kCountBounds).value_or(0);
  contract.vcpus_per_core = reader.integer("vcpusPerCore", kOneOrMoreBounds).value_or(1);
  contract.qos = reader.choice<domain::Qos>("qos").value_or(contract.qos);
  contract.tier = reader.choice<domain::Tier>("tier").value_or(contract.tier);
  if (auto numa = reader.mapping("numa")) contract.numa = read_numa(*numa);
  contract.mmio_gib = read_mmio_gib(reader);
  contract.needs_efi = reader.boolean("needsEfi").value_or(contract.needs_efi);
  contract.latency_sensitive = reader.boolean("latencySensitive").value_or(false);
  contract.needs_live_migration = reader.boolean("needsLiveMigration").value_or(false);
  contract.needs_ha = reader.boolean("needsHa").value_or(false);
  contract.pause_seconds = reader.number("pauseSeconds", kSecondsBounds);
}

/// A bound device is passed through, and each has its own address.
void check_bound(Reader& reader, const domain::PlacementTerms& terms, const domain::Shape& shape) {
  if (shape.technology != domain::Technology::Passthrough) {
    reader.complain("pciAddresses",
                    fmt::format("a {} shape is not bound to an address", name_of(shape.technology)),
                    "only passthrough is: leave the addresses out, or ask for passthrough");
  } else if (std::cmp_not_equal(terms.pci_addresses.size(), shape.count)) {
    reader.complain(
        "pciAddresses",
        fmt::format("{} addresses for {} devices", terms.pci_addresses.size(), shape.count),
        "name one for each device of the shape");
  }
}

}  // namespace

Node to_node(const ResourceContract& contract) {
  Node node = new_document("ResourceContract");
  set_text(node, "name", contract.name);
  node.set("shape", to_node(contract.shape));
  if (!contract.alternatives.empty()) {
    Node alternatives = Node::sequence();
    for (const domain::Shape& shape : contract.alternatives) alternatives.add(to_node(shape));
    node.set("alternatives", std::move(alternatives));
  }
  node.set("replicas", contract.replicas);
  node.set("vcpus", contract.vcpus);
  node.set("minimumVcpus", contract.minimum_vcpus);
  node.set("memoryBytes", contract.memory_bytes);
  node.set("minimumMemoryBytes", contract.minimum_memory_bytes);
  node.set("memoryReservationBytes", contract.memory_reservation_bytes);
  node.set("sharedMemoryBytes", contract.shared_memory_bytes);
  node.set("cpuReservationMhz", contract.cpu_reservation_mhz);
  node.set("reservedCores", contract.reserved_cores);
  node.set("vcpusPerCore", contract.vcpus_per_core);
  set_choice(node, "qos", contract.qos);
  set_choice(node, "tier", contract.tier);
  if (contract.numa) node.set("numa", numa_node(*contract.numa));
  node.set("mmioBytes", gib(contract.mmio_gib));
  node.set("needsEfi", contract.needs_efi);
  node.set("latencySensitive", contract.latency_sensitive);
  node.set("needsLiveMigration", contract.needs_live_migration);
  node.set("needsHa", contract.needs_ha);
  set_number(node, "pauseSeconds", contract.pause_seconds);
  node.set("density", density_node(contract.density));
  set_text(node, "host", contract.host);
  set_text(node, "hardwareLabel", contract.hardware_label);
  if (contract.placement != domain::PlacementTerms{}) {
    node.set("placement", terms_node(contract.placement));
  }
  set_count(node, "leastHardwareVersion", contract.least_hardware_version);
  set_count(node, "hardwareVersion", contract.hardware_version);
  Node purpose = purpose_node(contract);
  if (!purpose.entries().empty()) node.set("purpose", std::move(purpose));
  set_text(node, "evidence", contract.evidence);
  if (contract.review_after_days)
    node.set("reviewAfter", review_node(*contract.review_after_days, contract.review_date));
  Node notes = Node::sequence();
  for (const domain::ContractNote& note : contract.notes) {
    Node entry = Node::mapping();
    entry.set("id", note.id);
    entry.set("says", note.says);
    notes.add(std::move(entry));
  }
  if (!notes.items().empty()) node.set("notes", std::move(notes));
  return node;
}

ResourceContract read_contract_fields(Reader& reader) {
  ResourceContract contract;
  if (!read_header(reader, "ResourceContract")) return contract;
  contract.name = reader.filled_text("name").value_or("");
  if (auto shape = reader.required_mapping("shape")) contract.shape = read_shape(*shape);
  for (Reader& shape : reader.mappings("alternatives")) {
    contract.alternatives.push_back(read_shape(shape));
  }
  contract.replicas = reader.integer("replicas", kOneOrMoreBounds).value_or(1);
  read_guarantees(reader, contract);
  if (auto density = reader.mapping("density")) contract.density = read_density(*density);
  contract.host = reader.filled_text("host").value_or("");
  contract.hardware_label = reader.filled_text("hardwareLabel").value_or("");
  if (auto terms = reader.mapping("placement")) {
    contract.placement = read_terms(*terms);
    if (!contract.placement.pci_addresses.empty()) {
      check_bound(*terms, contract.placement, contract.shape);
    }
    terms->finish();
  }
  contract.least_hardware_version =
      reader.integer("leastHardwareVersion", kOneOrMoreBounds).value_or(0);
  contract.hardware_version = reader.integer("hardwareVersion", kOneOrMoreBounds).value_or(0);
  if (auto purpose = reader.mapping("purpose")) read_purpose(*purpose, contract);
  if (const auto evidence = reader.choice<domain::Evidence>("evidence")) {
    contract.evidence = name_of(*evidence);
  }
  if (auto review = reader.mapping("reviewAfter")) {
    contract.review_after_days = review->required_integer("days", kOneOrMoreBounds);
    contract.review_date = review->filled_text("date").value_or("");
    if (!contract.review_date.empty() && !parse_date(contract.review_date)) {
      review->complain("date", fmt::format("date is '{}', which is no day", contract.review_date),
                       "write it as 2026-11-28");
    }
    review->finish();
  }
  for (Reader& entry : reader.mappings("notes")) {
    domain::ContractNote note;
    note.id = entry.required_text("id");
    note.says = entry.required_text("says");
    entry.finish();
    contract.notes.push_back(std::move(note));
  }
  reader.finish();
  return contract;
}

Result<ResourceContract> read_contract(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "ResourceContract");
  ResourceContract contract = read_contract_fields(reader);
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return contract;
}

}  // namespace gpushape::schema
