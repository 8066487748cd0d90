// The program, with its surroundings as arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"

namespace gpushape::cli {

/// "0.1.0".
std::string_view program_version();

/// `arguments` are those behind the program's name. Returns the exit status: 0 done, 1 the answer
/// is no, 2 bad input, 3 a fault of ours. Never throws.
int run(const std::vector<std::string>& arguments, const Terminal& terminal);

}  // namespace gpushape::cli
