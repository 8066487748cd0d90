// One entry as it grows while an import takes the GPUs of its model.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/device.hpp"
#include "profiles/import.hpp"
#include "profiles/printed.hpp"

namespace gpushape::profiles {

/// True where nvidia-smi prints `bytes` as this many GiB, to two decimals.
bool is_printed_size(Bytes bytes, double gib);

class EntryOf {
 public:
  /// Of a device that the tables have, as its file has it.
  EntryOf(const domain::Device& device, document::Document table);
  /// Of one that they have not.
  explicit EntryOf(const PrintedGpu& gpu);

  [[nodiscard]] const std::string& id() const { return imported_.id; }
  void take(const PrintedGpu& gpu, const std::string& driver);
  /// A vGPU of this device, seen from inside.
  void take_guest(const PrintedGpu& gpu);
  /// Reads the entry back: what is handed out must be one.
  Result<ImportedDevice> finish();

 private:
  /// What one figure is called, and where it stands in the table.
  struct Figure {
    std::string what;
    std::string unit;
    const SourceSpan* span = nullptr;
  };

  void take_totals(const PrintedGpu& gpu, const std::string& driver);
  void compare_slices();
  void take_instances(const PrintedGpu& gpu);
  void take_places(const PrintedGpu& gpu);
  void take_types(const PrintedGpu& gpu);
  void add_instance(const PrintedGpu& gpu, const PrintedInstance& printed);
  void add_type(const PrintedType& printed);
  void note_absent_instances(const PrintedGpu& gpu);

  /// Sets an integer of `parent` where it is absent or another.
  bool put(document::Node& parent, const char* field, std::int64_t value, const Figure& figure);
  void remark(RemarkKind kind, std::string says, const SourceSpan& printed, std::string table = {});
  void add_source(std::string_view group, const std::string& source);
  void add_memory_source(std::string_view group, const char* field, const std::string& source);
  [[nodiscard]] std::string place_of(const document::Node& node) const;
  document::Node* group_of(std::string_view name);
  document::Node& group(std::string_view name);
  document::Node* row_of(std::string_view group, std::string_view name);
  void drop_range_above(std::int64_t total_mib);

  std::string table_file_;  ///< "profiles/nvidia/a30.yaml"; empty without a table
  document::Node root_;
  ImportedDevice imported_;
  std::set<std::string> said_;
  std::vector<PrintedSlice> slices_;  ///< compared once all rows are known
};

}  // namespace gpushape::profiles
