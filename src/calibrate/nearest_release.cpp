#include "calibrate/nearest_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate {
namespace {

using domain::EngineVersion;

struct ReleaseMonth {
  std::string_view engine;
  std::string_view month;  ///< "2024-03"
  domain::EngineVersion version;
};
/// The first release of the engine that was out in the month. Source:
/// https://github.com/vllm-project/vllm/releases, https://github.com/sgl-project/sglang/releases,
/// https://github.com/NVIDIA/TensorRT-LLM/releases; from 2026 on the dates of published logs.
constexpr auto kReleases = std::to_array<ReleaseMonth>({
    {"vllm", "2024-03", {0, 4, 0}},          {"vllm", "2024-06", {0, 5, 0}},
    {"vllm", "2024-09", {0, 6, 0}},          {"vllm", "2024-11", {0, 6, 4}},
    {"vllm", "2025-01", {0, 7, 0}},          {"vllm", "2025-03", {0, 8, 0}},
    {"vllm", "2025-05", {0, 9, 0}},          {"vllm", "2025-07", {0, 10, 0}},
    {"vllm", "2025-10", {0, 11, 0}},         {"vllm", "2025-12", {0, 12, 0}},
    {"vllm", "2026-01", {0, 14, 0}},         {"vllm", "2026-02", {0, 15, 0}},
    {"vllm", "2026-03", {0, 17, 0}},         {"vllm", "2026-04", {0, 19, 0}},
    {"vllm", "2026-05", {0, 20, 0}},         {"vllm", "2026-06", {0, 22, 0}},
    {"vllm", "2026-07", {0, 24, 0}},         {"vllm", "2026-08", {0, 26, 0}},
    {"vllm", "2026-09", {0, 28, 0}},         {"vllm", "2026-10", {0, 30, 0}},
    {"sglang", "2024-07", {0, 2, 0}},        {"sglang", "2024-09", {0, 3, 0}},
    {"sglang", "2024-12", {0, 4, 0}},        {"sglang", "2025-05", {0, 4, 6}},
    {"sglang", "2025-07", {0, 4, 9}},        {"sglang", "2025-08", {0, 5, 0}},
    {"sglang", "2025-10", {0, 5, 3}},        {"sglang", "2025-12", {0, 5, 6}},
    {"sglang", "2026-01", {0, 5, 8}},        {"sglang", "2026-02", {0, 5, 9}},
    {"sglang", "2026-04", {0, 5, 10}},       {"sglang", "2026-06", {0, 5, 13}},
    {"tensorrt-llm", "2023-10", {0, 5, 0}},  {"tensorrt-llm", "2024-03", {0, 8, 0}},
    {"tensorrt-llm", "2024-07", {0, 11, 0}}, {"tensorrt-llm", "2024-10", {0, 13, 0}},
    {"tensorrt-llm", "2025-02", {0, 17, 0}}, {"tensorrt-llm", "2025-06", {0, 20, 0}},
    {"tensorrt-llm", "2025-09", {1, 0, 0}},  {"tensorrt-llm", "2025-11", {1, 1, 0}},
    {"tensorrt-llm", "2026-03", {1, 2, 0}},
});

struct ReleaseCommits {
  std::int64_t commits = 0;
  domain::EngineVersion version;
};
/// Commits on vLLM's main where the release was cut, or where the month began in which it came out
/// (`git rev-list --count`). Source: https://github.com/vllm-project/vllm/commits/main; of 0.21.0
/// the first that was seen: a build of 16,581 commits prints from a line of gpu_model_runner.py
/// (5053) between those of 0.21.0 (5008) and 0.22.0 (5132), and counts tokens as they do
/// (https://github.com/r0b0tlab/agents-a1-nvfp4-sm121-vllm evidence/runtime).
constexpr auto kCommits = std::to_array<ReleaseCommits>({
    {805, {0, 4, 0}},    {1444, {0, 5, 0}},   {2555, {0, 6, 0}},   {3201, {0, 6, 4}},
    {3968, {0, 7, 0}},   {4708, {0, 7, 3}},   {5224, {0, 8, 0}},   {5817, {0, 8, 4}},
    {6587, {0, 9, 0}},   {7926, {0, 10, 0}},  {10029, {0, 11, 0}}, {11803, {0, 12, 0}},
    {12602, {0, 14, 0}}, {13613, {0, 15, 0}}, {14345, {0, 17, 0}}, {15112, {0, 18, 0}},
    {15887, {0, 19, 1}}, {16115, {0, 20, 0}}, {16581, {0, 21, 0}}, {17121, {0, 22, 0}},
    {17615, {0, 23, 0}}, {18277, {0, 24, 0}}, {19194, {0, 26, 0}},
});

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

/// The month of "20260127", the day that an image's tag begins with, or of ".d20260727", by which
/// setuptools-scm tells the day of a build; empty where there is none.
std::string tagged_day_in(std::string_view text) {
  constexpr std::size_t kLength = 8;
  for (std::size_t start = text.find("20"); start != std::string_view::npos;
       start = text.find("20", start + 1)) {
    const std::string_view day = text.substr(start, kLength);
    const bool is_begun = start == 0 || std::string_view(":-_ ").contains(text[start - 1]) ||
                          text.substr(0, start).ends_with(".d");
    if (!is_begun || day.size() < kLength || !is_number(day)) continue;
    const std::string_view month = day.substr(4, 2);
    const bool is_day = month >= "01" && month <= "12" && day.substr(6) <= "31";
    if (is_day) return fmt::format("{}-{}", day.substr(0, 4), month);
  }
  return {};
}

/// The month of "2025-10-07" anywhere in the text; empty where there is none.
std::string day_in(std::string_view text) {
  constexpr std::size_t kLength = 7;
  for (std::size_t start = text.find("20"); start != std::string_view::npos;
       start = text.find("20", start + 1)) {
    const std::string_view month = text.substr(start, kLength);
    const bool is_month = month.size() == kLength && month[4] == '-' &&
                          is_number(month.substr(5)) && leading_count(month.substr(0, 4)) &&
                          month.substr(5) <= "12";
    if (is_month) return std::string(month);
  }
  return {};
}

/// "June 2026" anywhere in the text as "2026-06"; empty where there is none.
std::string month_in(std::string_view text) {
  for (std::size_t month = 0; month < kMonths.size(); ++month) {
    const auto rest = behind(text, kMonths.at(month));
    if (!rest) continue;
    const std::size_t digits = rest->find("20");
    constexpr std::size_t kLongestName = 7;
    if (digits > kLongestName) continue;  // or not there at all
    const auto year = leading_count(rest->substr(digits, 4));
    if (year) return fmt::format("{}-{:02}", *year, month + 1);
  }
  const std::string day = day_in(text);
  return day.empty() ? tagged_day_in(text) : day;
}

std::optional<domain::EngineVersion> release_in(std::string_view engine, std::string_view month) {
  std::optional<domain::EngineVersion> version;
  for (const ReleaseMonth& row : kReleases) {
    if (row.engine == engine && row.month <= month) version = row.version;
  }
  return version;
}

/// "0.1.dev19262+gb6bbf29dd" is of a checkout without tags: setuptools-scm counts its commits. A
/// checkout without its history, "0.1.dev1", tells nothing.
std::optional<NearestRelease> release_of_commits(const EngineStart& start) {
  const auto count = behind(start.engine_version, "0.1.dev");
  const auto commits = count ? leading_count(*count) : std::nullopt;
  if (!commits || (start.engine != "vllm" && !start.engine.empty())) return std::nullopt;
  std::optional<NearestRelease> release;
  for (const ReleaseCommits& row : kCommits) {
    if (row.commits > *commits) break;
    release = NearestRelease{.version = row.version,
                             .is_stated = false,
                             .from = fmt::format("the {} commits of its build", *commits)};
  }
  return release;
}

/// Releases that differ from the one before: those known, and those between them with facts of
/// their own. Ascending, each once.
std::vector<EngineVersion> told_apart(const domain::Engine& engine) {
  std::vector<EngineVersion> releases = engine.known_versions;
  for (const domain::EngineFacts& row : engine.facts.rows()) releases.push_back(row.since);
  std::ranges::sort(releases);
  const auto repeated = std::ranges::unique(releases);
  releases.erase(repeated.begin(), repeated.end());
  return releases;
}

}  // namespace

std::optional<domain::EngineVersion> accounted_release(const EngineStart& start) {
  constexpr domain::EngineVersion kSecond{0, 8, 0};
  const std::optional<domain::EngineVersion> version = release_of(start.engine_version);
  const bool is_early = version && *version < kSecond && start.is_second_generation;
  return is_early && start.engine == "vllm" ? kSecond : version;
}

bool is_between_releases(const EngineStart& start) { return start.engine_version.contains(".dev"); }

std::string_view own_build(std::string_view engine_version) {
  // Of setuptools-scm (commit and day) and of vLLM's setup.py (get_vllm_version).
  constexpr auto kOfBuilders = std::to_array<std::string_view>(
      {"cu", "rocm", "torch", "precompiled", "cpu", "xpu", "gfx", "nv", "empty", "tpu", "gaudi"});
  // "PR 38479 build", "0.15+ with aither-kvcache hooks": as who made it calls it.
  constexpr auto kWords = std::to_array<std::string_view>(
      {"pull request", "hooks", "patched", "fork", "custom build", "overlay"});
  if (engine_version.starts_with("PR ")) return engine_version;
  for (const std::string_view word : kWords) {
    if (engine_version.contains(word)) return engine_version;
  }
  const std::size_t plus = engine_version.find('+');
  if (plus == std::string_view::npos) return {};
  const std::string_view label =
      engine_version.substr(plus + 1, engine_version.find_first_of(" (,") - plus - 1);
  for (std::string_view rest = label; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const bool is_commit = part.find_first_not_of("0123456789abcdefgd") == std::string_view::npos;
    const bool is_of_builder = std::ranges::any_of(
        kOfBuilders, [&](std::string_view word) { return part.starts_with(word); });
    if (!is_commit && !is_of_builder) return label;
  }
  return {};
}

std::vector<EngineVersion> releases_around(EngineVersion version, const domain::Engine& engine,
                                           Neighbours neighbours) {
  const std::vector<EngineVersion>& known = engine.known_versions;
  std::vector<EngineVersion> around = {version};
  if (known.empty()) return around;
  const auto at = std::ranges::lower_bound(known, version);
  const auto later = std::ranges::upper_bound(known, version);
  const EngineVersion first = *std::prev(at, std::min(neighbours.before, at - known.begin()));
  const std::ptrdiff_t behind = std::min(neighbours.behind, known.end() - later);
  const EngineVersion last = behind == 0 ? version : *std::next(later, behind - 1);
  for (const EngineVersion release : told_apart(engine)) {
    if (release != version && first <= release && release <= last) around.push_back(release);
  }
  return around;
}

std::vector<EngineVersion> releases_of_build(const EngineStart& start, EngineVersion version,
                                             const domain::Engine& engine) {
  const bool is_candidate = start.engine_version.contains("rc");
  const std::vector<EngineVersion> releases = told_apart(engine);
  const auto at = std::ranges::lower_bound(releases, version);
  const bool becomes_release = !is_candidate && at != releases.end() && *at == version;
  std::vector<EngineVersion> around =
      releases_around(version, engine, {.before = 1, .behind = becomes_release ? 0 : 1});
  if (at == releases.begin()) return around;
  const EngineVersion before = *std::prev(at);
  std::erase_if(around, [&](EngineVersion release) { return release < before; });
  return around;
}

std::optional<NearestRelease> nearest_release(const EngineStart& start) {
  if (const auto version = accounted_release(start))
    return NearestRelease{.version = *version, .is_stated = true, .from = {}};
  if (auto release = release_of_commits(start)) return release;
  std::string month = month_in(start.engine_version);
  constexpr std::size_t kMonthLength = 7;  // "2026-06"
  if (month.empty()) month = start.date.substr(0, kMonthLength);
  if (month.empty() && start.prints_early_lines) {
    constexpr EngineVersion kInTheMiddle{0, 6, 0};
    return NearestRelease{
        .version = kInTheMiddle, .is_stated = false, .from = "a line that releases to 0.7.3 print"};
  }
  if (month.empty()) return std::nullopt;
  const auto version = release_in(start.engine.empty() ? "vllm" : start.engine, month);
  if (!version) return std::nullopt;
  constexpr EngineVersion kLastEarly{0, 7, 3};
  if (start.prints_early_lines && *version > kLastEarly)
    return NearestRelease{
        .version = kLastEarly,
        .is_stated = false,
        .from = fmt::format("the month {}, and a line that releases to 0.7.3 print", month)};
  return NearestRelease{
      .version = *version, .is_stated = false, .from = fmt::format("the month {}", month)};
}

Result<NearestRelease> release_for(const EngineLog& log) {
  constexpr EngineVersion kFirstConsumed{0, 27, 0};
  const std::string& stated = log.start.engine_version;
  std::optional<NearestRelease> release;
  if (!stated.empty()) release = nearest_release(log.start);
  if (!release)
    return failure(stated.empty()
                       ? std::string("the log does not state the engine's version")
                       : fmt::format("the log is of a build between releases, {}", stated),
                   "give the release that it is nearest to with --engine-version");
  if (log.counts_consumed && release->version < kFirstConsumed) release->version = kFirstConsumed;
  return *std::move(release);
}

}  // namespace gpushape::calibrate
