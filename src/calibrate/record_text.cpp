#include "calibrate/record_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "calibrate/log_text.hpp"
#include "calibrate/logs/vllm_kernels.hpp"
#include "calibrate/record_settings.hpp"
#include "catalog/quantization_methods.hpp"

namespace gpushape::calibrate {
namespace {

using document::Node;

/// The digits behind a word.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest == text.data()) return std::nullopt;
  return value;
}

/// Settings that ask for drafts; from 0.29 on vLLM has flags of their own for each.
constexpr auto kDraftSettings = std::to_array<std::string_view>(
    {"speculative-config", "speculative_config", "--spec-model", "--spec-method"});

/// "=None", ": null", "\": null": a setting that is not there.
bool is_none(std::string_view value) {
  const std::size_t word = value.find_first_not_of("\"'=: ");
  if (word == std::string_view::npos) return false;
  value.remove_prefix(word);
  return value.starts_with("None") || value.starts_with("null");
}

/// What follows the first setting that asks for drafts of a model, with the setting itself; empty
/// where none does: tokens may also be looked up in the prompt (ngram).
std::string_view asked_drafts(std::string_view notes) {
  for (const std::string_view setting : kDraftSettings) {
    const std::size_t at = notes.find(setting);
    if (at == std::string_view::npos) continue;
    constexpr std::size_t kShort = 120;
    const std::string_view value = notes.substr(at + setting.size(), kShort);
    const bool is_denied = is_none(value) || notes.substr(0, at).ends_with("no ");
    if (!is_denied && !value.contains("ngram")) return notes.substr(at);
  }
  return {};
}

/// What such a setting says the tokens are drafted by: "method": "eagle3".
std::string named_method(std::string_view asked) {
  constexpr auto kBefore = std::to_array<std::string_view>(
      {R"("method": ")", R"("method":")", "'method': '", "method='", "--spec-method "});
  asked = asked.substr(0, asked.find('}'));
  for (const std::string_view before : kBefore) {
    const auto name = behind(asked, before);
    if (name) return std::string(name->substr(0, name->find_first_of(R"("' ,;))")));
  }
  return {};
}

/// The model that such a setting names: "model": "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B" of its JSON,
/// or --spec-model google/gemma-4-E4B-it-assistant.
std::string named_draft(std::string_view asked) {
  constexpr auto kBefore = std::to_array<std::string_view>(
      {R"("model": ")", R"("model":")", "'model': '", "model='", "--spec-model ", "--spec-model="});
  asked = asked.substr(0, asked.find('}'));
  for (const std::string_view before : kBefore) {
    const auto name = behind(asked, before);
    if (name) return std::string(name->substr(0, name->find_first_of(R"("' ,;))")));
  }
  return {};
}

/// A repository of a draft that remarks name, by what such repositories are called: "DFlash drafter
/// z-lab/gemma-4-26B-A4B-it-DFlash".
std::string drafting_repository(std::string_view notes) {
  constexpr auto kWords = std::to_array<std::string_view>({"dflash", "eagle3", "speculator"});
  constexpr std::string_view kEnds = " \t\r\n\"'`,;()[]{}=";
  while (!notes.empty()) {
    const std::size_t end = std::min(notes.find_first_of(kEnds), notes.size());
    const std::string_view word = notes.substr(0, end);
    notes.remove_prefix(std::min(end + 1, notes.size()));
    const std::size_t slash = word.find('/');
    const bool is_repository = slash != std::string_view::npos && slash > 0 &&
                               slash == word.rfind('/') && !word.contains(':') &&
                               !word.ends_with(".log");
    if (!is_repository) continue;
    const std::string name = catalog::lower_case(std::string(word.substr(slash + 1)));
    const bool drafts =
        std::ranges::any_of(kWords, [&](std::string_view each) { return name.contains(each); });
    if (drafts) return std::string(word);
  }
  return {};
}

constexpr auto kDenials = std::to_array<std::string_view>({"no ", "No ", "non-", "without "});

bool ends_with_denial(std::string_view text) {
  return std::ranges::any_of(kDenials,
                             [&](std::string_view denial) { return text.ends_with(denial); });
}

/// Whether a remark speaks of LoRA adapters that are there: neither "no LoRA" nor "LoRA not in
/// args", and no checkpoint that was tuned with them (QLoRA).
bool speaks_of_adapters(std::string_view notes) {
  constexpr std::string_view kWord = "LoRA";
  constexpr auto kDenied = std::to_array<std::string_view>(
      {" not ", " off", " disabled", ": none", ": no", "=False", ": False"});
  for (std::size_t at = notes.find(kWord); at != std::string_view::npos;
       at = notes.find(kWord, at + kWord.size())) {
    const std::string_view before = notes.substr(0, at);
    const std::string_view behind = notes.substr(at + kWord.size());
    const bool is_denied = ends_with_denial(before) || before.ends_with('Q') ||
                           std::ranges::any_of(kDenied, [&](std::string_view word) {
                             return behind.starts_with(word);
                           });
    if (!is_denied) return true;
  }
  return false;
}

/// Where a remark speaks of the model's own layers for further tokens; npos where it says that none
/// are asked.
std::size_t mention_of_drafts(std::string_view notes) {
  for (const std::string_view word : {"MTP", "DSpark"}) {
    for (std::size_t at = notes.find(word); at != std::string_view::npos;
         at = notes.find(word, at + word.size())) {
      const std::string_view before = notes.substr(0, at);
      if (ends_with_denial(before)) return std::string_view::npos;
      // Part of a checkpoint's name.
      if (!before.ends_with('-')) return at;
    }
  }
  return std::string_view::npos;
}

/// Tokens that those layers propose in one step: "MTP n=4", "MTP, 3 speculative tokens".
std::optional<std::int64_t> drafted_tokens(std::string_view notes) {
  // As a setting, or in JSON: "num_speculative_tokens": 3.
  for (const std::string_view pair : {"=", "\": ", "\":", "': ", " ", ": "}) {
    const std::string word = "num_speculative_tokens" + std::string(pair);
    if (const auto count = number_behind(notes, word)) return count;
  }
  for (const std::string_view word : {"--spec-tokens ", "--spec-tokens=", "num_spec_tokens="}) {
    if (const auto count = number_behind(notes, word)) return count;
  }
  const std::size_t at = mention_of_drafts(notes);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view clause = notes.substr(at);
  clause = clause.substr(0, clause.find_first_of(";.()"));
  constexpr std::size_t kShort = 40;
  constexpr std::int64_t kFew = 16;
  clause = clause.substr(0, kShort);
  const std::size_t digit = clause.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  const auto count = number_behind(clause, clause.substr(0, digit));
  return count && *count <= kFew ? count : std::nullopt;
}

/// Whether a remark on a table of n-grams says that it is not on the GPU, or that it is; empty
/// where it says neither.
std::optional<bool> puts_tables_elsewhere(std::string_view notes) {
  constexpr auto kTables = std::to_array<std::string_view>({"n-gram", "PLE", "table offloaded"});
  constexpr auto kPlaces =
      std::to_array<std::string_view>({"offload", "OFFLOAD", "disk", "SSD", "host memory"});
  const auto says = [&](std::string_view word) { return notes.contains(word); };
  if (std::ranges::none_of(kTables, says)) return std::nullopt;
  if (std::ranges::any_of(kPlaces, says)) return true;
  const bool is_there = says("table resident") || says("table on the GPU");
  return is_there ? std::optional(false) : std::nullopt;
}

/// Remarks on the cache of compiled graphs, in lower case.
constexpr auto kOfColdCache = std::to_array<std::string_view>(
    {"cold compil", "cold torch.compile", "compile cache: cold", "compile cache cold",
     "compile cache is cold", "compiling a graph for"});
constexpr auto kOfWarmCache = std::to_array<std::string_view>(
    {"warm compil", "warm torch.compile", "compile cache: warm", "compile cache warm",
     "compile cache is warm", "directly load the compiled graph", "directly load aot compilation"});

/// Whether graphs were compiled in the start; empty where its remarks speak of neither, or of both.
std::optional<bool> compiles_in(const std::string& notes) {
  const std::string text = catalog::lower_case(notes);
  const auto says = [&](std::string_view words) { return text.contains(words); };
  const bool is_cold = std::ranges::any_of(kOfColdCache, says);
  const bool is_warm = std::ranges::any_of(kOfWarmCache, says);
  return is_cold == is_warm ? std::nullopt : std::optional(is_cold);
}

/// Unsloth's copies in four bits, and bitsandbytes with a cache of prefixes, which the first
/// generation of vLLM had to be asked for: unsloth_zoo/vllm_utils.py, load_vllm.
bool is_like_unsloth(const EngineStart& start, const std::string& listed) {
  if (start.engine != "vllm" || start.is_by_unsloth || start.is_second_generation) return false;
  if (start.model.starts_with("unsloth/") && start.model.contains("bnb-4bit")) return true;
  return start.quantization == "bitsandbytes" && listed.contains("enable_prefix_caching=True");
}

}  // namespace

void read_remarks(const Node& record, EngineStart& start) {
  if (const std::string listed = text_of(record.find("engine_extra")); !listed.empty())
    start.notes += (start.notes.empty() ? "" : "; ") + listed;
  const std::string settings = listed_settings(record);
  const std::string text = start.notes + "; " + settings;
  start.is_first_generation = text.contains("V0 engine") || text.contains("VLLM_USE_V1=0");
  start.is_second_generation = text.contains("V1 engine");
  start.is_under_wsl = text.contains("WSL");
  start.unfolds_latents = logs::asks_to_unfold(text);
  start.compiles = compiles_in(text);
  // Unsloth starts the engine for training, with adapters on: unsloth_zoo/vllm_utils.py, load_vllm.
  const bool is_notebook = start.source.contains("github.com/unslothai/");
  start.is_by_unsloth = is_notebook || text.contains("Unsloth");
  const bool is_training =
      is_notebook || text.contains("patched") || text.contains("fast_inference");
  const bool has_none = text.contains("enable_lora=False");
  start.has_adapters =
      !has_none && (speaks_of_adapters(text) || (start.is_by_unsloth && is_training));
  start.may_be_by_unsloth = is_like_unsloth(start, settings);
  if (!start.has_tables_elsewhere) start.has_tables_elsewhere = puts_tables_elsewhere(text);
  if (const auto gib = number_behind(text, "cpu_offload_gb="); gib.value_or(0) > 0)
    start.offload_gib = static_cast<double>(*gib);
  start.draft_tokens = drafted_tokens(text);
  const std::string_view asked = asked_drafts(text);
  start.speaks_of_drafts = mention_of_drafts(text) != std::string_view::npos || !asked.empty();
  if (std::string draft = named_draft(asked); !start.draft_model && !draft.empty())
    name_draft(start, std::move(draft));
  if (std::string draft = drafting_repository(text); !start.draft_model && !draft.empty())
    name_draft(start, std::move(draft));
  start.draft_method = named_method(asked);
}

}  // namespace gpushape::calibrate
