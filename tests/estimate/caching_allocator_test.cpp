#include "estimate/caching_allocator.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

using namespace gpushape;
using estimate::CachingAllocator;

TEST_SUITE("estimate") {
  TEST_CASE("small requests count in units of 512 bytes") {
    CachingAllocator allocator;
    allocator.allocate(1);
    CHECK(allocator.allocated() == Bytes(512));
    allocator.allocate(513);
    CHECK(allocator.allocated() == Bytes(512 + 1024));
  }

  TEST_CASE("a rest of at most 1 MiB of an own segment counts, a larger one does not") {
    CachingAllocator exact;
    exact.allocate(mib(12).count());  // a segment of 12 MiB
    CHECK(exact.allocated() == mib(12));
    CachingAllocator unsplit;
    unsplit.allocate(mib(11).count());  // a segment of 12 MiB, 1 MiB over
    CHECK(unsplit.allocated() == mib(12));
    CachingAllocator split;
    split.allocate(mib(11).count() - 512);  // 1 MiB and 512 bytes over
    CHECK(split.allocated() == mib(11) - Bytes(512));
  }

  TEST_CASE("requests under 10 MiB share segments of 20 MiB") {
    CachingAllocator allocator;
    allocator.allocate(mib(8).count());
    allocator.allocate(mib(8).count());
    CHECK(allocator.allocated() == mib(16));
    allocator.allocate(mib(3).count());  // 4 MiB are left; 1 MiB over is not split off
    CHECK(allocator.allocated() == mib(20));
  }

  TEST_CASE("free memory shows the segments that everything was cut from") {
    CachingAllocator allocator;
    allocator.allocate(513);  // of a segment of 2 MiB
    CHECK(allocator.reserved() == mib(2));
    allocator.allocate(mib(8).count());
    allocator.allocate(mib(8).count());  // both of one segment of 20 MiB
    CHECK(allocator.reserved() == mib(2 + 20));
    allocator.allocate(mib(11).count());  // of its own, rounded up to 12
    CHECK(allocator.reserved() == mib(2 + 20 + 12));
  }

  TEST_CASE("a request takes the smallest rest that holds it") {
    CachingAllocator allocator;
    allocator.allocate(mib(9).count());   // leaves 11 MiB of a shared segment
    allocator.allocate(mib(11).count());  // and takes them: nothing is over
    CHECK(allocator.allocated() == mib(20));
    allocator.allocate(mib(5).count());  // leaves 15
    allocator.allocate(mib(9).count());  // leaves 6
    allocator.allocate(mib(5).count());  // of the 6: 1 MiB over counts
    CHECK(allocator.allocated() == mib(20 + 5 + 9 + 6));
  }

  TEST_CASE("a batch many times over is what one request after the other comes to") {
    // Sizes with rests of every kind: small, own segments, shared ones, split and not.
    const std::vector<std::int64_t> sizes = {
        512, 700'000,        mib(3).count(), 1'500'000, mib(11).count(), 23'592'960, mib(7).count(),
        100, mib(12).count()};
    for (const std::int64_t times : {1, 2, 7, 40}) {
      CAPTURE(times);
      CachingAllocator one_by_one;
      for (std::int64_t i = 0; i < times; ++i) {
        for (const std::int64_t size : sizes) one_by_one.allocate(size);
      }
      CachingAllocator at_once;
      std::vector<std::int64_t> batched = sizes;
      const CachingAllocator::Batch batch = CachingAllocator::batch_of(batched);
      at_once.allocate(batch, std::span(batched).first(batch.large), times);
      CHECK(at_once.allocated() == one_by_one.allocated());
      CHECK(batch.bytes == std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
    }
  }

  TEST_CASE("so is a batch of any sizes, behind any others") {
    const auto sizes = [] {
      // KiB, so that many shrink to few: around the limits of 1, 2, 10 and 20 MiB.
      return *rc::gen::container<std::vector<std::int64_t>>(rc::gen::map(
          rc::gen::inRange<std::int64_t>(1, 30'000), [](std::int64_t kib) { return kib * 1024; }));
    };
    CHECK(rc::check([&] {
      const std::vector<std::int64_t> before = sizes();
      std::vector<std::int64_t> batched = sizes();
      const std::vector<std::int64_t> asked = batched;
      const std::vector<std::int64_t> after = sizes();
      const auto times = *rc::gen::inRange<std::int64_t>(1, 70);
      CachingAllocator one_by_one;
      CachingAllocator at_once;
      for (const std::int64_t size : before) {
        one_by_one.allocate(size);
        at_once.allocate(size);
      }
      for (std::int64_t i = 0; i < times; ++i) {
        for (const std::int64_t size : asked) one_by_one.allocate(size);
      }
      const CachingAllocator::Batch batch = CachingAllocator::batch_of(batched);
      at_once.allocate(batch, std::span(batched).first(batch.large), times);
      // What comes later finds the same rests.
      for (const std::int64_t size : after) {
        one_by_one.allocate(size);
        at_once.allocate(size);
      }
      RC_ASSERT(at_once.allocated() == one_by_one.allocated());
      RC_ASSERT(at_once.reserved() == one_by_one.reserved());
    }));
  }

  TEST_CASE("a freed segment serves again until it is released, unless something was cut from it") {
    CachingAllocator allocator;
    allocator.allocate(mib(160).count());
    allocator.allocate(mib(30).count());
    allocator.free(mib(160).count());
    CHECK(allocator.allocated() == mib(30));
    CHECK(allocator.reserved() == mib(160 + 30));
    allocator.allocate(mib(80).count());  // of the 160: 80 are left, and hold it
    allocator.free(mib(30).count());
    allocator.release();  // the 30 alone
    CHECK(allocator.allocated() == mib(80));
    CHECK(allocator.reserved() == mib(160));
    allocator.allocate(mib(50).count());
    CHECK(allocator.reserved() == mib(160));
  }

  TEST_CASE("what was left over of a segment goes back with it") {
    CachingAllocator allocator;
    allocator.allocate(mib(11).count() - 512);  // of 12: 1 MiB and 512 bytes are split off
    allocator.free(mib(11).count() - 512);
    allocator.release();
    CHECK(allocator.reserved() == mib(0));
    allocator.allocate(mib(1).count() + 512);
    CHECK(allocator.reserved() == mib(20));  // not of the rest, which is gone
  }

  TEST_CASE("small blocks and those of shared segments are freed without giving segments back") {
    CachingAllocator allocator;
    allocator.allocate(512);
    allocator.allocate(mib(8).count());
    allocator.free(512);
    allocator.free(mib(8).count());
    allocator.release();
    CHECK(allocator.allocated() == mib(0));
    CHECK(allocator.reserved() == mib(20));
  }

  TEST_CASE("nothing is allocated for nothing") {
    CachingAllocator allocator;
    allocator.allocate(0);
    CHECK(allocator.allocated() == Bytes(0));
  }
}
