#include "review/deployment.hpp"

#include <utility>

namespace gpushape::review {

namespace {

void read_object(const document::Document& document, const document::Node& root,
                 std::span<const domain::Device> devices, Deployment& deployment) {
  const document::Node* kind = root.find("kind");
  const document::Node* items = root.find("items");
  if (kind != nullptr && items != nullptr && kind->text().ends_with("List")) {
    for (const document::Node& item : items->items()) {
      read_object(document, item, devices, deployment);
    }
    return;
  }
  if (auto vm = read_vm_class(document, root, devices)) {
    deployment.vm_classes.push_back(std::move(*vm));
  }
}

}  // namespace

Deployment read_deployment(std::span<const document::Document> documents,
                           std::span<const domain::Device> devices) {
  Deployment deployment;
  for (const document::Document& document : documents) {
    read_object(document, document.root, devices, deployment);
  }
  return deployment;
}

}  // namespace gpushape::review
