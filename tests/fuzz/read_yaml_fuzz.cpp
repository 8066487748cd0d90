// Any bytes as YAML: the reader answers with documents or with diagnostics, and what it read can be
// written and read back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/text_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpushape::document;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = read_yaml(text, "fuzz.yaml");
  if (!documents) {
    if (documents.error().empty() || to_text(documents.error()).empty()) std::abort();
    return 0;
  }
  for (const Document& document : *documents) {
    const auto back = read_yaml(write_yaml(document.root), "back.yaml");
    if (!back || back->size() != 1 || back->front().root != document.root) std::abort();
  }
  return 0;
}
