// The apiVersion that every document of ours carries.
#pragma once

#include <string_view>

namespace gpushape::domain {

inline constexpr std::string_view kApiVersion = "gpushape.dev/v1";

}  // namespace gpushape::domain
