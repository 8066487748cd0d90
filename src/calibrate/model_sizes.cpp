#include "calibrate/model_sizes.hpp"

#include <array>

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

}  // namespace gpushape::calibrate
