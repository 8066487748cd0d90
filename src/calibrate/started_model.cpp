#include "calibrate/started_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/model_path.hpp"
#include "catalog/quantization_methods.hpp"
#include "catalog/quantization_names.hpp"
#include "catalog/tuned_name.hpp"
#include "domain/quantization.hpp"

namespace gpushape::calibrate {
namespace {

/// Whether the catalog has models of the owner that `name` begins with, or it begins with none.
bool is_of_known_owner(std::string_view name, const catalog::Catalog& catalog) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return true;
  const std::vector<std::string> ids = catalog.models();
  const std::string_view owner = name.substr(0, slash + 1);
  return std::ranges::any_of(ids, [&](const std::string& id) { return id.starts_with(owner); });
}

/// Whether a word is written as organizations write their names, "AxionML", rather than as what
/// was done to a model ("pruned", "REAP") or is kept beside one ("EAGLE", "draft"), or a known one.
bool is_owner(std::string_view word, const catalog::Catalog& catalog) {
  constexpr std::size_t kLeastCapitals = 2;
  const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  const auto is_small = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  if (is_of_known_owner(std::string(word) + '/', catalog)) return true;
  const auto capitals = static_cast<std::size_t>(std::ranges::count_if(word, is_capital));
  const auto small = static_cast<std::size_t>(std::ranges::count_if(word, is_small));
  return capitals >= kLeastCapitals && small > 0 && capitals + small == word.size() &&
         catalog::lower_case(std::string(word)) != "lora";
}

/// A repository whose owner and name stand together, with `mark` between them.
std::optional<domain::Model> find_split_at(std::string name, std::size_t mark,
                                           const catalog::Catalog& catalog) {
  name[mark] = '/';
  Result<domain::Model> model = catalog.find_name(name);
  return model ? std::optional(*std::move(model)) : std::nullopt;
}

/// "AxionML-Qwen3.5-27B-NVFP4": a folder that is called after an owner and a repository.
std::optional<domain::Model> find_behind_hyphen(const std::string& folder,
                                                const catalog::Catalog& catalog) {
  const std::size_t mark = folder.find('-');
  if (mark == std::string::npos || !is_owner(std::string_view(folder).substr(0, mark), catalog))
    return std::nullopt;
  return find_split_at(folder, mark, catalog);
}

/// A local copy is often kept under the model's own name.
std::optional<domain::Model> find_in_path(std::string path, const catalog::Catalog& catalog) {
  std::ranges::replace(path, '\\', '/');  // of Windows
  if (const std::optional<std::string> repository = name_in_hub_cache(path)) {
    if (Result<domain::Model> model = catalog.find_name(*repository)) return *std::move(model);
  }
  for (const std::string& name : names_in_path(path)) {
    if (!is_of_known_owner(name, catalog)) continue;
    if (Result<domain::Model> model = catalog.find(name)) return *std::move(model);
    // text-generation-webui download-model.py: "NousResearch_Meta-Llama-3-8B".
    const std::size_t mark = name.find('_');
    if (mark == std::string::npos || !is_of_known_owner(name.substr(0, mark) + '/', catalog))
      continue;
    if (Result<domain::Model> model = catalog.find(name.substr(mark + 1))) return *std::move(model);
  }
  const std::size_t last = path.find_last_not_of('/');
  if (!path.contains('/') || last == std::string::npos) return std::nullopt;
  path.resize(last + 1);
  if (auto model = find_behind_hyphen(path.substr(path.rfind('/') + 1), catalog)) return model;
  // "Qwen3.8-27B-NVFP4-RTX5090": words of whoever keeps it behind the format.
  const std::optional<std::string_view> shorter = catalog::up_to_format(path);
  return shorter ? find_in_path(std::string(*shorter), catalog) : std::nullopt;
}

/// Words of remarks that say where a checkpoint lies or who starts it.
constexpr auto kOfPlace = std::to_array<std::string_view>(
    {".py", "container", "deployment", "folder", "image", "local", "mounted", "path", "profile",
     "recipe", "served", "service", "snapshot"});
/// What remarks on where the name was read begin with.
constexpr auto kOfReading =
    std::to_array<std::string_view>({"NIM ", "as stated", "id not in", "issue text",
                                     "of the manifest", "repository not named", "text:", "title"});
/// Words behind a format: "fp8 variant".
constexpr auto kOfCopies = std::to_array<std::string_view>({" variant", " version", " copy"});

bool says_where(std::string_view words) {
  return std::ranges::any_of(kOfPlace, [&](std::string_view word) { return words.contains(word); });
}

struct Remark {
  std::string name;   ///< before the brackets
  std::string words;  ///< in them
};

std::optional<Remark> remark_of(const std::string& name) {
  const std::size_t open = name.find(" (");
  if (open == std::string::npos || !name.ends_with(')')) return std::nullopt;
  return Remark{.name = name.substr(0, open),
                .words = name.substr(open + 2, name.size() - open - 3)};
}

/// The model is published in the format, "BF16".
bool is_own_format(std::string_view word, const domain::Model& model) {
  const Result<domain::Quantization> format = catalog::parse_quantization(word);
  return format && *format == model.weights.linear;
}

/// Brackets may name the file that was taken of a repository, or the same model once more; behind
/// words that are no name, the repository with its format: "Intel AutoRound int4
/// (Qwen3.5-35B-A3B-int4-AutoRound)", "DSV2-Lite BF16 (DeepSeek-V2-Lite)".
std::optional<domain::Model> find_in_brackets(const std::string& name,
                                              const catalog::Catalog& catalog) {
  constexpr std::string_view kFile = ".gguf";
  const std::optional<Remark> remark = remark_of(name);
  if (!remark || remark->words.contains(' ')) return std::nullopt;
  if (remark->words.ends_with(kFile)) {
    Result<domain::Model> file =
        catalog.find(remark->words.substr(0, remark->words.size() - kFile.size()));
    return file ? std::optional(*std::move(file)) : std::nullopt;
  }
  Result<domain::Model> model = catalog.find(remark->name);
  Result<domain::Model> again = catalog.find(remark->words);
  if (!again) return std::nullopt;
  const std::size_t blank = remark->name.rfind(' ');
  const bool has_format = blank != std::string::npos;
  if (!model && has_format && again->weights.is_named) return *std::move(again);
  if (!model && has_format && is_own_format(remark->name.substr(blank + 1), *again))
    return *std::move(again);
  if (!model || model->id != again->id) return std::nullopt;
  return *std::move(model);
}

/// "/mnt/models (Qwen/Qwen2.5-VL-7B-Instruct)", "/model (Qwen3-0.6B mounted)": what is kept at a
/// path that says nothing.
std::optional<domain::Model> find_behind_path(const std::string& name,
                                              const catalog::Catalog& catalog) {
  const std::optional<Remark> remark = remark_of(name);
  if (!remark || !remark->name.starts_with('/')) return std::nullopt;
  constexpr std::string_view kMounted = " mounted";
  std::string words = remark->words;
  if (words.ends_with(kMounted)) words.resize(words.size() - kMounted.size());
  if (words.contains(' ')) return std::nullopt;  // that may speak of other tensors
  Result<domain::Model> model = catalog.find_name(words);
  return model ? std::optional(*std::move(model)) : std::nullopt;
}

/// "Qwen3-14B NVFP4 (RedHatAI)", "Qwen3-8B FP8 (dynamic) (RedHatAI)": who keeps the repository, one
/// whose name this is but for brackets.
std::optional<domain::Model> find_under_owner(const std::string& name,
                                              const catalog::Catalog& catalog) {
  const std::size_t open = name.rfind(" (");
  if (open == std::string::npos || !name.ends_with(')')) return std::nullopt;
  const std::string owner = name.substr(open + 2, name.size() - open - 3);
  const bool is_one_word = owner.find_first_of(" /(),") == std::string::npos;
  if (!is_one_word || says_where(owner) || catalog::parse_quantization(owner)) return std::nullopt;
  std::string id = owner + '/' + name.substr(0, open);
  std::erase_if(id, [](char letter) { return letter == '(' || letter == ')'; });
  Result<domain::Model> model = catalog.find_name(id);
  return model ? std::optional(*std::move(model)) : std::nullopt;
}

/// The format of "(fp8 variant)" stands behind the name of a repository, too.
std::optional<std::string> named_copy(const Remark& remark) {
  for (const std::string_view ending : kOfCopies) {
    if (!remark.words.ends_with(ending)) continue;
    const std::string format = remark.words.substr(0, remark.words.size() - ending.size());
    if (catalog::parse_quantization(format)) return remark.name + '-' + format;
  }
  return std::nullopt;
}

/// The name before brackets that say how it is stored, or where: "(local path)", "(BF16)". Other
/// remarks may speak of other tensors ("FP8 checkpoint", "pruned").
std::optional<std::string> before_brackets(const std::string& name) {
  std::optional<Remark> remark = remark_of(name);
  if (!remark) return std::nullopt;
  if (auto copy = named_copy(*remark)) return copy;
  const std::string& words = remark->words;
  const bool is_of_place = words.contains('/') || says_where(words);
  const bool is_of_reading = std::ranges::any_of(
      kOfReading, [&](std::string_view word) { return words.starts_with(word); });
  // "(Qwen3_5ForConditionalGeneration @ 851bf6e8)": what the engine resolved it to.
  const std::string_view first = std::string_view(words).substr(0, words.find(' '));
  const bool is_of_class =
      first.ends_with("ForConditionalGeneration") || first.ends_with("ForCausalLM");
  // "nemotron-3-nano-30b-a3b-bf16 (NVIDIA Nemotron-3-Nano-30B)": the same name, shorter.
  constexpr std::size_t kLongEnough = 6;
  const std::string last = catalog::lower_case(words.substr(words.find_last_of("/ ") + 1));
  const bool is_same =
      last.size() >= kLongEnough && catalog::lower_case(remark->name).contains(last);
  if (!is_of_place && !is_of_class && !is_of_reading && !is_same &&
      !catalog::parse_quantization(words))
    return std::nullopt;
  return std::move(remark->name);
}

/// The base's name, of a copy's that says how many bits it has: "llama-3.1-8B-Instruct-4bit".
std::optional<std::string> before_bits(const std::string& name, std::string_view quantization) {
  const Result<domain::Quantization> format = catalog::parse_quantization(quantization);
  if (quantization.empty() || !format) return std::nullopt;
  const std::string ending = fmt::format("-{}bit", domain::scheme(*format).weight_bits);
  if (!catalog::lower_case(name).ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

bool is(const std::optional<std::int64_t>& stated, std::int64_t ours) {
  return !stated || *stated == ours;
}

/// Rows are added for tokens of a template, and for even shares.
bool is_vocabulary(const std::optional<std::int64_t>& stated, std::int64_t ours) {
  constexpr double kSameTable = 0.005;
  return !stated ||
         std::abs(static_cast<double>(*stated - ours)) <= kSameTable * static_cast<double>(ours);
}

bool has_sizes(const ModelSizes& sizes, const domain::Model& model) {
  std::int64_t layers = 0;
  for (const domain::LayerRun& run : model.layers) layers += run.count;
  if (!is(sizes.layers, layers) || !is(sizes.hidden_size, model.hidden_size) ||
      !is_vocabulary(sizes.vocabulary, model.vocabulary))
    return false;
  constexpr double kSameCount = 0.01;  // "6.74 B"
  const auto total = static_cast<double>(model.parameters.total);
  if (sizes.parameters && std::abs(*sizes.parameters - total) > kSameCount * total) return false;
  const bool has_heads = std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    const domain::Attention& attention = run.layer.attention;
    return is(sizes.heads, attention.heads) && is(sizes.kv_heads, attention.kv_heads);
  });
  const bool has_network = std::ranges::any_of(model.layers, [&](const domain::LayerRun& run) {
    const domain::FeedForward& network = run.layer.feed_forward;
    if (sizes.experts && *sizes.experts > 0)
      return network.experts && network.experts->count == *sizes.experts;
    return is(sizes.feed_forward_width, network.width);
  });
  return has_heads && has_network;
}

/// "Sehyo qwen3.5-122b-a10b-nvfp4": an owner and a repository, without the stroke between them.
std::optional<domain::Model> find_behind_owner(const std::string& name,
                                               const catalog::Catalog& catalog) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string::npos || name.find_first_of(" /(", blank + 1) != std::string::npos)
    return std::nullopt;
  return find_split_at(name, blank, catalog);
}

}  // namespace

Result<domain::Model> find_started_model(const std::string& stated, const catalog::Catalog& catalog,
                                         std::string_view quantization) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = stated.find_first_not_of(kBlanks);
  const std::string name = first == std::string::npos
                               ? std::string()
                               : stated.substr(first, stated.find_last_not_of(kBlanks) - first + 1);
  Result<domain::Model> model = catalog.find(name);
  if (model) return model;
  if (auto named = find_in_brackets(name, catalog)) return *std::move(named);
  if (auto owned = find_under_owner(name, catalog)) return *std::move(owned);
  if (auto behind = find_behind_owner(name, catalog)) return *std::move(behind);
  if (const auto shorter = before_brackets(name)) {
    Result<domain::Model> named = find_started_model(*shorter, catalog);
    if (named) return named;
  }
  if (auto behind = find_behind_path(name, catalog)) return *std::move(behind);
  if (auto kept = find_in_path(name, catalog)) return *std::move(kept);
  if (const auto base = before_bits(name, quantization)) {
    if (Result<domain::Model> named = find_started_model(*base, catalog)) return named;
  }
  return model;
}

std::optional<domain::Model> find_model_of_sizes(const ModelSizes& sizes,
                                                 const catalog::Catalog& catalog) {
  if (!sizes.layers || !sizes.hidden_size || !sizes.vocabulary || !sizes.parameters)
    return std::nullopt;
  std::optional<domain::Model> nearest;
  const auto distance = [&](const domain::Model& model) {
    return std::abs(model.vocabulary - *sizes.vocabulary);
  };
  for (const std::string& id : catalog.models()) {
    Result<domain::Model> model = catalog.find_name(id);
    if (!model || !has_sizes(sizes, *model)) continue;
    if (!nearest || distance(*model) < distance(*nearest)) nearest = *std::move(model);
  }
  return nearest;
}

}  // namespace gpushape::calibrate
