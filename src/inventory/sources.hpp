// Every form that an inventory is read from, one row each: what it is called, how a document of it
// is told, and how it becomes a Cluster. To add one: a file beside this one and a row.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/cluster.hpp"

namespace gpushape::inventory {

struct SourceRow {
  std::string_view name;
  std::string_view description;
  bool (*recognises)(const document::Node& root);
  Result<domain::Cluster> (*read)(const document::Document& document);
};

/// In the order in which a document is tried.
std::span<const SourceRow> sources();

/// By the first row that recognises the document; one that none does is a Diagnostic that names
/// what is read.
Result<domain::Cluster> read_inventory(const document::Document& document);

/// The server model behind a document: that of a Host, or of the one kind of host in a Cluster.
Result<domain::Host> read_server(const document::Document& document);

}  // namespace gpushape::inventory
