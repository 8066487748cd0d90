// Reading Terraform's language, as far as it states values: blocks, attributes, strings, numbers,
// lists, maps. Expressions are kept as their text; nothing is evaluated.
//
// The tree is that of Terraform's JSON syntax: a block `resource "vsphere_virtual_machine" "a" {…}`
// stands at resource / vsphere_virtual_machine / a, and a block that is written several times is a
// sequence. HCL native syntax specification: github.com/hashicorp/hcl, hclsyntax/spec.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "document/node.hpp"
#include "document/text_format.hpp"

namespace gpushape::document {

/// A string without interpolation is its text; one with "${…}", and every other expression
/// (`var.cpus`, `max(2, 4)`), is a String that holds what is written, not `quoted()`.
Result<Document> read_hcl(std::string_view text, std::string file, const Limits& limits = {});

}  // namespace gpushape::document
