#include "catalog/quantization_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "catalog/fields.hpp"
#include "catalog/limits.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;
using domain::KvCacheType;
using domain::Quantization;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

constexpr std::string_view kHelp = "give the precision by hand with --quant";

// `group_size` -1 is one scale per output row (AutoGPTQ); a size that is the scheme's own needs no
// override.
int group_of(const Fields& fields, std::string_view field, Quantization quantization) {
  const std::optional<std::int64_t> size =
      fields.integer(field, {.least = -1, .most = kGroup.most});
  if (!size || *size == domain::scheme(quantization).group) return 0;
  if (*size == 0) {
    fields.complain(field, fmt::format("{} is 0", field), "a group holds at least one input");
    return 0;
  }
  return *size == -1 ? domain::kWholeRow : static_cast<int>(*size);
}

std::vector<std::string> kept_modules(const Fields& fields) {
  std::vector<std::string> kept;
  for (const std::string_view field : {"modules_to_not_convert", "ignore", "ignored_layers",
                                       "exclude_modules", "llm_int8_skip_modules"}) {
    for (std::string& module : fields.texts(field)) {
      if (std::ranges::find(kept, module) == kept.end()) kept.push_back(std::move(module));
    }
  }
  return kept;
}

// Which modules of the blocks stay in full precision is a list of a few hundred names or patterns.
// Norms and what lies outside the blocks is never quantized, so naming it changes nothing.
std::string note_on_kept(const std::vector<std::string>& kept) {
  std::size_t linears = 0;
  for (const std::string& module : kept) {
    const bool is_in_a_block = module.find("layers") != std::string::npos ||
                               module.find("self_attn") != std::string::npos ||
                               module.find("mlp") != std::string::npos ||
                               module.find("proj") != std::string::npos;
    if (is_in_a_block && module.find("norm") == std::string::npos) ++linears;
  }
  if (linears == 0) return {};
  return fmt::format(
      "{} entries of the checkpoint's list keep layers of the blocks in full "
      "precision: the weights are larger than the scheme alone gives",
      linears);
}

// `weight_block_size`, `block_structure`: [128, 128], or null.
void read_block(const Fields& fields, std::string_view field, domain::WeightFormat& weights) {
  if (!fields.given(field)) return;
  const std::vector<std::int64_t> block = fields.reader().integers(field, kGroup);
  if (block.size() != 2 || block[0] != block[1]) {
    fields.complain(field, fmt::format("{} is not two equal sizes", field), std::string(kHelp));
    return;
  }
  weights.linear = Quantization::Fp8Block;
  weights.group =
      block[0] == domain::scheme(Quantization::Fp8Block).group ? 0 : static_cast<int>(block[0]);
}

void read_fp8(const Fields& fields, StoredPrecision& stored) {
  stored.weights.linear = Quantization::Fp8;
  read_block(fields, "weight_block_size", stored.weights);
  stored.weights.static_activation_scales = fields.text("activation_scheme") == "static";
}

void read_fbgemm(const Fields&, StoredPrecision& stored) {
  stored.weights.linear = Quantization::Fp8Channel;
}

void read_mxfp4(const Fields&, StoredPrecision& stored) {
  stored.weights.linear = Quantization::Mxfp4;
}

void read_gptq(const Fields& fields, StoredPrecision& stored) {
  const std::int64_t bits = fields.integer("bits").value_or(4);
  if (bits != 4 && bits != 8) {
    fields.complain("bits", fmt::format("GPTQ with {} bits is not understood", bits),
                    std::string(kHelp));
  }
  stored.weights.linear = bits == 8 ? Quantization::Int8 : Quantization::Int4;
  stored.weights.group = group_of(fields, "group_size", stored.weights.linear);
  stored.weights.zero_points = !fields.boolean("sym").value_or(true);
  stored.weights.head_quantized = fields.boolean("lm_head").value_or(false);
  const document::Node* dynamic = fields.node("dynamic");
  if (dynamic != nullptr && !(dynamic->entries().empty() && dynamic->items().empty())) {
    fields.complain("dynamic",
                    "GPTQ with a precision of its own for some modules is not understood",
                    std::string(kHelp));
  }
}

void read_awq(const Fields& fields, StoredPrecision& stored) {
  const std::string_view bits_field = fields.first_given({"bits", "w_bit"});
  const std::int64_t bits = bits_field.empty() ? 4 : fields.integer(bits_field).value_or(4);
  if (bits != 4) {
    fields.complain(bits_field, fmt::format("AWQ with {} bits is not understood", bits),
                    std::string(kHelp));
  }
  const bool zero_points = fields.boolean("zero_point").value_or(true);
  stored.weights.linear = zero_points ? Quantization::Awq : Quantization::Int4;
  const std::string_view group_field = fields.first_given({"group_size", "q_group_size"});
  if (!group_field.empty())
    stored.weights.group = group_of(fields, group_field, stored.weights.linear);
}

void read_bitsandbytes(const Fields& fields, StoredPrecision& stored) {
  const bool four = fields.boolean("load_in_4bit").value_or(false);
  const bool eight = fields.boolean("load_in_8bit").value_or(false);
  if (four == eight) {
    fields.reader().complain(
        std::string("bitsandbytes with neither or both of load_in_4bit and load_in_8bit"),
        std::string(kHelp));
    return;
  }
  if (eight) {
    stored.weights.linear = Quantization::BnbInt8;
    return;
  }
  // fp4 takes the room of nf4.
  const std::string type = fields.text("bnb_4bit_quant_type").value_or("fp4");
  if (type != "nf4" && type != "fp4") {
    fields.complain("bnb_4bit_quant_type",
                    fmt::format("bitsandbytes type '{}' is not understood", type),
                    suggestion(type, std::vector<std::string>{"nf4", "fp4"}));
  }
  stored.weights.linear = fields.boolean("bnb_4bit_use_double_quant").value_or(false)
                              ? Quantization::BnbNf4Double
                              : Quantization::BnbNf4;
}

// One `weights` mapping of compressed-tensors and of ModelOpt's config groups.
domain::WeightFormat read_weight_scheme(const Fields& fields) {
  domain::WeightFormat weights;
  const std::int64_t bits = fields.integer("num_bits").value_or(0);
  const std::string type = fields.text("type").value_or("");
  const std::string strategy = fields.text("strategy").value_or("");
  const std::int64_t group = fields.integer("group_size").value_or(0);
  const bool symmetric = fields.boolean("symmetric").value_or(true);
  if (type == "float" && bits == 8) {
    weights.linear = strategy == "channel" ? Quantization::Fp8Channel : Quantization::Fp8;
    if (strategy == "block") read_block(fields, "block_structure", weights);
    if (strategy.empty() || strategy == "tensor" || strategy == "channel" || strategy == "block")
      return weights;
  } else if (type == "float" && bits == 4) {
    weights.linear = group == domain::scheme(Quantization::Mxfp4).group ? Quantization::Mxfp4
                                                                        : Quantization::Nvfp4;
    if (group == domain::scheme(weights.linear).group || group == 0) return weights;
  } else if (type == "int" && (bits == 4 || bits == 8)) {
    weights.linear = bits == 4 ? Quantization::Int4 : Quantization::Int8;
    weights.zero_points = !symmetric;
    if (strategy == "channel") {
      weights.group = bits == 4 ? domain::kWholeRow : 0;
      return weights;
    }
    if (strategy == "group" && group > 0) {
      weights.group = group_of(fields, "group_size", weights.linear);
      return weights;
    }
  }
  fields.reader().complain(
      fmt::format("weights of {} bits, type '{}', strategy '{}', group size {} are not understood",
                  bits, type, strategy, group),
      std::string(kHelp));
  return weights;
}

void read_config_groups(const Fields& fields, StoredPrecision& stored) {
  const std::optional<Reader> groups = fields.mapping("config_groups");
  if (!groups || groups->self().entries().empty()) {
    fields.reader().complain(std::string("quantization_config has no config_groups"),
                             std::string(kHelp));
    return;
  }
  std::optional<domain::WeightFormat> common;
  for (const document::Node::Entry& entry : groups->self().entries()) {
    Reader group(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                 "config_groups." + entry.name);
    const Fields group_fields(group);
    std::optional<Reader> scheme = group_fields.mapping("weights");
    if (!scheme) {
      group.complain(
          fmt::format("config group '{}' does not say how weights are stored", entry.name),
          std::string(kHelp));
      continue;
    }
    domain::WeightFormat weights = read_weight_scheme(Fields(*scheme));
    if (std::optional<Reader> input = group_fields.mapping("input_activations")) {
      // `dynamic` may be the word "local" (NVFP4): only the truth value matters here.
      const document::Node* dynamic = Fields(*input).node("dynamic");
      weights.static_activation_scales =
          dynamic != nullptr && dynamic->is(document::Node::Kind::Boolean) && !dynamic->boolean();
    }
    if (common && *common != weights) {
      group.complain(std::string("config groups of different precision are not understood"),
                     std::string(kHelp));
      continue;
    }
    common = weights;
  }
  if (common) stored.weights = *common;
}

// ModelOpt's `quant_algo` words.
struct Algorithm {
  std::string_view name;
  Quantization linear;
  bool has_static_scales;
};
constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"FP8", Quantization::Fp8, true},
    {"FP8_PER_CHANNEL_PER_TOKEN", Quantization::Fp8Channel, false},
    {"FP8_PB_WO", Quantization::Fp8Block, false},
    {"NVFP4", Quantization::Nvfp4, true},
    {"W4A16_AWQ", Quantization::Awq, false},
    {"W8A16", Quantization::Int8, false},
});

void read_modelopt(const Fields& fields, StoredPrecision& stored) {
  const std::string word = fields.text("quant_algo").value_or("");
  for (const Algorithm& algorithm : kAlgorithms) {
    if (word != algorithm.name) continue;
    stored.weights.linear = algorithm.linear;
    stored.weights.static_activation_scales = algorithm.has_static_scales;
    stored.weights.group = group_of(fields, "group_size", algorithm.linear);
    return;
  }
  std::vector<std::string> names;
  names.reserve(kAlgorithms.size());
  for (const Algorithm& algorithm : kAlgorithms) names.emplace_back(algorithm.name);
  const std::string message =
      word.empty() ? "ModelOpt quantization without a quant_algo"
                   : fmt::format("ModelOpt's quant_algo '{}' is not understood", word);
  fields.reader().complain(message, suggestion(word, names, kHelp));
}

// A mapping as in compressed-tensors, or a word as in ModelOpt's files.
void read_kv_scheme(const Fields& fields, StoredPrecision& stored) {
  const std::string_view field = fields.first_given({"kv_cache_scheme", "kv_cache_quant_algo"});
  if (field.empty()) return;
  if (fields.node(field)->is(document::Node::Kind::String)) {
    const std::string word = fields.text(field).value_or("");
    if (word == "FP8") {
      stored.kv_cache = KvCacheType::Fp8;
    } else if (word == "INT8") {
      stored.kv_cache = KvCacheType::Int8;
    } else if (lower(word) != "none" && !word.empty()) {
      fields.complain(field, fmt::format("KV cache type '{}' is not understood", word),
                      "give the type by hand with --kv-cache-dtype");
    }
    return;
  }
  std::optional<Reader> scheme = fields.mapping(field);
  if (!scheme) return;
  const Fields scheme_fields(*scheme);
  const std::int64_t bits = scheme_fields.integer("num_bits").value_or(0);
  const std::string type = scheme_fields.text("type").value_or("");
  if (bits == 8 && (type == "float" || type == "int")) {
    stored.kv_cache = type == "float" ? KvCacheType::Fp8 : KvCacheType::Int8;
    return;
  }
  scheme->complain(fmt::format("a KV cache of {} bits, type '{}' is not understood", bits, type),
                   "give the type by hand with --kv-cache-dtype");
}

struct Method {
  std::string_view name;  ///< `quant_method`
  void (*read)(const Fields&, StoredPrecision&);
};
constexpr auto kMethods = std::to_array<Method>({
    {"fp8", read_fp8},
    {"fbgemm_fp8", read_fbgemm},
    {"compressed-tensors", read_config_groups},
    {"gptq", read_gptq},
    {"awq", read_awq},
    {"bitsandbytes", read_bitsandbytes},
    {"modelopt", read_modelopt},
    {"modelopt_fp4", read_modelopt},
    {"mxfp4", read_mxfp4},
});

// Older and ModelOpt files do not name their method, but a field of it.
std::string method_of(const Fields& fields) {
  if (std::optional<std::string> method = fields.text("quant_method")) return lower(*method);
  if (fields.given("quant_algo")) return "modelopt";
  if (fields.given("load_in_4bit") || fields.given("load_in_8bit")) return "bitsandbytes";
  if (fields.given("config_groups")) return "compressed-tensors";
  return {};
}

}  // namespace

StoredPrecision read_quantization_config(Reader& reader) {
  const Fields fields(reader);
  StoredPrecision stored;
  const std::string method = method_of(fields);
  const auto row = std::ranges::find(kMethods, method, &Method::name);
  if (row == kMethods.end()) {
    std::vector<std::string> names;
    names.reserve(kMethods.size());
    for (const Method& known : kMethods) names.emplace_back(known.name);
    reader.complain(method.empty()
                        ? "quantization_config does not name its quant_method"
                        : fmt::format("quantization method '{}' is not understood", method),
                    suggestion(method, names, kHelp));
    return stored;
  }
  row->read(fields, stored);
  stored.weights.kept = kept_modules(fields);
  stored.note = note_on_kept(stored.weights.kept);
  read_kv_scheme(fields, stored);
  return stored;
}

}  // namespace gpushape::catalog
