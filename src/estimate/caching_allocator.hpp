// What PyTorch's CUDA caching allocator counts as allocated for a sequence of tensors.
//
// Small requests (up to 1 MiB) are cut from 2 MiB segments in units of 512 bytes. Requests under
// 10 MiB are cut from 20 MiB segments, larger ones get a segment of their own, rounded up to 2 MiB;
// in both cases what is left over is split off only if it is larger than 1 MiB, and counts as
// allocated otherwise. A rest that was split off serves the next request that it holds, the
// smallest such rest first. Source: PyTorch c10/cuda/CUDACachingAllocator.cpp (kMinBlockSize,
// kSmallSize, kMinLargeAlloc, kLargeBuffer, kRoundLarge, should_split).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace gpushape::estimate {

class CachingAllocator {
 public:
  void allocate(std::int64_t bytes);
  /// All of `bytes` in turn, `times` times over.
  void allocate(std::span<const std::int64_t> bytes, std::int64_t times);
  /// Bytes of everything that was handed out, with the rests that were not split off.
  [[nodiscard]] Bytes allocated() const { return Bytes(allocated_); }

 private:
  std::int64_t block_for(std::int64_t bytes);

  std::int64_t allocated_ = 0;
  std::vector<std::int64_t> rests_;  ///< free blocks of more than 1 MiB, ascending
};

}  // namespace gpushape::estimate
