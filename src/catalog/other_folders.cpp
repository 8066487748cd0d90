#include "catalog/other_folders.hpp"

#include <array>
#include <string_view>
#include <system_error>
#include <vector>

#include "catalog/config.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

/// The file that names a snapshot holds 40 digits of a commit.
std::string main_commit(const fs::path& folder) {
  constexpr document::Limits kCommit{.bytes = 256, .depth = 1, .nodes = 1};
  const Result<std::string> text =
      document::read_file((folder / "refs" / "main").string(), kCommit);
  if (!text) return {};
  const std::string commit = text->substr(0, text->find_first_of(" \t\r\n"));
  const bool is_name = commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_name ? commit : std::string();
}

struct Stranger {
  std::string_view file;
  std::string_view help;
};
constexpr auto kStrangers = std::to_array<Stranger>({
    {"adapter_config.json",
     "it holds a LoRA adapter: name its base model, and the adapter's rank with --lora"},
    {"model_index.json", "it holds a generator of images, which is not sized here"},
    {"params.json",
     "it holds a publisher's own format: give the config.json of the same repository, or the "
     "model's id"},
});

}  // namespace

std::optional<fs::path> snapshot_in_cache(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> snapshots;
  for (fs::directory_iterator entry(folder / "snapshots", error), end; !error && entry != end;
       entry.increment(error)) {
    if (config_in(entry->path())) snapshots.push_back(entry->path());
  }
  const std::string commit = snapshots.empty() ? std::string() : main_commit(folder);
  for (const fs::path& snapshot : snapshots) {
    if (!commit.empty() && snapshot.filename() == commit) return snapshot;
  }
  return snapshots.size() == 1 ? std::optional(snapshots.front()) : std::nullopt;
}

std::string help_for_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const Stranger& stranger : kStrangers) {
    if (fs::exists(folder / stranger.file, ignored)) return std::string(stranger.help);
  }
  if (fs::is_directory(folder / "snapshots", ignored))
    return "it is a folder of the Hub's cache: name one of the folders below its snapshots";
  return {};
}

}  // namespace gpushape::catalog
