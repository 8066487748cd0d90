// Reading and writing YAML and JSON text. Any bytes are allowed as input: the readers never crash,
// hang or take memory out of proportion; what they refuse is a Diagnostic with its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::document {

struct Limits {
  std::size_t bytes = 64U << 20U;  ///< of text
  int depth = 100;                 ///< nested sequences and mappings
  std::size_t nodes = 4'000'000;   ///< of all documents together
};

/// All documents of a YAML stream, as Kubernetes reads YAML (1.1 scalars; duplicate keys kept;
/// anchors and aliases are expanded within the node limit; tags other than the core ones are
/// refused). An empty stream is an error, and so is a text above 16 MiB, whatever `limits` say.
Result<std::vector<Document>> read_yaml(std::string_view text, std::string file,
                                        const Limits& limits = {});

/// The documents of a YAML stream, each read by itself: a broken one is a fault with its place in
/// the file, and hides no other. A line that begins with `---` begins a document, as YAML has it:
/// inside a text that is a value it is indented. What holds no document at all is a fault as well.
struct YamlStream {
  std::vector<Document> documents;
  Diagnostics faults;
};
YamlStream read_yaml_stream(std::string_view text, std::string file, const Limits& limits = {});

/// One JSON value. `Infinity`, `-Infinity` and `NaN` are accepted as Numbers: published configs
/// hold them.
Result<Document> read_json(std::string_view text, std::string file, const Limits& limits = {});

/// The text begins like JSON ('{' or '['), or the name ends in .json.
bool is_json(std::string_view text, std::string_view file);

/// JSON where it is that; YAML otherwise.
Result<std::vector<Document>> read_any(std::string_view text, std::string file,
                                       const Limits& limits = {});

/// A file of the user's, or "-" for standard input. A missing file, a directory and an empty file
/// are Diagnostics.
Result<std::string> read_file(const std::string& path, const Limits& limits = {});

/// The same, and unpacked where it is in gzip's form. The limit holds for what comes out, too.
Result<std::string> read_log_file(const std::string& path, const Limits& limits = {});

/// Block style, two spaces; strings that another reader could take for something else are quoted
/// ("yes", "1", "0777").
std::string write_yaml(const Node& node);
/// Several documents joined by `---`.
std::string write_yaml(const std::vector<Node>& documents);
/// Two spaces an indent level; ends with a newline. Doubles print in the shortest form that reads
/// back the same.
std::string write_json(const Node& node);

}  // namespace gpushape::document
