#include "review/readers/kinds.hpp"

#include <algorithm>
#include <array>

namespace gpushape::review {

namespace {

constexpr auto kKinds = std::to_array<KindRow>({
    {"v1", "Pod", read_pod},
    {"v1", "PodTemplate", read_controller},
    {"v1", "ReplicationController", read_controller},
    {"apps/", "Deployment", read_controller},
    {"apps/", "StatefulSet", read_controller},
    {"apps/", "DaemonSet", read_controller},
    {"apps/", "ReplicaSet", read_controller},
    {"batch/", "Job", read_controller},
    {"batch/", "CronJob", read_cron_job},
    {"leaderworkerset.x-k8s.io/", "LeaderWorkerSet", read_leader_worker_set},
    {"jobset.x-k8s.io/", "JobSet", read_job_set},
    {"batch.volcano.sh/", "Job", read_volcano_job},
    {"kubeflow.org/", "PyTorchJob", read_training_job},
    {"kubeflow.org/", "TFJob", read_training_job},
    {"kubeflow.org/", "MPIJob", read_training_job},
    {"kubeflow.org/", "XGBoostJob", read_training_job},
    {"kubeflow.org/", "JAXJob", read_training_job},
    {"kubeflow.org/", "Notebook", read_controller},
    {"serving.knative.dev/", "Service", read_controller},
    {"argoproj.io/", "Rollout", read_controller},
    {"argoproj.io/", "Workflow", read_workflow},
    {"argoproj.io/", "WorkflowTemplate", read_workflow},
    {"argoproj.io/", "ClusterWorkflowTemplate", read_workflow},
    {"argoproj.io/", "CronWorkflow", read_workflow},
    {"kaito.sh/", "Workspace", read_kaito},
    {"ray.io/", "RayCluster", read_ray},
    {"ray.io/", "RayService", read_ray_service},
    {"ray.io/", "RayJob", read_ray},
    {"kubevirt.io/", "VirtualMachine", read_kubevirt},
    {"kubevirt.io/", "VirtualMachineInstance", read_kubevirt},
    {"serving.kserve.io/", "LLMInferenceService", read_llm_inference_service},
    {"serving.kserve.io/", "LLMInferenceServiceConfig", read_llm_inference_service_config},
    {"serving.kserve.io/", "InferenceService", read_inference_service},
    {"serving.kserve.io/", "ServingRuntime", read_serving_runtime},
    {"serving.kserve.io/", "ClusterServingRuntime", read_serving_runtime},
    {"serving.kserve.io/", "ClusterStorageContainer", nullptr},
    {"ome.io/", "InferenceService", read_ome_service},
    {"ome.io/", "ServingRuntime", read_ome_runtime},
    {"ome.io/", "ClusterServingRuntime", read_ome_runtime},
    {"ome.io/", "BaseModel", nullptr},
    {"ome.io/", "ClusterBaseModel", nullptr},
    {"kubeai.org/", "Model", read_kubeai_model},
    {"orchestration.aibrix.ai/", "StormService", read_role_set},
    {"orchestration.aibrix.ai/", "RoleSet", read_role_set},
    {"orchestration.aibrix.ai/", "RayClusterFleet", read_ray_fleet},
    {"apps.nvidia.com/", "NIMService", read_nim_service},
    {"apps.nvidia.com/", "NIMCache", nullptr},
    {"nvidia.com/v1", "DynamoGraphDeployment", read_dynamo},
    {"resource.k8s.io/", "ResourceClaim", read_claim_object},
    {"resource.k8s.io/", "ResourceClaimTemplate", read_claim_object},
    {"resource.k8s.io/", "DeviceClass", read_class_object},
    {"resource.k8s.io/", "ResourceSlice", nullptr},
    {"resource.nvidia.com/", "ComputeDomain", nullptr},
    {"v1", "Namespace", read_namespace},
    {"v1", "ResourceQuota", read_quota},
    {"v1", "LimitRange", nullptr},
    {"v1", "PersistentVolumeClaim", read_volume_claim},
    {"v1", "ConfigMap", read_config_map},
    {"v1", "Secret", nullptr},
    {"v1", "Service", nullptr},
    {"v1", "ServiceAccount", nullptr},
    {"v1", "PersistentVolume", nullptr},
    {"networking.k8s.io/", "NetworkPolicy", nullptr},
    {"networking.k8s.io/", "Ingress", nullptr},
    {"gateway.networking.k8s.io/", "Gateway", nullptr},
    {"gateway.networking.k8s.io/", "GatewayClass", nullptr},
    {"gateway.networking.k8s.io/", "HTTPRoute", nullptr},
    {"route.openshift.io/", "Route", nullptr},
    {"autoscaling/", "HorizontalPodAutoscaler", nullptr},
    {"keda.sh/", "ScaledObject", nullptr},
    {"autoscaling.aibrix.ai/", "PodAutoscaler", nullptr},
    {"model.aibrix.ai/", "ModelAdapter", nullptr},
    {"monitoring.coreos.com/", "ServiceMonitor", nullptr},
    {"monitoring.coreos.com/", "PodMonitor", nullptr},
    {"monitoring.googleapis.com/", "PodMonitoring", nullptr},
    {"kustomize.config.k8s.io/", "Kustomization", nullptr},
    {"rbac.authorization.k8s.io/", "Role", nullptr},
    {"rbac.authorization.k8s.io/", "RoleBinding", nullptr},
    {"rbac.authorization.k8s.io/", "ClusterRole", nullptr},
    {"rbac.authorization.k8s.io/", "ClusterRoleBinding", nullptr},
    {"policy/", "PodDisruptionBudget", nullptr},
    {"storage.k8s.io/", "StorageClass", nullptr},
    {"scheduling.k8s.io/", "PriorityClass", nullptr},
    {"apiextensions.k8s.io/", "CustomResourceDefinition", nullptr},
    {"admissionregistration.k8s.io/", "ValidatingAdmissionPolicy", nullptr},
    {"admissionregistration.k8s.io/", "ValidatingAdmissionPolicyBinding", nullptr},
    {"kueue.x-k8s.io/", "ClusterQueue", read_queue},
    {"kueue.x-k8s.io/", "LocalQueue", read_queue},
    {"kueue.x-k8s.io/", "ResourceFlavor", nullptr},
    {"scheduling.run.ai/", "Queue", read_queue},
    {"scheduling.volcano.sh/", "Queue", read_queue},
    {"nvidia.com/v1", "ClusterPolicy", read_cluster_policy},
    {"vmoperator.vmware.com/", "VirtualMachineClass", read_vm_class_object},
    {"vmoperator.vmware.com/", "VirtualMachine", read_vm},
    {"cluster.x-k8s.io/", "Cluster", read_cluster_api},
    {"run.tanzu.vmware.com/", "TanzuKubernetesCluster", read_tanzu_cluster},
});

constexpr auto kShapes = std::to_array<ShapeRow>({
    {"device plugin configuration", is_plugin_config, read_plugin_config},
    {"GPU layouts", is_layout_file, read_layouts},
    {"vLLM production-stack values", is_stack_values, read_stack_values},
    {"llm-d modelservice values", is_modelservice_values, read_modelservice_values},
    {"compose file", is_compose, read_compose},
    {"Ollama values", is_ollama_values, read_ollama_values},
    {"NIM values", is_nim_values, read_nim_values},
    {"SkyPilot task", is_sky_task, read_sky_task},
    {"dstack task", is_dstack_task, read_dstack_task},
    {"GPU Operator values", is_operator_values, read_cluster_policy},
    {"NVIDIA DRA driver values", is_dra_driver_values, read_dra_driver_values},
    {"vCluster values", is_vcluster_values, read_vcluster_values},
    {"VirtualMachineConfigSpec", is_config_spec, read_config_spec_object},
    {"VM export", is_vm_export, read_vm_export_object},
    {"Terraform", is_terraform, read_terraform},
    {"engine arguments", is_engine_arguments, read_engine_arguments},
    {"script", is_script_text, read_script},
});

}  // namespace

std::span<const KindRow> kind_rows() { return kKinds; }
std::span<const ShapeRow> shape_rows() { return kShapes; }

const KindRow* find_kind(std::string_view api_version, std::string_view kind) {
  const auto row = std::ranges::find_if(kKinds, [&](const KindRow& each) {
    const bool is_group = each.group.ends_with('/')
                              ? api_version.starts_with(each.group)
                              : api_version.starts_with(each.group) &&
                                    !api_version.substr(each.group.size()).contains('/');
    return each.kind == kind && is_group;
  });
  return row == kKinds.end() ? nullptr : &*row;
}

}  // namespace gpushape::review
