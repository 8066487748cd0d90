#include "catalog/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "catalog/families.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/fields.hpp"
#include "catalog/foreign_fields.hpp"
#include "catalog/limits.hpp"
#include "catalog/named_parts.hpp"
#include "catalog/stored_precision.hpp"
#include "document/reader.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

std::vector<std::string> known_types() {
  std::vector<std::string> types;
  for (const Family& family : families()) types.emplace_back(family.model_type());
  return types;
}

std::string known_families() {
  return fmt::format(
      "{} families are known: `gpushape catalog list --family NAME` shows the models of one",
      known_types().size());
}

struct Recognised {
  const Family* family = nullptr;
  ClassKind kind;
  std::string architecture;
};

// A composite of which a copy gives its decoder's type: the class says what it is.
bool is_decoder_of(std::string_view model_type, const Family& composite) {
  if (composite.decoder.empty()) return false;
  const Family* decoder = family_of_type(model_type);
  const Family* own = family_of_type(composite.decoder);
  return decoder != nullptr &&
         (decoder == own || decoder->read != nullptr || decoder->decoder == composite.decoder);
}

// A class whose publisher's first config still has the type of the class that it was made after:
// engines choose by the class.
struct BorrowedType {
  std::string_view architecture;
  std::string_view model_type;
};
constexpr auto kBorrowedTypes = std::to_array<BorrowedType>({
    {"MiniMaxM2ForCausalLM", "mixtral"},
    {"T5ForConditionalGeneration", "mt5"},
    {"XLMRobertaLoRA", "xlm-roberta"},
});
bool is_borrowed(std::string_view model_type, const std::vector<std::string>& architectures) {
  return !architectures.empty() &&
         std::ranges::any_of(kBorrowedTypes, [&](const BorrowedType& row) {
           return row.architecture == architectures.front() && row.model_type == model_type;
         });
}

const Family* family_named(const Fields& fields, const std::string& model_type,
                           const std::vector<std::string>& architectures) {
  if (model_type.empty() || is_borrowed(model_type, architectures))
    return family_of_class(architectures.front());
  const Family* family = family_of_type(model_type);
  if (family == nullptr) {
    fields.complain("model_type", fmt::format("model_type '{}' is not understood", model_type),
                    suggestion(model_type, known_types(), known_families()));
    return nullptr;
  }
  // A type may stand for a decoder alone and for the composite around it; the class decides.
  if (!architectures.empty() && !class_kind(*family, architectures.front())) {
    const Family* other = family_of_class(architectures.front());
    const bool is_around = fields.given("text_config") || fields.given("audio_encoder_conf") ||
                           domain::is_draft_class(architectures.front());
    if (other != nullptr && is_around && is_decoder_of(model_type, *other)) return other;
  }
  return family;
}

std::optional<Recognised> recognise(Reader& reader) {
  const Fields fields(reader);
  const std::string model_type = fields.text("model_type").value_or("");
  const std::vector<std::string> architectures = fields.texts("architectures");
  if (!reader.diagnostics().empty()) return std::nullopt;
  if (model_type.empty() && architectures.empty()) {
    reader.complain(std::string("config.json names neither a model_type nor architectures"),
                    known_families());
    return std::nullopt;
  }
  Recognised found;
  found.family = family_named(fields, model_type, architectures);
  if (found.family == nullptr && !model_type.empty()) return std::nullopt;
  found.architecture = architectures.empty() ? default_class(*found.family) : architectures.front();
  const auto kind =
      found.family == nullptr ? std::nullopt : class_kind(*found.family, found.architecture);
  if (!kind) {
    const Family* other = family_of_class(found.architecture);
    fields.complain(
        "architectures",
        other == nullptr || other == found.family
            ? fmt::format("architecture '{}' is not understood", found.architecture)
            : fmt::format("architecture '{}' is of the {} family, but model_type is '{}'",
                          found.architecture, other->model_type(), model_type),
        known_families());
    return std::nullopt;
  }
  found.kind = *kind;
  return found;
}

void note_family(const Recognised& found, Reader& reader, domain::Model& model) {
  const Fields fields(reader);
  const std::string own(found.family->model_type());
  const std::string model_type = fields.text("model_type").value_or(own);
  model.family = is_borrowed(model_type, {found.architecture}) ? own : model_type;
  model.architecture = found.architecture;
  model.has_head = found.kind.has_head;
  model.role = found.kind.role;
  model.sources.push_back({"family", "config.json"});
  model.sources.push_back(
      {"architecture", fields.given("architectures")
                           ? "config.json"
                           : fmt::format("default of the {} family", found.family->model_type())});
}

struct Dtype {
  std::string_view name;
  domain::Quantization value;
};
constexpr auto kDtypes = std::to_array<Dtype>({
    {"bfloat16", domain::Quantization::Bf16},
    {"float16", domain::Quantization::Fp16},
    {"float32", domain::Quantization::Fp32},
});

void read_dtype(const Fields& root, const Fields& decoder, domain::Model& model) {
  const bool says_root = !root.first_given({"dtype", "torch_dtype"}).empty();
  const Fields& fields = says_root ? root : decoder;
  const std::string_view field = fields.first_given({"dtype", "torch_dtype"});
  domain::Quantization dtype = domain::Quantization::Bf16;
  if (field.empty()) {
    model.notes.emplace_back(
        "config.json names no dtype: 16 bits are assumed, as engines load such a checkpoint");
    model.sources.push_back({"dtype", "assumed: config.json names none"});
  } else {
    std::string word = fields.text(field).value_or("bfloat16");
    if (word.starts_with("torch.")) word.erase(0, 6);
    const auto known = std::ranges::find(kDtypes, word, &Dtype::name);
    if (known == kDtypes.end()) {
      fields.complain(field, fmt::format("{} '{}' is not understood", field, word),
                      "known are bfloat16, float16, float32");
    } else {
      dtype = known->value;
    }
    model.sources.push_back({"dtype", "config.json"});
  }
  model.weights.linear = dtype;
  model.weights.other = dtype;
}

// InternLM2ForRewardModel has one row, whatever the config says (vLLM
// model_executor/models/internlm2.py, v_head).
constexpr std::string_view kOneScore = "InternLM2ForRewardModel";

// Qwen2.5-Math's reward models score by two matrices, the first of which keeps the width; the
// second has a row, or two where it scores the steps (vLLM model_executor/models/qwen2_rm.py).
bool add_reward_network(domain::Model& model) {
  const bool is_process = model.architecture == "Qwen2ForProcessRewardModel";
  if (!is_process && model.architecture != "Qwen2ForRewardModel") return false;
  const std::int64_t rows = is_process ? 2 : 1;
  model.extra.push_back({.name = "score.0",
                         .rows = model.hidden_size,
                         .columns = model.hidden_size,
                         .is_linear = true,
                         .is_dealt_out = true});
  model.extra.push_back({.name = "score.0.bias", .rows = model.hidden_size, .is_dealt_out = true});
  model.extra.push_back({.name = "score.2", .rows = rows, .columns = model.hidden_size});
  model.extra.push_back({.name = "score.2.bias", .rows = rows});
  return true;
}

// A decoder with a classifier in place of its head: one row a label.
void add_classifier(const Recognised& found, const Fields& root, domain::Model& model) {
  const Family& family = *found.family;
  if (!found.kind.scores || family.role == domain::Role::Embed || family.knows_all_heads) return;
  if (add_reward_network(model)) return;
  const std::int64_t labels = label_count(root);
  const std::int64_t count = found.architecture == kOneScore ? 1 : labels;
  model.extra.push_back({.name = "score", .rows = count, .columns = model.hidden_size});
}

// The mappings that composites nest their decoder in.
std::optional<Reader> nested_decoder(const Fields& root) {
  for (const std::string_view name :
       {"text_config", "llm_config", "language_config", "transformer_layer_config", "decoder"}) {
    if (root.given(name)) return root.mapping(name);
  }
  for (const std::string_view name : {"thinker_config", "vlm_config"}) {
    if (!root.given(name)) continue;
    std::optional<Reader> whole = root.mapping(name);
    return whole ? Fields(*whole).mapping("text_config") : std::nullopt;
  }
  return std::nullopt;
}

const Family* decoder_family(const Family& composite, Reader* nested) {
  if (nested == nullptr) return family_of_type(composite.decoder);
  const Fields fields(*nested);
  const std::string type = fields.text("model_type").value_or("");
  if (type.empty()) return family_of_type(composite.decoder);
  const Family* family = family_of_type(type);
  // A type may name the composite itself ("gemma3n") where its decoder has no type of its own.
  if (family != nullptr && family->read == nullptr) family = family_of_type(composite.decoder);
  if (family == nullptr) {
    fields.complain("model_type", fmt::format("model_type '{}' is not understood", type),
                    suggestion(type, known_types(), known_families()));
  }
  return family;
}

/// What the config alone does not say of its precision.
struct Beside {
  const document::Document* side_file = nullptr;
  FormatBy by = FormatBy::Checkpoint;
};

void read_model(const Recognised& found, Reader& root, const Beside& beside, domain::Model& model) {
  const Family& family = *found.family;
  const bool is_composite = !family.decoder.empty();
  const Fields root_fields(root);
  std::optional<Reader> nested = is_composite ? nested_decoder(root_fields) : std::nullopt;
  const Family* decoder =
      family.choose_decoder != nullptr ? family.choose_decoder(root_fields) : nullptr;
  if (decoder == nullptr)
    decoder = is_composite ? decoder_family(family, nested ? &*nested : nullptr) : &family;
  if (decoder == nullptr || decoder->read == nullptr) return;
  Reader& described = nested ? *nested : root;
  read_dtype(root_fields, Fields(described), model);
  ConfigParts parts(root, described, *decoder, model);
  if (is_composite && !nested && root_fields.given("text_model_id")) {
    take_named_decoder(root_fields, model);
  } else {
    decoder->read(parts);
  }
  if (family.sectioned_rope) model.rope.has_sections = true;
  if (family.add_towers != nullptr) {
    ConfigParts whole = parts.as(family);
    family.add_towers(whole);
  }
  add_classifier(found, root_fields, model);
  read_stored_precision(root, nested ? &*nested : nullptr, beside.side_file, beside.by, model);
  if (nested) refuse_foreign_fields(*nested, *decoder);
  refuse_foreign_fields(root, nested ? family : *decoder);
}

}  // namespace

Result<domain::Model> read_config(const document::Document& config, const std::string& id,
                                  const document::Document* side_file, FormatBy by) {
  Diagnostics diagnostics;
  Reader reader(config.root, *config.source, diagnostics, "config.json");
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  domain::Model model;
  model.id = id;
  model.origin = "config.json";
  const std::optional<Recognised> found = recognise(reader);
  if (!found) return failure(std::move(diagnostics));
  note_family(*found, reader, model);
  read_model(*found, reader, {side_file, by}, model);
  if (diagnostics.empty()) {
    for (Diagnostic& fault : contradictions(model, "num_attention_heads", "num_key_value_heads"))
      reader.complain(std::move(fault.message), std::move(fault.help));
  }
  if (diagnostics.empty() && model.layers.empty())
    reader.complain(std::string("config.json describes no layers"));
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  domain::resolve_modules(model);
  domain::count_all_parameters(model);
  model.sources.push_back({"parameters.total", "computed from the architecture"});
  return model;
}

}  // namespace gpushape::catalog
