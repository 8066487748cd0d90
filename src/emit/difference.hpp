// What would change against manifests that exist: documents are paired by kind and name, and their
// fields compared one by one. Order of fields and comments do not count.
#pragma once

#include <string>
#include <vector>

#include "document/node.hpp"

namespace gpushape::emit {

/// "Deployment/llama: spec.replicas: 1 -> 2"; "+" and "-" where one side has no such field or
/// document. Empty where nothing differs.
std::vector<std::string> differences(const std::vector<document::Node>& existing,
                                     const std::vector<document::Node>& written);

}  // namespace gpushape::emit
