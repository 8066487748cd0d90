#include "domain/kv_cache_type.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace gpushape::domain;

TEST_SUITE("domain") {
  TEST_CASE("every type of the KV cache but auto has a format with a source") {
    CHECK(kKvCacheFormats.size() + 1 == gpushape::kNames<KvCacheType>.size());
    for (const auto& name : gpushape::kNames<KvCacheType>) {
      if (name.value == KvCacheType::Auto) continue;
      CAPTURE(name.name);
      CHECK(kv_cache_format(name.value).type == name.value);
      CHECK_FALSE(kv_cache_format(name.value).source.empty());
    }
  }

  TEST_CASE("one token and head costs what engines allocate for it") {
    struct Row {
      KvCacheType type;
      std::int64_t bytes;  // head size 128
    };
    const std::vector<Row> rows = {
        {KvCacheType::Bf16, 512},
        {KvCacheType::Fp8, 256},
        {KvCacheType::Fp8TokenHead, 2 * (128 + 4)},
        {KvCacheType::Int8, 2 * (128 + 4)},
        {KvCacheType::Nvfp4, 2 * (64 + 8)},
        {KvCacheType::TurboK8V4, 128 + 64 + 4},
        {KvCacheType::TurboK4V4, 64 + 2 + 64 + 4},
        {KvCacheType::TurboK3V3, 48 + 2 + 48 + 4},
        {KvCacheType::Q8_0, 2 * 4 * 34},
        {KvCacheType::Q4_0, 2 * 4 * 18},
    };
    for (const Row& row : rows) {
      CAPTURE(gpushape::name_of(row.type));
      CHECK(bytes_per_head(kv_cache_format(row.type), 128, 128) == row.bytes);
    }
    // 3 bits of 100 values are 38 bytes: the slot of 38 + 2 + 50 + 4 is even already, that of 97
    // values (37 + 2 + 49 + 4 = 92) too, that of 91 values (35 + 2 + 46 + 4 = 87) is not.
    CHECK(bytes_per_head(kv_cache_format(KvCacheType::TurboK3V4), 91, 91) == 88);
  }
}
