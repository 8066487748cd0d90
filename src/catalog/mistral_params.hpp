// Mistral's own description of a checkpoint, the params.json beside its consolidated weights, said
// in the words of config.json.
#pragma once

#include <string>
#include <string_view>

#include "document/node.hpp"

namespace gpushape::catalog {

/// Whether a params.json is of Mistral's and says what a model holds: Meta's gives no width of the
/// network, and that of Mamba-Codestral no heads.
bool is_mistral_params(const document::Node& params);

/// The config.json that says the same. Nodes keep their places in the params.json.
document::Node config_of_params(const document::Node& params);

/// What is said of that config.json, in the words that stand in the params.json: n_heads for
/// num_attention_heads.
std::string said_of_params(std::string_view text);

}  // namespace gpushape::catalog
