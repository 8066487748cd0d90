// GPUs by the short names of clouds, schedulers and charts: "H100", "A100-80GB", "nvidia-gpu-l4".
#pragma once

#include <span>
#include <string_view>

#include "domain/device.hpp"

namespace gpushape::review {

/// nullptr where the name is not known, or may be several cards.
const domain::Device* device_of_short_name(std::string_view name,
                                           std::span<const domain::Device> devices);

}  // namespace gpushape::review
