#include "catalog/families.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include "catalog/families/family_tables.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

// The endings of class names.
struct Ending {
  std::string_view text;
  ClassKind kind;
};
constexpr auto kEndings = std::to_array<Ending>({
    {"ForCausalLM", {}},
    {"ForConditionalGeneration", {}},
    {"LMHeadModel", {}},
    {"ModelWithLMHead", {}},
    {"ForSequenceClassification", {.has_head = false, .scores = true, .role = Role::Rerank}},
    {"ForTokenClassification", {.has_head = false, .scores = true, .role = Role::Embed}},
    {"ForRewardModel", {.has_head = false, .scores = true, .role = Role::Rerank}},
    {"ForProcessRewardModel", {.has_head = false, .scores = true, .role = Role::Rerank}},
    {"ForQuestionAnswering", {.has_head = false, .role = Role::Embed, .is_rare = true}},
    {"ForMultipleChoice", {.has_head = false, .role = Role::Rerank, .is_rare = true}},
    {"ForNextSentencePrediction", {.has_head = false, .role = Role::Rerank, .is_rare = true}},
    {"ForCTC", {.has_head = false, .role = Role::Speech, .is_rare = true}},
    {"ForXVector", {.has_head = false, .role = Role::Speech, .is_rare = true}},
    {"ForAudioFrameClassification", {.has_head = false, .role = Role::Speech, .is_rare = true}},
    {"ForRanking", {.has_head = false, .role = Role::Rerank}},
    {"_ColBERT", {.has_head = false, .role = Role::Embed}},
    {"ForMaskedLM", {.has_head = false, .role = Role::Embed}},
    {"ForPreTraining", {.has_head = false, .role = Role::Embed}},
    {"Model", {.has_head = false, .role = Role::Embed}},
    {"", {}},
});

// Whether one of the words of a list is the word.
bool holds(std::string_view words, std::string_view word) {
  return std::ranges::any_of(std::views::split(words, ' '), [&](const auto part) {
    return std::string_view(part.begin(), part.end()) == word;
  });
}

}  // namespace

std::span<const Family> families() {
  static const std::vector<Family> kAll = [] {
    std::vector<Family> all;
    for (const auto table :
         {decoders(), more_dense(), gemmas(), gpts(), nested_decoders(), mixtures(), hybrids(),
          drafts(), composites(), qwen_kin(), sound_composites(), encoders(), bert_kin(),
          sound_encoders(), encoder_decoders()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kAll;
}

std::string_view Family::model_type() const { return model_types.substr(0, model_types.find(' ')); }

const Family* family_of_type(std::string_view model_type) {
  for (const Family& family : families()) {
    if (holds(family.model_types, model_type)) return &family;
  }
  return nullptr;
}

std::optional<ClassKind> class_kind(const Family& family, std::string_view architecture) {
  for (const Ending& ending : kEndings) {
    if (!architecture.ends_with(ending.text)) continue;
    const std::string_view stem = architecture.substr(0, architecture.size() - ending.text.size());
    if (!holds(family.stems, stem)) continue;
    if (ending.kind.is_rare && !family.knows_all_heads) continue;
    ClassKind kind = ending.kind;
    if (kind.role == Role::Llm) kind.role = family.role;
    return kind;
  }
  return std::nullopt;
}

const Family* family_of_class(std::string_view architecture) {
  for (const Family& family : families()) {
    if (class_kind(family, architecture)) return &family;
  }
  return nullptr;
}

std::string default_class(const Family& family) {
  std::string stem(family.stems.substr(0, family.stems.find(' ')));
  // Some first stems are whole names of classes.
  if (stem.ends_with("ForCausalLM")) return stem;
  const bool encodes = family.role == Role::Embed || family.knows_all_heads;
  if (encodes && class_kind(family, stem + "Model")) return stem + "Model";
  const bool has_encoder = std::ranges::any_of(encoder_decoders(), [&](const Family& other) {
    return other.model_types == family.model_types;
  });
  const bool is_causal = family.decoder.empty() && !has_encoder;
  return stem + (is_causal ? "ForCausalLM" : "ForConditionalGeneration");
}

}  // namespace gpushape::catalog
