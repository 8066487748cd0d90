// Namespaces, quotas, volume claims, queues, claims and classes.
#include "review/cluster_objects.hpp"

#include <utility>

#include "review/gpu_asks.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/pod_parts.hpp"

namespace gpushape::review {

using document::Node;

std::string Object::title() const {
  std::string text = kind;
  if (!name.empty()) text += " " + (name_space.empty() ? name : name_space + "/" + name);
  return text;
}

const Node& Object::place() const {
  const Node* named = at(*root, {"metadata", "name"});
  return named == nullptr ? *root : *named;
}

void read_namespace(const Object& object, Deployment& deployment) {
  deployment.namespaces.push_back({object.document, object.root, object.name,
                                   named_texts(at(*object.root, {"metadata", "labels"})),
                                   named_texts(at(*object.root, {"metadata", "annotations"}))});
}

void read_quota(const Object& object, Deployment& deployment) {
  deployment.quotas.push_back({object.document, object.root, object.name, object.name_space,
                               amounts_of(at(*object.root, {"spec", "hard"}))});
}

void read_volume_claim(const Object& object, Deployment& deployment) {
  VolumeClaim claim;
  claim.document = object.document;
  claim.root = object.root;
  claim.name = object.name;
  claim.name_space = object.name_space;
  claim.bytes = quantity_at(*object.root, {"spec", "resources", "requests", "storage"});
  claim.storage_class = text_at(*object.root, {"spec", "storageClassName"});
  if (const Node* modes = at(*object.root, {"spec", "accessModes"})) {
    for (const Node& mode : modes->items()) claim.access_modes.push_back(word_of(mode));
  }
  deployment.volume_claims.push_back(std::move(claim));
}

void read_queue(const Object& object, Deployment& deployment) {
  Queue queue;
  queue.document = object.document;
  queue.root = object.root;
  queue.kind = object.kind;
  queue.name = object.name;
  if (const Node* groups = at(*object.root, {"spec", "resourceGroups"})) {
    for (const Node& group : groups->items()) {
      if (const Node* covered = group.find("coveredResources")) {
        for (const Node& each : covered->items()) queue.covered.push_back({word_of(each), &each});
      }
      const Node* flavors = group.find("flavors");
      if (flavors == nullptr) continue;
      for (const Node& flavor : flavors->items()) {
        const Node* resources = flavor.find("resources");
        if (resources == nullptr) continue;
        for (const Node& each : resources->items()) {
          if (const auto quota = quantity_at(each, {"nominalQuota"})) {
            queue.quotas.push_back(
                {word_at(each, {"name"}), quota->value, quota->node, quota->node->position()});
          }
        }
      }
    }
  }
  if (const Node* resources = at(*object.root, {"spec", "resources"})) {  // KAI
    for (const Node::Entry& entry : resources->entries()) {
      if (const auto quota = quantity_at(entry.value, {"quota"})) {
        queue.quotas.push_back({entry.name, quota->value, quota->node, entry.position});
      }
    }
  }
  if (const Node* capability = at(*object.root, {"spec", "capability"})) {  // Volcano
    for (ResourceAmount& row : amounts_of(capability)) queue.quotas.push_back(std::move(row));
  }
  deployment.queues.push_back(std::move(queue));
}

void read_claim_object(const Object& object, Deployment& deployment) {
  if (auto claim = read_claim(*object.document, *object.root)) {
    deployment.claims.push_back(std::move(*claim));
  }
}

void read_class_object(const Object& object, Deployment& deployment) {
  if (auto found = read_device_class(*object.document, *object.root)) {
    deployment.device_classes.push_back(std::move(*found));
  }
}

}  // namespace gpushape::review
