#include "inventory/embedded_hosts.hpp"

#include "document/text_format.hpp"

namespace gpushape::inventory {

namespace {

constexpr std::string_view kEnding = ".yaml";

std::string_view stem(std::string_view file) {
  return file.substr(0, file.size() - kEnding.size());
}

}  // namespace

std::vector<std::string> host_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& file : embedded_hosts()) names.emplace_back(stem(file.name));
  return names;
}

std::optional<document::Document> named_host(std::string_view name) {
  for (const EmbeddedText& file : embedded_hosts()) {
    const std::string_view full = stem(file.name);
    const std::string_view bare = full.substr(full.find('-') + 1);
    if (name != full && name != bare) continue;
    auto documents = document::read_yaml(file.text, "built-in host " + std::string(full));
    if (documents && !documents->empty()) return std::move(documents->front());
  }
  return std::nullopt;
}

}  // namespace gpushape::inventory
