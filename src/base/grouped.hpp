// Whole numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace gpushape {

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

}  // namespace gpushape
