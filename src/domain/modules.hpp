// Modules of a checkpoint by name: which patterns name them, and in which scheme each tensor of a
// model is therefore stored.
//
// Checkpoints name what stays unquantized, or is stored in another scheme, in spellings of their
// own. Here they are three:
//
//   model.layers.3.mlp.gate     a module, and everything below it: whole dotted words anywhere in
//                               the name ("gate" is no part of "gate_proj")
//   model.layers.0*             with `*`, `?` or `[…]`: the name from its beginning, as file names
//                               are matched, and everything below it
//   re:.*self_attn.*            a regular expression that the name begins with
//
// In the first two `{0-47}`, `{0-2,7}` stand for a number of that set: collapse_modules writes
// them. What wraps a language model ("model.language_model.") is passed over, and a tensor answers
// to the words that families use for it ("mlp", "feed_forward", "block_sparse_moe", "mixer" …).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model.hpp"
#include "domain/tensors.hpp"

namespace gpushape::domain {

/// What is wrong with a pattern, as the end of a sentence ("has a group that is not closed");
/// nothing where it can be matched.
std::optional<std::string> fault_of_pattern(std::string_view pattern);

/// Whether the pattern names the module. A pattern with a fault matches nothing.
bool matches_module(std::string_view pattern, std::string_view module);

/// The same modules in few patterns: names that differ by numbers only (layers, experts) become one
/// with sets of numbers. Patterns keep their place; the first of a family stands for it.
std::vector<std::string> collapse_modules(const std::vector<std::string>& patterns);

/// Fills Model::exceptions from `weights.kept` and `weights.modules`. Every reader calls it once
/// the architecture stands; a change of `weights` calls for it again.
void resolve_modules(Model& model);

/// What a pattern must say (but for its text) for its modules to be stored so.
ModuleFormat format_of(const WeightScheme& found);

/// Model::exceptions as patterns that resolve_modules makes the same exceptions of: how a header's
/// findings are written down.
std::vector<ModuleFormat> patterns_of_exceptions(const Model& model);

/// For tensors of no layer: embedding, final norm, head, extra tensors.
inline constexpr std::int64_t kOutsideLayers = -1;

/// The scheme of a tensor of layer `layer` (counted over the whole network, from 0), from
/// `exceptions`, `weights.linear` and `weights.other`. A plain scheme (granularity None) is what
/// everything unquantized is stored in. Costs a comparison for each exception.
WeightScheme scheme_of(const Model& model, const Tensor& tensor,
                       std::int64_t layer = kOutsideLayers);
/// The same for the layers of Model::multi_token_prediction, counted from 0.
WeightScheme multi_token_scheme(const Model& model, const Tensor& tensor, std::int64_t layer);

/// The first layer after `layer` whose tensors may be stored otherwise than those of `layer`;
/// `layers` where there is none.
std::int64_t next_change(const Model& model, std::int64_t layer, std::int64_t layers);

/// Bytes that a tensor takes in a checkpoint under a scheme: weights, scales, zero points, order.
std::int64_t stored_bytes(const Tensor& tensor, const WeightScheme& scheme);
/// Of the whole checkpoint, as architecture and schemes give it: layers, outer tensors, towers in
/// the type of what is unquantized, and what predicts further tokens.
std::int64_t stored_bytes(const Model& model);
/// Of that, what predicts further tokens.
std::int64_t stored_prediction_bytes(const Model& model);
/// A table of all tokens: what a tied head takes that is stored once more.
std::int64_t stored_table_bytes(const Model& model);

}  // namespace gpushape::domain
