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

Diagnostic cannot_write(const fs::path& path, const std::string& why) {
  return complaint(fmt::format("{}: cannot be written: {}", path.string(), why));
}

std::string last_error() { return errno == 0 ? "the disk refused" : std::strerror(errno); }

/// A link stands for what it points to. A folder is refused.
Diagnostics resolve(Staged& file) {
  std::error_code error;
  if (fs::is_symlink(file.path, error)) file.path = fs::weakly_canonical(file.path, error);
  if (fs::is_directory(file.path, error)) {
    return {complaint(fmt::format("{}: is a folder, not a file", file.path.string()))};
  }
  return {};
}

Diagnostics write_text(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream output(path, std::ios::binary | std::ios::trunc);
  output << text;
  output.close();
  if (output) return {};
  return {cannot_write(path, last_error())};
}

/// All files are written beside their place under another name first, and renamed only when every
/// one of them is whole. Devices and pipes are no files to replace: they are written to at the end.
Diagnostics write_all(std::vector<Staged>& files) {
  Diagnostics faults;
  std::vector<Staged*> staged;
  std::vector<Staged*> streams;
  for (Staged& file : files) {
    faults = resolve(file);
    if (!faults.empty()) break;
    std::error_code error;
    if (fs::exists(file.path, error) && !fs::is_regular_file(file.path, error)) {
      streams.push_back(&file);
      continue;
    }
    file.staging = file.path;
    file.staging += fmt::format(".{}.partial", ::getpid());
    staged.push_back(&file);
    faults = write_text(file.staging, file.text);
    if (!faults.empty()) {
      faults.front() = cannot_write(file.path, last_error());
      break;
    }
    if (const fs::file_status status = fs::status(file.path, error); fs::exists(status)) {
      fs::permissions(file.staging, status.permissions(), error);
    }
  }
  for (Staged* file : staged) {
    std::error_code error;
    if (faults.empty()) fs::rename(file->staging, file->path, error);
    if (error) faults.push_back(cannot_write(file->path, error.message()));
    if (!faults.empty()) fs::remove(file->staging, error);
  }
  for (const Staged* stream : streams) {
    if (faults.empty()) faults = write_text(stream->path, stream->text);
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
  paths.reserve(files.size());
  for (const Staged& file : files) paths.push_back(file.path.string());
  return paths;
}

}  // namespace gpushape::cli
