// Which kinds are read, and by what: one row a kind. A document without a kind is known by its
// shape (the values of a chart, the configuration of a device plugin, an export of a VM).
#pragma once

#include <span>
#include <string_view>

#include "review/deployment.hpp"

namespace gpushape::review {

/// Reads one object into the deployment; `object` is already among its objects.
using ReadFunction = void (*)(const Object& object, Deployment& deployment);

struct KindRow {
  std::string_view group;  ///< what the apiVersion begins with; "v1" for the core group
  std::string_view kind;
  ReadFunction read;  ///< nullptr: known, and nothing in it concerns a GPU
};
std::span<const KindRow> kind_rows();
/// nullptr where the kind has no reader.
const KindRow* find_kind(std::string_view api_version, std::string_view kind);

struct ShapeRow {
  std::string_view title;  ///< "vLLM production-stack values"
  bool (*is_it)(const document::Node& root);
  ReadFunction read;
};
/// In the order they are tried.
std::span<const ShapeRow> shape_rows();

// ---- readers, by file ----
// controllers.cpp
void read_pod(const Object& object, Deployment& deployment);
void read_controller(const Object& object, Deployment& deployment);
void read_cron_job(const Object& object, Deployment& deployment);
void read_leader_worker_set(const Object& object, Deployment& deployment);
void read_job_set(const Object& object, Deployment& deployment);
void read_volcano_job(const Object& object, Deployment& deployment);
void read_training_job(const Object& object, Deployment& deployment);
void read_ray(const Object& object, Deployment& deployment);
void read_ray_service(const Object& object, Deployment& deployment);
void read_ray_fleet(const Object& object, Deployment& deployment);
void read_kubevirt(const Object& object, Deployment& deployment);
// cluster_objects.cpp
void read_namespace(const Object& object, Deployment& deployment);
void read_quota(const Object& object, Deployment& deployment);
void read_volume_claim(const Object& object, Deployment& deployment);
void read_queue(const Object& object, Deployment& deployment);
void read_claim_object(const Object& object, Deployment& deployment);
void read_class_object(const Object& object, Deployment& deployment);
// machines.cpp
void read_vm_class_object(const Object& object, Deployment& deployment);
void read_vm(const Object& object, Deployment& deployment);
void read_cluster_api(const Object& object, Deployment& deployment);
void read_tanzu_cluster(const Object& object, Deployment& deployment);
bool is_config_spec(const document::Node& root);
void read_config_spec_object(const Object& object, Deployment& deployment);
bool is_vm_export(const document::Node& root);
void read_vm_export_object(const Object& object, Deployment& deployment);
// workspaces.cpp
void read_kaito(const Object& object, Deployment& deployment);
void read_workflow(const Object& object, Deployment& deployment);
// terraform.cpp
bool is_terraform(const document::Node& root);
void read_terraform(const Object& object, Deployment& deployment);
// kserve.cpp
void read_llm_inference_service(const Object& object, Deployment& deployment);
void read_llm_inference_service_config(const Object& object, Deployment& deployment);
// inference_service.cpp
void read_inference_service(const Object& object, Deployment& deployment);
void read_serving_runtime(const Object& object, Deployment& deployment);
// ome.cpp
void read_ome_service(const Object& object, Deployment& deployment);
void read_ome_runtime(const Object& object, Deployment& deployment);
// kubeai.cpp
void read_kubeai_model(const Object& object, Deployment& deployment);
// aibrix.cpp
void read_role_set(const Object& object, Deployment& deployment);
// ray_llm.cpp
void read_ray_llm(const Object& object, Deployment& deployment);
// cloud_tasks.cpp
bool is_sky_task(const document::Node& root);
void read_sky_task(const Object& object, Deployment& deployment);
bool is_dstack_task(const document::Node& root);
void read_dstack_task(const Object& object, Deployment& deployment);
// ollama_chart.cpp
bool is_ollama_values(const document::Node& root);
void read_ollama_values(const Object& object, Deployment& deployment);
// nim.cpp
void read_nim_service(const Object& object, Deployment& deployment);
bool is_nim_values(const document::Node& root);
void read_nim_values(const Object& object, Deployment& deployment);
// dynamo.cpp
void read_dynamo(const Object& object, Deployment& deployment);
// charts.cpp
bool is_stack_values(const document::Node& root);
void read_stack_values(const Object& object, Deployment& deployment);
bool is_modelservice_values(const document::Node& root);
void read_modelservice_values(const Object& object, Deployment& deployment);
bool is_vcluster_values(const document::Node& root);
void read_vcluster_values(const Object& object, Deployment& deployment);
bool is_operator_values(const document::Node& root);
bool is_dra_driver_values(const document::Node& root);
void read_dra_driver_values(const Object& object, Deployment& deployment);
bool is_engine_arguments(const document::Node& root);
void read_engine_arguments(const Object& object, Deployment& deployment);
// compose.cpp, scripts.cpp
bool is_compose(const document::Node& root);
void read_compose(const Object& object, Deployment& deployment);
bool is_script_text(const document::Node& root);
void read_script(const Object& object, Deployment& deployment);
// sharing.cpp
void read_config_map(const Object& object, Deployment& deployment);
void read_cluster_policy(const Object& object, Deployment& deployment);
void read_plugin_config(const Object& object, Deployment& deployment);
void read_layouts(const Object& object, Deployment& deployment);
bool is_plugin_config(const document::Node& root);
bool is_layout_file(const document::Node& root);

}  // namespace gpushape::review
