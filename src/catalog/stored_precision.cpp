#include "catalog/stored_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/edit_distance.hpp"
#include "catalog/fields.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;
using domain::KvCacheType;
using domain::Quantization;

/// Methods whose other fields are read, too; any further word of parse_quantization stands for
/// itself.
struct Method {
  std::string_view name;  ///< `quant_method`, with `-` for `_`
  void (*read)(const Fields&, StoredPrecision&);
};

bool is_plain_type(Quantization quantization) {
  return domain::scheme(quantization).granularity == domain::ScaleGranularity::None;
}

constexpr auto kMethods = std::to_array<Method>({
    {"fp8", read_fp8},
    {"finegrained-fp8", read_fp8},
    {"compressed-tensors", read_config_groups},
    {"gptq", read_gptq},
    {"gptq-marlin", read_gptq},
    {"gptqmodel", read_gptq},
    {"auto-gptq", read_gptq},
    {"awq", read_awq},
    {"awq-marlin", read_awq},
    {"autoawq", read_awq},
    {"bitsandbytes", read_bitsandbytes},
    {"bnb", read_bitsandbytes},
    {"modelopt", read_modelopt},
    {"modelopt-fp8", read_modelopt},
    {"modelopt-fp4", read_modelopt},
    {"modelopt-mixed", read_modelopt},
    {"modelopt-mxfp8", read_modelopt},
    {"auto-round", read_auto_round},
    {"intel/auto-round", read_auto_round},
    {"inc", read_auto_round},
    {"quark", read_quark},
    {"torchao", read_torchao},
    {"hqq", read_hqq},
    {"quanto", read_quanto},
    {"mlx", read_mlx},
    {"bitnet", read_ternary},
});

// Older and ModelOpt files do not name their method, but a field of it.
std::string method_of(const Fields& fields) {
  if (std::optional<std::string> method = fields.text("quant_method")) {
    std::ranges::replace(*method, '_', '-');
    return lower_case(*std::move(method));
  }
  if (fields.given("quant_algo") || fields.given("kv_cache_quant_algo")) return "modelopt";
  if (fields.given("load_in_4bit") || fields.given("load_in_8bit")) return "bitsandbytes";
  if (fields.given("config_groups")) return "compressed-tensors";
  if (fields.given("global_quant_config")) return "quark";
  if (fields.given("w_bit")) return "awq";  // AutoAWQ
  if (fields.given("bits") && fields.given("group_size") && !is_mlx(fields))
    return "gptq";  // AutoGPTQ
  if (is_mlx(fields)) return "mlx";
  return {};
}

// What stays in full precision, in the words of each method.
std::vector<std::string> kept_modules(const Fields& fields) {
  std::vector<std::string> kept;
  for (const std::string_view field : {"modules_to_not_convert", "ignore", "ignored_layers",
                                       "exclude_modules", "llm_int8_skip_modules", "exclude"}) {
    for (std::string& module : fields.texts(field)) kept.push_back(std::move(module));
  }
  return domain::collapse_modules(kept);
}

/// Patterns that cannot be matched are left out, and said.
void check_patterns(StoredPrecision& stored) {
  const auto is_faulty = [&](const std::string& pattern) {
    const std::optional<std::string> fault = domain::fault_of_pattern(pattern);
    if (!fault) return false;
    stored.notes.push_back(fmt::format(
        "the module pattern '{}' {} and is passed over: what it names is sized as quantized",
        pattern.substr(0, 80), *fault));
    return true;
  };
  std::erase_if(stored.weights.kept, is_faulty);
  std::erase_if(stored.weights.modules,
                [&](const domain::ModuleFormat& module) { return is_faulty(module.pattern); });
}

// ModelOpt's words, in capitals.
struct KvWord {
  std::string_view word;
  std::optional<KvCacheType> type;
};
constexpr auto kKvWords = std::to_array<KvWord>({
    {"FP8", KvCacheType::Fp8},
    {"FP8_AFFINE", KvCacheType::Fp8},
    {"INT8", KvCacheType::Int8},
    {"NVFP4", KvCacheType::Nvfp4},
    {"NVFP4_AFFINE", KvCacheType::Nvfp4},
    {"NONE", std::nullopt},
    {"none", std::nullopt},
    {"", std::nullopt},
});

// A mapping as in compressed-tensors, or a word as in ModelOpt's files.
void read_kv_scheme(const Fields& fields, StoredPrecision& stored) {
  const std::string_view field = fields.first_given({"kv_cache_scheme", "kv_cache_quant_algo"});
  if (field.empty()) return;
  if (fields.node(field)->is(document::Node::Kind::String)) {
    const std::string word = fields.text(field).value_or("");
    const auto known = std::ranges::find(kKvWords, word, &KvWord::word);
    if (known != kKvWords.end()) {
      stored.kv_cache = known->type;
    } else {
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
  if (bits == 4 && type == "float") {
    stored.kv_cache = KvCacheType::Nvfp4;
    return;
  }
  scheme->complain(fmt::format("a KV cache of {} bits, type '{}' is not understood", bits, type),
                   "give the type by hand with --kv-cache-dtype");
}

/// What a config or a side file says, on its way into the model.
struct Taker {
  Diagnostics& diagnostics;
  FormatBy by;
  domain::Model& model;

  void take(StoredPrecision stored, const std::string& source) const;
};

void Taker::take(StoredPrecision stored, const std::string& source) const {
  if (stored.unread && by == FormatBy::Checkpoint) {
    diagnostics.push_back(*std::move(stored.unread));
    return;
  }
  if (stored.unread) {
    model.notes.push_back(fmt::format("{}: the precision that was asked for stands in its place",
                                      stored.unread->message));
    return;
  }
  const Quantization other = model.weights.other;
  model.weights = std::move(stored.weights);
  model.weights.other = other;
  if (is_plain_type(model.weights.linear)) model.weights.linear = other;
  model.checkpoint_kv_cache = stored.kv_cache;
  for (std::string& note : stored.notes) model.notes.push_back(std::move(note));
  model.sources.push_back({"quantization", source});
  if (stored.kv_cache) model.sources.push_back({"kvCacheType", source});
}

/// mlx-lm writes its sizes there, and a copy of them as quantization_config only of late.
bool has_mlx_field(const Fields& fields) {
  const document::Node* node = fields.node("quantization");
  if (node == nullptr || !node->is(document::Node::Kind::Mapping)) return false;
  std::optional<Reader> reader = fields.mapping("quantization");
  return reader && is_mlx(Fields(*reader));
}

bool read_of(Reader& reader, const Taker& taker) {
  const Fields fields(reader);
  std::string_view field = fields.first_given({"quantization_config", "compression_config"});
  if (field.empty() && has_mlx_field(fields)) field = "quantization";
  if (field.empty()) return false;
  if (std::optional<Reader> config = fields.mapping(field))
    taker.take(read_quantization_config(*config), "config.json");
  return true;
}

/// ModelOpt's hf_quant_config.json holds it in a field, AutoGPTQ's quantize_config.json and
/// AutoAWQ's quant_config.json are nothing else.
void read_side_file(const document::Document& file, const Taker& taker) {
  const std::string& path = file.source->file;
  const std::string name = path.substr(path.rfind('/') + 1);
  Reader side(file.root, *file.source, taker.diagnostics, name);
  const Fields fields(side);
  if (fields.given("bits") || fields.given("w_bit")) {
    taker.take(read_quantization_config(side), name);
    taker.model.notes.push_back(fmt::format(
        "config.json does not say that it is quantized, {} does: engines are to be told", name));
    return;
  }
  // Exports to other formats lay down files of this name, too.
  if (name == "quantize_config.json") return;
  std::optional<Reader> reader = fields.mapping("quantization");
  if (reader) {
    taker.take(read_quantization_config(*reader), name);
  } else if (!fields.given("quantization")) {
    side.complain(fmt::format("{} has no field 'quantization'", name));
  }
}

// DeepSeek-V4 packs its routed experts in 4-bit floats with an 8-bit exponent per 32 weights,
// beside a quantization_config that speaks of fp8 only; that of DeepSeek-V4.1 names them.
void read_expert_type(Reader& config, domain::Model& model) {
  const Fields fields(config);
  if (!fields.given("expert_dtype")) {
    if (auto nested = fields.mapping("quantization_config");
        nested && Fields(*nested).given("expert_dtype"))
      read_expert_type(*nested, model);
    return;
  }
  const std::string word = lower_case(fields.text("expert_dtype").value_or(""));
  if (word == "fp4") {
    const bool is_said =
        std::ranges::any_of(model.weights.modules, [](const domain::ModuleFormat& module) {
          return module.pattern.find("experts") != std::string::npos;
        });
    if (!is_said) {
      model.weights.modules.push_back(
          {.pattern = "*.experts.*", .quantization = Quantization::Mxfp4});
    }
  } else if (word != "fp8" && word != "bf16") {
    fields.complain("expert_dtype", fmt::format("expert_dtype '{}' is not understood", word),
                    "known are bf16, fp8 and fp4");
  }
}

// The n-gram tables of DeepSeek-V4.1 are stored as its linear layers.
void read_table_type(domain::Model& model) {
  constexpr std::string_view kTable = "engram.embed";
  if (model.weights.linear != Quantization::Mxfp8) return;
  const bool has_table = std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    return std::ranges::find(run.layer.extra, kTable, &domain::ExtraTensor::name) !=
           run.layer.extra.end();
  });
  if (has_table)
    model.weights.modules.push_back(
        {.pattern = fmt::format("*.{}", kTable), .quantization = Quantization::Mxfp8});
}

// Kimi-K3's projections into the space of its experts and out of it are stored as they are, though
// its config does not list them. Source: vLLM vllm/models/kimi_k3/nvidia/model.py,
// routed_expert_down_proj and routed_expert_up_proj without a quant_config.
void keep_expert_space(domain::Model& model) {
  if (model.family == "kimi_k3" && !is_plain_type(model.weights.linear))
    model.weights.kept.emplace_back("*_latent_proj");
}

void complain_of_method(Reader& reader, const std::string& method) {
  if (method.empty()) {
    reader.complain(std::string("quantization_config does not name its quant_method"),
                    std::string(kGiveByHand));
    return;
  }
  const std::vector<std::string_view> known = quantization_methods();
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string why = why_no_quantization(method);
  reader.complain(why.empty() ? fmt::format("quantization method '{}' is not understood", method)
                              : fmt::format("quantization method '{}' {}", method, why),
                  suggestion(method, names, kGiveByHand));
}

}  // namespace

std::vector<std::string_view> quantization_methods() {
  std::vector<std::string_view> names;
  names.reserve(kMethods.size());
  for (const Method& method : kMethods) names.push_back(method.name);
  return names;
}

StoredPrecision read_quantization_config(Reader& reader) {
  const Fields fields(reader);
  StoredPrecision stored;
  const std::string method = method_of(fields);
  const auto row = std::ranges::find(kMethods, method, &Method::name);
  const bool has_reader = row != kMethods.end();
  if (has_reader) {
    row->read(fields, stored);
  } else if (const Result<Quantization> named = parse_quantization(method);
             !method.empty() && named) {
    stored.weights.linear = *named;
  } else {
    complain_of_method(reader, method);
    stored.unread = std::move(reader.diagnostics().back());
    reader.diagnostics().pop_back();
    return stored;
  }
  // Over an fp8 base, ModelOpt's list names what keeps that base.
  const bool is_base_kept = has_reader && row->read == read_fp8 && fields.given("quant_algo");
  if (!is_base_kept) {
    for (std::string& pattern : kept_modules(fields))
      stored.weights.kept.push_back(std::move(pattern));
  }
  check_patterns(stored);
  // ModelOpt always keeps the head; a file that names nothing was shortened, or says it elsewhere.
  if (has_reader && row->read == read_modelopt && stored.weights.kept.empty() &&
      stored.weights.modules.empty() && !is_plain_type(stored.weights.linear)) {
    stored.notes.emplace_back(
        "the quantization file names no module that is kept in full precision, as files of its "
        "kind "
        "do: the weights may be larger than the scheme gives");
  }
  read_kv_scheme(fields, stored);
  return stored;
}

void read_stored_precision(Reader& config, Reader* text, const document::Document* side_file,
                           FormatBy by, domain::Model& model) {
  const Taker taker{.diagnostics = config.diagnostics(), .by = by, .model = model};
  const bool is_said = read_of(config, taker) || (text != nullptr && read_of(*text, taker));
  if (!is_said && side_file != nullptr) read_side_file(*side_file, taker);
  read_expert_type(config, model);
  read_table_type(model);
  keep_expert_space(model);
}

}  // namespace gpushape::catalog
