// Many published starts beside their estimates: which figures can be compared, how far they are
// off, and why one is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/engine_start.hpp"
#include "calibrate/prediction.hpp"
#include "catalog/catalog.hpp"
#include "domain/range.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::calibrate {

/// One figure of a start, GiB as printed.
struct Figure {
  domain::Range predicted;
  double measured_gib = 0;

  /// (predicted - measured) / measured.
  [[nodiscard]] double error() const;
  [[nodiscard]] double error_gib() const { return predicted.expected.gib() - measured_gib; }
  /// (high - low) / measured.
  [[nodiscard]] double width() const;
  /// Inside the predicted range, as far as two printed decimals tell.
  [[nodiscard]] bool is_in_range() const;
};

/// Nothing where the start does not print it.
std::optional<Figure> figure(const domain::Range& predicted, const std::optional<double>& gib);
/// Why there is no prediction.
std::string first_message(const Diagnostics& diagnostics);

/// How much of a start its source states.
enum class Knowledge {
  Settings,  ///< utilization, GPU and release: what the pool depends on
  Parts      ///< something of these is not stated
};

struct Comparison {
  EngineStart start;
  std::string excluded;  ///< why there is no prediction; empty where there is one
  Knowledge knowledge = Knowledge::Parts;
  int weight_bits = 16;          ///< of the linear layers
  bool has_open_recipe = false;  ///< Estimate::has_open_recipe
  bool has_experts_or_towers = false;
  bool has_plain_cache = false;  ///< full or latent attention in every layer
  std::optional<Figure> weights;
  std::optional<Figure> activation;
  std::optional<Figure> non_torch;
  std::optional<Figure> graphs;
  std::optional<Figure> pool;
  std::optional<TokenCheck> tokens;
  std::string token_cause;           ///< what left open would explain a count that does not hold
  std::optional<TokenCheck> blocks;  ///< printed blocks as tokens of a pool of exactly that size
  std::string without_weights;       ///< why the weights are not, where that is said
  std::string without_tokens;        ///< why the count is not, where that is said
  std::string without_pool;          ///< why the pool is not compared; empty where it is
  std::vector<std::string> causes;   ///< of figures outside their range, "activation: …"
};

/// Never fails: what cannot be compared is excluded with its reason.
Comparison compare(const EngineStart& stated, const catalog::Catalog& catalog,
                   const profiles::Profiles& profiles);

/// Starts that ask for the same, once each, in their order.
std::vector<EngineStart> distinct(std::span<const EngineStart> starts);

/// A file of a controlled series: every start states its GPU, total, utilization and release, and
/// prints every term.
bool is_controlled(std::span<const EngineStart> starts);

}  // namespace gpushape::calibrate
