#include "catalog/stored_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpushape::catalog {
namespace {

using Scope = TensorName::Scope;

/// Layers that predict further tokens have modules that no other layer has.
bool marks_multi_token(std::string_view module) {
  return module.ends_with("eh_proj") || module.ends_with("enorm") || module.ends_with("hnorm") ||
         module.find("shared_head") != std::string_view::npos;
}

// Where GGUF files keep what other checkpoints keep apart, or name it after another mixer.
struct Stead {
  std::string_view module;
  std::string_view stands_in;
};
constexpr auto kGgufSteads = std::to_array<Stead>({
    {"self_attn.kv_b_proj", "self_attn.k_b_proj"},
    {"mlp.gate_proj", "mlp.up_proj"},
    {"linear_attn.in_proj_qkv", "self_attn.qkv_proj"},
    {"linear_attn.in_proj_qkv", "mamba.in_proj"},
    {"linear_attn.in_proj_z", "mamba.in_proj"},
    {"linear_attn.in_proj_a", "linear_attn.in_proj_ba"},
    {"linear_attn.out_proj", "mamba.out_proj"},
});

}  // namespace

TensorName parsed_name(const TensorListing& listing, const ListedTensor& tensor) {
  return listing.is_gguf ? parse_gguf_tensor_name(tensor.name) : parse_tensor_name(tensor.name);
}

std::set<std::int64_t> multi_token_layers(const TensorListing& listing) {
  std::set<std::int64_t> layers;
  for (const ListedTensor& tensor : listing.tensors) {
    if (tensor.name.find("eh_proj") == std::string::npos &&
        tensor.name.find("enorm") == std::string::npos &&
        tensor.name.find("shared_head") == std::string::npos)
      continue;
    const TensorName name = parsed_name(listing, tensor);
    if (name.layer >= 0 && marks_multi_token(name.module)) layers.insert(name.layer);
  }
  return layers;
}

// Tensors that a checkpoint may hold in one piece, and the piece.
std::string fused_name(std::string_view module) {
  for (const std::string_view part : {"q_proj", "k_proj", "v_proj"}) {
    if (module == fmt::format("self_attn.{}", part)) return "self_attn.qkv_proj";
  }
  if (module.ends_with("gate_proj") || module.ends_with("up_proj")) {
    const std::size_t dot = module.rfind('.');
    return fmt::format("{}.gate_up_proj", module.substr(0, dot));
  }
  if (module == "linear_attn.in_proj_qkv" || module == "linear_attn.in_proj_z")
    return "linear_attn.in_proj_qkvz";
  if (module == "linear_attn.in_proj_b" || module == "linear_attn.in_proj_a")
    return "linear_attn.in_proj_ba";
  return {};
}

std::int64_t layers_of(const domain::Model& model) {
  std::int64_t count = 0;
  for (const domain::LayerRun& run : model.layers) count += run.count;
  return count;
}

StoredModules::StoredModules(const TensorListing& listing, std::int64_t layers)
    : is_gguf_(listing.is_gguf) {
  const std::set<std::int64_t> multi_token = multi_token_layers(listing);
  for (const ListedTensor& tensor : listing.tensors) {
    TensorName name = parsed_name(listing, tensor);
    if (name.scope == Scope::Tower) continue;
    Key key{.is_multi_token = name.scope == Scope::MultiToken, .layer = name.layer};
    if (name.scope == Scope::Layer && (name.layer >= layers || multi_token.contains(name.layer))) {
      key.is_multi_token = true;
      key.layer = name.layer - layers;
    }
    key.module = std::move(name.module);
    modules_[std::move(key)].take(tensor, name);
  }
}

const StoredModule* StoredModules::find(std::string_view name, std::int64_t layer,
                                        bool is_multi_token) const {
  const auto at = [&](std::string module) -> const StoredModule* {
    const auto found = modules_.find(
        {.is_multi_token = is_multi_token, .layer = layer, .module = std::move(module)});
    return found == modules_.end() ? nullptr : &found->second;
  };
  if (const StoredModule* own = at(std::string(name))) return own;
  if (const StoredModule* fused = at(fused_name(name))) return fused;
  if (!is_gguf_) return nullptr;
  for (const Stead& stead : kGgufSteads) {
    if (stead.module != name) continue;
    if (const StoredModule* other = at(std::string(stead.stands_in))) return other;
  }
  return nullptr;
}

}  // namespace gpushape::catalog
