// Completions for shells, written from the tables of commands and flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"

namespace gpushape::cli {

/// The words that a command takes first: "list", "show" … of `catalog`; empty where it takes none.
std::vector<std::string> command_words(const CommandRow& row);

/// What a shell offers behind a flag, or where the command takes no word of its own.
enum class Completion {
  Nothing,
  Choices,  ///< of the row
  File,
  Folder,
  Model,  ///< names of the catalog, asked for when needed
  Gpu,    ///< names of the profile tables, asked for when needed
  Output  ///< formats, and for advise the manifest targets
};
Completion completion_of(const FlagRow& row);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The manual page, section 1, for `man -l -`.
std::string manual_page(std::string_view version);

}  // namespace gpushape::cli
