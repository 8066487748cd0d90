#include "catalog/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

// Widths are bounded one by one; this bounds heads x head size, so that no product of bounded
// sizes leaves 64 bits: 10'000 layers x 1e6 x (4 x 1e6 + 3 x 1e7) = 3.4e17.
constexpr std::int64_t kMostProjectedWidth = 1'000'000;

}  // namespace

Diagnostics contradictions(const domain::Model& model, std::string_view heads,
                           std::string_view kv_heads) {
  Diagnostics found;
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    if (attention.kind == domain::LayerKind::None || attention.kind == domain::LayerKind::Recurrent)
      continue;
    if (attention.kv_heads <= 0 || attention.heads % attention.kv_heads != 0) {
      found.push_back(complaint(fmt::format("{} {} is not a multiple of {} {}", heads,
                                            attention.heads, kv_heads, attention.kv_heads)));
    }
    if (attention.heads * std::max(attention.head_dim, attention.value_head_dim) >
        kMostProjectedWidth) {
      found.push_back(complaint(fmt::format("{} heads of {} values are more than any model has",
                                            attention.heads, attention.head_dim)));
    }
  }
  if (found.empty() && domain::count_parameters(model) > kMostParameters) {
    found.push_back(complaint(
        fmt::format("{} parameters are more than any model has", domain::count_parameters(model)),
        "look for a size with a digit too many"));
  }
  return found;
}

}  // namespace gpushape::catalog
