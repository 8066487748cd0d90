// What the weights of a stage add up to, allocation by allocation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "estimate/caching_allocator.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// Sums tensors, and asks the allocator for each.
class WeightsTally {
 public:
  explicit WeightsTally(const WeightsLayout& layout) : allocator_(layout.unsplit_share) {}
  void add(const CachingAllocator::Batch& batch, std::span<const std::int64_t> large,
           std::int64_t times) {
    tensors_ += batch.bytes * times;
    allocator_.allocate(batch, large, times);
  }
  void add(std::vector<std::int64_t>& bytes, std::int64_t times = 1) {
    const CachingAllocator::Batch batch = CachingAllocator::batch_of(bytes);
    add(batch, std::span(bytes).first(batch.large), times);
  }
  void add_rotary(std::int64_t bytes) {
    rotary_ += bytes;
    allocator_.allocate(bytes);
  }
  /// Makes a tensor anew with room behind its rows, and only then gives the old one back.
  void widen(std::int64_t bytes, std::int64_t wider) {
    tensors_ += wider - bytes;
    allocator_.allocate(wider);
    allocator_.release();
    allocator_.free(bytes);
  }
  /// Bytes that belong to no tensor that is known by name; they may be negative.
  void add_unnamed(std::int64_t bytes) { unnamed_ += bytes; }
  /// Bytes that no other stage holds, on one rank that holds everything.
  void add_once(std::int64_t bytes) { once_ += bytes; }
  [[nodiscard]] LoadedWeights loaded() const {
    return {.tensors = Bytes(tensors_ + unnamed_),
            .rotary = Bytes(rotary_),
            .once = Bytes(once_),
            .allocated = allocator_.allocated() + Bytes(unnamed_),
            .reserved = allocator_.reserved() + Bytes(unnamed_),
            .towers = {}};
  }

 private:
  std::int64_t tensors_ = 0;
  std::int64_t rotary_ = 0;
  std::int64_t unnamed_ = 0;
  std::int64_t once_ = 0;
  CachingAllocator allocator_;
};

}  // namespace gpushape::estimate
