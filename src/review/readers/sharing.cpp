// Device plugin configurations, MIG and vGPU layouts, the GPU Operator.
#include "review/sharing.hpp"

#include <algorithm>
#include <utility>

#include "review/embedded_text.hpp"
#include "review/readers/kinds.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostProfiles = 4096;

void take_shared(const Node* sharing, bool is_mps, PluginConfig& config) {
  if (sharing == nullptr) return;
  config.renames_by_default |= is_set(*sharing, {"renameByDefault"});
  config.refuses_several |= is_set(*sharing, {"failRequestsGreaterThanOne"});
  const Node* rows = sharing->find("resources");
  if (rows == nullptr) return;
  for (const Node& row : rows->items()) {
    config.resources.push_back({&row, word_at(row, {"name"}), word_at(row, {"rename"}),
                                integer_at(row, {"replicas"}), is_mps});
  }
}

PluginConfig plugin_config(const document::Document& document, const Node& root, std::string name) {
  PluginConfig config;
  config.document = &document;
  config.root = &root;
  config.name = std::move(name);
  config.mig_strategy = text_at(root, {"flags", "migStrategy"});
  config.time_slicing = at(root, {"sharing", "timeSlicing"});
  config.mps = at(root, {"sharing", "mps"});
  take_shared(config.time_slicing, false, config);
  take_shared(config.mps, true, config);
  return config;
}

GpuLayout layout_of(const Node& node) {
  GpuLayout layout;
  layout.node = &node;
  if (const Node* filter = node.find("device-filter")) {
    if (filter->is(Node::Kind::String)) layout.device_filter.push_back(filter->text());
    for (const Node& each : filter->items()) layout.device_filter.push_back(word_of(each));
  }
  if (const Node* devices = node.find("devices")) {
    for (const Node& each : devices->items()) {
      if (each.is(Node::Kind::Integer)) layout.devices.push_back(each.integer());
    }
  }
  const auto enabled = flag_at(node, {"mig-enabled"});
  layout.is_enabled = !enabled || enabled->value;
  for (const std::string_view list : {"mig-devices", "vgpu-devices"}) {
    const Node* rows = node.find(list);
    if (rows == nullptr) continue;
    for (const Node::Entry& entry : rows->entries()) {
      layout.profiles.push_back({{entry.name, &entry.value},
                                 std::clamp<std::int64_t>(entry.value.integer(), 0, kMostProfiles),
                                 entry.position});
    }
  }
  return layout;
}

void take_layouts(const document::Document& document, const Node& root, Deployment& deployment) {
  for (const std::string_view field : {"mig-configs", "vgpu-configs"}) {
    const Node* configs = root.find(field);
    if (configs == nullptr) continue;
    for (const Node::Entry& entry : configs->entries()) {
      LayoutConfig config;
      config.document = &document;
      config.root = &entry.value;
      config.name = entry.name;
      config.is_vgpu = field == "vgpu-configs";
      for (const Node& each : entry.value.items()) config.layouts.push_back(layout_of(each));
      deployment.layouts.push_back(std::move(config));
    }
  }
}

}  // namespace

bool is_plugin_config(const Node& root) {
  return root.find("version") != nullptr &&
         (at(root, {"sharing", "timeSlicing"}) != nullptr ||
          at(root, {"sharing", "mps"}) != nullptr ||
          at(root, {"flags", "migStrategy"}) != nullptr ||
          (root.find("flags") != nullptr && root.find("resources") != nullptr));
}

bool is_layout_file(const Node& root) {
  return root.find("mig-configs") != nullptr || root.find("vgpu-configs") != nullptr;
}

void read_plugin_config(const Object& object, Deployment& deployment) {
  deployment.plugin_configs.push_back(plugin_config(*object.document, *object.root, ""));
}

void read_layouts(const Object& object, Deployment& deployment) {
  take_layouts(*object.document, *object.root, deployment);
}

void read_config_map(const Object& object, Deployment& deployment) {
  const Node* data = object.root->find("data");
  if (data == nullptr) return;
  for (const Node::Entry& entry : data->entries()) {
    const std::string& text = entry.value.text();
    // What is looked for names itself; other texts are not read at all.
    if (!text.contains("sharing:") && !text.contains("migStrategy") &&
        !text.contains("mig-configs:") && !text.contains("vgpu-configs:")) {
      continue;
    }
    for (auto& inner : read_embedded(*object.document, entry.value)) {
      if (is_plugin_config(inner->root)) {
        deployment.plugin_configs.push_back(plugin_config(*inner, inner->root, entry.name));
      } else if (is_layout_file(inner->root)) {
        take_layouts(*inner, inner->root, deployment);
      } else {
        continue;
      }
      deployment.embedded.push_back(std::move(inner));
    }
  }
}

void read_cluster_policy(const Object& object, Deployment& deployment) {
  OperatorPolicy policy;
  policy.document = object.document;
  policy.root = object.root;
  policy.name = object.name;
  policy.spec = object.root->find("spec");
  const Node& spec = policy.spec == nullptr ? *object.root : *policy.spec;
  policy.mig_strategy = text_at(spec, {"mig", "strategy"});
  policy.device_plugin = flag_at(spec, {"devicePlugin", "enabled"});
  policy.plugin_config = word_at(spec, {"devicePlugin", "config", "default"});
  policy.mig_config = word_at(spec, {"migManager", "config", "default"});
  policy.sandbox_workloads = flag_at(spec, {"sandboxWorkloads", "enabled"});
  policy.driver_version = text_at(spec, {"driver", "version"});
  policy.dra_gpus = flag_at(spec, {"draDriver", "resources", "gpus", "enabled"});
  if (!policy.dra_gpus) policy.dra_gpus = flag_at(spec, {"draDriver", "enabled"});
  deployment.operator_policies.push_back(std::move(policy));
}

}  // namespace gpushape::review
