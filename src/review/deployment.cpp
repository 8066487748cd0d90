#include "review/deployment.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "inventory/cluster_file.hpp"
#include "place/complete.hpp"
#include "review/command_line.hpp"
#include "review/engine_variables.hpp"
#include "review/gpu_asks.hpp"
#include "review/ollama.hpp"
#include "review/published_table.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving_runtimes.hpp"
#include "schema/kinds.hpp"
#include "schema/platform_document.hpp"

namespace gpushape::review {

using document::Document;
using document::Node;

namespace {

/// What was read, or its faults.
template <class T>
std::optional<T> keep(Result<T> read, Deployment& deployment) {
  if (read) return std::move(*read);
  std::ranges::move(read.error(), std::back_inserter(deployment.faults));
  return std::nullopt;
}

/// A document of our own kinds; a fault in one is bad input.
void read_own(const Object& object, Deployment& deployment) {
  if (object.kind == "Platform") {
    if (auto facts = keep(schema::read_platform(*object.document), deployment)) {
      deployment.platforms.push_back({object.document, object.root, std::move(*facts)});
    }
  } else if (object.kind == "Workload") {
    if (auto workload = keep(schema::read_workload(*object.document), deployment)) {
      deployment.workloads.push_back({object.document, object.root, std::move(*workload)});
    }
  } else if (object.kind == "Cluster" && deployment.own_cluster_document == nullptr) {
    deployment.own_cluster_document = object.document;
    deployment.own_cluster = keep(inventory::read_cluster(*object.document), deployment);
    if (deployment.own_cluster) {
      place::complete(*deployment.own_cluster, deployment.request->devices);
    }
  } else if (object.kind == "ResourceContract" || object.kind == "Advice") {
    auto contracts = keep(schema::read_contracts(*object.document), deployment);
    // Of an Advice the best shape is the answer.
    if (contracts && !contracts->empty()) {
      deployment.contracts.push_back({object.document, object.root, std::move(contracts->front())});
    }
  }
}

Object object_of(const Document& document, const Node& root) {
  return {&document,
          &root,
          word_at(root, {"apiVersion"}),
          word_at(root, {"kind"}),
          word_at(root, {"metadata", "name"}),
          word_at(root, {"metadata", "namespace"})};
}

void read_shape(Object object, Deployment& deployment) {
  for (const ShapeRow& row : shape_rows()) {
    if (!row.is_it(*object.root)) continue;
    if (object.kind.empty()) object.kind = row.title;
    object.has_reader = true;
    deployment.objects.push_back(object);
    row.read(object, deployment);
    return;
  }
  deployment.objects.push_back(std::move(object));
}

void read_object(const Document& document, const Node& root, Deployment& deployment) {
  if (root.is(Node::Kind::Null)) return;
  if (const Node* items = listed_objects(root)) {
    for (const Node& item : items->items()) read_object(document, item, deployment);
    return;
  }
  Object object = object_of(document, root);
  if (object.api_version == schema::kApiVersion) {
    object.has_reader = true;
    deployment.objects.push_back(object);
    read_own(object, deployment);
    return;
  }
  const KindRow* row = object.kind.empty() ? nullptr : find_kind(object.api_version, object.kind);
  if (row == nullptr) {
    read_shape(std::move(object), deployment);
    return;
  }
  object.has_reader = true;
  deployment.objects.push_back(object);
  if (row->read != nullptr) row->read(object, deployment);
}

bool is_in(std::string_view name_space, std::string_view wanted) {
  return name_space.empty() || wanted.empty() || name_space == wanted;
}

template <class Row>
void index_names(const std::vector<Row>& rows, Deployment::NameIndex& index) {
  for (std::size_t i = 0; i < rows.size(); ++i) index.emplace(rows[i].name, i);
}

/// Equal names stand in a multimap in the order of insertion, which is that of the documents.
template <class Row, class Condition>
const Row* first_of_name(const std::vector<Row>& rows, const Deployment::NameIndex& index,
                         std::string_view name, Condition holds) {
  const auto [begin, end] = index.equal_range(name);
  for (auto row = begin; row != end; ++row) {
    if (holds(rows[row->second])) return &rows[row->second];
  }
  return nullptr;
}

template <class Row>
const Row* first_of_name(const std::vector<Row>& rows, const Deployment::NameIndex& index,
                         std::string_view name) {
  return first_of_name(rows, index, name, [](const Row&) { return true; });
}

}  // namespace

Deployment read_deployment(const ReviewRequest& request) {
  Deployment deployment;
  deployment.request = &request;
  collect_serving_runtimes(request.documents, deployment);
  for (const Document& document : request.documents) {
    read_object(document, document.root, deployment);
  }
  index_names(deployment.claims, deployment.claim_names);
  index_names(deployment.device_classes, deployment.device_class_names);
  index_names(deployment.volume_claims, deployment.volume_claim_names);
  index_names(deployment.vm_classes, deployment.vm_class_names);
  take_gpu_asks(deployment);
  read_ollama_calls(deployment);
  for (PodRequest& pod : deployment.pods) {
    for (Container& container : pod.containers) {
      if (!container.engine) container.engine = read_engine_call(container);
      if (!container.engine) container.engine = read_nim_call(container);
    }
  }
  deployment.published = std::make_shared<PublishedTable>(request.devices);
  deployment.sizings = std::make_shared<Sizings>(request, deployment.published);
  return deployment;
}

const document::Node& StatedPlatform::place(std::string_view field) const {
  const Node* node = root->find(field);
  return node == nullptr ? *root : *node;
}

const domain::Cluster* Deployment::cluster() const {
  if (request->cluster != nullptr) return request->cluster;
  return own_cluster ? &*own_cluster : nullptr;
}

const Claim* Deployment::find_claim(std::string_view name, std::string_view name_space,
                                    bool is_template) const {
  return first_of_name(claims, claim_names, name, [&](const Claim& claim) {
    return claim.is_template == is_template && is_in(claim.name_space, name_space);
  });
}

const DeviceClass* Deployment::find_device_class(std::string_view name) const {
  return first_of_name(device_classes, device_class_names, name);
}

const VolumeClaim* Deployment::find_volume_claim(std::string_view name,
                                                 std::string_view name_space) const {
  return first_of_name(volume_claims, volume_claim_names, name, [&](const VolumeClaim& claim) {
    return is_in(claim.name_space, name_space);
  });
}

const VmClass* Deployment::find_vm_class(std::string_view name) const {
  return first_of_name(vm_classes, vm_class_names, name);
}

}  // namespace gpushape::review
