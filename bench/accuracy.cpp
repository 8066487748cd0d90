// accuracy FILE…: what estimates say of published engine starts, beside what the engines printed.
//
// Each file holds one JSON record a line (src/calibrate/engine_start.hpp). Every distinct
// configuration is compared once. Exit status 2 where a file cannot be read.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "calibrate/comparison.hpp"
#include "document/text_format.hpp"

namespace {

using gpushape::Result;
using gpushape::calibrate::Comparison;
using gpushape::calibrate::ErrorSummary;
using gpushape::calibrate::Figure;
using gpushape::calibrate::FigureOf;

constexpr double kOutlier = 0.02;  // relative: named below the table

std::string cell(const std::optional<Figure>& figure) {
  if (!figure) return fmt::format("{:>8} {:>7} {:>8}", "-", "-", "-");
  return fmt::format("{:8.3f} {:7.2f} {:+7.2f}%", figure->predicted.expected.gib(),
                     figure->measured_gib, 100 * figure->error());
}

std::string token_cell(const Comparison& comparison) {
  if (!comparison.tokens) return "-";
  if (comparison.tokens->holds()) return fmt::format("{} in", comparison.tokens->printed);
  return fmt::format("{} not in {}..{}", comparison.tokens->printed, comparison.tokens->least,
                     comparison.tokens->most);
}

void print_row(const Comparison& comparison) {
  const auto& start = comparison.start;
  fmt::print("{:<32.32} {:>7.7} {:>2} {:>2} {:>6} {}  {}  {}\n", start.model, start.engine_version,
             start.tensor_parallel, start.pipeline_parallel, start.context_tokens.value_or(0),
             cell(comparison.weights), cell(comparison.pool), token_cell(comparison));
}

void print_summary(std::string_view name, const ErrorSummary& summary) {
  if (summary.count == 0) return;
  fmt::print(
      "{:<10} {:>3} starts: median {:.3f} %, mean absolute {:.3f} %, worst {:.2f} % = {:.2f} GiB "
      "({}), in range {}/{}\n",
      name, summary.count, 100 * summary.median, 100 * summary.mean_absolute, 100 * summary.worst,
      summary.worst_gib, summary.worst_id, summary.in_range, summary.count);
}

void print_tokens(std::span<const Comparison> comparisons) {
  std::size_t checked = 0;
  std::size_t held = 0;
  for (const Comparison& comparison : comparisons) {
    checked += comparison.tokens ? 1 : 0;
    held += comparison.tokens && comparison.tokens->holds() ? 1 : 0;
  }
  fmt::print("{:<10} {:>3} starts: printed count inside the interval of the printed pool {}/{}\n",
             "tokens", checked, held, checked);
}

void print_outliers(std::span<const Comparison> comparisons) {
  fmt::print("\nOutliers (weights or pool off by more than {:.0f} %)\n", 100 * kOutlier);
  for (const Comparison& comparison : comparisons) {
    for (const auto& [name, figure] :
         {std::pair{"weights", comparison.weights}, std::pair{"pool", comparison.pool}}) {
      if (!figure || std::abs(figure->error()) <= kOutlier) continue;
      fmt::print("  {} {}: {:+.2f} %{}{}\n", comparison.start.id, name, 100 * figure->error(),
                 comparison.start.notes.empty() ? "" : ": ", comparison.start.notes);
    }
  }
}

void print_excluded(std::span<const Comparison> comparisons) {
  fmt::print("\nExcluded\n");
  for (const Comparison& comparison : comparisons) {
    if (!comparison.excluded.empty())
      fmt::print("  {}: {}\n", comparison.start.id, comparison.excluded);
    else if (!comparison.without_pool.empty())
      fmt::print("  {}, pool only: {}\n", comparison.start.id, comparison.without_pool);
  }
}

bool print_file(const std::string& path, const gpushape::catalog::Catalog& catalog,
                const gpushape::profiles::Profiles& profiles) {
  const Result<std::string> text = gpushape::document::read_file(path);
  if (!text) {
    fmt::print(stderr, "{}", gpushape::to_text(text.error()));
    return false;
  }
  const auto starts = gpushape::calibrate::read_engine_starts(*text, path);
  if (!starts) {
    fmt::print(stderr, "{}", gpushape::to_text(starts.error()));
    return false;
  }
  std::vector<Comparison> comparisons;
  for (const auto& start : gpushape::calibrate::distinct(*starts))
    comparisons.push_back(gpushape::calibrate::compare(start, catalog, profiles));

  fmt::print("{}: {} records, {} distinct configurations\n\n", path, starts->size(),
             comparisons.size());
  fmt::print("{:<32} {:>7} {:>2} {:>2} {:>6} {:>8} {:>7} {:>8}  {:>8} {:>7} {:>8}  {}\n", "model",
             "version", "tp", "pp", "length", "weights", "printed", "error", "pool", "printed",
             "error", "tokens for the printed pool");
  for (const Comparison& comparison : comparisons) {
    if (comparison.excluded.empty()) print_row(comparison);
  }
  fmt::print("\n");
  for (const auto& [name, figure] :
       {std::pair<std::string_view, FigureOf>{"weights", &Comparison::weights},
        {"activation", &Comparison::activation},
        {"non-torch", &Comparison::non_torch},
        {"graphs", &Comparison::graphs},
        {"pool", &Comparison::pool}}) {
    print_summary(name, gpushape::calibrate::summarize(comparisons, figure));
  }
  print_tokens(comparisons);
  print_outliers(comparisons);
  print_excluded(comparisons);
  return true;
}

template <class T>
bool opened(const Result<T>& room) {
  if (!room) fmt::print(stderr, "{}", gpushape::to_text(room.error()));
  return room.has_value();
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> files(words + 1, words + count);
  if (files.empty()) {
    fmt::print(stderr, "usage: accuracy FILE…   (JSON lines of engine starts)\n");
    return 2;
  }
  const auto catalog = gpushape::catalog::Catalog::open();
  const auto profiles = gpushape::profiles::Profiles::open();
  if (!opened(catalog) || !opened(profiles)) return 2;
  bool is_read = true;
  for (const std::string& file : files) is_read = print_file(file, *catalog, *profiles) && is_read;
  return is_read ? 0 : 2;
}
