#include "estimate/caching_allocator.hpp"

#include <doctest/doctest.h>

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

  TEST_CASE("nothing is allocated for nothing") {
    CachingAllocator allocator;
    allocator.allocate(0);
    CHECK(allocator.allocated() == Bytes(0));
  }
}
