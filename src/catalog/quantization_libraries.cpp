// Quantization libraries that a model's own config speaks for: torchao, HQQ, quanto, BitNet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "catalog/quantization_methods.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::Quantization;

struct Word {
  std::string_view word;
  Quantization quantization;
};

const Word* word_in(std::span<const Word> words, std::string_view text) {
  const auto found = std::ranges::find(words, text, &Word::word);
  return found == words.end() ? nullptr : &*found;
}

// torchao's configs by class and by their older function names, letters only.
constexpr auto kTorchao = std::to_array<Word>({
    {"int4weightonly", Quantization::Int4},
    {"int8weightonly", Quantization::Int8Weight},
    {"int8dynamicactivationint8weight", Quantization::Int8},
    {"int8dynamicactivationint4weight", Quantization::Int4Act8},
    {"int8dynamicactivationintxweight", Quantization::Int4Act8},
    {"intxweightonly", Quantization::Int4},
    {"float8weightonly", Quantization::Fp8},
    {"float8dynamicactivationfloat8weight", Quantization::Fp8},
    {"float8staticactivationfloat8weight", Quantization::Fp8},
    {"float8dynamicactivationint4weight", Quantization::Int4Act8},
    {"mxdynamicactivationmxweight", Quantization::Mxfp8},
    {"nvfp4dynamicactivationnvfp4weight", Quantization::Nvfp4},
    {"nvfp4weightonly", Quantization::Nvfp4},
});

/// "Int4WeightOnlyConfig" and "int4_weight_only" are "int4weightonly".
std::string torchao_word(std::string_view name) {
  std::string word;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (word.ends_with("config")) word.resize(word.size() - std::string_view("config").size());
  return word;
}

std::optional<domain::ModuleFormat> torchao_format(const Fields& fields, std::string_view field,
                                                   const std::string& name, Reader* data) {
  const Word* known = word_in(kTorchao, torchao_word(name));
  if (known == nullptr) {
    fields.complain(field, fmt::format("torchao's quant_type '{}' is not understood", name),
                    std::string(kGiveByHand));
    return std::nullopt;
  }
  domain::ModuleFormat format{.pattern = {}, .quantization = known->quantization};
  if (data == nullptr) return format;
  const Fields details(*data);
  if (details.given("group_size") &&
      domain::scheme(format.quantization).granularity == domain::ScaleGranularity::Group)
    format.group = group_of(details, "group_size", format.quantization);
  // A granularity of rows is written as {"_type": "PerRow"}, or a list of two.
  const Node* granularity = details.node("granularity");
  if (granularity != nullptr && granularity->is(Node::Kind::Sequence) &&
      !granularity->items().empty())
    granularity = &granularity->items().back();
  const Node* type = granularity == nullptr ? nullptr : granularity->find("_type");
  if (type != nullptr && type->text() == "PerRow" && format.quantization == Quantization::Fp8)
    format.quantization = Quantization::Fp8Channel;
  return format;
}

std::optional<domain::ModuleFormat> torchao_config(Reader& reader) {
  const Fields fields(reader);
  const std::string name = fields.text("_type").value_or("");
  std::optional<Reader> data = fields.mapping("_data");
  return torchao_format(fields, "_type", name, data ? &*data : nullptr);
}

void use(const domain::ModuleFormat& format, domain::WeightFormat& weights) {
  weights.linear = format.quantization;
  weights.group = format.group;
  weights.static_activation_scales = format.static_activation_scales;
}

/// ModuleFqnToConfig: a config by module, "_default" for the others, null for none.
void read_torchao_modules(Reader& reader, StoredPrecision& stored) {
  const Fields fields(reader);
  std::optional<Reader> data = fields.mapping("_data");
  if (!data) return;
  const Fields inner(*data);
  const std::string_view field =
      inner.first_given({"module_fqn_to_config", "fqn_to_config", "module_fqn_to_config_dict"});
  const std::optional<Reader> rows = field.empty() ? std::nullopt : inner.mapping(field);
  if (!rows) return;
  bool has_default = false;
  for (const Node::Entry& entry : rows->self().entries()) {
    const bool is_default = entry.name == "_default";
    has_default = has_default || is_default;
    domain::ModuleFormat format = everything_else();
    if (!entry.value.is(Node::Kind::Null)) {
      Reader own(entry.value, reader.source(), reader.diagnostics(), entry.name);
      const auto read = torchao_config(own);
      if (!read) continue;
      format = *read;
    }
    if (is_default) {
      use(format, stored.weights);
      continue;
    }
    if (stored.weights.linear == Quantization::Bf16 && !has_default) use(format, stored.weights);
    format.pattern = entry.name;
    stored.weights.modules.push_back(std::move(format));
  }
  if (!has_default) stored.weights.modules.push_back(everything_else());
}

}  // namespace

void read_torchao(const Fields& fields, StoredPrecision& stored) {
  const Node* type = fields.node("quant_type");
  if (type == nullptr) {
    fields.reader().complain(std::string("torchao quantization without a quant_type"),
                             std::string(kGiveByHand));
    return;
  }
  if (type->is(Node::Kind::String)) {
    std::optional<Reader> data = fields.mapping("quant_type_kwargs");
    const auto format = torchao_format(fields, "quant_type", type->text(), data ? &*data : nullptr);
    if (format) use(*format, stored.weights);
    return;
  }
  std::optional<Reader> outer = fields.mapping("quant_type");
  if (!outer) return;
  std::optional<Reader> config = Fields(*outer).mapping("default");
  Reader& reader = config ? *config : *outer;
  const std::string name = Fields(reader).text("_type").value_or("");
  if (name == "ModuleFqnToConfig" || name == "FqnToConfig") {
    read_torchao_modules(reader, stored);
  } else if (const auto format = torchao_config(reader)) {
    use(*format, stored.weights);
  }
}

// HQQ: `quant_config` {weight_quant_params {nbits, group_size}}, 16-bit scale and zero point.
void read_hqq(const Fields& fields, StoredPrecision& stored) {
  std::optional<Reader> config = fields.mapping("quant_config");
  std::optional<Reader> params =
      config ? Fields(*config).mapping("weight_quant_params") : std::nullopt;
  const Fields own(params ? *params : fields.reader());
  const std::int64_t bits = own.integer("nbits").value_or(0);
  if (bits != 4 && bits != 8) {
    fields.reader().complain(fmt::format("HQQ with {} bits is not understood", bits),
                             std::string(kGiveByHand));
    return;
  }
  stored.weights.linear = bits == 8 ? Quantization::GptqInt8 : Quantization::Awq;
  stored.weights.group = group_of(own, "group_size", stored.weights.linear);
  for (std::string& module : fields.texts("skip_modules"))
    stored.weights.kept.push_back(std::move(module));
}

void read_quanto(const Fields& fields, StoredPrecision& stored) {
  constexpr auto kQuanto = std::to_array<Word>({
      {"float8", Quantization::Fp8Channel},
      {"int8", Quantization::Int8Weight},
      {"int4", Quantization::Int4},
      {"int2", Quantization::GptqInt2},
  });
  const std::string word = fields.text("weights").value_or("int8");
  const Word* known = word_in(kQuanto, word);
  if (known == nullptr) {
    fields.complain("weights", fmt::format("quanto's weights '{}' are not understood", word),
                    std::string(kGiveByHand));
    return;
  }
  stored.weights.linear = known->quantization;
}

// BitNet's linear layers (BitNetQuantConfig of transformers): packed, unless they are rounded as
// they run, which leaves 16 bits in the checkpoint.
void read_ternary(const Fields& fields, StoredPrecision& stored) {
  if (fields.text("quantization_mode").value_or("offline") != "online")
    stored.weights.linear = Quantization::BitNet;
}

}  // namespace gpushape::catalog
