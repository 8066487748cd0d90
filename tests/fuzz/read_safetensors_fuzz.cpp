// Any bytes leave the safetensors readers standing: taken as a header's JSON and as an index. What
// is accepted must hold together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "catalog/safetensors.hpp"
#include "catalog/stored_weights.hpp"

namespace {

void hold(const gpushape::Result<gpushape::catalog::TensorListing>& listing) {
  if (!listing) {
    if (listing.error().empty()) std::abort();  // a refusal says why
    return;
  }
  std::int64_t bytes = 0;
  for (const auto& tensor : listing->tensors) {
    if (tensor.bytes < 0 || tensor.type == nullptr) std::abort();
    bytes += tensor.bytes;
  }
  std::int64_t sorted = 0;
  for (const auto& part : gpushape::catalog::sorted_parts(*listing)) sorted += part.bytes;
  if (bytes != listing->bytes || sorted != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  hold(gpushape::catalog::read_safetensors_header(text, 64, "fuzz"));
  hold(gpushape::catalog::read_safetensors_header(text, std::numeric_limits<std::uint64_t>::max(),
                                                  "fuzz"));
  const auto index = gpushape::catalog::read_safetensors_index(text, "fuzz");
  if (!index && index.error().empty()) std::abort();
  if (index && index->total_bytes < 0) std::abort();
  return 0;
}
