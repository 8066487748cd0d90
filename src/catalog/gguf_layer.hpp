// One layer of a GGUF model from its tensors: llama.cpp names them alike in every architecture, so
// that shapes tell what the layer is made of.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/gguf.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// What the key-values say of one layer.
struct GgufSizes {
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_length = 0;    ///< 0 where they do not say
  std::int64_t value_length = 0;  ///< 0 where they do not say
  std::int64_t query_rank = 0;
  std::int64_t kv_rank = 0;
  std::int64_t rope_dim = 0;
  std::int64_t active_experts = 0;
  std::int64_t window_tokens = 0;  ///< of a layer that slides or attends in chunks; 0 otherwise
  bool is_chunked = false;
  bool shares_cache = false;
  std::int64_t index_heads = 0;
  std::int64_t index_head_dim = 0;
  std::int64_t index_tokens = 0;
  std::int64_t state_heads = 0;  ///< ssm.time_step_rank
  std::int64_t state_groups = 0;
  std::int64_t state_size = 0;
};

class GgufLayer {
 public:
  using Sizes = std::array<std::int64_t, 4>;  ///< the fastest dimension first

  void add(std::string name, const Sizes& sizes, std::int64_t values) {
    tensors_.insert_or_assign(std::move(name), Stored{sizes, values, false});
  }

  /// Nothing and a fault where shapes and key-values contradict one another, or tensors of weight
  /// are of no known kind.
  Result<domain::Layer> build(const GgufSizes& sizes);

 private:
  struct Stored {
    Sizes sizes = {0, 0, 0, 0};
    std::int64_t values = 0;
    bool is_used = false;
  };

  /// Marks it as understood; nullptr where there is none.
  const Sizes* take(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const { return tensors_.contains(name); }
  std::string attention(const GgufSizes& sizes, domain::Layer& layer);
  std::string latent(const GgufSizes& sizes, domain::Layer& layer);
  std::string recurrent(const GgufSizes& sizes, domain::Layer& layer);
  std::string feed_forward(const GgufSizes& sizes, domain::Layer& layer);
  void norms(const GgufSizes& sizes, domain::Layer& layer);
  std::string rest(domain::Layer& layer);

  std::map<std::string, Stored, std::less<>> tensors_;
};

}  // namespace gpushape::catalog
