// Narrower weights than those asked for, where the GPU computes in them or at least holds them:
// what a flip and MG-03 try before they ask for another GPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "advise/advise.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

struct DeviceCase;

/// The formats below `now`, widest first: fp8 where the device computes in it, then 4 bits under
/// 16-bit activations, which every GPU since Volta holds. Empty for GGUF files, whose precision is
/// that of the file.
std::vector<domain::Quantization> narrower_weights(std::string_view engine,
                                                   domain::Quantization now,
                                                   const domain::Device& device);
/// Those below the one that the request's weights are in. Empty without a model and for training.
std::vector<domain::Quantization> narrower_weights(const AdviceRequest& request,
                                                   const domain::Device& device);

/// The request with these weights, its flips and findings none the wiser.
AdviceRequest with_weights(const AdviceRequest& request, domain::Quantization quantization);

/// MG-03: the first narrower format with which an instance fits a link domain that it exceeds now.
void find_narrower_layout(DeviceCase& device_case);

}  // namespace gpushape::advise
