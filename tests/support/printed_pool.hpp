// A pool and its tokens as a real start of vLLM printed them. A pool is printed to 0.01 GiB, so the
// printed count must lie between ours for 0.005 GiB less and 0.005 GiB more.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "estimate/cache_layout.hpp"
#include "support/cached_models.hpp"

namespace gpushape::example {

struct PrintedPool {
  const char* name;  ///< what was started, and where it was published
  domain::Model model;
  estimate::CacheGeometry geometry;
  std::int64_t context;
  double pool_gib;
  bool counts_requests;
  std::int64_t printed_tokens;
  std::optional<double> printed_requests = std::nullopt;
};

inline constexpr auto kUnstated = std::nullopt;

inline void check(const PrintedPool& start) {
  CAPTURE(start.name);
  const estimate::CacheLayout layout = layout_of(start.model, start.geometry);
  const auto count = [&](double gib) {
    return count_pool(layout, gib_of(gib) / layout.block_bytes, start.context,
                      start.counts_requests);
  };
  const estimate::PoolCount least = count(start.pool_gib - 0.005);
  const estimate::PoolCount most = count(start.pool_gib + 0.005);
  CHECK(least.tokens <= start.printed_tokens);
  CHECK(start.printed_tokens <= most.tokens);
  if (!start.printed_requests) return;
  CHECK(least.requests - 0.005 <= *start.printed_requests);
  CHECK(*start.printed_requests <= most.requests + 0.005);
}

}  // namespace gpushape::example
