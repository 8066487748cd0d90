// accuracy FILE…: what estimates say of published engine starts, beside what the engines printed.
//
// Each file holds one JSON record a line (src/calibrate/engine_start.hpp). Every distinct
// configuration is compared once. With --rows every comparison is printed. Exit status 2 where a
// file cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "calibrate/comparison.hpp"
#include "calibrate/error_summary.hpp"
#include "document/text_format.hpp"
#include "support/source_settings.hpp"

namespace {

using gpushape::Result;
using gpushape::calibrate::Comparison;
using gpushape::calibrate::EngineStart;
using gpushape::calibrate::ErrorSummary;
using gpushape::calibrate::Figure;
using gpushape::calibrate::FigureOf;
using gpushape::calibrate::Knowledge;
using gpushape::calibrate::TokenCheck;

struct NamedFigure {
  std::string_view name;
  FigureOf figure;
};
constexpr auto kFigures = std::to_array<NamedFigure>({
    {"weights", &Comparison::weights},
    {"activation", &Comparison::activation},
    {"non-torch", &Comparison::non_torch},
    {"graphs", &Comparison::graphs},
    {"pool", &Comparison::pool},
});

/// A file of starts, or all of them together.
struct Group {
  std::string name;
  bool is_controlled = false;
  std::vector<Comparison> comparisons;
};

using Filter = std::function<bool(const Comparison&)>;

std::vector<Comparison> chosen(std::span<const Group> groups, const Filter& filter) {
  std::vector<Comparison> result;
  for (const Group& group : groups) {
    std::ranges::copy_if(group.comparisons, std::back_inserter(result), filter);
  }
  return result;
}

void print_summary(std::string_view name, std::span<const Comparison> comparisons, FigureOf figure,
                   std::string_view bar) {
  const ErrorSummary summary = gpushape::calibrate::summarize(comparisons, figure);
  if (summary.count == 0) return;
  fmt::print("{:<26} {:>4} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.2f} {:>7.2f}  {}\n", name, summary.count,
             100 * summary.median, 100 * summary.mean_absolute, 100 * summary.percentile_95,
             100 * summary.worst, summary.worst_gib, bar);
}

void print_head(std::string_view title) {
  fmt::print("\n{:<26} {:>4} {:>8} {:>8} {:>8} {:>8} {:>7}  {}\n", title, "n", "median", "mean",
             "95th", "worst", "GiB", "bar");
}

// ---- the tables

void print_weights(std::span<const Group> groups) {
  print_head("Weights per GPU, errors in %");
  print_summary("16- and 8-bit",
                chosen(groups, [](const Comparison& one) { return one.weight_bits >= 8; }),
                &Comparison::weights, "median <= 0.05");
  print_summary("below 8 bits",
                chosen(groups, [](const Comparison& one) { return one.weight_bits < 8; }),
                &Comparison::weights, "");
  print_summary("known format",
                chosen(groups, [](const Comparison& one) { return !one.has_open_recipe; }),
                &Comparison::weights, "median <= 0.3, 95th <= 2");
  print_summary("format by a name alone",
                chosen(groups, [](const Comparison& one) { return one.has_open_recipe; }),
                &Comparison::weights, "");
  print_summary("all", chosen(groups, [](const Comparison&) { return true; }), &Comparison::weights,
                "median <= 0.3, 95th <= 2");
}

using CheckOf = std::optional<TokenCheck> Comparison::*;

void print_checks(std::string_view name, std::span<const Comparison> comparisons, CheckOf check) {
  const bool is_of_tokens = check == &Comparison::tokens;
  std::size_t checked = 0;
  std::size_t held = 0;
  std::size_t open = 0;  // held by a setting that the source leaves open
  for (const Comparison& comparison : comparisons) {
    if (!(comparison.*check)) continue;
    ++checked;
    const bool holds = (comparison.*check)->holds();
    held += holds ? 1 : 0;
    open += !holds && is_of_tokens && !comparison.token_cause.empty() ? 1 : 0;
  }
  fmt::print("{:<44} {:>4} of {:>4}", name, held, checked);
  if (open > 0) fmt::print(", and {} by a setting that the source leaves open", open);
  fmt::print("\n");
  for (const Comparison& comparison : comparisons) {
    const std::optional<TokenCheck>& one = comparison.*check;
    if (!one || one->holds()) continue;
    fmt::print("  {}: {} printed, {} to {} for {:.2f} GiB\n", comparison.start.id, one->printed,
               one->least, one->most, comparison.start.pool_gib.value_or(0));
    if (is_of_tokens && !comparison.token_cause.empty())
      fmt::print("      {}\n", comparison.token_cause);
  }
}

void print_counts(std::span<const Group> groups) {
  fmt::print("\nCounts for the printed pool, +- 0.005 GiB (bar: every record)\n");
  const auto all = chosen(groups, [](const Comparison&) { return true; });
  const auto plain = chosen(groups, [](const Comparison& one) { return one.has_plain_cache; });
  const auto hybrid = chosen(groups, [](const Comparison& one) { return !one.has_plain_cache; });
  print_checks("tokens, full and latent attention", plain, &Comparison::tokens);
  print_checks("tokens, hybrids", hybrid, &Comparison::tokens);
  print_checks("blocks, full and latent attention", all, &Comparison::blocks);
}

void print_pools(std::span<const Group> groups) {
  print_head("KV pool, errors in %");
  for (const Group& group : groups) {
    if (!group.is_controlled) continue;
    const std::span<const Group> one(&group, 1);
    print_summary(
        "controlled, dense text",
        chosen(one, [](const Comparison& comparison) { return !comparison.has_experts_or_towers; }),
        &Comparison::pool, "mean <= 0.5, worst <= 2 or 0.1 GiB");
    print_summary(
        "controlled, experts, vision",
        chosen(one, [](const Comparison& comparison) { return comparison.has_experts_or_towers; }),
        &Comparison::pool, "worst <= 3");
    print_summary("controlled, all", group.comparisons, &Comparison::pool, "mean <= 0.5");
  }
  std::vector<Group> threads;
  std::ranges::copy_if(groups, std::back_inserter(threads),
                       [](const Group& group) { return !group.is_controlled; });
  print_summary(
      "threads, settings known",
      chosen(threads, [](const Comparison& one) { return one.knowledge == Knowledge::Settings; }),
      &Comparison::pool, "median <= 3, 95 % in range");
  print_summary(
      "threads, not all known",
      chosen(threads, [](const Comparison& one) { return one.knowledge == Knowledge::Parts; }),
      &Comparison::pool, "");
}

/// Engines other than the one that most starts are of, with their own bars.
void print_engines(std::span<const Group> groups) {
  std::map<std::string, int> engines;
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      if (comparison.excluded.empty()) ++engines[comparison.start.engine];
    }
  }
  if (engines.size() < 2) return;
  print_head("By engine, errors in %");
  for (const auto& [engine, starts] : engines) {
    const auto of_engine =
        chosen(groups, [&](const Comparison& one) { return one.start.engine == engine; });
    print_summary(engine + ", weights", of_engine, &Comparison::weights, "median <= 0.5");
    print_summary(engine + ", pool", of_engine, &Comparison::pool, "median <= 3");
    const ErrorSummary weights = gpushape::calibrate::summarize(of_engine, &Comparison::weights);
    const ErrorSummary pools = gpushape::calibrate::summarize(of_engine, &Comparison::pool);
    fmt::print("{:<26} {:>4} {:>8}  bar: 95 %\n", engine + ", inside the range",
               weights.count + pools.count, weights.in_range + pools.in_range);
  }
}

void print_range(std::string_view name, std::string_view figure, const ErrorSummary& summary,
                 std::string_view bar) {
  if (summary.count == 0) return;
  fmt::print("{:<24} {:<11} {:>4} of {:>4}  {:>6.1f} %  {:>8.2f} %  {}\n", name, figure,
             summary.in_range, summary.count,
             100.0 * static_cast<double>(summary.in_range) / static_cast<double>(summary.count),
             100 * summary.median_width, bar);
}

void print_ranges_of(std::string_view name, std::span<const Comparison> comparisons,
                     std::string_view bar) {
  std::vector<FigureOf> figures;
  for (const NamedFigure& row : kFigures) {
    print_range(name, row.name, gpushape::calibrate::summarize(comparisons, row.figure), {});
    figures.push_back(row.figure);
  }
  print_range(name, "every term", gpushape::calibrate::summarize(comparisons, figures), bar);
}

void print_ranges(std::span<const Group> groups) {
  fmt::print("\nRanges: measured inside, and median width against what was measured\n");
  std::vector<Group> controlled;
  std::vector<Group> threads;
  for (const Group& group : groups) (group.is_controlled ? controlled : threads).push_back(group);
  const auto is_any = [](const Comparison&) { return true; };
  print_ranges_of("controlled", chosen(controlled, is_any), "bar: 95 %, width 3 %");
  print_ranges_of(
      "settings known",
      chosen(threads, [](const Comparison& one) { return one.knowledge == Knowledge::Settings; }),
      "bar: 95 %, width 10 %");
  print_ranges_of(
      "not all known",
      chosen(threads, [](const Comparison& one) { return one.knowledge == Knowledge::Parts; }),
      "bar: 95 %, width 25 %");
}

// ---- what stands out

void print_outliers(std::span<const Group> groups) {
  fmt::print("\nOutside the predicted range\n");
  for (const Comparison& comparison : chosen(groups, [](const Comparison&) { return true; })) {
    bool is_named = false;
    for (const NamedFigure& row : kFigures) {
      const std::optional<Figure>& one = comparison.*(row.figure);
      if (!one || one->is_in_range()) continue;
      fmt::print("  {} {}: predicted {:.2f} ({:.2f} to {:.2f}), printed {:.2f}: {:+.2f} %\n",
                 comparison.start.id, row.name, one->predicted.expected.gib(),
                 one->predicted.low.gib(), one->predicted.high.gib(), one->measured_gib,
                 100 * one->error());
      is_named = true;
    }
    if (!is_named) continue;
    for (const std::string& cause : comparison.causes) fmt::print("      {}\n", cause);
    if (!comparison.start.notes.empty()) fmt::print("      source: {}\n", comparison.start.notes);
  }
}

void print_excluded(std::span<const Group> groups) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::map<std::string, std::size_t> pools;
  std::map<std::string, std::size_t> weights;
  std::map<std::string, std::size_t> counts;
  for (const Comparison& comparison : chosen(groups, [](const Comparison&) { return true; })) {
    if (!comparison.excluded.empty()) {
      by_reason[comparison.excluded].push_back(comparison.start.id);
      continue;
    }
    if (!comparison.without_pool.empty()) ++pools[comparison.without_pool];
    if (!comparison.without_weights.empty()) ++weights[comparison.without_weights];
    if (!comparison.without_tokens.empty()) ++counts[comparison.without_tokens];
  }
  fmt::print("\nExcluded\n");
  for (const auto& [reason, ids] : by_reason) {
    fmt::print("  {}: {}\n", reason, ids.size());
    for (const std::string& id : ids) fmt::print("      {}\n", id);
  }
  if (!weights.empty()) fmt::print("\nWithout weights to compare\n");
  for (const auto& [reason, count] : weights) fmt::print("  {}: {}\n", reason, count);
  if (!counts.empty()) fmt::print("\nWithout a count to compare\n");
  for (const auto& [reason, count] : counts) fmt::print("  {}: {}\n", reason, count);
  fmt::print("\nWithout a pool to compare\n");
  for (const auto& [reason, count] : pools) fmt::print("  {}: {}\n", reason, count);
}

/// Tab-separated, one line for each figure of each start.
void print_rows(std::span<const Group> groups) {
  fmt::print(
      "id\tmodel\tengine\tversion\tgpu\ttp\tpp\tsettings\tformat\tfigure\tlow\t"
      "expected\thigh\tprinted\tinside\n");
  for (const Comparison& one : chosen(groups, [](const Comparison&) { return true; })) {
    if (!one.excluded.empty()) continue;
    const EngineStart& start = one.start;
    for (const NamedFigure& row : kFigures) {
      const std::optional<Figure>& figure = one.*(row.figure);
      if (!figure) continue;
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\t{}\n",
                 start.id, start.model, start.engine, start.engine_version, start.gpu,
                 start.tensor_parallel, start.pipeline_parallel,
                 one.knowledge == Knowledge::Settings ? "known" : "parts",
                 one.has_open_recipe ? "named" : "known", row.name, figure->predicted.low.gib(),
                 figure->predicted.expected.gib(), figure->predicted.high.gib(),
                 figure->measured_gib, figure->is_in_range());
    }
  }
}

std::optional<Group> read_group(const std::string& path, const gpushape::catalog::Catalog& catalog,
                                const gpushape::profiles::Profiles& profiles) {
  const Result<std::string> text = gpushape::document::read_log_file(path);
  if (!text) {
    fmt::print(stderr, "{}", gpushape::to_text(text.error()));
    return std::nullopt;
  }
  auto starts = gpushape::calibrate::read_engine_starts(*text, path);
  if (!starts) {
    fmt::print(stderr, "{}", gpushape::to_text(starts.error()));
    return std::nullopt;
  }
  std::ranges::for_each(*starts, gpushape::example::complete);
  Group group;
  group.name = path;
  group.is_controlled = gpushape::calibrate::is_controlled(*starts);
  for (const EngineStart& start : gpushape::calibrate::distinct(*starts))
    group.comparisons.push_back(gpushape::calibrate::compare(start, catalog, profiles));
  fmt::print("{}: {} records, {} distinct configurations{}\n", path, starts->size(),
             group.comparisons.size(), group.is_controlled ? ", a controlled series" : "");
  return group;
}

template <class T>
bool opened(const Result<T>& room) {
  if (!room) fmt::print(stderr, "{}", gpushape::to_text(room.error()));
  return room.has_value();
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> files(words + 1, words + count);
  const bool has_rows = std::erase(files, "--rows") > 0;
  if (files.empty()) {
    fmt::print(stderr, "usage: accuracy [--rows] FILE…   (JSON lines of engine starts)\n");
    return 2;
  }
  const auto catalog = gpushape::catalog::Catalog::open();
  const auto profiles = gpushape::profiles::Profiles::open();
  if (!opened(catalog) || !opened(profiles)) return 2;
  std::vector<Group> groups;
  bool is_read = true;
  for (const std::string& file : files) {
    if (auto group = read_group(file, *catalog, *profiles)) {
      groups.push_back(*std::move(group));
    } else {
      is_read = false;
    }
  }
  if (has_rows) print_rows(groups);
  print_weights(groups);
  print_counts(groups);
  print_pools(groups);
  print_engines(groups);
  print_ranges(groups);
  print_outliers(groups);
  print_excluded(groups);
  return is_read ? 0 : 2;
}
