// The tensors of a listing by module: what stands behind one module's name in a checkpoint (weight,
// scales, zero points), found by the names that an architecture gives its tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "catalog/stored_scheme.hpp"
#include "catalog/tensor_listing.hpp"
#include "catalog/tensor_names.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// By the words of the listing's own format.
TensorName parsed_name(const TensorListing& listing, const ListedTensor& tensor);

/// Layers that predict further tokens although they are numbered with the others: they have modules
/// that no other layer has.
std::set<std::int64_t> multi_token_layers(const TensorListing& listing);

/// How many layers the model has.
std::int64_t layers_of(const domain::Model& model);

class StoredModules {
 public:
  /// Layers from `layers` on are taken for those that predict further tokens.
  StoredModules(const TensorListing& listing, std::int64_t layers);

  /// Also where the checkpoint holds the module in one piece with others; nullptr for none.
  [[nodiscard]] const StoredModule* find(std::string_view name, std::int64_t layer,
                                         bool is_multi_token) const;

 private:
  struct Key {
    bool is_multi_token = false;
    std::int64_t layer = -1;
    std::string module = {};

    auto operator<=>(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const auto place = static_cast<std::size_t>(key.layer * 2 + (key.is_multi_token ? 1 : 0));
      return std::hash<std::string>()(key.module) ^ (place * 0x9E3779B97F4A7C15ULL);
    }
  };

  bool is_gguf_ = false;
  std::unordered_map<Key, StoredModule, KeyHash> modules_;
};

/// The module that some checkpoints hold `module` in together with others; empty for none.
std::string fused_name(std::string_view module);

}  // namespace gpushape::catalog
