#include "cli/sweep_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "catalog/quantization_names.hpp"

namespace gpushape::cli {
namespace {

// Ours: a list above this is a slip of the keyboard, such as a range without steps meant otherwise.
constexpr std::size_t kMostElements = 100'000;
constexpr std::int64_t kMostShards = 1'000'000;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    if (end > start) words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// Adds every element that `parse` reads from a word.
template <class T, class Parse>
Diagnostics add_all(std::vector<T>& list, const Given& given, Parse parse) {
  const std::vector<std::string> words = words_of(given.text);
  if (words.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  Diagnostics faults;
  for (const std::string& word : words) {
    auto element = parse(Given{given.flag, word});
    if (element) {
      list.push_back(std::move(*element));
    } else {
      std::ranges::move(element.error(), std::back_inserter(faults));
    }
  }
  return faults;
}

struct Steps {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 0;  ///< 0: doubled
};

Result<Steps> parse_range(const Given& given, std::size_t dots,
                          Result<std::int64_t> (*parse)(const Given&)) {
  const std::string_view text = given.text;
  const std::size_t plus = text.find('+', dots);
  const std::size_t last_start = dots + 2;
  Steps steps;
  Diagnostics faults;
  const auto take = [&](std::int64_t& target, std::string_view part) {
    const Result<std::int64_t> value = parse(Given{given.flag, std::string(part)});
    if (value) {
      target = *value;
    } else {
      std::ranges::copy(value.error(), std::back_inserter(faults));
    }
  };
  take(steps.first, text.substr(0, dots));
  const bool has_step = plus != std::string_view::npos;
  take(steps.last, text.substr(last_start, has_step ? plus - last_start : plus));
  if (has_step) take(steps.step, text.substr(plus + 1));
  if (!faults.empty()) return failure(std::move(faults));
  if (steps.last < steps.first) {
    return failure(fmt::format("{}: {} ends before it begins", given.flag, given.text),
                   "write FIRST..LAST, which doubles, or FIRST..LAST+STEP, which counts in steps");
  }
  return steps;
}

Diagnostics add_range(std::vector<std::int64_t>& list, const Given& given, std::size_t dots,
                      Result<std::int64_t> (*parse)(const Given&)) {
  const Result<Steps> steps = parse_range(given, dots, parse);
  if (!steps) return steps.error();
  const std::size_t before = list.size();
  std::int64_t value = steps->first;
  while (value <= steps->last) {
    if (list.size() - before >= kMostElements) {
      return {complaint(
          fmt::format("{}: {} has more than {} elements", given.flag, given.text, kMostElements),
          "take larger steps")};
    }
    list.push_back(value);
    const std::int64_t step = steps->step > 0 ? steps->step : value;
    if (step == 0 || step > steps->last - value) break;
    value += step;
  }
  return {};
}

}  // namespace

Diagnostics add_counts(std::vector<std::int64_t>& list, const Given& given,
                       Result<std::int64_t> (*parse)(const Given&)) {
  const std::vector<std::string> words = words_of(given.text);
  if (words.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  Diagnostics faults;
  for (const std::string& word : words) {
    const Given one{given.flag, word};
    if (const std::size_t dots = word.find(".."); dots != std::string::npos) {
      std::ranges::move(add_range(list, one, dots, parse), std::back_inserter(faults));
      continue;
    }
    if (const Result<std::int64_t> value = parse(one)) {
      list.push_back(*value);
    } else {
      std::ranges::copy(value.error(), std::back_inserter(faults));
    }
  }
  return faults;
}

Diagnostics add_quantizations(std::vector<std::optional<domain::Quantization>>& list,
                              const Given& given) {
  return add_all(list, given, [](const Given& one) -> Result<std::optional<domain::Quantization>> {
    if (catalog::is_as_stored(one.text)) return std::nullopt;
    return catalog::parse_quantization(one.text);
  });
}

Diagnostics add_kv_cache_types(std::vector<domain::KvCacheType>& list, const Given& given) {
  return add_all(list, given,
                 [](const Given& one) { return catalog::parse_kv_cache_type(one.text); });
}

Diagnostics add_versions(std::vector<domain::EngineVersion>& list, const Given& given) {
  return add_all(list, given, parse_version);
}

Diagnostics add_utilizations(std::vector<double>& list, const Given& given) {
  return add_all(list, given, [](const Given& one) { return parse_number(one, 0, 1); });
}

Diagnostics add_words(std::vector<std::string>& list, const Given& given) {
  return add_all(list, given, [](const Given& one) -> Result<std::string> { return one.text; });
}

Result<Shard> parse_shard(const Given& given) {
  constexpr std::string_view kHelp =
      "write I/N with I from 1 to N; indexes that count from 0, as an Indexed Job's, take "
      "--shard $((JOB_COMPLETION_INDEX + 1))/N";
  const std::size_t slash = given.text.find('/');
  if (slash == std::string::npos) {
    return failure(fmt::format("{}: '{}' is not a shard such as 1/8", given.flag, given.text),
                   std::string(kHelp));
  }
  const Result<std::int64_t> number =
      parse_count({given.flag, given.text.substr(0, slash)}, 0, kMostShards);
  const Result<std::int64_t> count =
      parse_count({given.flag, given.text.substr(slash + 1)}, 1, kMostShards);
  if (!number) return std::unexpected(number.error());
  if (!count) return std::unexpected(count.error());
  if (*number < 1 || *number > *count) {
    return failure(fmt::format("{}: there is no shard {} of {}", given.flag, *number, *count),
                   std::string(kHelp));
  }
  return Shard{*number, *count};
}

}  // namespace gpushape::cli
