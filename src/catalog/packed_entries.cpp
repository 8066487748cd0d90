#include "catalog/packed_entries.hpp"

#include <algorithm>
#include <cctype>

#include "catalog/catalog.hpp"

namespace gpushape::catalog {

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::vector<std::string> sorted_once(std::span<const std::string> ids) {
  std::vector<std::string> once;
  for (const std::string& id : ids) {
    if (std::ranges::none_of(once,
                             [&](const std::string& other) { return is_same_name(id, other); }))
      once.push_back(id);
  }
  std::ranges::sort(once, [](std::string_view a, std::string_view b) {
    return std::ranges::lexicographical_compare(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
  });
  return once;
}

bool answers_to(const document::PackedFile& file, std::string_view name) {
  if (is_same_name(file.id, name)) return true;
  return std::ranges::any_of(lines_of(file.aliases),
                             [&](std::string_view alias) { return is_same_name(alias, name); });
}

std::vector<document::PackedFile> embedded(std::string_view folder) {
  std::vector<document::PackedFile> files;
  for (const document::PackedFile& file : embedded_catalog()) {
    const bool is_in_folder =
        file.path.starts_with(folder) && !file.path.substr(folder.size()).contains('/');
    if (is_in_folder) files.push_back(file);
  }
  return files;
}

}  // namespace gpushape::catalog
