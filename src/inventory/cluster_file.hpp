// A cluster from a document: `kind: Cluster`, as the examples in examples/clusters/ show it.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/cluster.hpp"

namespace gpushape::inventory {

/// Equal hosts in a row may be written once, with a `count`; so may equal GPUs of a host.
Result<domain::Cluster> read_cluster(const document::Document& document);

/// The same document form: reading it back gives an equal cluster, but for `source`.
document::Node to_node(const domain::Cluster& cluster);

}  // namespace gpushape::inventory
