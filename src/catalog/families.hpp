// The Hugging Face model families that are understood: for each, the classes it comes in, what it
// does where the config is silent, and the function that reads its config.
//
// A family is one row here and, where the common reader (families/decoder.hpp) does not say it all,
// one function in families/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/model.hpp"

namespace gpushape::catalog {

class ConfigParts;
class Fields;

/// How a family decides which layers slide where the config lists no `layer_types`.
enum class SlidingRule {
  Never,     ///< llama: a window is not part of the family
  Always,    ///< mistral: `sliding_window`, on every layer
  OnSwitch,  ///< qwen2, qwen3: only with `use_sliding_window`, from `max_window_layers` on
  Periodic   ///< gemma, cohere2: all but every Nth layer
};

/// Sizes that a nested config leaves out where they equal its class's defaults; 0 for required.
struct DefaultSizes {
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t width = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
};

/// What a decoder's class does. A field name that is empty is not read.
struct Traits {
  bool ties_embeddings = false;          ///< default of an absent `tie_word_embeddings`
  bool qkv_bias = false;                 ///< default
  bool output_bias = false;              ///< default
  bool mlp_bias = false;                 ///< default
  std::string_view qkv_bias_field = {};  ///< "attention_bias" …
  std::string_view output_bias_field = {};
  std::string_view mlp_bias_field = {};
  domain::OutputGate output_gate = domain::OutputGate::None;
  domain::HeadNorm head_norm = domain::HeadNorm::None;
  std::string_view head_norm_field =
      {};                     ///< a boolean that switches head_norm; empty: always as it is
  bool head_norm_on = false;  ///< default of an absent head_norm_field
  std::int64_t head_dim = 0;  ///< default; 0 for hidden size / attention heads
  bool gated = true;
  std::int64_t width_factor = 0;  ///< width where the config has none: so many hidden sizes
  int norms = 2;
  bool norm_bias = false;  ///< LayerNorm with bias, the final norm included
  bool head_bias = false;
  bool multi_query = false;  ///< one KV head where the config does not count them
  double rotary_share = 1;   ///< of a head, where the config does not say
  SlidingRule sliding = SlidingRule::Never;
  std::int64_t sliding_window = 0;  ///< default of an absent `sliding_window`
  std::int64_t sliding_period = 0;  ///< Periodic: every so many layers, one sees everything
  double rope_theta = 10000;    ///< default: the paper's base (Su 2021), and almost every family's
  double local_rope_theta = 0;  ///< default of sliding layers where they rotate otherwise
  bool keeps_context = false;   ///< max_position_embeddings counts the rope's scaling in already
  bool is_multi_head = false;   ///< has a KV head for each head by design
  std::int64_t context = 0;     ///< of published configs that do not say; 0 for required
  DefaultSizes sizes = {};
};

struct Family {
  std::string_view model_types = {};  ///< separated by blanks; the first is the family's own
  /// Names of its classes without their ending ("ForCausalLM"), separated by blanks.
  std::string_view stems = {};
  void (*read)(ConfigParts& parts) = nullptr;  ///< none of its own where `decoder` is read
  Traits traits = {};
  std::string_view source = {};
  /// Of a composite, the family of its decoder where the nested config names no model_type.
  std::string_view decoder = {};
  /// Where the config says in words of its own which family the decoder is of; may return null.
  const Family* (*choose_decoder)(const Fields& root) = nullptr;
  void (*add_towers)(ConfigParts& parts) = nullptr;  ///< after the decoder was read
  domain::Role role = domain::Role::Llm;
  /// Its reader counts the heads for answers, choices and following sentences, too.
  bool knows_all_heads = false;
  bool sectioned_rope = false;  ///< Rope::has_sections, also where a copy of the config is silent

  [[nodiscard]] std::string_view model_type() const;
};

std::span<const Family> families();

/// Null for a type that is not known.
const Family* family_of_type(std::string_view model_type);

/// What the ending of a class's name says.
struct ClassKind {
  bool has_head = true;
  bool scores = false;  ///< a classification head in place of the language-model head
  domain::Role role = domain::Role::Llm;
  bool is_rare = false;  ///< only of families that know all heads
};
/// Nothing where the class is not of the family.
std::optional<ClassKind> class_kind(const Family& family, std::string_view architecture);
/// The first family that has the class; null for none.
const Family* family_of_class(std::string_view architecture);
std::string default_class(const Family& family);

}  // namespace gpushape::catalog
