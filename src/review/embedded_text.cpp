#include "review/embedded_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "document/text_format.hpp"

namespace gpushape::review {

using document::Document;
using document::Node;

namespace {

/// The lines of a literal block as they stand in the file, indentation and all; empty where the
/// scalar is none.
std::string_view block_of(std::string_view file, const Node& scalar, std::size_t& lines_before) {
  std::size_t at = 0;
  for (int line = 1; line < scalar.position().line; ++line) {
    at = file.find('\n', at);
    if (at == std::string_view::npos) return {};
    ++at;
  }
  const std::size_t mark = at + static_cast<std::size_t>(std::max(scalar.position().column, 1)) - 1;
  if (mark >= file.size() || file[mark] != '|') return {};
  const std::size_t begin = file.find('\n', mark);
  if (begin == std::string_view::npos) return {};
  lines_before = static_cast<std::size_t>(scalar.position().line);
  const auto lines = static_cast<std::size_t>(std::ranges::count(scalar.text(), '\n')) +
                     (scalar.text().ends_with('\n') ? 0 : 1);
  std::size_t end = begin + 1;
  for (std::size_t line = 0; line < lines && end < file.size(); ++line) {
    end = std::min(file.find('\n', end), file.size() - 1) + 1;
  }
  return file.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::vector<std::shared_ptr<const Document>> read_embedded(const Document& document,
                                                           const Node& scalar) {
  std::vector<std::shared_ptr<const Document>> found;
  std::size_t lines_before = 0;
  const std::string_view block = block_of(document.source->text, scalar, lines_before);
  if (block.empty() || block.contains("\n---")) return found;
  // Blank lines in front put every node at its own line of the file; columns are right as they are.
  const std::string text = std::string(lines_before, '\n') + std::string(block);
  Result<std::vector<Document>> read = document::read_yaml(text, document.source->file);
  if (!read) return found;
  for (Document& each : *read) {
    auto own = std::make_shared<Document>();
    own->root = std::move(each.root);
    own->source = document.source;
    found.push_back(std::move(own));
  }
  return found;
}

}  // namespace gpushape::review
