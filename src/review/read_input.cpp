#include "review/read_input.hpp"

#include <algorithm>
#include <utility>

#include "document/hcl.hpp"
#include "document/input_text.hpp"
#include "document/text_format.hpp"
#include "review/readers/kinds.hpp"

namespace gpushape::review {

namespace {

/// Templates of a chart are no YAML before Helm has filled them in.
bool is_template(const Diagnostics& faults, std::string_view text) {
  return !faults.empty() && text.contains("{{") && text.contains("}}");
}

}  // namespace

bool is_script(std::string_view text, std::string_view file) {
  for (const std::string_view ending : {".sh", ".bash", ".service"}) {
    if (file.ends_with(ending)) return true;
  }
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.starts_with("#!")) return first.contains("sh");
  return first.starts_with("[Unit]") || first.starts_with("[Service]");
}

Result<std::vector<document::Document>> read_input(std::string_view text, const std::string& file) {
  if (file.ends_with(".tf")) {
    auto read = document::read_hcl(text, file);
    if (!read) return std::unexpected(std::move(read).error());
    std::vector<document::Document> one;
    one.push_back(std::move(*read));
    return one;
  }
  if (!is_script(text, file)) {
    auto read = document::read_any(text, file);
    if (!read && is_template(read.error(), text)) {
      Diagnostic& first = read.error().front();
      if (first.help.empty() || first.excerpt.contains("{{")) {
        first.help =
            "what stands in {{ }} is filled in first; a chart's template by Helm: helm template … "
            "| gpushape review -";
      }
    }
    return read;
  }
  auto source = document::accept_text(text, file, {});
  if (!source) return std::unexpected(std::move(source).error());
  document::Document script;
  script.root = document::Node((*source)->text);
  script.root.set_position({.line = 1, .column = 1});
  script.source = std::move(*source);
  std::vector<document::Document> documents;
  documents.push_back(std::move(script));
  return documents;
}

bool has_reader(const document::Node& root) {
  return std::ranges::any_of(shape_rows(),
                             [&root](const ShapeRow& row) { return row.is_it(root); });
}

}  // namespace gpushape::review
