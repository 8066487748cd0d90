// Figures and names in the words that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/grouped.hpp"
#include "domain/advice.hpp"
#include "domain/shape.hpp"

namespace gpushape::render {

/// "12.34": GiB with two decimals, without the unit.
std::string gib_text(Bytes bytes);
/// "12.34 GiB", or MiB and KiB where that reads better.
std::string size_text(Bytes bytes);
/// "50 %".
std::string percent(double share);
/// A number with as many decimals as it has use for: "62.1", "1,024".
std::string plain_number(double number);
/// "1 GPU", "2 GPUs".
std::string counted(std::int64_t count, std::string_view noun);
/// "8.03 B", "494 M".
std::string parameters_text(std::int64_t parameters);

/// "kvCacheType" as "KV cache type".
std::string words_of(std::string_view field);
/// "from --isolation", "default: newest with facts".
std::string mark_of(const domain::Assumption& assumption);
/// A value as it is shown: whole numbers grouped.
std::string shown_value(const domain::Assumption& assumption);

/// "80C of h100-sxm-80", "2 x 80C of h100-sxm-80".
std::string shape_name(const domain::Shape& shape);
/// The same without device: "80C", "whole GPU".
std::string profile_name(const domain::Shape& shape);

}  // namespace gpushape::render
