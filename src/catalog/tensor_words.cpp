#include "catalog/tensor_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gpushape::catalog {
namespace {

using domain::TensorPart;

// What stands behind the module: the tensors of each way of storing weights.
constexpr auto kSuffixWords = std::to_array<std::string_view>({"weight",
                                                               "bias",
                                                               "qweight",
                                                               "qzeros",
                                                               "scales",
                                                               "g_idx",
                                                               "weight_packed",
                                                               "weight_scale",
                                                               "weight_scale_inv",
                                                               "weight_scale_2",
                                                               "weight_shape",
                                                               "weight_zero_point",
                                                               "weight_global_scale",
                                                               "input_global_scale",
                                                               "weight_g_idx",
                                                               "input_scale",
                                                               "k_scale",
                                                               "v_scale",
                                                               "SCB",
                                                               "weight_format",
                                                               "scale",
                                                               "scale_inv",
                                                               "output_scale",
                                                               "kv_scale",
                                                               "q_scale",
                                                               "pre_quant_scale",
                                                               "activation_scale",
                                                               "biases",
                                                               "zeros"});

// Suffixes that gpt-oss joins to the name of the tensor.
constexpr auto kJoinedSuffixes = std::to_array<std::string_view>({"_blocks", "_scales", "_bias"});

}  // namespace

std::optional<std::int64_t> number_of(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  if (word.empty() || word.size() > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> split_words(std::string_view name) {
  constexpr std::size_t kUsualWords = 8;
  std::vector<std::string_view> words;
  words.reserve(kUsualWords);
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    words.push_back(name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return words;
}

std::string join_words(const std::vector<std::string_view>& words, std::size_t first,
                       std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    if (!text.empty()) text += '.';
    text += words[i];
  }
  return text;
}

Suffix suffix_of(const std::vector<std::string_view>& words, std::size_t first) {
  for (std::size_t i = std::max<std::size_t>(first, 1); i < words.size(); ++i) {
    if (std::ranges::find(kSuffixWords, words[i]) != kSuffixWords.end())
      return {.words = words.size() - i, .joined = {}};
  }
  if (words.empty()) return {};
  for (const std::string_view joined : kJoinedSuffixes) {
    if (words.back().ends_with(joined) && words.back().find("proj") != std::string_view::npos)
      return {.words = 0, .joined = joined};
  }
  return {};
}

TensorPart layer_part(std::string_view module) {
  const auto holds = [&](std::string_view word) {
    return module.find(word) != std::string_view::npos;
  };
  if (holds("norm") || holds("ln_") || holds("layer_scalar")) return TensorPart::Norm;
  if (module.starts_with("mlp.gate.") || module == "mlp.gate" || holds("shared_expert_gate") ||
      holds("e_score_correction") || holds("router"))
    return TensorPart::Router;
  if (holds("expert") || holds("latent_proj")) return TensorPart::Expert;
  if (module.starts_with("self_attn") || module.starts_with("encoder_attn") ||
      module.starts_with("cross_attn"))
    return TensorPart::Attention;
  if (module.starts_with("linear_attn") || module.starts_with("mamba") ||
      module.starts_with("conv") || module.starts_with("temporal"))
    return TensorPart::Recurrent;
  if (module.starts_with("mlp") || module.starts_with("fc") || holds("dense_h"))
    return TensorPart::FeedForward;
  return TensorPart::Other;
}

TensorPart outer_part(std::string_view module) {
  const auto holds = [&](std::string_view word) {
    return module.find(word) != std::string_view::npos;
  };
  if (holds("lm_head") || module == "head" || holds("embed_out") || module == "output" ||
      holds("score") || holds("classifier"))
    return TensorPart::Head;
  if (holds("norm") || holds("ln_f")) return TensorPart::Norm;
  if (holds("embed") || holds("wte") || holds("wpe")) return TensorPart::Embedding;
  return TensorPart::Other;
}

}  // namespace gpushape::catalog
