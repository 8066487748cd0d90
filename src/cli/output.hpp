// Where finished documents go: standard output, one file or a folder. Files are written whole or
// not at all.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "cli/terminal.hpp"

namespace gpushape::cli {

/// One finished document, or several of one target.
struct Piece {
  std::string name;       ///< "advice", "vm-class"
  std::string extension;  ///< "txt", "json", "yaml"
  std::string text;
};

/// Refuses what cannot go together: YAML beside text or JSON on one stream, several pieces in one
/// file that are not YAML.
Diagnostics check_destination(const Invocation& invocation,
                              const std::vector<std::string>& extensions);

/// Writes the pieces where the invocation says; the paths that were written, in order.
Result<std::vector<std::string>> write_pieces(const std::vector<Piece>& pieces,
                                              const Invocation& invocation,
                                              const Terminal& terminal);

}  // namespace gpushape::cli
