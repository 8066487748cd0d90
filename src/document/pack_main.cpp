// The build's packing tool: reads every YAML file of a folder and writes the C++ source that holds
// them as packed trees. See cmake/EmbedDirectory.cmake.
//
//   gpushape_pack FOLDER LIST NAMESPACE SYMBOL OUTPUT
//
// LIST is a file with the paths to pack, one a line.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "document/pack.hpp"
#include "document/reader.hpp"
#include "document/text_format.hpp"

namespace gpushape::document {
namespace {

struct Row {
  std::string path;
  std::string id;
  std::string aliases;
  std::string packed;
};

Result<Row> read_row(const std::string& path, const std::string& folder) {
  const Result<std::string> text = read_file(path);
  if (!text) return std::unexpected(text.error());
  const Result<std::vector<Document>> documents = read_yaml(*text, path);
  if (!documents) return std::unexpected(documents.error());
  const Document& document = documents->front();
  if (documents->size() > 1) {
    return failure(document.source->diagnostic((*documents)[1].root.position(),
                                               "a built-in file holds one document"));
  }
  const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(folder);
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, relative.string());
  Row row{.path = relative.generic_string(),
          .id = reader.text("id").value_or(relative.stem().string()),
          .aliases = {},
          .packed = pack(document.root)};
  for (const std::string& alias : reader.texts("aliases")) {
    if (alias.contains('\n')) reader.complain("aliases", "an alias has more than one line", "");
    row.aliases += (row.aliases.empty() ? "" : "\n") + alias;
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return row;
}

// Adjacent literals, a line each. Escapes are octal and three digits long, so that none runs into
// what follows.
std::string literal(std::string_view bytes) {
  constexpr std::size_t kBytesALine = 96;
  std::string text = "\"";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % kBytesALine == 0) text += "\"\n     \"";
    const auto code = static_cast<unsigned char>(bytes[i]);
    const bool is_plain = code >= 0x20 && code < 0x7F && code != '"' && code != '\\' && code != '?';
    if (is_plain) {
      text += bytes[i];
    } else {
      text += '\\';
      for (const unsigned shift : {6U, 3U, 0U}) {
        text += static_cast<char>('0' + ((code >> shift) & 7U));
      }
    }
  }
  return text + '"';
}

// Sized, because packed bytes hold zeros.
std::string view(std::string_view bytes) {
  return "{" + literal(bytes) + ", " + std::to_string(bytes.size()) + "}";
}

std::string source_text(const std::vector<Row>& rows, const std::string& folder,
                        const std::string& name_space, const std::string& symbol) {
  std::string text = "// Made by the build from " + folder +
                     ".\n#include <span>\n\n#include \"document/pack.hpp\"\n\nnamespace " +
                     name_space + " {\n\nstd::span<const document::PackedFile> " + symbol +
                     "() {\n";
  if (rows.empty()) return text + "  return {};\n}\n\n}\n";
  text += "  static constexpr document::PackedFile kFiles[] = {\n";
  for (const Row& row : rows) {
    text += "    {" + view(row.path) + ",\n     " + view(row.id) + ",\n     " + view(row.aliases) +
            ",\n     " + view(row.packed) + "},\n";
  }
  return text + "  };\n  return kFiles;\n}\n\n}\n";
}

int run(std::span<char* const> arguments) {
  if (arguments.size() != 6) {
    static_cast<void>(
        std::fputs("usage: gpushape_pack FOLDER LIST NAMESPACE SYMBOL OUTPUT\n", stderr));
    return 2;
  }
  const std::string folder = arguments[1];
  std::ifstream list(arguments[2]);
  std::vector<Row> rows;
  Diagnostics diagnostics;
  for (std::string path; std::getline(list, path);) {
    if (path.empty()) continue;
    Result<Row> row = read_row(path, folder);
    if (row) {
      rows.push_back(*std::move(row));
    } else {
      std::ranges::move(row.error(), std::back_inserter(diagnostics));
    }
  }
  if (!diagnostics.empty()) {
    static_cast<void>(std::fputs(to_text(diagnostics).c_str(), stderr));
    return 1;
  }
  std::ranges::sort(rows, {}, &Row::path);
  std::ofstream output(arguments[5], std::ios::binary);
  output << source_text(rows, folder, arguments[3], arguments[4]);
  output.close();
  if (output) return 0;
  static_cast<void>(std::fprintf(stderr, "cannot write %s\n", arguments[5]));
  return 1;
}

}  // namespace
}  // namespace gpushape::document

int main(int argc, char** argv) {
  return gpushape::document::run(std::span(argv, static_cast<std::size_t>(argc)));
}
