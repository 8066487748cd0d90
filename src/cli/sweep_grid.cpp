#include "cli/sweep_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "catalog/catalog.hpp"
#include "cli/gather.hpp"
#include "cli/named_gpu.hpp"
#include "domain/profile_memory.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {
namespace {

using estimate::SweepGrid;

constexpr std::string_view kEveryModel = "all";
constexpr std::string_view kEveryGpu = "any";
constexpr std::string_view kNoGpu = "none";

void append_all(Diagnostics& all, const Diagnostics& more) {
  std::ranges::copy(more, std::back_inserter(all));
}

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// `*` stands for any letters, `?` for one; letter case does not matter.
bool is_match(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  std::size_t place = 0;
  while (place < text.size()) {
    const bool is_star = at < pattern.size() && pattern[at] == '*';
    const bool is_letter = at < pattern.size() && !is_star &&
                           (pattern[at] == '?' || lower(pattern[at]) == lower(text[place]));
    if (is_star) {
      star = at++;
      resume = place;
    } else if (is_letter) {
      ++at;
      ++place;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      place = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

/// The ids that one word of the command line stands for. A pattern speaks of the whole id or,
/// without an owner, of the name behind it.
Result<std::vector<std::string>> ids_of(const std::string& word, const catalog::Catalog& catalog) {
  const bool is_pattern = word == kEveryModel || word.find_first_of("*?") != std::string::npos;
  if (!is_pattern) return std::vector<std::string>{word};
  std::vector<std::string> ids;
  for (std::string& id : catalog.models()) {
    const std::string name = id.substr(id.find('/') + 1);
    if (word == kEveryModel || is_match(word, id) || is_match(word, name))
      ids.push_back(std::move(id));
  }
  if (ids.empty()) {
    return failure(fmt::format("no model of the catalog is named like '{}'", word),
                   "see 'gpushape catalog list'");
  }
  return ids;
}

/// Positional words, each a list; without any, the workload file's model.
Diagnostics add_models(const Invocation& invocation, const domain::Workload& workload,
                       const catalog::Catalog& catalog, SweepGrid& grid) {
  std::vector<std::string> words;
  for (const std::string& positional : invocation.positionals) {
    if (Diagnostics faults = add_words(words, {"MODEL", positional}); !faults.empty())
      return faults;
  }
  if (words.empty() && workload.model) words.push_back(workload.model->value);
  if (words.empty()) {
    return {complaint("sweep needs a MODEL",
                      "name models of the catalog, patterns such as 'qwen3-*', paths, or all")};
  }
  Diagnostics faults;
  for (const std::string& word : words) {
    const Result<std::vector<std::string>> ids = ids_of(word, catalog);
    if (!ids) append_all(faults, ids.error());
    if (!ids) continue;
    for (const std::string& id : *ids) {
      Result<domain::Model> model = catalog.find_typed(id);
      if (!model) {
        append_all(faults, model.error());
      } else if (std::ranges::find(grid.models, model->id, &domain::Model::id) ==
                 grid.models.end()) {
        grid.models.push_back(*std::move(model));
      }
    }
  }
  return faults;
}

Diagnostics add_engines(const std::vector<std::string>& asked, const domain::Workload& workload,
                        const catalog::Catalog& catalog, SweepGrid& grid) {
  std::vector<std::string> names = asked;
  if (names.empty()) names.push_back(workload.engine.engine.value);
  Diagnostics faults;
  for (const std::string& name : names) {
    Result<domain::Engine> engine = catalog.engine(name);
    if (engine) {
      grid.engines.push_back(*std::move(engine));
    } else {
      append_all(faults, engine.error());
    }
  }
  return faults;
}

Result<std::vector<domain::Device>> devices_named(const std::string& word,
                                                  const profiles::Profiles& profiles) {
  if (word == kEveryGpu) return profiles.all();
  Result<domain::Device> device = profiles.find(word);
  if (!device) return std::unexpected(device.error());
  return std::vector<domain::Device>{*std::move(device)};
}

Diagnostics add_gpus(const Invocation& invocation, const domain::Workload& workload,
                     SweepGrid& grid) {
  std::vector<std::string> words = workload.gpus;
  if (words.empty() && invocation.visible_bytes) {
    grid.gpus = {stated_memory(*invocation.visible_bytes)};
    return {};
  }
  if (words.empty()) words.emplace_back(kEveryGpu);
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return profiles.error();
  grid.gpus.clear();
  Diagnostics faults;
  for (const std::string& word : words) {
    if (word == kNoGpu) {
      grid.gpus.emplace_back(std::nullopt);
      continue;
    }
    const Result<std::vector<domain::Device>> devices = devices_named(word, *profiles);
    if (!devices) append_all(faults, devices.error());
    if (!devices) continue;
    for (const domain::Device& device : *devices) {
      Result<domain::VisibleMemory> memory = memory_of(device, invocation);
      if (memory) {
        grid.gpus.emplace_back(*std::move(memory));
      } else if (word != kEveryGpu) {  // of all GPUs, those that have the profile
        append_all(faults, memory.error());
      }
    }
  }
  if (faults.empty() && grid.gpus.empty())
    faults.push_back(complaint("no GPU has a profile of that name", "see --profile"));
  return faults;
}

template <class T, class Element>
void take(const std::vector<T>& given, std::vector<Element>& list) {
  if (!given.empty()) list.assign(given.begin(), given.end());
}

void take_lists(const SweepLists& lists, SweepGrid& grid) {
  take(lists.versions, grid.versions);
  take(lists.quantizations, grid.quantizations);
  take(lists.kv_cache_types, grid.kv_cache_types);
  take(lists.tensor, grid.tensor);
  take(lists.pipeline, grid.pipeline);
  take(lists.data, grid.data);
  take(lists.expert, grid.expert);
  take(lists.max_num_seqs, grid.max_num_seqs);
  take(lists.max_num_batched_tokens, grid.max_num_batched_tokens);
  take(lists.contexts, grid.contexts);
  take(lists.concurrencies, grid.concurrencies);
  take(lists.utilizations, grid.utilizations);
}

/// Lists win over what follows from the traffic, as flags do.
domain::Workload workload_of_first_row(domain::Workload workload, const SweepLists& lists) {
  const auto stated = [](const std::vector<std::int64_t>& list, std::string_view flag) {
    return domain::Fact<std::int64_t>{list.front(), domain::Origin::Flag, std::string(flag)};
  };
  if (!lists.contexts.empty()) workload.context_tokens = stated(lists.contexts, "--context");
  if (!lists.concurrencies.empty())
    workload.concurrency = stated(lists.concurrencies, "--concurrency");
  return workload;
}

}  // namespace

Result<SweepGrid> gather_grid(const ParsedFlags& parsed, Invocation& invocation) {
  const Result<domain::Workload> workload = gather_workload(parsed, invocation);
  if (!workload) return std::unexpected(workload.error());
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return std::unexpected(catalog.error());
  SweepGrid grid;
  grid.workload = *workload;
  Diagnostics faults = add_models(invocation, *workload, *catalog, grid);
  append_all(faults, add_engines(invocation.lists.engines, *workload, *catalog, grid));
  append_all(faults, add_gpus(invocation, *workload, grid));
  append_all(faults, take_draft(grid.workload, *catalog));
  if (!faults.empty()) return failure(std::move(faults));
  Result<domain::Workload> with_traffic =
      take_traffic(workload_of_first_row(grid.workload, invocation.lists), nullptr);
  if (!with_traffic) return std::unexpected(with_traffic.error());
  grid.workload = *std::move(with_traffic);
  take_lists(invocation.lists, grid);
  return grid;
}

}  // namespace gpushape::cli
