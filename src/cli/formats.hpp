// The output formats that -o names, for the commands whose answer is one document.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/invocation.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {

/// Prints one document in every format asked for (text where none is), on standard output or where
/// the invocation says. Complaints name unknown formats.
Diagnostics print_document(
    const std::string& name, const Invocation& invocation, const Terminal& terminal,
    const std::function<std::string(const render::FormatRow&, const render::Style&)>& write);

}  // namespace gpushape::cli
