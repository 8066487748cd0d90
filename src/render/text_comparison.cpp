// Two estimates of one workload side by side, for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/page.hpp"
#include "render/text.hpp"
#include "render/title.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::EstimateComparison;
using domain::TermChange;

namespace {

std::string cell(const std::optional<domain::Range>& bytes) {
  return bytes ? gib_text(bytes->expected) : std::string("-");
}

std::string change_text(Bytes change) {
  return change == Bytes(0) ? std::string("=") : fmt::format("{:+.2f}", change.gib());
}

std::string difference_words(const domain::Difference& difference) {
  return fmt::format("{} {} -> {}", difference.name,
                     difference.before.empty() ? "none" : difference.before,
                     difference.after.empty() ? "none" : difference.after);
}

void show_changes(Page& page, const EstimateComparison& comparison) {
  Table table;
  table.columns = {{"GiB of one GPU"},
                   {to_text(comparison.before.settings.version.value), Align::Right},
                   {to_text(comparison.after.settings.version.value), Align::Right},
                   {"change", Align::Right}};
  for (const TermChange& change : comparison.terms) {
    table.rows.push_back(
        {change.name, cell(change.before), cell(change.after), change_text(change.change())});
  }
  const Bytes before = comparison.before.total_bytes.expected;
  const Bytes after = comparison.after.total_bytes.expected;
  table.ruled.push_back(table.rows.size());
  table.rows.push_back({"total", gib_text(before), gib_text(after), change_text(after - before)});
  if (comparison.before.capacity && comparison.after.capacity) {
    const Bytes pool_before = comparison.before.capacity->kv_pool_bytes.expected;
    const Bytes pool_after = comparison.after.capacity->kv_pool_bytes.expected;
    table.rows.push_back({"left for the KV cache", gib_text(pool_before), gib_text(pool_after),
                          change_text(pool_after - pool_before)});
    const std::int64_t tokens_before = comparison.before.capacity->kv_pool_tokens;
    const std::int64_t tokens_after = comparison.after.capacity->kv_pool_tokens;
    table.rows.push_back({"tokens it would print", grouped(tokens_before), grouped(tokens_after),
                          tokens_before == tokens_after
                              ? std::string("=")
                              : fmt::format("{}{}", tokens_after > tokens_before ? "+" : "",
                                            grouped(tokens_after - tokens_before))});
  }
  page.table(table);
}

std::string verdict_of(const EstimateComparison& comparison) {
  const auto& before = comparison.before;
  const auto& after = comparison.after;
  const std::string versions = fmt::format("{} to {}", to_text(before.settings.version.value),
                                           to_text(after.settings.version.value));
  if (before.capacity && after.capacity) {
    const Bytes change =
        after.capacity->kv_pool_bytes.expected - before.capacity->kv_pool_bytes.expected;
    return fmt::format("{}: the KV cache {} {:.2f} GiB", versions,
                       change < Bytes(0) ? "loses" : "gains", std::abs(change.gib()));
  }
  const Bytes change = after.total_bytes.expected - before.total_bytes.expected;
  return fmt::format("{}: {:+.2f} GiB on each GPU", versions, change.gib());
}

}  // namespace

std::string comparison_text(const EstimateComparison& comparison, const Style& style) {
  Page page(style);
  if (style.verbosity >= 0) {
    page.heading(fmt::format("{} on {}", comparison.after.model_id, comparison.after.engine.value));
    show_slip(page, comparison.after.model_asked_as);
    show_changes(page, comparison);
    page.blank();
    for (const domain::Difference& setting : comparison.settings)
      page.labelled("setting", 14, difference_words(setting));
    const bool has_inputs = std::ranges::any_of(
        comparison.terms, [](const TermChange& change) { return !change.inputs.empty(); });
    if (has_inputs) page.labelled("inputs", 14, "of the formulas: counts, and memory in bytes");
    for (const TermChange& change : comparison.terms) {
      for (const domain::Difference& input : change.inputs)
        page.labelled(change.name, 14, difference_words(input));
      if (change.change() == Bytes(0)) continue;
      if (style.verbosity > 0 && !change.source.empty())
        page.labelled("", 14, change.source, 2, Tone::Faint);
    }
    for (const std::string& note : comparison.after.notes) page.labelled("note", 14, note);
    page.blank();
  }
  page.labelled("Verdict", 7, verdict_of(comparison), 0);
  return page.text();
}

}  // namespace gpushape::render
