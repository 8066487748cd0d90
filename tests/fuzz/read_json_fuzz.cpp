// Any bytes as JSON: the reader answers with a document or with diagnostics, and what it read can
// be written and read back, packed and unpacked.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/pack.hpp"
#include "document/text_format.hpp"

namespace {

using gpushape::document::Node;

bool is_finite(const Node& node) {
  if (node.is(Node::Kind::Number) && !std::isfinite(node.number())) return false;
  for (const Node& item : node.items()) {
    if (!is_finite(item)) return false;
  }
  for (const Node::Entry& entry : node.entries()) {
    if (!is_finite(entry.value)) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpushape::document;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = read_json(text, "fuzz.json");
  if (!document) {
    if (document.error().empty() || to_text(document.error()).empty()) std::abort();
    return 0;
  }
  if (unpack(pack(document->root)) != document->root) std::abort();
  if (!is_finite(document->root)) return 0;  // JSON cannot be written of it
  const auto back = read_json(write_json(document->root), "back.json");
  if (!back || back->root != document->root) std::abort();
  return 0;
}
