#include "domain/module_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace gpushape::domain {
namespace {

// Words of published checkpoints for the same module: MiniMax and Mixtral (block_sparse_moe, w1 w3
// w2), Llama 4 (feed_forward), DeepSeek-V4 (ffn, attn), Nemotron-H (mixer), Kimi Linear (KDA below
// self_attn), Granite 4 and Jamba (mamba), Gemma 4 (router, experts beside mlp).
constexpr auto kAttentionWords =
    std::to_array<std::string_view>({"self_attn", "attn", "attention", "mixer", "self_attention"});
constexpr auto kDeltaWords = std::to_array<std::string_view>({"linear_attn", "linear_attention"});
constexpr auto kStateWords = std::to_array<std::string_view>({"mamba", "mixer"});
constexpr auto kFeedForwardWords = std::to_array<std::string_view>(
    {"mlp", "feed_forward", "block_sparse_moe", "ffn", "mixer", "moe"});
constexpr auto kSharedWords = std::to_array<std::string_view>(
    {"shared_experts", "shared_expert", "shared_mlp", "share_expert"});
constexpr auto kGateWords = std::to_array<std::string_view>({"gate", "router"});
constexpr auto kGateProjections = std::to_array<std::string_view>({"gate_proj", "w1"});
constexpr auto kUpProjections = std::to_array<std::string_view>({"up_proj", "w3"});
constexpr auto kDownProjections = std::to_array<std::string_view>({"down_proj", "w2"});

std::span<const std::string_view> synonyms(std::string_view word, TensorPart part, bool is_first) {
  const auto among = [&](const auto& words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is_first) {
    switch (part) {
      case TensorPart::Attention:
        if (among(kAttentionWords)) return kAttentionWords;
        break;
      case TensorPart::Recurrent:
        // Beside attention by another name, not another name of it, but for those that are.
        if (among(kDeltaWords)) return kDeltaWords;
        if (among(kStateWords)) return kStateWords;
        if (among(kAttentionWords)) return kAttentionWords;
        break;
      case TensorPart::FeedForward:
      case TensorPart::Expert:
      case TensorPart::Router:
        if (among(kFeedForwardWords)) return kFeedForwardWords;
        break;
      default:
        break;
    }
  }
  if (among(kSharedWords)) return kSharedWords;
  if (part == TensorPart::Router && among(kGateWords)) return kGateWords;
  if (among(kGateProjections)) return kGateProjections;
  if (among(kUpProjections)) return kUpProjections;
  if (among(kDownProjections)) return kDownProjections;
  return {};
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    words.push_back(name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return words;
}

}  // namespace

ModuleNames::ModuleNames(const Model& model) {
  for (const ModuleFormat& module : model.weights.modules) patterns_ += module.pattern + '\n';
  for (const std::string& pattern : model.weights.kept) patterns_ += pattern + '\n';
  for (const LayerRun& run : model.layers) {
    layers_ += run.count;
    has_experts_beside_ = has_experts_beside_ || (run.layer.feed_forward.width > 0 &&
                                                  run.layer.feed_forward.experts.has_value());
  }
  prefixes_.emplace_back("model.");
  if (is_used("language_model")) {
    prefixes_.emplace_back("model.language_model.");
    prefixes_.emplace_back("language_model.model.");
  }
  if (is_used("backbone")) prefixes_.emplace_back("backbone.");
  if (is_used("re:layers") || is_used("re:^layers")) prefixes_.emplace_back("");
}

bool ModuleNames::is_used(std::string_view word) const {
  return patterns_.find(word) != std::string::npos;
}

// Every way to say the tensor's name in the words that the patterns use.
std::vector<std::string> ModuleNames::in_layer(const Tensor& tensor) const {
  std::vector<std::string> names = {""};
  std::vector<std::string_view> words = words_of(tensor.name);
  const bool is_routed = tensor.part == TensorPart::Expert || tensor.part == TensorPart::Router;
  if (has_experts_beside_ && is_routed && words.size() > 1) {
    words.erase(words.begin());
    if (words.front() == "gate") words.front() = "router";
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::string_view> choices = {words[i]};
    for (const std::string_view other : synonyms(words[i], tensor.part, i == 0)) {
      if (other != words[i] && is_used(other)) choices.push_back(other);
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string_view choice : choices)
        longer.push_back(fmt::format("{}{}{}", name, name.empty() ? "" : ".", choice));
    }
    names = std::move(longer);
  }
  if (tensor.copies > 1) {
    const std::size_t count = names.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = names[i].find("experts.");
      if (at == std::string::npos) continue;
      std::string numbered = names[i];
      numbered.insert(at + std::string_view("experts.").size(), "0.");
      names.push_back(std::move(numbered));
    }
  }
  return names;
}

std::vector<std::string> ModuleNames::of(const Tensor& tensor, std::int64_t layer,
                                         bool is_multi_token) const {
  std::vector<std::string> names;
  const std::vector<std::string> inner = in_layer(tensor);
  for (const std::string& prefix : prefixes_) {
    for (const std::string& name : inner) {
      if (is_multi_token) {
        names.push_back(fmt::format("mtp.layers.{}.{}", layer, name));
        names.push_back(fmt::format("{}layers.{}.{}", prefix, layers_ + layer, name));
      } else if (layer >= 0) {
        names.push_back(fmt::format("{}layers.{}.{}", prefix, layer, name));
      } else {
        names.push_back(name);
        names.push_back(prefix + name);
        if (tensor.part == TensorPart::Head) names.emplace_back("head");
      }
    }
  }
  return names;
}

}  // namespace gpushape::domain
