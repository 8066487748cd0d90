// What an estimate says of one start: the workload that the start was, its terms as engines print
// them, and the tokens of a given pool.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"

namespace gpushape::calibrate {

inline constexpr double kHalfOfLastDecimal = 0.005;  ///< GiB; engines print two

/// What the start asks for. Where the checkpoint has a format of its own, that decides.
domain::Workload workload_of(const EngineStart& start, const domain::Model& model,
                             domain::EngineVersion version);

/// Whether the start reads a format that neither it nor the model tells: "compressed-tensors" may
/// hold 4 bits or 8.
bool is_format_unstated(const EngineStart& start, const domain::Model& model);

/// Whether the model's family has videos encoded, too.
bool takes_videos(const domain::Model& model);

/// The range of a term; 0 bytes where it does not apply.
domain::Range term_bytes(const domain::Estimate& estimate, std::string_view name);
/// The weights, those of towers and what is made beside them included.
domain::Range weights_bytes(const domain::Estimate& estimate);
/// What an engine prints as loaded: the weights, and from vLLM 0.8 on the slots for adapters.
domain::Range loaded_bytes(const domain::Estimate& estimate);
/// What engines print as one figure: their own buffers and those of the collectives.
domain::Range non_torch_bytes(const domain::Estimate& estimate);

/// A printed figure with what its digits leave open.
domain::Range printed(double gib);

/// Tokens that the engine would print for a pool of that size; nothing where it cannot be.
std::optional<std::int64_t> tokens_of_pool(const domain::Model& model, domain::Workload workload,
                                           const domain::Engine& engine,
                                           const std::optional<domain::VisibleMemory>& gpu,
                                           double pool_gib);

/// The size of a pool of which only the count of tokens is known: the least that holds so many, and
/// the most that holds no more. Nothing where no pool of a GPU that exists holds them.
std::optional<domain::Range> pool_of_tokens(const domain::Model& model,
                                            const domain::Workload& workload,
                                            const domain::Engine& engine,
                                            const std::optional<domain::VisibleMemory>& gpu,
                                            std::int64_t tokens);

/// The tokens that the printed pool allows: of two decimals, anything within half of the last.
struct TokenCheck {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t printed = 0;

  [[nodiscard]] bool holds() const { return least <= printed && printed <= most; }
};
std::optional<TokenCheck> check_tokens(const EngineStart& start, const domain::Model& model,
                                       const domain::Workload& workload,
                                       const domain::Engine& engine,
                                       const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
