// A host profile from a document: `kind: Host`, as the examples in examples/hosts/ show it.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/host.hpp"

namespace gpushape::inventory {

Result<domain::Host> read_host(const document::Document& document);

/// The same document form: reading it back gives an equal host, but for `source`.
document::Node to_node(const domain::Host& host);

}  // namespace gpushape::inventory
