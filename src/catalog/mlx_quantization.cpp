// MLX: `"quantization": {"group_size": 64, "bits": 4}`, with a key for each module that is stored
// otherwise: false, or sizes of its own. Embedding and head are quantized like linear layers.
// Source: ml-explore/mlx, python/mlx/nn/layers/quantized.py (quantize, _defaults_for_mode);
// ml-explore/mlx-lm, mlx_lm/utils.py (quantize_model, load_model).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "catalog/limits.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/stored_scheme.hpp"
#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::Quantization;

struct MlxMode {
  std::string_view name;
  std::int64_t group;
  std::int64_t bits;
  Quantization scheme;  // of its own bits; "affine" has several
};
constexpr auto kMlxModes = std::to_array<MlxMode>({
    {"affine", 64, 4, Quantization::Int4},
    {"mxfp4", 32, 4, Quantization::Mxfp4},
    {"nvfp4", 16, 4, Quantization::Nvfp4},
    {"mxfp8", 32, 8, Quantization::Mxfp8},
});

// An affine group has a 16-bit scale and a 16-bit bias: as much as two groups of half its length
// with a 16-bit scale each.
constexpr std::int64_t kAffineShare = 2;

std::optional<domain::ModuleFormat> affine(const Fields& fields, std::int64_t bits,
                                           std::int64_t group) {
  if (const std::optional<Quantization> own = mlx_integers_of(bits))
    return domain::ModuleFormat{
        .pattern = {}, .quantization = *own, .group = static_cast<int>(group)};
  if ((bits != 4 && bits != 8) || group % kAffineShare != 0) {
    fields.complain(
        "bits",
        fmt::format("MLX weights of {} bits in groups of {} are not understood", bits, group),
        std::string(kGiveByHand));
    return std::nullopt;
  }
  return domain::ModuleFormat{
      .pattern = {},
      .quantization = bits == 4 ? Quantization::Int4 : Quantization::Int8Weight,
      .group = static_cast<int>(group / kAffineShare)};
}

std::optional<domain::ModuleFormat> mlx_format(const Fields& fields) {
  const std::string word = fields.text("mode").value_or("affine");
  const auto mode = std::ranges::find(kMlxModes, word, &MlxMode::name);
  if (mode == kMlxModes.end()) {
    fields.complain("mode", fmt::format("MLX's mode '{}' is not understood", word),
                    "known are affine, mxfp4, nvfp4 and mxfp8");
    return std::nullopt;
  }
  const std::int64_t bits = fields.integer("bits", {.least = 1, .most = 16}).value_or(mode->bits);
  const std::int64_t group = fields.integer("group_size", kGroup).value_or(mode->group);
  if (mode == kMlxModes.begin()) return affine(fields, bits, group);
  return domain::ModuleFormat{.pattern = {}, .quantization = mode->scheme};
}

/// Modules of one form become few patterns.
void read_mlx_modules(const Fields& fields, StoredPrecision& stored) {
  std::vector<std::string> kept;
  std::map<std::pair<Quantization, int>, std::vector<std::string>> forms;
  for (const Node::Entry& entry : fields.reader().self().entries()) {
    if (entry.value.is(Node::Kind::Boolean) && !entry.value.boolean()) kept.push_back(entry.name);
    if (!entry.value.is(Node::Kind::Mapping)) continue;
    Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(), entry.name);
    const std::optional<domain::ModuleFormat> own = mlx_format(Fields(reader));
    if (!own) return;
    forms[{own->quantization, own->group}].push_back(entry.name);
  }
  for (std::string& pattern : domain::collapse_modules(kept))
    stored.weights.kept.push_back(std::move(pattern));
  for (const auto& [form, names] : forms) {
    for (std::string& pattern : domain::collapse_modules(names)) {
      stored.weights.modules.push_back(
          {.pattern = std::move(pattern), .quantization = form.first, .group = form.second});
    }
  }
}

}  // namespace

bool is_mlx(const Fields& fields) {
  // Older AutoAWQ and GPTQ files name no method either, but say these.
  const bool is_other =
      !fields.first_given({"quant_method", "zero_point", "sym", "desc_act", "version"}).empty();
  return !is_other && fields.given("bits") && fields.given("group_size");
}

void read_mlx(const Fields& fields, StoredPrecision& stored) {
  const std::optional<domain::ModuleFormat> format = mlx_format(fields);
  if (!format) return;
  stored.weights.linear = format->quantization;
  stored.weights.group = format->group;
  stored.weights.head_quantized = true;
  read_mlx_modules(fields, stored);
  stored.weights.modules.push_back({.pattern = "model.embed_tokens",
                                    .quantization = format->quantization,
                                    .group = format->group});
}

}  // namespace gpushape::catalog
