// The target `config-spec`: the whole contract as a VirtualMachineConfigSpec, JSON for the VI API
// (`govc vm.create -spec`, or the vim25 JSON API).

#include <utility>

#include "document/text_format.hpp"
#include "domain/contract_note.hpp"
#include "emit/tree.hpp"
#include "emit/vm_contract.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

/// JSON has no comments, and a VM no annotations: its options are read back.
void add_option(Node& root, std::string contract) {
  while (contract.ends_with('\n')) contract.pop_back();
  const Node value = map({{"_typeName", "string"}, {"_value", std::move(contract)}});
  Node row =
      map({{"_typeName", "OptionValue"}, {"key", domain::kContractOption}, {"value", value}});
  for (Node::Entry& entry : root.entries()) {
    if (entry.name == "extraConfig") {
      entry.value.add(std::move(row));
      return;
    }
  }
  root.set("extraConfig", list({std::move(row)}));
}

}  // namespace

Result<Emitted> emit_config_spec(const EmitRequest& request) {
  Diagnostics diagnostics = check_vm_request(request, "config-spec");
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  const domain::RankedShape& picked = *request.picked.front();
  const domain::ResourceContract& contract = picked.contract;
  const std::string name = document_names(request).front();
  EmitRequest plain = request;
  plain.has_comments = false;  // JSON has none
  Node root = map({{"_typeName", "VirtualMachineConfigSpec"}, {"name", name}});
  root.set("annotation", headline(picked));
  root.set("numCPUs", contract.vcpus);
  root.set("memoryMB", round_up(contract.memory_bytes, mib(1)) / mib(1));
  if (contract.cpu_reservation_mhz > 0) {
    root.set("cpuAllocation", map({{"_typeName", "ResourceAllocationInfo"},
                                   {"reservation", contract.cpu_reservation_mhz}}));
  }
  const Node spec = config_spec(contract, device_of(request, contract.shape), Commenter(plain));
  for (const Node::Entry& entry : spec.entries()) {
    if (entry.name != "_typeName") root.set(entry.name, entry.value);
  }
  add_option(root, contract_note(contract).value);
  Emitted emitted;
  emitted.text = document::write_json(root);
  emitted.documents.push_back(std::move(root));
  if (request.picked.size() > 1)
    emitted.notes.push_back(name + ": the spec is of the first wish; --pick takes another");
  return emitted;
}

}  // namespace gpushape::emit
