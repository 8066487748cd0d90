// `-o list` and `-o NAME --help`: what can be written, and the options of one target.
#pragma once

#include <optional>
#include <string>

#include "cli/flags.hpp"

namespace gpushape::cli {

/// Formats and manifest targets, a line each.
std::string output_list();

/// Help on the manifest target that --output names; nothing where it names none.
std::optional<std::string> target_help(const ParsedFlags& parsed);

}  // namespace gpushape::cli
