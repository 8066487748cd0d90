#include "catalog/quantization_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/edit_distance.hpp"
#include "catalog/limits.hpp"
#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::Quantization;

std::optional<Quantization> gptq_of(std::int64_t bits) {
  switch (bits) {
    case 8:
      return Quantization::GptqInt8;
    case 4:
      return Quantization::GptqInt4;
    case 3:
      return Quantization::GptqInt3;
    case 2:
      return Quantization::GptqInt2;
    default:
      return std::nullopt;
  }
}

/// 16 bits and more are no quantization: the module is kept.
bool is_full_precision(std::int64_t bits) { return bits >= 16; }

// GPTQModel's `dynamic`: expressions, "-:" for what stays as it is, "+:" or nothing for what has
// bits or a group of its own.
void read_dynamic(const Fields& fields, StoredPrecision& stored) {
  const std::optional<Reader> rows = fields.mapping("dynamic");
  if (!rows) return;
  for (const Node::Entry& entry : rows->self().entries()) {
    std::string_view expression = entry.name;
    const bool is_kept = expression.starts_with("-:");
    if (is_kept || expression.starts_with("+:")) expression.remove_prefix(2);
    domain::ModuleFormat format{.pattern = "re:" + std::string(expression),
                                .quantization = stored.weights.linear,
                                .group = stored.weights.group,
                                .zero_points = stored.weights.zero_points};
    if (is_kept) {
      format = {.pattern = format.pattern, .quantization = Quantization::Bf16};
    } else {
      Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                    "dynamic");
      const Fields own(reader);
      if (const auto bits = own.integer("bits")) {
        const std::optional<Quantization> quantization = gptq_of(*bits);
        if (!quantization && !is_full_precision(*bits)) {
          own.complain("bits", fmt::format("GPTQ with {} bits is not understood", *bits),
                       std::string(kGiveByHand));
        }
        format.quantization = quantization.value_or(Quantization::Bf16);
      }
      if (own.given("group_size")) format.group = group_of(own, "group_size", format.quantization);
      if (const auto symmetric = own.boolean("sym")) format.zero_points = !*symmetric;
    }
    stored.weights.modules.push_back(std::move(format));
  }
}

/// A list of lists of module names, within a layer: the only ones that are quantized.
void read_quantized_blocks(const Fields& fields, StoredPrecision& stored) {
  const Node* blocks = fields.node("modules_in_block_to_quantize");
  if (blocks == nullptr || !blocks->is(Node::Kind::Sequence) || blocks->items().empty()) return;
  const auto add = [&](const Node& name) {
    if (!name.is(Node::Kind::String)) return;
    stored.weights.modules.push_back({.pattern = name.text(),
                                      .quantization = stored.weights.linear,
                                      .group = stored.weights.group,
                                      .zero_points = stored.weights.zero_points});
  };
  for (const Node& block : blocks->items()) {
    add(block);
    for (const Node& name : block.items()) add(name);
  }
  stored.weights.modules.push_back(everything_else());
}

void read_integers(const Fields& fields, std::int64_t bits, bool is_awq, StoredPrecision& stored) {
  domain::WeightFormat& weights = stored.weights;
  const bool is_symmetric = fields.boolean("sym").value_or(true);
  const std::optional<Quantization> gptq = gptq_of(bits);
  if (!gptq || (is_awq && bits != 4)) {
    fields.complain("bits", fmt::format("weights of {} bits are not understood", bits),
                    std::string(kGiveByHand));
    return;
  }
  weights.linear = is_awq ? Quantization::Awq : *gptq;
  weights.group = group_of(fields, "group_size", weights.linear);
  weights.zero_points = !is_awq && !is_symmetric;
}

}  // namespace

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

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

void read_block(const Fields& fields, std::string_view field, domain::WeightFormat& weights) {
  if (!fields.given(field)) return;
  const std::vector<std::int64_t> block = fields.reader().integers(field, kGroup);
  if (block.size() != 2 || block[0] != block[1]) {
    fields.complain(field, fmt::format("{} is not two equal sizes", field),
                    std::string(kGiveByHand));
    return;
  }
  weights.linear = Quantization::Fp8Block;
  weights.group =
      block[0] == domain::scheme(Quantization::Fp8Block).group ? 0 : static_cast<int>(block[0]);
}

void read_fp8(const Fields& fields, StoredPrecision& stored) {
  stored.weights.linear = Quantization::Fp8;
  read_block(fields, "weight_block_size", stored.weights);
  // DeepSeek-V4.1: exponents of blocks of 32 rows and inputs, which engines unfold for each row.
  // Source: vLLM vllm/models/deepseek_v4_1/quant_config.py (kMxfp8Static, scale_block_size).
  if (stored.weights.group == domain::scheme(Quantization::Mxfp8).group &&
      fields.text("scale_fmt") == "ue8m0") {
    stored.weights.linear = Quantization::Mxfp8;
    stored.weights.group = 0;
  }
  stored.weights.static_activation_scales = fields.text("activation_scheme") == "static";
  // DeepSeek-V4 with ModelOpt's experts: fp8 is the base, and `quantized_layers` lies over it.
  if (!fields.given("quant_algo")) return;
  const domain::WeightFormat base = stored.weights;
  read_quantized_layers(fields, stored);
  if (!stored.weights.modules.empty()) stored.weights.modules.pop_back();  // everything else
  stored.weights.linear = base.linear;
  stored.weights.group = base.group;
  stored.weights.static_activation_scales = base.static_activation_scales;
}

void read_gptq(const Fields& fields, StoredPrecision& stored) {
  const std::int64_t bits = fields.integer("bits").value_or(4);
  const std::optional<Quantization> quantization = gptq_of(bits);
  if (!quantization) {
    fields.complain("bits", fmt::format("GPTQ with {} bits is not understood", bits),
                    std::string(kGiveByHand));
  }
  stored.weights.linear = quantization.value_or(Quantization::GptqInt4);
  stored.weights.group = group_of(fields, "group_size", stored.weights.linear);
  stored.weights.zero_points = !fields.boolean("sym").value_or(true);
  stored.weights.head_quantized = fields.boolean("lm_head").value_or(false);
  read_dynamic(fields, stored);
  read_quantized_blocks(fields, stored);
}

void read_awq(const Fields& fields, StoredPrecision& stored) {
  const std::string_view bits_field = fields.first_given({"bits", "w_bit"});
  const std::int64_t bits = bits_field.empty() ? 4 : fields.integer(bits_field).value_or(4);
  if (bits != 4) {
    fields.complain(bits_field, fmt::format("AWQ with {} bits is not understood", bits),
                    std::string(kGiveByHand));
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
        std::string(kGiveByHand));
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

// Intel AutoRound: the packing is one of the other methods'.
void read_auto_round(const Fields& fields, StoredPrecision& stored) {
  const std::string type = lower_case(fields.text("data_type").value_or("int"));
  const std::string packing = lower_case(fields.text("packing_format").value_or(""));
  const std::int64_t bits = fields.integer("bits").value_or(4);
  if (type == "mx_fp" || type == "mx_fp_rceil") {
    stored.weights.linear = bits == 8 ? Quantization::Mxfp8 : Quantization::Mxfp4;
  } else if (type == "nv_fp" || type == "nv_fp4" || type == "nv_fp4_with_static_gs") {
    stored.weights.linear = Quantization::Nvfp4;
  } else if (type == "fp" || type == "fp8" || type == "fp8_e4m3") {
    stored.weights.linear = Quantization::Fp8Channel;
  } else if (type == "int") {
    read_integers(fields, bits, packing.find("awq") != std::string::npos, stored);
  } else {
    fields.complain("data_type", fmt::format("AutoRound's data_type '{}' is not understood", type),
                    std::string(kGiveByHand));
    return;
  }
  const std::optional<Reader> extra = fields.mapping("extra_config");
  if (!extra) return;
  std::vector<std::string> kept;
  for (const Node::Entry& entry : extra->self().entries()) {
    Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                  "extra_config");
    const Fields own(reader);
    const std::int64_t own_bits = own.integer("bits").value_or(bits);
    if (is_full_precision(own_bits)) {
      kept.push_back(entry.name);
      continue;
    }
    const std::optional<Quantization> quantization = gptq_of(own_bits);
    if (!quantization) {
      own.complain("bits", fmt::format("weights of {} bits are not understood", own_bits),
                   std::string(kGiveByHand));
      continue;
    }
    domain::ModuleFormat format{.pattern = entry.name, .quantization = *quantization};
    if (stored.weights.linear == Quantization::Awq && own_bits == bits)
      format.quantization = Quantization::Awq;
    format.group = own.given("group_size") ? group_of(own, "group_size", format.quantization)
                                           : stored.weights.group;
    stored.weights.modules.push_back(std::move(format));
  }
  // In front of the patterns with a precision of their own, or behind: no module is in both.
  for (std::string& pattern : domain::collapse_modules(kept))
    stored.weights.kept.push_back(std::move(pattern));
}

namespace {

// Quark's tensor schemes: dtype and qscheme.
std::optional<Quantization> quark_scheme(const Fields& weight, bool has_inputs) {
  const std::string type = lower_case(weight.text("dtype").value_or(""));
  const std::string scheme = lower_case(weight.text("qscheme").value_or(""));
  if (type.starts_with("fp8"))
    return scheme == "per_channel" ? Quantization::Fp8Channel
           : scheme == "per_block" ? Quantization::Fp8Block
           : scheme == "per_group" ? Quantization::Mxfp8
                                   : Quantization::Fp8;
  if (type == "fp4" || type == "mxfp4" || type == "fp4_e2m1") return Quantization::Mxfp4;
  if (type.starts_with("fp6") || type.starts_with("mxfp6")) return Quantization::Mxfp6;
  if (type == "int8" || type == "uint8")
    return has_inputs ? Quantization::Int8 : Quantization::Int8Weight;
  if (type == "int4") return Quantization::Int4;
  if (type == "uint4") return Quantization::Awq;
  return std::nullopt;
}

/// A `weight` that is a list (double quantization) is stored as its last step says.
std::optional<domain::ModuleFormat> quark_format(const Fields& config) {
  const Node* weight = config.node("weight");
  if (weight == nullptr) return std::nullopt;
  if (weight->is(Node::Kind::Sequence) && !weight->items().empty())
    weight = &weight->items().back();
  Reader reader(*weight, config.reader().source(), config.reader().diagnostics(), "weight");
  const Fields fields(reader);
  const std::optional<Quantization> quantization =
      quark_scheme(fields, config.given("input_tensors"));
  if (!quantization) {
    fields.complain(
        "dtype",
        fmt::format("Quark's dtype '{}' is not understood", fields.text("dtype").value_or("")),
        std::string(kGiveByHand));
    return std::nullopt;
  }
  domain::ModuleFormat format{.pattern = {}, .quantization = *quantization};
  if (domain::scheme(*quantization).granularity == domain::ScaleGranularity::Group)
    format.group = group_of(fields, "group_size", *quantization);
  if (std::optional<Reader> input = config.mapping("input_tensors")) {
    format.static_activation_scales =
        !Fields(*input).boolean("is_dynamic").value_or(true) && *quantization != Quantization::Int8;
  }
  return format;
}

}  // namespace

void read_quark(const Fields& fields, StoredPrecision& stored) {
  std::optional<Reader> global = fields.mapping("global_quant_config");
  if (!global) {
    fields.reader().complain(std::string("Quark quantization without a global_quant_config"),
                             std::string(kGiveByHand));
    return;
  }
  if (const auto format = quark_format(Fields(*global))) {
    stored.weights.linear = format->quantization;
    stored.weights.group = format->group;
    stored.weights.static_activation_scales = format->static_activation_scales;
  }
  const std::optional<Reader> layers = fields.mapping("layer_quant_config");
  if (!layers) return;
  for (const Node::Entry& entry : layers->self().entries()) {
    Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                  "layer_quant_config");
    const Fields own(reader);
    if (own.given("output_tensors") && entry.name.find("k_proj") != std::string::npos)
      stored.kv_cache = domain::KvCacheType::Fp8;  // Quark's way to say an 8-bit KV cache
    std::optional<domain::ModuleFormat> format = quark_format(own);
    if (!format) continue;
    format->pattern = entry.name;
    stored.weights.modules.push_back(std::move(*format));
  }
}

}  // namespace gpushape::catalog
