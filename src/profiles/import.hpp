// What a real system prints of its GPUs, set beside the profile tables: an overlay entry for
// --profiles-dir with the printed figures, and a remark for each that is new or differs.
//
// A figure that the tables have, too, and that agrees is kept as the table has it (nvidia-smi
// prints two decimals of a GiB). A GPU that no table knows gets an entry of what is printed alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/name_table.hpp"
#include "base/result.hpp"
#include "document/node.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::profiles {

struct ImportText {
  std::string name;  ///< as the user named it
  std::string text;
};

enum class RemarkKind { New, Differs, Absent, LeftOut };

struct ImportRemark {
  RemarkKind kind = RemarkKind::New;
  std::string says;
  SourceSpan printed;  ///< line 0 where nothing was printed
  std::string table;   ///< "profiles/nvidia/a30.yaml:17"; empty where the table says nothing

  bool operator==(const ImportRemark&) const = default;
};

/// One GPU model, whatever the number of its boards in the host.
struct ImportedDevice {
  std::string id;
  std::string name;
  bool is_known = true;       ///< a table has it
  bool has_changed = false;   ///< `entry` says something that the tables do not
  document::Node entry;       ///< a device file (profiles/<vendor>/<id>.yaml)
  std::int64_t agreeing = 0;  ///< figures that the table has, too
  std::vector<ImportRemark> remarks;
};

/// `gpu` names the device of listings that do not: `mig -lgip` tells an index alone. Empty: the
/// product that -q -x prints for that index or address, else the one device whose table has all the
/// listed types and instances.
Result<std::vector<ImportedDevice>> import_printed(const std::vector<ImportText>& texts,
                                                   const Profiles& tables, const std::string& gpu);

}  // namespace gpushape::profiles

namespace gpushape {
template <>
inline constexpr auto kNames<profiles::RemarkKind> = std::to_array<NameRow<profiles::RemarkKind>>({
    {profiles::RemarkKind::New, "new", "printed, and not in the table"},
    {profiles::RemarkKind::Differs, "differs", "printed with another figure than the table's"},
    {profiles::RemarkKind::Absent, "absent", "in the table, and not printed"},
    {profiles::RemarkKind::LeftOut, "left-out", "printed, and no part of an entry"},
});
}  // namespace gpushape
