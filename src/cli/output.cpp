#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gpushape::cli {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += "---\n";
    text += piece.text;
  }
  return text;
}

struct Staged {
  fs::path staging;
  fs::path path;
  std::string text;
};

/// All files are written beside their place under another name first, and renamed only when every
/// one of them is whole.
Diagnostics write_all(std::vector<Staged>& files) {
  Diagnostics faults;
  std::size_t written = 0;
  for (Staged& file : files) {
    std::error_code error;
    if (fs::is_directory(file.path, error)) {
      faults.push_back(complaint(fmt::format("{}: is a folder, not a file", file.path.string())));
      break;
    }
    file.staging = file.path;
    file.staging += fmt::format(".{}.partial", ::getpid());
    ++written;
    errno = 0;
    std::ofstream output(file.staging, std::ios::binary | std::ios::trunc);
    output << file.text;
    output.close();
    if (!output) {
      faults.push_back(
          complaint(fmt::format("{}: cannot be written: {}", file.path.string(),
                                errno == 0 ? "the disk refused" : std::strerror(errno))));
      break;
    }
  }
  for (std::size_t index = 0; index < written; ++index) {
    std::error_code error;
    if (faults.empty()) fs::rename(files[index].staging, files[index].path, error);
    if (error) {
      faults.push_back(complaint(
          fmt::format("{}: cannot be written: {}", files[index].path.string(), error.message())));
    }
    if (!faults.empty()) {
      std::error_code ignored;
      fs::remove(files[index].staging, ignored);
    }
  }
  return faults;
}

}  // namespace

Diagnostics check_destination(const Invocation& invocation,
                              const std::vector<std::string>& extensions) {
  if (!invocation.output_file.empty() && !invocation.output_folder.empty()) {
    return {complaint("--output-file and --output-dir exclude each other")};
  }
  if (!invocation.output_folder.empty() || extensions.size() < 2) return {};
  const bool is_all_yaml = std::ranges::all_of(
      extensions, [](const std::string& extension) { return extension == "yaml"; });
  if (is_all_yaml) return {};
  return {complaint("text and JSON cannot be joined with other documents in one stream",
                    "give --output-dir FOLDER, which writes one file each")};
}

Result<std::vector<std::string>> write_pieces(const std::vector<Piece>& pieces,
                                              const Invocation& invocation,
                                              const Terminal& terminal) {
  if (invocation.output_file.empty() && invocation.output_folder.empty()) {
    terminal.out << joined(pieces);
    terminal.out.flush();
    return std::vector<std::string>{};
  }
  std::vector<Staged> files;
  if (!invocation.output_file.empty()) {
    files.push_back({{}, invocation.output_file, joined(pieces)});
  } else {
    std::error_code error;
    fs::create_directories(invocation.output_folder, error);
    if (error) {
      return failure(fmt::format("--output-dir {}: cannot be made: {}", invocation.output_folder,
                                 error.message()));
    }
    for (const Piece& piece : pieces) {
      files.push_back(
          {{},
           fs::path(invocation.output_folder) / fmt::format("{}.{}", piece.name, piece.extension),
           piece.text});
    }
  }
  if (Diagnostics faults = write_all(files); !faults.empty()) return failure(std::move(faults));
  std::vector<std::string> paths;
  for (const Staged& file : files) paths.push_back(file.path.string());
  return paths;
}

}  // namespace gpushape::cli
