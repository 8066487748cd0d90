#include "catalog/hub_address.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace gpushape::catalog {
namespace {

constexpr auto kSchemes = std::to_array<std::string_view>({"https://", "http://"});
constexpr auto kHosts = std::to_array<std::string_view>(
    {"huggingface.co/", "www.huggingface.co/", "hf.co/", "hf-mirror.com/"});
constexpr std::string_view kFile = ".gguf";

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> found;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    if (!segment.empty()) found.push_back(segment);
    path.remove_prefix(segment.size() < path.size() ? segment.size() + 1 : segment.size());
  }
  return found;
}

}  // namespace

std::optional<std::string> hub_repository(std::string_view address) {
  std::string_view path = address.substr(0, address.find_first_of("?#"));
  for (const std::string_view scheme : kSchemes) {
    if (path.starts_with(scheme)) path.remove_prefix(scheme.size());
  }
  for (const std::string_view host : kHosts) {
    if (!path.starts_with(host)) continue;
    const std::vector<std::string_view> parts = segments(path.substr(host.size()));
    if (parts.size() < 2) return std::nullopt;
    std::string_view name = parts[1];
    if (parts.size() > 2 && parts.back().ends_with(kFile))
      name = parts.back().substr(0, parts.back().size() - kFile.size());
    return std::string(parts[0]) + "/" + std::string(name);
  }
  return std::nullopt;
}

}  // namespace gpushape::catalog
