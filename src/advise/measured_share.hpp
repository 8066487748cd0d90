// Which size of a GPU an engine ran on, where nobody says: the one that gives a pool as large as
// the one it told of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/advise.hpp"
#include "base/bytes.hpp"

namespace gpushape::advise {

struct MeasuredShare {
  std::optional<Bytes> usable_bytes;  ///< of the share; absent: the whole device, or not known
  std::string says;                   ///< how it is known, or why not; empty: nothing to say
};

/// Of the first wish's GPU. --measured-on wins; without it the pool that the engine told of is held
/// against what every size would give it under the share it told of. Needs a model and an engine.
MeasuredShare measured_share(const AdviceRequest& request);

}  // namespace gpushape::advise
