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

constexpr std::int64_t round_up_segment(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Bytes of a new segment for a large request.
constexpr std::int64_t segment_for(std::int64_t bytes) {
  return bytes < kLeastOwnSegment ? kSharedSegment : round_up_segment(bytes, kSegmentUnit);
}

}  // namespace

/// The smallest rest that holds `bytes`, or a new segment.
std::int64_t CachingAllocator::block_for(std::int64_t bytes) {
  const auto found = std::ranges::lower_bound(rests_, bytes, {}, &Rest::bytes);
  if (found != rests_.end()) {
    const std::int64_t block = found->bytes;
    if (--found->count == 0) rests_.erase(found);
    return block;
  }
  const std::int64_t segment = segment_for(bytes);
  segments_ += segment;
  return segment;
}

void CachingAllocator::keep(std::int64_t rest, bool is_segment) {
  auto place = std::ranges::lower_bound(rests_, rest, {}, &Rest::bytes);
  while (place != rests_.end() && place->bytes == rest && place->is_segment != is_segment) ++place;
  if (place != rests_.end() && place->bytes == rest) {
    ++place->count;
  } else {
    rests_.insert(place, {.bytes = rest, .count = 1, .is_segment = is_segment});
  }
}

void CachingAllocator::free(std::int64_t bytes) {
  if (bytes <= 0) return;
  const std::int64_t wanted = round_up_segment(bytes, kUnit);
  if (wanted <= kLargestSmall) {
    allocated_ -= wanted;
    small_ -= wanted;
    return;
  }
  if (wanted < kLeastOwnSegment) {
    allocated_ -= wanted;
    keep(wanted, false);
    return;
  }
  const std::int64_t segment = segment_for(wanted);
  const std::int64_t rest = segment - wanted;
  allocated_ -= stays(rest, wanted) ? segment : wanted;
  const auto split_off = std::ranges::find_if(
      rests_, [&](const Rest& other) { return other.bytes == rest && !other.is_segment; });
  if (split_off != rests_.end() && --split_off->count == 0) rests_.erase(split_off);
  keep(segment, true);
}

void CachingAllocator::release() {
  for (const Rest& rest : rests_) {
    if (rest.is_segment) segments_ -= rest.bytes * rest.count;
  }
  std::erase_if(rests_, [](const Rest& rest) { return rest.is_segment; });
}

bool CachingAllocator::stays(std::int64_t rest, std::int64_t wanted) const {
  return rest <= kLargestUnsplitRest ||
         static_cast<double>(rest) <= unsplit_share_ * static_cast<double>(wanted);
}

void CachingAllocator::allocate(std::int64_t bytes) {
  if (bytes <= 0) return;
  const std::int64_t wanted = round_up_segment(bytes, kUnit);
  if (wanted <= kLargestSmall) {  // split to the unit: the count does not depend on the segments
    allocated_ += wanted;
    small_ += wanted;
    return;
  }
  const std::int64_t block = block_for(wanted);
  const std::int64_t rest = block - wanted;
  if (stays(rest, wanted)) {
    allocated_ += block;
    return;
  }
  allocated_ += wanted;
  keep(rest, false);
}

Bytes CachingAllocator::reserved() const {
  return Bytes(segments_ + round_up_segment(small_, kSegmentUnit));
}

CachingAllocator::Batch CachingAllocator::batch_of(std::span<std::int64_t> bytes) {
  Batch batch;
  for (const std::int64_t each : bytes) {
    batch.bytes += each;
    const std::int64_t wanted = round_up_segment(each, kUnit);
    if (wanted <= kLargestSmall) {
      batch.small += wanted;
    } else {
      bytes[batch.large++] = each;
    }
  }
  return batch;
}

std::span<const CachingAllocator::Rest> CachingAllocator::rests_from(std::span<const Rest> rests,
                                                                     std::int64_t bytes) {
  const auto first = std::ranges::lower_bound(rests, bytes, {}, &Rest::bytes);
  return {first, rests.end()};
}

void CachingAllocator::repeat(const Moment& since, std::int64_t least, std::int64_t times) {
  allocated_ += (allocated_ - since.allocated) * times;
  segments_ += (segments_ - since.segments) * times;
  // Rests that are too small for any request only grow in number.
  for (Rest& rest : rests_) {
    if (rest.bytes >= least) break;
    const auto before = std::ranges::find_if(since.rests, [&](const Rest& other) {
      return other.bytes == rest.bytes && other.is_segment == rest.is_segment;
    });
    rest.count += (rest.count - (before == since.rests.end() ? 0 : before->count)) * times;
  }
}

void CachingAllocator::allocate(const Batch& batch, std::span<const std::int64_t> large,
                                std::int64_t times) {
  allocated_ += batch.small * times;
  small_ += batch.small * times;
  if (large.empty()) return;
  if (times == 1) {
    for (const std::int64_t each : large) allocate(each);
    return;
  }
  const std::int64_t least = round_up_segment(std::ranges::min(large), kUnit);
  // Where the rests that a request can take are those of an earlier time, all comes again as it
  // came since. Earlier times are kept at the powers of two (Brent's search for a cycle).
  const auto now = [&](std::int64_t done) {
    return Moment{.done = done, .allocated = allocated_, .segments = segments_, .rests = rests_};
  };
  Moment kept = now(0);
  bool is_searching = true;
  for (std::int64_t done = 1; done <= times; ++done) {
    for (const std::int64_t each : large) allocate(each);
    if (!is_searching) continue;
    if (std::ranges::equal(rests_from(rests_, least), rests_from(kept.rests, least))) {
      const std::int64_t period = done - kept.done;
      const std::int64_t cycles = (times - done) / period;
      repeat(kept, least, cycles);
      done += cycles * period;
      is_searching = false;
    } else if ((done & (done - 1)) == 0) {
      kept = now(done);
    }
  }
}

}  // namespace gpushape::estimate
