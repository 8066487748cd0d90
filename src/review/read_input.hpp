// A file under review, whatever it is: YAML and JSON documents, or a text that starts programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::review {

/// A shell script, a systemd unit: by its name or its first line. Such a text is one document whose
/// root is the text itself.
bool is_script(std::string_view text, std::string_view file);

/// All of it, or what is wrong with it.
Result<std::vector<document::Document>> read_input(std::string_view text, const std::string& file);

/// What can be read of it, and what is wrong with the rest: of a YAML stream a broken document
/// hides no other.
struct InputDocuments {
  std::vector<document::Document> documents;
  Diagnostics faults;
};
InputDocuments read_what_can_be(std::string_view text, const std::string& file);

/// Whether a document without a kind is known by its shape: a chart's values, flags, Terraform.
bool has_reader(const document::Node& root);

}  // namespace gpushape::review
