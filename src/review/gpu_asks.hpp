// The GPUs that a pod asks for, whichever way it says so.
#pragma once

#include <string_view>

#include "review/deployment.hpp"

namespace gpushape::review {

/// Fills `gpus` of every pod, once all documents are read. What an init container asks for is not
/// counted beside the others; a claim that several containers use counts once.
void take_gpu_asks(Deployment& deployment);

/// "nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.10gb", "volcano.sh/vgpu-number" …
bool is_gpu_resource(std::string_view resource);

}  // namespace gpushape::review
