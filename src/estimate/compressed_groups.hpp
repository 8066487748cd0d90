// Groups of compressed attention (DeepSeek-V4), whose pages differ in size.
#pragma once

#include "estimate/cache_layout.hpp"

namespace gpushape::estimate {

/// Fills groups, group_layers and block_bytes of a layout whose kinds are all compressed.
void put_into_compressed_groups(CacheLayout& layout);

}  // namespace gpushape::estimate
