// Inventories from what real systems print. One row a source: what it is called, how its files are
// told, and how one is read. To add one: a file beside this one and a row.
//
// The files of one import may tell of the same hosts; what they say is joined (seen.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "inventory/seen.hpp"

namespace gpushape::inventory {

struct ImportFile {
  std::string name;  ///< as the user named it
  std::string text;
  /// Of the host, for files that do not name it (nvidia-smi, topology).
  std::string host;
};

struct ImportRow {
  std::string_view name;
  std::string_view description;
  std::string_view command;  ///< that prints such a file
  bool (*recognises)(std::string_view text);
  /// Adds what the file shows; complaints about what is no such file.
  Diagnostics (*read)(const ImportFile& file, Seen& seen);
  bool is_of_one_host = false;
};

/// In the order in which a file is tried.
std::span<const ImportRow> import_sources();
/// The row whose form the text has; nullptr where none does.
const ImportRow* import_source_of(std::string_view text);

struct ImportOptions {
  std::string from;  ///< name of the source of all files; empty: by content
  std::string name;  ///< of the one host, or of the cluster
};

/// Files of one host each belong together by the part of their names before the first dot; where
/// there is at most one of each source, all of them do.
Result<Imported> import_files(std::vector<ImportFile> files, const ImportOptions& options,
                              const FindDevice& find);

// The sources, one file each.
bool is_kubernetes(std::string_view text);
Diagnostics read_kubernetes(const ImportFile& file, Seen& seen);
bool is_vsphere(std::string_view text);
Diagnostics read_vsphere(const ImportFile& file, Seen& seen);
bool is_nvidia_smi(std::string_view text);
Diagnostics read_nvidia_smi(const ImportFile& file, Seen& seen);
bool is_nvidia_topology(std::string_view text);
Diagnostics read_nvidia_topology(const ImportFile& file, Seen& seen);
bool is_lstopo(std::string_view text);
Diagnostics read_lstopo(const ImportFile& file, Seen& seen);
bool is_csv_nodes(std::string_view text);
Diagnostics read_csv_nodes(const ImportFile& file, Seen& seen);

}  // namespace gpushape::inventory
