// NVIDIA ModelOpt: `quant_algo`, one for the whole model or one for each module.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/edit_distance.hpp"
#include "catalog/limits.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;
using domain::Quantization;

// The words of ModelOpt's export (torch/export/model_config.py) and of its side files.
struct Algorithm {
  std::string_view name;  ///< a word of parse_quantization
  bool has_static_scales;
};
constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"FP8", true},          {"FP8_PER_CHANNEL_PER_TOKEN", false},
    {"FP8_PB_WO", false},   {"FP8_PB_REAL", false},
    {"MXFP8", false},       {"NVFP4", true},
    {"NVFP4_AWQ", true},    {"NVFP4_SVDQUANT", true},
    {"W4A16_NVFP4", false}, {"W4A8_NVFP4_FP8", true},
    {"MXFP4", false},       {"W4A8_MXFP4_FP8", false},
    {"W4A16", false},       {"W4A16_AWQ", false},
    {"INT4_AWQ", false},    {"W4A16_GPTQ", false},
    {"W4A8_AWQ", true},     {"W8A16", false},
    {"W8A16_GPTQ", false},  {"W8A8_SQ_PER_CHANNEL", false},
    {"INT8_SQ", true},      {"FP8_BLOCK_SCALES", false},
    {"W4A16_MXFP4", false}, {"W4A8_MXFP4_MXFP8", false},
});

using Form = std::tuple<Quantization, int, bool, bool>;
Form form_of(const domain::ModuleFormat& format) {
  return {format.quantization, format.group, format.zero_points, format.static_activation_scales};
}

using Forms = std::vector<std::pair<domain::ModuleFormat, std::vector<std::string>>>;

/// The form that names the whole: of those that a fair share of the modules have, the narrowest, as
/// publishers call an FP8 and NVFP4 mixture NVFP4.
const domain::ModuleFormat& name_giver(const Forms& forms) {
  std::size_t modules = 0;
  for (const auto& [format, names] : forms) modules += names.size();
  constexpr std::size_t kFairShare = 5;  // a fifth
  const domain::ModuleFormat* best = nullptr;
  for (const auto& [format, names] : forms) {
    if (names.size() * kFairShare < modules && forms.size() > 1) continue;
    if (best == nullptr || domain::scheme(format.quantization).weight_bits <
                               domain::scheme(best->quantization).weight_bits)
      best = &format;
  }
  return best == nullptr ? forms.front().first : *best;
}

}  // namespace

domain::ModuleFormat everything_else() {
  return {.pattern = "*", .quantization = Quantization::Bf16};
}

std::vector<std::string_view> modelopt_algorithms() {
  std::vector<std::string_view> names;
  names.reserve(kAlgorithms.size());
  for (const Algorithm& algorithm : kAlgorithms) names.push_back(algorithm.name);
  return names;
}

std::optional<domain::ModuleFormat> modelopt_format(const Fields& fields, std::string_view field,
                                                    std::string_view word) {
  const auto known = std::ranges::find(kAlgorithms, word, &Algorithm::name);
  if (known != kAlgorithms.end()) {
    const Quantization linear = parse_quantization(word).value();
    domain::ModuleFormat format{.pattern = {}, .quantization = linear};
    format.static_activation_scales = known->has_static_scales;
    format.group = group_of(fields, "group_size", linear);
    return format;
  }
  const std::vector<std::string_view> known_words = modelopt_algorithms();
  const std::vector<std::string> names(known_words.begin(), known_words.end());
  fields.complain(field, fmt::format("ModelOpt's quant_algo '{}' is not understood", word),
                  suggestion(word, names, kGiveByHand));
  return std::nullopt;
}

// The list has an entry for every expert of every layer: modules of one form become few patterns.
void read_quantized_layers(const Fields& fields, StoredPrecision& stored) {
  const std::optional<Reader> layers = fields.mapping("quantized_layers");
  if (!layers) return;
  if (layers->self().entries().empty()) {
    fields.complain("quantized_layers", "quantized_layers names no module",
                    std::string(kGiveByHand));
    return;
  }
  Forms forms;
  std::map<Form, std::size_t> places;
  for (const document::Node::Entry& entry : layers->self().entries()) {
    Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                  "quantized_layers");
    const Fields module(reader);
    const std::string word = module.text("quant_algo").value_or("");
    const std::optional<domain::ModuleFormat> format = modelopt_format(module, "quant_algo", word);
    if (!format) return;
    const auto [place, is_new] = places.try_emplace(form_of(*format), forms.size());
    if (is_new) forms.emplace_back(*format, std::vector<std::string>{});
    forms[place->second].second.push_back(entry.name);
  }
  const domain::ModuleFormat& most = name_giver(forms);
  stored.weights.linear = most.quantization;
  stored.weights.group = most.group;
  stored.weights.static_activation_scales = most.static_activation_scales;
  for (auto& [format, names] : forms) {
    for (std::string& pattern : domain::collapse_modules(names)) {
      format.pattern = std::move(pattern);
      stored.weights.modules.push_back(format);
    }
  }
  stored.weights.modules.push_back(everything_else());
}

void read_modelopt(const Fields& fields, StoredPrecision& stored) {
  const std::string word = fields.text("quant_algo").value_or("");
  if (word.empty()) {
    if (fields.given("config_groups")) return read_config_groups(fields, stored);
    // Only the cache is quantized: the weights stay in the model's own type.
    if (fields.given("kv_cache_quant_algo") || fields.given("kv_cache_scheme")) return;
    fields.reader().complain(std::string("ModelOpt quantization without a quant_algo"),
                             std::string(kGiveByHand));
    return;
  }
  if (word == "MIXED_PRECISION") {
    if (fields.given("quantized_layers")) return read_quantized_layers(fields, stored);
    if (fields.given("config_groups")) return read_config_groups(fields, stored);
    fields.complain("quant_algo", "MIXED_PRECISION without quantized_layers",
                    std::string(kGiveByHand));
    return;
  }
  const std::optional<domain::ModuleFormat> format = modelopt_format(fields, "quant_algo", word);
  if (!format) return;
  stored.weights.linear = format->quantization;
  stored.weights.group = format->group;
  stored.weights.static_activation_scales = format->static_activation_scales;
}

}  // namespace gpushape::catalog
