// The GPU profile tables: built-in devices and boards, and a user's overlay folder.
#pragma once

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
  static Result<Profiles> open(const std::optional<std::string>& overlay_folder = std::nullopt);

  /// By id or alias, letter case and separators aside ("H100", "h100-sxm-80", "A100-80GB"). An
  /// unknown name is answered with the nearest names; an alias that several devices share is
  /// answered with their ids.
  [[nodiscard]] Result<domain::Device> find(std::string_view name) const;
  /// Ids of all devices, sorted.
  [[nodiscard]] std::vector<std::string> devices() const;
  [[nodiscard]] Result<std::vector<domain::Device>> all() const;
  /// The usual server that a board of this device sits in (profiles/servers/): what stands in when
  /// no host is named.
  [[nodiscard]] Result<domain::Host> usual_server(const domain::Device& device) const;

 private:
  struct OverlayFile {
    std::string path;  ///< below the folder
    std::string id;
    std::vector<std::string> aliases;
    document::Document document;
  };
  std::vector<OverlayFile> overlay_;
};

}  // namespace gpushape::profiles
