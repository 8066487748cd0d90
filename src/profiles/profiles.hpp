// The GPU profile tables: built-in devices and boards, and a user's overlay folder.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/pack.hpp"
#include "domain/device.hpp"
#include "domain/host.hpp"

namespace gpushape::profiles {

/// Everything below profiles/, packed by the build.
std::span<const document::PackedFile> embedded_profiles();

class Profiles {
 public:
  /// With an overlay folder, or none. Below it, `boards/*.yaml` and `servers/*.yaml` are such, and
  /// every other *.yaml, directly or in one folder (`nvidia/`), is a device. A file of the user's
  /// wins over a built-in one of the same id. All its faults come out here.
  static Result<Profiles> open(const std::optional<std::string>& overlay_folder = std::nullopt);

  /// By id, alias or product name; letter case, separators, the vendor's name and a closing "GB"
  /// do not count ("H100", "h100-sxm-80", "A100-80GB", "NVIDIA L40S"). An id wins over an alias. An
  /// unknown name is answered with the nearest names; a name that several devices share, with their
  /// ids.
  [[nodiscard]] Result<domain::Device> find(std::string_view name) const;
  /// The file of the device with this id, as it was read; a built-in one goes by its path in the
  /// sources, "profiles/nvidia/a30.yaml".
  [[nodiscard]] std::optional<document::Document> document_of(std::string_view id) const;
  /// Ids of all devices, sorted.
  [[nodiscard]] std::vector<std::string> devices() const;
  /// All devices, in the order of their ids.
  [[nodiscard]] Result<std::vector<domain::Device>> all() const;
  /// The usual server that a board of this device sits in (profiles/servers/): what stands in when
  /// no host is named. Its `source` says so.
  [[nodiscard]] Result<domain::Host> usual_server(const domain::Device& device) const;

  /// A server of profiles/servers/ by its id or name, filled with `gpu`; where that is empty, with
  /// the first device that it is the usual server of.
  [[nodiscard]] Result<domain::Host> server(std::string_view name, std::string_view gpu) const;

 private:
  struct OverlayFile {
    std::string path;  ///< below the folder
    std::string id;
    std::vector<std::string> aliases;
    document::Document document;
  };
  struct Servers;  ///< read once, when the first is asked for
  std::vector<OverlayFile> overlay_;
  mutable std::shared_ptr<const Servers> servers_;
};

}  // namespace gpushape::profiles
