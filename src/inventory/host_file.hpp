// A host profile from a document: `kind: Host`, as the examples in examples/hosts/ show it.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/host.hpp"

namespace gpushape::inventory {

Result<domain::Host> read_host(const document::Document& document);

}  // namespace gpushape::inventory
