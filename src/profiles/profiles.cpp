#include "profiles/profiles.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include "base/edit_distance.hpp"
#include "document/reader.hpp"
#include "document/text_format.hpp"
#include "profiles/board_file.hpp"
#include "profiles/check_device.hpp"
#include "profiles/device_file.hpp"
#include "profiles/overlay_folder.hpp"
#include "profiles/source_table.hpp"

namespace gpushape::profiles {

namespace {
constexpr std::string_view kSourcesPath = "sources.yaml";
}  // namespace

const SourceTable& built_in_sources() {
  static const SourceTable table = [] {
    const auto files = embedded_profiles();
    const auto file = std::ranges::find(files, kSourcesPath, &document::PackedFile::path);
    const document::Document document =
        file == files.end() ? document::Document{} : document::unpack(*file);
    const document::Source none;
    Diagnostics diagnostics;
    document::Reader reader(document.root, document.source ? *document.source : none, diagnostics,
                            "sources");
    return SourceTable(reader);
  }();
  return table;
}

namespace {

constexpr std::string_view kBoards = "boards/";
constexpr std::string_view kServers = "servers/";

bool is_device_path(std::string_view path) {
  return path != kSourcesPath && !path.starts_with(kBoards) && !path.starts_with(kServers);
}

/// What is left of a name when case, separators, the maker's words and a closing "gb" are ignored.
std::string key_of(std::string_view name) {
  std::string key;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) continue;
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const std::string_view word : {"nvidia", "amd", "instinct", "intel"}) {
    if (key.size() > word.size() && key.starts_with(word)) key.erase(0, word.size());
  }
  constexpr std::string_view kModule = "oam";  // how rocm-smi ends the names of accelerators
  if (key.starts_with("mi") && key.ends_with(kModule)) key.resize(key.size() - kModule.size());
  if (key.size() > 3 && key.ends_with("gb") &&
      std::isdigit(static_cast<unsigned char>(key[key.size() - 3])) != 0) {
    key.resize(key.size() - 2);
  }
  return key;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What a device may be called, and how to get at its file.
struct Entry {
  std::string id;
  std::vector<std::string> aliases;
  const document::PackedFile* packed = nullptr;  ///< one of the two
  const document::Document* document = nullptr;
};

Result<domain::Device> read(const Entry& entry) {
  if (entry.document != nullptr) return read_device(*entry.document, built_in_sources());
  return read_device(document::unpack(*entry.packed), built_in_sources());
}

std::string joined(const std::vector<std::string>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? std::string(last) : ", ";
    text += names[i];
  }
  return text;
}

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The names of all devices, and the boards.
struct Index {
  std::vector<Entry> devices;  ///< sorted by id, the user's in place of built-in ones
  std::vector<domain::Board> boards;
};

/// Calls `use` for every document below `prefix`: the user's first, then built-in ones whose id the
/// user has not given.
template <class Files, class Use>
void each_document(std::string_view prefix, const Files& overlay, Use use) {
  std::vector<std::string_view> taken;
  for (const auto& file : overlay) {
    if (!file.path.starts_with(prefix)) continue;
    taken.push_back(file.id);
    use(file.document);
  }
  for (const document::PackedFile& file : embedded_profiles()) {
    if (!file.path.starts_with(prefix) || std::ranges::find(taken, file.id) != taken.end())
      continue;
    use(document::unpack(file));
  }
}

template <class Files>
Result<Index> index_of(const Files& overlay) {
  Index index;
  std::map<std::string, Entry, std::less<>> devices;
  for (const document::PackedFile& file : embedded_profiles()) {
    if (!is_device_path(file.path)) continue;
    Entry entry{.id = std::string(file.id), .aliases = {}, .packed = &file, .document = nullptr};
    for (const std::string_view alias : lines_of(file.aliases)) entry.aliases.emplace_back(alias);
    devices.insert_or_assign(entry.id, std::move(entry));
  }
  for (const auto& file : overlay) {
    if (!is_device_path(file.path)) continue;
    devices.insert_or_assign(
        file.id,
        Entry{
            .id = file.id, .aliases = file.aliases, .packed = nullptr, .document = &file.document});
  }
  for (auto& [id, entry] : devices) index.devices.push_back(std::move(entry));

  Diagnostics diagnostics;
  each_document(kBoards, overlay, [&](const document::Document& document) {
    Result<domain::Board> board = read_board(document, built_in_sources());
    if (board) {
      index.boards.push_back(std::move(*board));
    } else {
      append(diagnostics, board.error());
    }
  });
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  // The usual board is the one with most GPUs; ties go by id.
  std::ranges::sort(index.boards, [](const domain::Board& a, const domain::Board& b) {
    return a.gpus != b.gpus ? a.gpus > b.gpus : a.id < b.id;
  });
  return index;
}

Result<domain::Device> with_boards(Result<domain::Device> device, const Index& index) {
  if (!device) return device;
  for (const domain::Board& board : index.boards) {
    if (std::ranges::find(board.devices, device->id) != board.devices.end()) {
      device->boards.push_back(board);
    }
  }
  return device;
}

/// Devices whose product name this is: what an inventory prints. Only asked where no id and no
/// alias fits, for it reads every file.
Result<std::vector<std::string>> devices_of_product(const std::string& key, const Index& index) {
  std::vector<std::string> ids;
  for (const Entry& entry : index.devices) {
    const Result<domain::Device> device = read(entry);
    if (!device) return std::unexpected(device.error());
    if (std::ranges::any_of(device->product_names,
                            [&](const std::string& name) { return key_of(name) == key; })) {
      ids.push_back(entry.id);
    }
  }
  return ids;
}

}  // namespace

Result<Profiles> Profiles::open(const std::optional<std::string>& overlay_folder) {
  Profiles profiles;
  if (!overlay_folder) return profiles;
  const Result<std::vector<std::string>> paths = overlay_paths(*overlay_folder);
  if (!paths) return std::unexpected(paths.error());
  Diagnostics diagnostics;
  for (const std::string& path : *paths) {
    const std::string full = (std::filesystem::path(*overlay_folder) / path).generic_string();
    const Result<std::string> text = document::read_file(full);
    if (!text) {
      append(diagnostics, text.error());
      continue;
    }
    const Result<std::vector<document::Document>> documents = document::read_yaml(*text, full);
    if (!documents) {
      append(diagnostics, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      Diagnostics ignored;  // the file's own reader complains of these fields
      document::Reader reader(document.root, *document.source, ignored, "file");
      OverlayFile file{
          .path = path,
          .id = reader.text("id").value_or(std::filesystem::path(path).stem().string()),
          .aliases = reader.texts("aliases"),
          .document = document};
      const auto same = std::ranges::find_if(profiles.overlay_, [&](const OverlayFile& other) {
        return other.id == file.id && is_device_path(other.path) == is_device_path(path);
      });
      if (same != profiles.overlay_.end()) {
        diagnostics.push_back(document.source->diagnostic(
            document.root.position(), "'" + file.id + "' stands in " + same->path + " as well"));
      }
      if (path.starts_with(kBoards)) {
        if (const auto board = read_board(document, built_in_sources()); !board)
          append(diagnostics, board.error());
      } else if (path.starts_with(kServers)) {
        if (const auto server = read_server(document, built_in_sources()); !server)
          append(diagnostics, server.error());
      } else if (const auto device = read_device(document, built_in_sources()); !device) {
        append(diagnostics, device.error());
      } else {
        for (Diagnostic& fault : check_device(*device)) {
          fault.span.file = full;
          diagnostics.push_back(std::move(fault));
        }
      }
      profiles.overlay_.push_back(std::move(file));
    }
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return profiles;
}

Result<domain::Device> Profiles::find(std::string_view name) const {
  const Result<Index> index = index_of(overlay_);
  if (!index) return std::unexpected(index.error());
  const std::string key = key_of(name);
  std::vector<std::string> ids;
  std::vector<std::string> known;
  const Entry* found = nullptr;
  for (const Entry& entry : index->devices) {
    if (key_of(entry.id) == key) return with_boards(read(entry), *index);
    known.push_back(entry.id);
    for (const std::string& alias : entry.aliases) {
      known.push_back(alias);
      if (key_of(alias) != key || found == &entry) continue;
      found = &entry;
      ids.push_back(entry.id);
    }
  }
  if (ids.empty() && !key.empty()) {
    Result<std::vector<std::string>> of_product = devices_of_product(key, *index);
    if (!of_product) return std::unexpected(of_product.error());
    ids = std::move(*of_product);
    if (ids.size() == 1) return find(ids.front());
  }
  if (ids.size() == 1) return with_boards(read(*found), *index);
  if (ids.size() > 1) {
    return failure("'" + std::string(name) + "' may be any of " + joined(ids, " and "),
                   "name one of them");
  }
  return failure("no GPU is called '" + std::string(name) + "'",
                 suggestion(name, known, "'gpushape profiles list' names them all"));
}

std::optional<document::Document> Profiles::document_of(std::string_view id) const {
  for (const OverlayFile& file : overlay_) {
    if (file.id == id && is_device_path(file.path)) return file.document;
  }
  for (const document::PackedFile& file : embedded_profiles()) {
    if (file.id != id || !is_device_path(file.path)) continue;
    document::Document document = document::unpack(file);
    document::Source source = *document.source;
    source.file = "profiles/" + std::string(file.path);
    document.source = std::make_shared<const document::Source>(std::move(source));
    return document;
  }
  return std::nullopt;
}

std::vector<std::string> Profiles::devices() const {
  std::vector<std::string> ids;
  for (const document::PackedFile& file : embedded_profiles()) {
    if (is_device_path(file.path)) ids.emplace_back(file.id);
  }
  for (const OverlayFile& file : overlay_) {
    if (is_device_path(file.path)) ids.push_back(file.id);
  }
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  return ids;
}

Result<std::vector<domain::Device>> Profiles::all() const {
  const Result<Index> index = index_of(overlay_);
  if (!index) return std::unexpected(index.error());
  std::vector<domain::Device> devices;
  devices.reserve(index->devices.size());
  Diagnostics diagnostics;
  for (const Entry& entry : index->devices) {
    Result<domain::Device> device = with_boards(read(entry), *index);
    if (device) {
      devices.push_back(std::move(*device));
    } else {
      append(diagnostics, device.error());
    }
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return devices;
}

struct Profiles::Servers {
  std::vector<Server> all;
  Diagnostics diagnostics;
};

Result<domain::Host> Profiles::usual_server(const domain::Device& device) const {
  if (servers_ == nullptr) {
    Servers servers;
    each_document(kServers, overlay_, [&](const document::Document& document) {
      Result<Server> server = read_server(document, built_in_sources());
      if (server) {
        servers.all.push_back(std::move(*server));
      } else {
        append(servers.diagnostics, server.error());
      }
    });
    servers_ = std::make_shared<const Servers>(std::move(servers));
  }
  for (const Server& server : servers_->all) {
    if (std::ranges::find(server.devices, device.id) == server.devices.end()) continue;
    domain::Host host = host_with(server, device);
    host.source = "the usual server of " + device.id + ": " + host.source;
    return host;
  }
  if (!servers_->diagnostics.empty()) return failure(servers_->diagnostics);
  return failure("no usual server is known for " + device.id, "name the host with --host");
}

Result<domain::Host> Profiles::server(std::string_view name, std::string_view gpu) const {
  Diagnostics diagnostics;
  std::vector<std::string> known;
  std::optional<Server> found;
  const std::string key = key_of(name);
  each_document(kServers, overlay_, [&](const document::Document& document) {
    const Result<Server> server = read_server(document, built_in_sources());
    if (!server) {
      append(diagnostics, server.error());
      return;
    }
    const document::Node* id = document.root.find("id");
    if (id == nullptr || found) return;
    known.push_back(id->text());
    if (key_of(id->text()) == key || key_of(server->host.name) == key) found = *server;
  });
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  if (!found) {
    return failure("no server is called '" + std::string(name) + "'",
                   suggestion(name, known,
                              "expected a file of kind Host, or one of " + joined(known, " and ")));
  }
  if (found->devices.empty() && gpu.empty()) {
    return failure("the server '" + std::string(name) + "' has no usual GPU", "name it with --gpu");
  }
  const Result<domain::Device> device = find(gpu.empty() ? found->devices.front() : gpu);
  if (!device) return std::unexpected(device.error());
  return host_with(*found, *device);
}

}  // namespace gpushape::profiles
