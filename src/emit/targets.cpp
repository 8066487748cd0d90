#include "emit/targets.hpp"

#include <array>

namespace gpushape::emit {

Result<Emitted> emit_vm_class(const EmitRequest& request);
Result<Emitted> emit_resource_claim(const EmitRequest& request);
Result<Emitted> emit_contract(const EmitRequest& request);
Result<Emitted> emit_workload(const EmitRequest& request);

namespace {

constexpr auto kTargets = std::to_array<TargetRow>({
    {"vm-class", "VM Service VirtualMachineClass, one per wish", emit_vm_class,
     domain::Platform::Vsphere},
    {"resource-claim", "Kubernetes DRA ResourceClaim, the wishes in order", emit_resource_claim,
     domain::Platform::Kubernetes},
    {"contract", "gpushape ResourceContract, one per wish", emit_contract},
    {"workload", "gpushape Workload as it was understood", emit_workload},
});

}  // namespace

std::span<const TargetRow> targets() { return kTargets; }

}  // namespace gpushape::emit
