// A release of vSphere, as hosts name it: "8.0 U3", "8.0.3", "VCF 9.0.1", "vSphere 7.0 U2".
// VMware Cloud Foundation took over vSphere's numbering with 9.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace gpushape::domain {

struct Release {
  int major = 0;
  int minor = 0;
  int update = 0;

  auto operator<=>(const Release&) const = default;
};

/// nullopt for a text that names no release: every digit group must be understood. "VCF 4" and
/// "VCF 5" count differently from the vSphere in them and are not understood either.
std::optional<Release> parse_release(std::string_view text);

}  // namespace gpushape::domain
