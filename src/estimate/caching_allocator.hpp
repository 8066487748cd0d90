// What PyTorch's CUDA caching allocator counts as allocated for a sequence of tensors.
//
// Small requests (up to 1 MiB) are cut from 2 MiB segments in units of 512 bytes. Requests under
// 10 MiB are cut from 20 MiB segments, larger ones get a segment of their own, rounded up to 2 MiB;
// in both cases what is left over is split off only if it is larger than 1 MiB, and counts as
// allocated otherwise. A rest that was split off serves the next request that it holds, the
// smallest such rest first. Source: PyTorch c10/cuda/CUDACachingAllocator.cpp (kMinBlockSize,
// kSmallSize, kMinLargeAlloc, kLargeBuffer, kRoundLarge, should_split).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace gpushape::estimate {

class CachingAllocator {
 public:
  /// `unsplit_share`: rests of up to this share of a request stay with it, too.
  explicit CachingAllocator(double unsplit_share = 0) : unsplit_share_(unsplit_share) {}

  void allocate(std::int64_t bytes);
  /// Gives a block of `bytes` back. A large one leaves its segment whole, which serves further
  /// requests until it is released; small ones leave no room for others.
  void free(std::int64_t bytes);
  /// Gives whole free segments back to the driver. Source: torch.cuda.empty_cache.
  void release();
  /// What allocating `bytes` in turn comes to, apart from where the large ones find room.
  struct Batch {
    std::int64_t bytes = 0;  ///< as asked for
    std::int64_t small = 0;  ///< handed out for the small ones: they never meet the rests
    std::size_t large = 0;   ///< how many are not small

    bool operator==(const Batch&) const = default;
  };
  /// Moves those that are not small to the front, in their order.
  static Batch batch_of(std::span<std::int64_t> bytes);
  /// `large` are the first `batch.large` of a batch's bytes; `times` times over.
  void allocate(const Batch& batch, std::span<const std::int64_t> large, std::int64_t times);
  /// Bytes of everything that was handed out, with the rests that were not split off.
  [[nodiscard]] Bytes allocated() const { return Bytes(allocated_); }
  /// Bytes of the segments that all of it was cut from: what the driver no longer shows as free.
  [[nodiscard]] Bytes reserved() const;

 private:
  std::int64_t block_for(std::int64_t bytes);

  /// Free blocks of more than 1 MiB. A network's layers are alike, and so are their rests.
  struct Rest {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    bool is_segment = false;  ///< a whole one: nothing else was cut from it

    bool operator==(const Rest&) const = default;
  };
  /// What stood after so many times of a batch.
  struct Moment {
    std::int64_t done = 0;
    std::int64_t allocated = 0;
    std::int64_t segments = 0;
    std::vector<Rest> rests;
  };
  /// Those of `rests` that hold `bytes`.
  static std::span<const Rest> rests_from(std::span<const Rest> rests, std::int64_t bytes);
  /// What came since then, so many times more; no request is below `least`.
  void repeat(const Moment& since, std::int64_t least, std::int64_t times);
  void keep(std::int64_t rest, bool is_segment);

  [[nodiscard]] bool stays(std::int64_t rest, std::int64_t wanted) const;

  double unsplit_share_;
  std::int64_t allocated_ = 0;
  std::int64_t segments_ = 0;  ///< bytes of those that large requests were cut from
  std::int64_t small_ = 0;     ///< bytes handed out for small requests
  std::vector<Rest> rests_;    ///< ascending
};

}  // namespace gpushape::estimate
