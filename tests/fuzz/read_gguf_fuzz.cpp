// Any bytes leave the GGUF reader standing, and what it makes of an accepted head, too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/gguf.hpp"
#include "catalog/limits.hpp"
#include "domain/tensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  bool is_short = false;
  const auto gguf = gpushape::catalog::read_gguf_head(bytes, size, "fuzz.gguf", is_short);
  if (!gguf) {
    if (gguf.error().empty() || is_short) std::abort();  // the head is the whole file
    return 0;
  }
  if (gguf->dimensions.size() != gguf->listing.tensors.size()) std::abort();
  const auto model = gpushape::catalog::gguf_model(*gguf, "fuzz");
  if (!model) {
    if (model.error().empty()) std::abort();
    return 0;
  }
  const std::int64_t total = gpushape::domain::count_parameters(*model);
  if (total <= 0 || total > gpushape::catalog::kMostParameters || model->layers.empty())
    std::abort();
  return 0;
}
