// All documents under review, sorted into the forms that rules ask for. Borrows the documents.
#pragma once

#include <span>
#include <vector>

#include "document/node.hpp"
#include "domain/device.hpp"
#include "review/vm_class.hpp"

namespace gpushape::review {

struct Deployment {
  std::vector<VmClass> vm_classes;  ///< in the order of the documents
};

/// A `List` counts as its items.
Deployment read_deployment(std::span<const document::Document> documents,
                           std::span<const domain::Device> devices);

}  // namespace gpushape::review
