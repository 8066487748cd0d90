#include "estimate/caching_allocator.hpp"

#include <algorithm>
#include <cstddef>

namespace gpushape::estimate {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1024} * 1024;
constexpr std::int64_t kUnit = 512;
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kLeastOwnSegment = 10 * kMiB;
constexpr std::int64_t kSharedSegment = 20 * kMiB;
constexpr std::int64_t kSegmentUnit = 2 * kMiB;
constexpr std::int64_t kLargestUnsplitRest = kMiB;

constexpr std::int64_t round_up_to(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

/// The smallest rest that holds `bytes`, or a new segment.
std::int64_t CachingAllocator::block_for(std::int64_t bytes) {
  const auto found = std::ranges::lower_bound(rests_, bytes);
  if (found != rests_.end()) {
    const std::int64_t block = *found;
    rests_.erase(found);
    return block;
  }
  return bytes < kLeastOwnSegment ? kSharedSegment : round_up_to(bytes, kSegmentUnit);
}

void CachingAllocator::allocate(std::int64_t bytes) {
  if (bytes <= 0) return;
  const std::int64_t wanted = round_up_to(bytes, kUnit);
  if (wanted <= kLargestSmall) {  // split to the unit: the count does not depend on the segments
    allocated_ += wanted;
    return;
  }
  const std::int64_t block = block_for(wanted);
  const std::int64_t rest = block - wanted;
  if (rest <= kLargestUnsplitRest) {
    allocated_ += block;
    return;
  }
  allocated_ += wanted;
  rests_.insert(std::ranges::lower_bound(rests_, rest), rest);
}

void CachingAllocator::allocate(std::span<const std::int64_t> bytes, std::int64_t times) {
  std::int64_t small = 0;  // their order does not matter: they never meet the rests
  for (const std::int64_t each : bytes) {
    const std::int64_t wanted = round_up_to(each, kUnit);
    if (wanted > 0 && wanted <= kLargestSmall) small += wanted;
  }
  allocated_ += small * times;
  for (std::int64_t i = 0; i < times; ++i) {
    const std::int64_t before = allocated_;
    const std::size_t rests_before = rests_.size();
    bool changes_rests = false;
    for (const std::int64_t each : bytes) {
      if (each <= kLargestSmall) continue;
      allocate(each);
      changes_rests = changes_rests || rests_.size() != rests_before;
    }
    // Nothing was split and nothing reused: every further time comes to the same.
    if (!changes_rests && rests_.empty()) {
      allocated_ += (allocated_ - before) * (times - i - 1);
      return;
    }
  }
}

}  // namespace gpushape::estimate
