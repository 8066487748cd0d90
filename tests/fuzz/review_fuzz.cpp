// Any bytes as manifests: whatever YAML they are, the rule book is held against it.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"
#include "review/review.hpp"

using namespace gpushape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const catalog::Catalog kCatalog = *catalog::Catalog::open();
  static const std::vector<domain::Device> kDevices = *profiles::Profiles::open()->all();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = document::read_yaml(text, "manifest.yaml");
  if (!documents) return 0;
  static_cast<void>(review::review_documents(
      {.documents = *documents, .devices = kDevices, .catalog = &kCatalog}));
  return 0;
}
