#include "calibrate/token_causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calibrate/nearest_release.hpp"
#include "calibrate/prediction.hpp"

namespace gpushape::calibrate {
namespace {

/// Starts that state it draft 1 to 5 with the model's own layers
/// (https://github.com/noonghunna/club-3090), and seldom more.
constexpr std::int64_t kMostDrafts = 6;

struct Guess {
  std::string cache;        ///< empty: as stated, or the model's own
  std::int64_t drafts = 0;  ///< 0: as stated, or none
  std::optional<bool> prefixes;

  [[nodiscard]] std::string words() const {
    std::string words;
    const auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
    if (!cache.empty()) add("a cache of " + cache);
    if (drafts > 0) add(fmt::format("{} drafted tokens", drafts));
    if (prefixes) add(*prefixes ? "prefix caching" : "no prefix caching");
    return words;
  }
};

std::vector<Guess> guesses_of(const EngineStart& start, const domain::Model& model) {
  std::vector<std::string> caches = {""};
  if (start.kv_cache_type.empty() && start.engine == "vllm")
    caches.insert(caches.end(), {"fp8", "int8_per_token_head", "nvfp4"});
  // A checkpoint that calibrates the cache is not always taken at its word.
  if (start.kv_cache_type.empty() || start.kv_cache_type == "auto") caches.emplace_back("bf16");
  const bool may_draft = model.multi_token_prediction && !start.draft_tokens && !start.draft_model;
  std::vector<std::optional<bool>> prefixes = {std::nullopt};
  if (!start.prefix_caching) prefixes.insert(prefixes.end(), {true, false});
  std::vector<Guess> guesses;
  for (const std::string& cache : caches) {
    for (std::int64_t drafts = 0; drafts <= (may_draft ? kMostDrafts : 0); ++drafts) {
      for (const std::optional<bool>& shares : prefixes)
        guesses.push_back({.cache = cache, .drafts = drafts, .prefixes = shares});
    }
  }
  return guesses;
}

/// Of several ranks the smallest pool decides how many tokens all of them hold; a source that
/// states one figure may state another's. Source: vLLM v1/core/kv_cache_utils.py,
/// get_kv_cache_configs.
std::string smaller_pool(const EngineStart& start, const domain::Model& model,
                         const domain::Engine& engine, domain::EngineVersion version,
                         const std::optional<domain::VisibleMemory>& gpu) {
  // Ranks differ by what their processes hold beside PyTorch's memory: counts that starts printed
  // fit pools 0.02 to 0.6 % smaller.
  constexpr double kLeastShare = 0.99;
  const std::int64_t ranks = start.tensor_parallel * start.pipeline_parallel;
  if (ranks < 2 || !start.pool_gib || !start.pool_tokens) return {};
  const auto pool =
      pool_of_tokens(model, workload_of(start, model, version), engine, gpu, *start.pool_tokens);
  if (!pool || pool->high.gib() >= *start.pool_gib ||
      pool->high.gib() < kLeastShare * *start.pool_gib)
    return {};
  return fmt::format(
      "a pool of {:.2f} GiB on another of the {} ranks would hold them: the smallest decides, and "
      "the source states one",
      pool->high.gib(), ranks);
}

/// Layouts of the cache differ by what a GPU can do: those whose count is printed.
std::string other_gpus(const EngineStart& start, const domain::Model& model,
                       const domain::Engine& engine, domain::EngineVersion version) {
  // One of each generation that vLLM runs on (profiles/nvidia).
  constexpr auto kCapabilities =
      std::to_array<std::string_view>({"7.5", "8.0", "8.9", "9.0", "10.0", "12.0", "12.1"});
  // Counts are those of the printed pool, whatever holds it.
  const domain::Range roomy = domain::exactly(gib_of(2 * (start.pool_gib.value_or(0) + 1)));
  std::vector<std::string_view> holding;
  for (const std::string_view capability : kCapabilities) {
    domain::VisibleMemory gpu;
    gpu.vendor = "nvidia";
    gpu.compute_capability = capability;
    gpu.bytes = roomy;
    const auto check = check_tokens(start, model, workload_of(start, model, version), engine, gpu);
    if (check && check->holds()) holding.push_back(capability);
  }
  if (holding.empty()) return {};
  return fmt::format(
      "GPUs lay the cache out in ways of their own, and those of compute capability {} would hold "
      "them: give --gpu",
      fmt::join(holding, ", "));
}

}  // namespace

std::string cause_of_tokens(const EngineStart& start, const domain::Model& model,
                            const domain::Engine& engine, domain::EngineVersion version,
                            const std::optional<domain::VisibleMemory>& gpu) {
  if (!gpu && start.engine == "vllm") {
    if (std::string words = other_gpus(start, model, engine, version); !words.empty()) return words;
  }
  for (const Guess& guess : guesses_of(start, model)) {
    EngineStart guessed = start;
    if (!guess.cache.empty()) guessed.kv_cache_type = guess.cache;
    if (guess.drafts > 0) guessed.draft_tokens = guess.drafts;
    if (guess.prefixes) guessed.prefix_caching = guess.prefixes;
    const auto check =
        check_tokens(guessed, model, workload_of(guessed, model, version), engine, gpu);
    if (check && check->holds())
      return fmt::format("{} would hold them, which the source does not state", guess.words());
  }
  if (std::string words = smaller_pool(start, model, engine, version, gpu); !words.empty())
    return words;
  const std::string_view label = own_build(start.engine_version);
  return label.empty()
             ? std::string()
             : fmt::format("the build is somebody's own, '{}', and may count otherwise", label);
}

}  // namespace gpushape::calibrate
