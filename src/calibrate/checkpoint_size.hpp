// What the size of a checkpoint tells of a recipe that its name leaves open. vLLM prints it from
// 0.20 on ("Checkpoint size: 19.18 GiB"), before it loads the weights.
#pragma once

#include "domain/model.hpp"

namespace gpushape::calibrate {

/// The model with as many bytes stored as the engine found, where only the name tells its recipe:
/// in that of a publisher whose copies are as large, or in its own, with or without the layers that
/// predict further tokens and a tied head once more; what neither explains is in the layers.
/// Others stay as they are.
domain::Model of_checkpoint_size(domain::Model model, double checkpoint_gib, bool loads_drafts);

}  // namespace gpushape::calibrate
