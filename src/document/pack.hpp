// A document tree in a compact binary form, for data that is compiled into the program: reading it
// back needs no parsing of text. The build packs every file of catalog/ and profiles/ with the tool
// made from pack_main.cpp; positions survive, so that a fault in a built-in file is reported with
// its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::document {

/// One embedded file: its path below the embedded folder, the names it answers to (its `id` and
/// `aliases`), its packed tree.
struct PackedFile {
  std::string_view path;
  std::string_view id;       ///< the document's top-level `id`, or the file's stem
  std::string_view aliases;  ///< newline-separated top-level `aliases`
  std::string_view packed;
};

std::string pack(const Node& node);
/// The tree of `packed`, which a build of the same version made.
Node unpack(std::string_view packed);
/// unpack, with the file's path as its source.
Document unpack(const PackedFile& file);

}  // namespace gpushape::document
