#include "catalog/repository_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "catalog/format_tail.hpp"
#include "catalog/quantization_methods.hpp"

namespace gpushape::catalog {
namespace {

std::string_view after_owner(std::string_view repository) {
  const std::size_t slash = repository.rfind('/');
  return slash == std::string_view::npos ? repository : repository.substr(slash + 1);
}

/// Owners that converters and bartowski's GGUF repositories ("google_gemma-3-27b-it-GGUF") put
/// before a model's name; what follows must be the name of a model.
struct OwnerWord {
  std::string_view word;
  std::string_view next = {};  ///< what the name behind it begins with; empty for any
};
constexpr auto kOwnerWords = std::to_array<OwnerWord>({
    {"models-"},
    {"meta-llama-", "llama-"},
    {"meta-"},
    {"nvidia-"},
    {"mistralai-"},
    {"google-"},
    {"openai-", "gpt-oss"},
    {"deepseek-ai-"},
    {"microsoft-"},
    {"qwen-", "qw"},
    {"zai-org-"},
    {"ibm-granite-", "granite"},
});

/// Tools that take refusals out of a model change values alone, so that its tensors are the base's
/// (https://github.com/p-e-w/heretic, https://huggingface.co/blog/mlabonne/abliteration): the words
/// that their users add to its name, longer ones first.
constexpr auto kAlterations = std::to_array<std::string_view>({
    "-aeon-ultimate-uncensored-multimodal",
    "-aeon-ultimate-uncensored-text",
    "-aeon-ultimate-uncensored",
    "-absolute-heresy",
    "-heresy",
    "-heretic",
    "-abliterated",
    "-abliteration",
    "-uncensored",
    "-decensored",
    "-derestricted",
});

/// "-v2" that stands at the beginning of `text`: its length, else 0.
std::size_t revision_length(std::string_view text) {
  if (!text.starts_with("-v")) return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 2), text.size());
  return end > 2 && (end == text.size() || text[end] == '-') ? end : 0;
}

bool drop_owner(std::string& name) {
  for (const OwnerWord& owner : kOwnerWords) {
    const std::string_view text = name;
    if (!text.starts_with(owner.word) || !text.substr(owner.word.size()).starts_with(owner.next))
      continue;
    name.erase(0, owner.word.size());
    return true;
  }
  return false;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result = lower_case(std::string(text));
  std::ranges::replace_if(
      result, [](char c) { return c == '_' || c == '.' || c == ' ' || c == ':'; }, '-');
  return result;
}

std::string comparable_name(std::string_view repository) {
  std::string name = folded(after_owner(repository));
  while (drop_owner(name)) {
  }
  for (const std::string_view variant : {"-hf", "-qat"}) {
    if (name.ends_with(variant)) name.erase(name.size() - variant.size());
  }
  // "llama-2" is "llama2".
  for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at)) {
    const bool is_before_digit = at > 0 && at + 1 < name.size() &&
                                 std::isalpha(static_cast<unsigned char>(name[at - 1])) != 0 &&
                                 std::isdigit(static_cast<unsigned char>(name[at + 1])) != 0;
    if (is_before_digit) {
      name.erase(at, 1);
    } else {
      ++at;
    }
  }
  return name;
}

std::string unmarked_name(std::string_view repository) {
  std::string name = comparable_name(repository);
  std::erase(name, '-');
  return name;
}

std::string undated_name(std::string_view repository) {
  constexpr std::size_t kDate = 4;
  std::string name = comparable_name(repository);
  const std::size_t before = name.find_last_not_of("0123456789");
  if (before == std::string::npos || name.size() - before - 1 != kDate) return name;
  const std::string_view date = std::string_view(name).substr(before + 1);
  const std::string_view month = date.substr(2);
  const bool is_date = date.starts_with('2') && month >= "01" && month <= "12";
  if (is_date) name.resize(name[before] == '-' ? before : before + 1);
  return name;
}

std::optional<std::string> unaltered_name(std::string_view repository) {
  std::string name(after_owner(repository));
  const std::string text = folded(name);
  for (const std::string_view word : kAlterations) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) continue;
    const std::size_t end = at + word.size();
    if (end < text.size() && text[end] != '-') continue;
    name.erase(at, word.size() + revision_length(std::string_view(text).substr(end)));
    // huihui-ai's repositories: "Huihui-gpt-oss-20b-mxfp4-abliterated".
    constexpr std::string_view kHuihui = "huihui-";
    if (text.starts_with(kHuihui)) name.erase(0, kHuihui.size());
    return name;
  }
  return std::nullopt;
}

std::optional<std::string_view> untaught_name(std::string_view repository) {
  const std::string text = folded(repository);
  for (const std::string_view word : {"-instruct", "-chat", "-it"}) {
    if (text.ends_with(word)) return repository.substr(0, repository.size() - word.size());
  }
  return std::nullopt;
}

std::optional<std::string> shorter_name(std::string_view repository) {
  constexpr std::string_view kOwner = "unsloth/";
  constexpr std::string_view kLonger = "-128k";
  const std::string text = folded(repository);
  const std::size_t at = text.rfind(kLonger);
  if (!text.starts_with(kOwner) || at == std::string::npos) return std::nullopt;
  const std::size_t end = at + kLonger.size();
  if (end < text.size() && text[end] != '-') return std::nullopt;
  return std::string(repository.substr(0, at)) + std::string(repository.substr(end));
}

std::string_view without_gguf(std::string_view repository) {
  // mradermacher's repositories of files made with an importance matrix end in "-i1-GGUF".
  for (const std::string_view ending : {"-gguf", "-i1"}) {
    if (folded(repository).ends_with(ending) && after_owner(repository).size() > ending.size())
      repository.remove_suffix(ending.size());
  }
  return repository;
}

namespace {

/// "GLM-5.2-W4A16-55c92ae": the commit that a folder is a copy of, in both digits and letters.
std::string_view without_commit(std::string_view repository) {
  constexpr std::size_t kShortest = 7;
  constexpr std::size_t kLongest = 40;
  const std::size_t mark = repository.rfind('-');
  if (mark == std::string_view::npos) return repository;
  const std::string_view word = repository.substr(mark + 1);
  const bool is_long_enough = word.size() >= kShortest && word.size() <= kLongest;
  const bool is_hexadecimal = word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const bool is_mixed = word.find_first_of("0123456789") != std::string_view::npos &&
                        word.find_first_of("abcdef") != std::string_view::npos;
  return is_long_enough && is_hexadecimal && is_mixed ? repository.substr(0, mark) : repository;
}

/// Whether `text` is something, a mark and `ending`, which may bring the mark with it.
bool ends_in_word(std::string_view text, std::string_view ending) {
  const std::size_t length = ending.size() + (ending.starts_with('-') ? 0 : 1);
  return text.size() > length && text.ends_with(ending) && text[text.size() - length] == '-';
}

std::optional<QuantizedName> name_with_suffix(std::string_view repository) {
  const std::string name = lower_case(std::string(repository));
  const std::string text = folded(name);
  const std::size_t slash = name.rfind('/');
  const std::string organization = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  const RepositorySuffix* best = nullptr;
  for (const RepositorySuffix& row : repository_suffixes()) {
    if (!row.organization.empty() && row.organization != organization) continue;
    if (!std::string_view(name).substr(start).starts_with(row.base)) continue;
    if (!ends_in_word(std::string_view(text).substr(start), folded(row.suffix))) continue;
    if (best == nullptr || row.suffix.size() > best->suffix.size()) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  std::string base = name.substr(start, name.size() - start - best->suffix.size());
  if (best->suffix.front() != '-') base.pop_back();
  return QuantizedName{std::move(base), best};
}

}  // namespace

std::optional<QuantizedName> quantized_name(std::string_view repository) {
  const std::string_view bare = without_commit(without_gguf(repository));
  auto named = name_with_suffix(bare);
  // Words in an order that no publisher has, of which a suffix is a part: "-FP8-W8A8".
  if (const auto tail = format_tail(bare)) {
    const std::string_view stem = bare.substr(0, bare.size() - tail->length);
    const bool is_longer = !named || after_owner(stem).size() < named->base.size();
    if (auto same = is_longer ? name_with_suffix(std::string(stem) + tail->suffix) : std::nullopt)
      return same;
  }
  if (named) return named;
  // Copies that keep the layers which predict further tokens say so behind the format.
  constexpr std::string_view kPredicts = "-mtp";
  if (folded(bare).ends_with(kPredicts)) {
    named = name_with_suffix(bare.substr(0, bare.size() - kPredicts.size()));
    if (named) return named;
  }
  return bare == repository ? std::nullopt : name_with_suffix(repository);
}

}  // namespace gpushape::catalog
