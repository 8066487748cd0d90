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
void explain_templates(Diagnostics& faults, std::string_view text) {
  if (!text.contains("{{") || !text.contains("}}")) return;
  for (Diagnostic& fault : faults) {
    if (!fault.help.empty() && !fault.excerpt.contains("{{")) continue;
    fault.help =
        "what stands in {{ }} is filled in first; a chart's template by Helm: helm template … "
        "| gpushape review -";
  }
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
    if (!read) explain_templates(read.error(), text);
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

InputDocuments read_what_can_be(std::string_view text, const std::string& file) {
  auto read = read_input(text, file);
  if (read) return {std::move(*read), {}};
  if (file.ends_with(".tf") || is_script(text, file) || document::is_json(text, file)) {
    return {{}, std::move(read).error()};
  }
  document::YamlStream stream = document::read_yaml_stream(text, file);
  // Parts that are each in order, of a whole that is not: what is wrong is between them.
  if (stream.faults.empty()) stream.faults = std::move(read).error();
  explain_templates(stream.faults, text);
  return {std::move(stream.documents), std::move(stream.faults)};
}

bool has_reader(const document::Node& root) {
  return std::ranges::any_of(shape_rows(),
                             [&root](const ShapeRow& row) { return row.is_it(root); });
}

}  // namespace gpushape::review
