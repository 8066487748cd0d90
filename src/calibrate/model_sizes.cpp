#include "calibrate/model_sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate {
namespace {

struct SizeKey {
  std::string_view key;
  std::optional<std::int64_t> ModelSizes::*size;
};
/// Behind the name of the architecture.
constexpr auto kSizeKeys = std::to_array<SizeKey>({
    {".block_count ", &ModelSizes::layers},
    {".embedding_length ", &ModelSizes::hidden_size},
    {".feed_forward_length ", &ModelSizes::feed_forward_width},
    {".attention.head_count ", &ModelSizes::heads},
    {".attention.head_count_kv ", &ModelSizes::kv_heads},
    {".expert_count ", &ModelSizes::experts},
});

/// Of a whole number alone: layers that differ are printed as an array.
std::optional<std::int64_t> count_behind(std::string_view rest) {
  if (!rest.starts_with("u32 ")) return std::nullopt;
  const auto value = behind(rest, "= ");
  return value ? leading_count(*value) : std::nullopt;
}

bool is(const std::optional<std::int64_t>& stated, std::int64_t ours) {
  return !stated || *stated == ours;
}

/// Rows are added for tokens of a template, and for even shares.
bool is_vocabulary(const std::optional<std::int64_t>& stated, std::int64_t ours) {
  constexpr double kSameTable = 0.005;
  return !stated ||
         std::abs(static_cast<double>(*stated - ours)) <= kSameTable * static_cast<double>(ours);
}

bool has_sizes(const ModelSizes& sizes, const domain::Model& model) {
  std::int64_t layers = 0;
  for (const domain::LayerRun& run : model.layers) layers += run.count;
  if (!is(sizes.layers, layers) || !is(sizes.hidden_size, model.hidden_size) ||
      !is_vocabulary(sizes.vocabulary, model.vocabulary))
    return false;
  constexpr double kSameCount = 0.01;  // "6.74 B"
  const auto total = static_cast<double>(model.parameters.total);
  if (sizes.parameters && std::abs(*sizes.parameters - total) > kSameCount * total) return false;
  const bool has_heads = std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    const domain::Attention& attention = run.layer.attention;
    return is(sizes.heads, attention.heads) && is(sizes.kv_heads, attention.kv_heads);
  });
  const bool has_network = std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    const domain::FeedForward& network = run.layer.feed_forward;
    if (sizes.experts && *sizes.experts > 0)
      return network.experts && network.experts->count == *sizes.experts;
    return is(sizes.feed_forward_width, network.width);
  });
  return has_heads && has_network;
}

}  // namespace

void read_sizes(std::string_view line, ModelSizes& sizes) {
  if (line.contains("- kv ")) {
    for (const SizeKey& row : kSizeKeys) {
      if (const auto rest = behind(line, row.key)) {
        const std::size_t type = rest->find_first_not_of(' ');
        if (type == std::string_view::npos) return;
        if (const auto count = count_behind(rest->substr(type))) sizes.*(row.size) = count;
        return;
      }
    }
    return;
  }
  const bool is_info = line.contains("print_info:") || line.contains("llm_load_print_meta:");
  if (!is_info) return;
  const auto value = behind(line, "= ");
  if (!value) return;
  if (line.contains(" n_vocab ")) sizes.vocabulary = leading_count(*value);
  if (line.contains(" model params ")) {
    const std::optional<double> number = leading_number(*value);
    constexpr double kBillion = 1e9;
    constexpr double kMillion = 1e6;
    if (number && value->contains('B')) sizes.parameters = *number * kBillion;
    if (number && value->contains('M')) sizes.parameters = *number * kMillion;
  }
}

std::optional<domain::Model> find_model_of_sizes(const ModelSizes& sizes,
                                                 const catalog::Catalog& catalog) {
  if (!sizes.layers || !sizes.hidden_size || !sizes.vocabulary || !sizes.parameters)
    return std::nullopt;
  std::optional<domain::Model> nearest;
  const auto distance = [&](const domain::Model& model) {
    return std::abs(model.vocabulary - *sizes.vocabulary);
  };
  for (const std::string& id : catalog.models()) {
    Result<domain::Model> model = catalog.find_name(id);
    if (!model || !has_sizes(sizes, *model)) continue;
    if (!nearest || distance(*model) < distance(*nearest)) nearest = *std::move(model);
  }
  return nearest;
}

}  // namespace gpushape::calibrate
