#include "emit/targets.hpp"

#include <algorithm>
#include <array>

namespace gpushape::emit {

Result<Emitted> emit_vm_class(const EmitRequest& request);
Result<Emitted> emit_vm(const EmitRequest& request);
Result<Emitted> emit_vks_cluster(const EmitRequest& request);
Result<Emitted> emit_config_spec(const EmitRequest& request);
Result<Emitted> emit_terraform(const EmitRequest& request);
Result<Emitted> emit_resource_claim(const EmitRequest& request);
Result<Emitted> emit_resource_claim_template(const EmitRequest& request);
Result<Emitted> emit_device_class(const EmitRequest& request);
Result<Emitted> emit_pod(const EmitRequest& request);
Result<Emitted> emit_deployment(const EmitRequest& request);
Result<Emitted> emit_leader_worker_set(const EmitRequest& request);
Result<Emitted> emit_device_plugin_config(const EmitRequest& request);
Result<Emitted> emit_mig_parted(const EmitRequest& request);
Result<Emitted> emit_vgpu_device_manager(const EmitRequest& request);
Result<Emitted> emit_gpu_operator(const EmitRequest& request);
Result<Emitted> emit_hami(const EmitRequest& request);
Result<Emitted> emit_kai(const EmitRequest& request);
Result<Emitted> emit_run_ai(const EmitRequest& request);
Result<Emitted> emit_volcano(const EmitRequest& request);
Result<Emitted> emit_kueue(const EmitRequest& request);
Result<Emitted> emit_kserve(const EmitRequest& request);
Result<Emitted> emit_nim_service(const EmitRequest& request);
Result<Emitted> emit_dynamo(const EmitRequest& request);
Result<Emitted> emit_llm_d_values(const EmitRequest& request);
Result<Emitted> emit_production_stack_values(const EmitRequest& request);
Result<Emitted> emit_kubevirt(const EmitRequest& request);
Result<Emitted> emit_vcluster_values(const EmitRequest& request);
Result<Emitted> emit_vllm_args(const EmitRequest& request);
Result<Emitted> emit_sglang_args(const EmitRequest& request);
Result<Emitted> emit_tensorrt_llm_args(const EmitRequest& request);
Result<Emitted> emit_llama_cpp_args(const EmitRequest& request);
Result<Emitted> emit_contract(const EmitRequest& request);
Result<Emitted> emit_workload(const EmitRequest& request);

namespace {

using enum domain::Platform;
constexpr std::string_view kRelease = "--vm-operator-release";
constexpr std::string_view kVersion = "--k8s";
constexpr std::string_view kEnd = "--lifetime";

constexpr auto kTargets = std::to_array<TargetRow>({
    {"vm-class", "VM Service VirtualMachineClass, one per wish", emit_vm_class, Vsphere, kRelease},
    {"vm", "VirtualMachine of that class, one per replica", emit_vm, Vsphere, kRelease},
    {"vks-cluster", "VKS Cluster, a node pool of that class per wish", emit_vks_cluster, Vks,
     kVersion},
    {"config-spec",
     "VirtualMachineConfigSpec JSON for the VI API",
     emit_config_spec,
     Vsphere,
     {},
     false,
     "json"},
    {"terraform-vsphere",
     "vsphere_virtual_machine_class of Terraform",
     emit_terraform,
     Vsphere,
     {},
     false,
     "tf"},
    {"resource-claim", "DRA ResourceClaim, the wishes in order", emit_resource_claim, Kubernetes,
     kVersion, false, "yaml", true},
    {"resource-claim-template", "the same, one claim for every pod", emit_resource_claim_template,
     Kubernetes, kVersion, false, "yaml", true},
    {"device-class", "DeviceClass per wish", emit_device_class, Kubernetes, kVersion},
    {"pod", "Pod with the engine and its flags", emit_pod, Kubernetes, kEnd, true},
    {"deployment", "Deployment of the replicas; a Job where it ends", emit_deployment, Kubernetes,
     kEnd, true},
    {"leader-worker-set", "LeaderWorkerSet: one instance over several nodes",
     emit_leader_worker_set, Kubernetes, kEnd, true},
    {"device-plugin-config", "NVIDIA device plugin: MIG strategy, sharing",
     emit_device_plugin_config, Kubernetes},
    {"mig-parted", "MIG partitions of nodes", emit_mig_parted, Kubernetes},
    {"vgpu-device-manager", "vGPU types of nodes that run VMs", emit_vgpu_device_manager},
    {"gpu-operator", "ClusterPolicy, its configurations, node labels", emit_gpu_operator,
     Kubernetes},
    {"hami", "Deployment under HAMi", emit_hami, Kubernetes, kEnd, true},
    {"kai", "Deployment and queue of KAI Scheduler", emit_kai, Kubernetes, kEnd, true},
    {"run-ai", "Deployment under NVIDIA Run:ai", emit_run_ai, Kubernetes, kEnd, true},
    {"volcano", "Deployment and queue of Volcano", emit_volcano, Kubernetes, kEnd, true},
    {"kueue", "Deployment with flavor and queues of Kueue", emit_kueue, Kubernetes, kEnd, true},
    {"kserve", "KServe LLMInferenceService or InferenceService", emit_kserve, Kubernetes, kEnd,
     true},
    {"nim-service", "NIMService of NVIDIA's NIM Operator", emit_nim_service, Kubernetes, kEnd,
     true},
    {"dynamo", "DynamoGraphDeployment", emit_dynamo, Kubernetes, kEnd, true},
    {"llm-d-values", "Helm values of llm-d modelservice", emit_llm_d_values, Kubernetes, {}, true},
    {"vllm-production-stack-values",
     "Helm values of vLLM production-stack",
     emit_production_stack_values,
     Kubernetes,
     {},
     true},
    {"kubevirt",
     "KubeVirt VirtualMachine with the card",
     emit_kubevirt,
     Kubernetes,
     {},
     false,
     "yaml",
     true},
    {"vcluster-values", "vCluster Helm values for the tenant", emit_vcluster_values, Kubernetes},
    {"vllm-args", "flags of vllm serve, and why each", emit_vllm_args},
    {"sglang-args", "flags of SGLang, and why each", emit_sglang_args},
    {"tensorrt-llm-args", "flags of trtllm-serve, and why each", emit_tensorrt_llm_args},
    {"llama-cpp-args", "flags of llama-server, and why each", emit_llama_cpp_args},
    {"contract", "gpushape ResourceContract, one per wish", emit_contract},
    {"workload", "gpushape Workload as it was understood", emit_workload},
});

}  // namespace

std::span<const TargetRow> targets() { return kTargets; }

const TargetRow* find_target(std::string_view name) {
  const auto row = std::ranges::find(kTargets, name, &TargetRow::name);
  return row == kTargets.end() ? nullptr : &*row;
}

bool is_written(const EmitRequest& request, std::string_view target) {
  return std::ranges::find(request.targets, target) != request.targets.end();
}

}  // namespace gpushape::emit
