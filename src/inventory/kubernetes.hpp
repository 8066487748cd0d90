// The parts of the Kubernetes source that stand in files of their own.
#pragma once

#include "document/node.hpp"
#include "inventory/seen.hpp"

namespace gpushape::inventory {

void read_resource_slice(const document::Node& object, const document::Source& source, Seen& seen);
void read_resource_claim(const document::Node& object, const document::Source& source, Seen& seen);

Diagnostics read_node(const document::Node& object, const document::Source& source, Seen& seen);
/// All pods at once: shares of KAI and Run:ai are told through reservation pods.
Diagnostics read_pods(const std::vector<const document::Node*>& pods,
                      const document::Source& source, Seen& seen);

}  // namespace gpushape::inventory
