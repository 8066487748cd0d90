#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "document/text_format.hpp"

namespace gpushape::document {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdin) static_cast<void>(std::fclose(file));
  }
};
using OpenFile = std::unique_ptr<std::FILE, FileCloser>;

std::unexpected<Diagnostics> refuse_file(const std::string& path, std::string message,
                                         std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = path;
  return failure(std::move(diagnostic));
}

}  // namespace

Result<std::string> read_file(const std::string& path, const Limits& limits) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : "'" + path + "'";
  struct stat status{};
  if (!is_standard_input && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return refuse_file(path, name + " is a directory, not a file");
  }
  const OpenFile file(is_standard_input ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) {
    if (errno == ENOENT) return refuse_file(path, "there is no file " + name);
    return refuse_file(path, "cannot open " + name + ": " + std::strerror(errno));
  }
  std::string text;
  constexpr std::size_t kChunk = 1U << 16U;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    const std::size_t count = std::fread(text.data() + size, 1, kChunk, file.get());
    text.resize(size + count);
    if (text.size() > limits.bytes) {
      return refuse_file(path, name + " is larger than " + std::to_string(limits.bytes) + " bytes");
    }
    if (count < kChunk) break;
  }
  if (std::ferror(file.get()) != 0) {
    return refuse_file(path, "cannot read " + name + ": " + std::strerror(errno));
  }
  if (text.empty()) return refuse_file(path, name + " is empty");
  return text;
}

bool is_json(std::string_view text, std::string_view file) {
  constexpr std::string_view kBeforeContent = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = text.find_first_not_of(kBeforeContent);
  const bool begins_like_json =
      first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  return begins_like_json || file.ends_with(".json");
}

Result<std::vector<Document>> read_any(std::string_view text, std::string file,
                                       const Limits& limits) {
  if (!is_json(text, file)) return read_yaml(text, std::move(file), limits);
  Result<Document> document = read_json(text, std::move(file), limits);
  if (!document) return std::unexpected(std::move(document).error());
  std::vector<Document> documents;
  documents.push_back(*std::move(document));
  return documents;
}

}  // namespace gpushape::document
