// A review for people: findings in the form of compilers, what was understood and assumed, a count.
#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.hpp"
#include "render/page.hpp"
#include "render/review_formats.hpp"

namespace gpushape::render {
namespace {

constexpr std::string_view kPrefix = "error: ";  // what to_text opens with

std::string plural(std::ptrdiff_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string finding_text(const domain::Finding& finding, const Page& page) {
  Diagnostic diagnostic;
  diagnostic.message = finding.message;
  diagnostic.span = finding.place;
  diagnostic.excerpt = finding.excerpt;
  diagnostic.excerpt_column = finding.excerpt_column;
  diagnostic.label = finding.label;
  const std::string body = to_text(diagnostic).substr(kPrefix.size());
  Tone tone = Tone::Faint;
  if (finding.severity == domain::Severity::Error) tone = Tone::Bad;
  if (finding.severity == domain::Severity::Warning) tone = Tone::Strong;
  return page.paint(fmt::format("{}[{}]", name_of(finding.severity), finding.rule), tone) + ": " +
         body + fmt::format("   = why:  {}\n   = help: {}\n\n", finding.why, finding.fix);
}

std::string workload_line(const domain::UnderstoodWorkload& row) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
  };
  add(row.model);
  add(row.engine);
  if (row.gpus) {
    const std::string_view unknown =
        *row.gpus == 1 ? "GPU of an unknown kind" : "GPUs of an unknown kind";
    add(fmt::format("{:.6g} {}", *row.gpus, row.gpu.empty() ? unknown : row.gpu));
  }
  if (row.need_bytes) add(fmt::format("needs up to {:.1f} GiB of each", row.need_bytes->gib()));
  if (row.visible_bytes) add(fmt::format("which has {:.1f}", row.visible_bytes->gib()));
  if (!row.gap.empty()) add("not sized: " + row.gap);
  return text;
}

void put_assumptions(const domain::UnderstoodWorkload& row, Page& page) {
  if (row.assumptions.empty() || page.style().verbosity < 0) return;
  if (page.style().verbosity > 0) {
    for (const domain::ReviewAssumption& each : row.assumptions) {
      page.paragraph(fmt::format("assumed {}: {} ({}); say it with {}", each.fact, each.value,
                                 each.why, each.flag),
                     4, Tone::Faint);
    }
    return;
  }
  std::string text;
  for (const domain::ReviewAssumption& each : row.assumptions) {
    text += fmt::format("{}{} {}", text.empty() ? "assumed: " : ", ", each.fact, each.value);
  }
  page.paragraph(text, 4, Tone::Faint);
}

/// What stands behind the manifests, as far as it was found, and what was taken for granted.
void put_workloads(const domain::Review& review, Page& page) {
  if (review.workloads.empty()) return;
  page.heading("Understood");
  for (const domain::UnderstoodWorkload& row : review.workloads) {
    page.paragraph(fmt::format("{} ({}:{}): {}", row.object, row.place.file, row.place.line,
                               workload_line(row)),
                   2);
    put_assumptions(row, page);
  }
  page.blank();
}

void put_checklist(const domain::Review& review, Page& page) {
  if (review.checklist.empty()) return;
  page.heading("Checklist");
  std::string group;
  for (const domain::ChecklistAnswer& answer : review.checklist) {
    if (answer.group != group) {
      group = answer.group;
      page.paragraph(group, 2, Tone::Strong);
    }
    const std::string word = !answer.is_yes ? "?" : *answer.is_yes ? "yes" : "no";
    std::string because = answer.is_yes ? answer.because : "these files do not tell: " + answer.ask;
    if (answer.place.line > 0) {
      because += fmt::format(" ({}:{})", answer.place.file, answer.place.line);
    }
    page.labelled(fmt::format("{:>2} {}", answer.number, word), 8, answer.question, 2,
                  !answer.is_yes   ? Tone::Faint
                  : *answer.is_yes ? Tone::Good
                                   : Tone::Bad);
    page.paragraph(because, 10, Tone::Faint);
  }
  page.blank();
}

std::string unknown_text(const domain::Review& review) {
  std::string text;
  std::int64_t count = 0;
  for (const domain::KindCount& row : review.unknown_kinds) {
    count += row.count;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", row.kind,
                        row.count > 1 ? fmt::format(" ({})", row.count) : "");
  }
  return fmt::format("{} left alone, of a kind that is not known: {}",
                     plural(static_cast<std::ptrdiff_t>(count), "document"), text);
}

}  // namespace

std::string count_text(std::span<const domain::Finding> findings) {
  const auto count = [&](domain::Severity severity) {
    return std::ranges::count(findings, severity, &domain::Finding::severity);
  };
  return fmt::format("{}, {}, {}", plural(count(domain::Severity::Error), "error"),
                     plural(count(domain::Severity::Warning), "warning"),
                     plural(count(domain::Severity::Note), "note"));
}

std::string review_text(const domain::Review& review, const Style& style) {
  Page page(style);
  std::string text;
  for (const domain::Finding& finding : review.findings) text += finding_text(finding, page);
  put_workloads(review, page);
  put_checklist(review, page);
  if (!review.unknown_kinds.empty()) page.paragraph(unknown_text(review));
  if (review.ignored > 0) {
    page.paragraph(
        fmt::format("{} answered by a comment in the file", plural(review.ignored, "finding")));
  }
  if (review.known > 0) {
    page.paragraph(fmt::format("{} known from the baseline", plural(review.known, "finding")));
  }
  return text + page.text() + count_text(review.findings) + "\n";
}

}  // namespace gpushape::render
