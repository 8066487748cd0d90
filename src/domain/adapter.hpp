// Low-rank adapters: pairs of narrow matrices beside the linear layers of a model. A server keeps
// slots for several of them; a fine-tuning run trains one.
#pragma once

#include <array>
#include <cstdint>

#include "base/name_table.hpp"
#include "domain/fact.hpp"

namespace gpushape::domain {

/// Which linear layers have adapters.
enum class AdapterModules { All, Attention, QueryValue, FeedForward };

struct Adapters {
  Fact<std::int64_t> count = defaulted<std::int64_t>(1);  ///< resident at the same time
  /// Highest rank; engines make every slot that wide. 16: what vLLM (max_lora_rank) and most
  /// recipes take.
  Fact<std::int64_t> rank = defaulted<std::int64_t>(16);
  Fact<AdapterModules> modules = defaulted(AdapterModules::All);

  bool operator==(const Adapters&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::AdapterModules> =
    std::to_array<NameRow<domain::AdapterModules>>({
        {domain::AdapterModules::All, "all", "every linear layer of the blocks"},
        {domain::AdapterModules::Attention, "attention", "query, key, value and output"},
        {domain::AdapterModules::QueryValue, "query-value", "query and value only"},
        {domain::AdapterModules::FeedForward, "feed-forward", "gate, up and down projections"},
    });
}  // namespace gpushape
