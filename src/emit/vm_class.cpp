// The target `vm-class`: a VirtualMachineClass of vSphere VM Service that carries the whole
// contract. Formats: VM Operator's VirtualMachineClass (webhooks and CRD, release branches) and the
// vim types of govmomi in their JSON form.
//
// hardware.cpus and hardware.memory override whatever a configSpec says, so they stand there alone;
// a configSpec switches hardware.devices off, so devices stand in the configSpec alone.

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "emit/manifest.hpp"
#include "emit/vm_contract.hpp"

namespace gpushape::emit {

using document::Node;
using domain::RankedShape;
using domain::ResourceContract;
using domain::Shape;

namespace {

constexpr std::int64_t kMillicores = 1000;  // of a core, as quantities count it

Node hardware(const ResourceContract& contract, const Commenter& comment) {
  const std::string_view tier = name_of(contract.tier);
  Node node = Node::mapping();
  node.set("cpus", comment.above(
                       Node(contract.vcpus),
                       note_or(contract, "step-1",
                               fmt::format("tier {}; at least {}", tier, contract.minimum_vcpus))));
  node.set("memory",
           comment.above(Node(quantity_at_least(contract.memory_bytes)),
                         note_or(contract, "step-2",
                                 fmt::format("tier {}; at least {}", tier,
                                             quantity_at_least(contract.minimum_memory_bytes)))));
  return node;
}

Node policies(const ResourceContract& contract, const Commenter& comment) {
  Node requests = Node::mapping();
  if (contract.reserved_cores > 0) {
    requests.set(
        "cpu",
        comment.above(Node(fmt::format("{}m", contract.reserved_cores * kMillicores)),
                      note_or(contract, "step-5",
                              fmt::format("qos {}: {} cores, {} MHz", name_of(contract.qos),
                                          contract.reserved_cores, contract.cpu_reservation_mhz))));
  }
  requests.set("memory",
               comment.behind(Node(quantity_at_least(contract.memory_bytes)), "VC-01: all of it"));
  Node resources = Node::mapping();
  resources.set("requests", std::move(requests));
  Node node = Node::mapping();
  node.set("resources", std::move(resources));
  return node;
}

Node vm_class(const EmitRequest& request, const RankedShape& picked, const std::string& name,
              std::string_view version) {
  const Commenter comment(request);
  const ResourceContract& contract = picked.contract;
  const std::string head =
      headline(picked) + "\n" +
      notes_beside(contract, {"step-1", "step-2", "step-4", "step-5",
                              contract.numa ? std::string_view("step-3") : std::string_view()});
  Node root = Node::mapping();
  root.set("apiVersion",
           comment.above(Node(fmt::format("vmoperator.vmware.com/{}", version)), head));
  root.set("kind", "VirtualMachineClass");
  root.set("metadata", metadata(request, name, picked));
  Node spec = Node::mapping();
  spec.set("hardware", hardware(contract, comment));
  spec.set("policies", policies(contract, comment));
  spec.set("configSpec", config_spec(contract, device_of(request, contract.shape), comment));
  root.set("spec", std::move(spec));
  comment.close(root, request);
  return root;
}

}  // namespace

Result<Emitted> emit_vm_class(const EmitRequest& request) {
  Diagnostics diagnostics = check_vm_request(request, "vm-class");
  const Result<std::string_view> version = served_version(request.vm_operator);
  if (!version) {
    diagnostics.insert(diagnostics.end(), version.error().begin(), version.error().end());
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));

  Emitted emitted;
  const std::vector<std::string> names = document_names(request);
  for (std::size_t i = 0; i < request.picked.size(); ++i) {
    const RankedShape& picked = *request.picked[i];
    emitted.documents.push_back(vm_class(request, picked, names[i], *version));
    if (!picked.contract.shape.device_group.empty()) {
      emitted.notes.push_back(
          fmt::format("{}: device group through configSpec: check on your release that VM Service "
                      "passes it on",
                      names[i]));
    }
  }
  return emitted;
}

}  // namespace gpushape::emit
