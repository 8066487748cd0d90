// A review as a comment on a pull request.
#include <fmt/format.h>

#include "render/review_formats.hpp"

namespace gpushape::render {
namespace {

/// Of a table's cell: what Markdown or HTML would take for its own is written out.
std::string markdown_cell(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r') {
      result += ' ';
    } else if (letter == '<') {
      result += "&lt;";
    } else {
      if (std::string_view("|\\`*_[]").contains(letter)) result += '\\';
      result += letter;
    }
  }
  return result;
}

/// A code span whose text may hold backticks.
std::string code(std::string_view text) {
  const std::string fence = text.contains('`') ? "``" : "`";
  return fmt::format("{}{}{}", fence, text, fence);
}

std::string_view answer_word(const domain::ChecklistAnswer& answer) {
  if (!answer.is_yes) return "not told";
  return *answer.is_yes ? "yes" : "no";
}

}  // namespace

std::string review_markdown(const domain::Review& review, const Style& /*style*/) {
  std::string text = fmt::format("## gpushape review\n\n{}\n", count_text(review.findings));
  if (!review.findings.empty()) {
    text += "\n| severity | rule | place | finding | help |\n|---|---|---|---|---|\n";
  }
  for (const domain::Finding& finding : review.findings) {
    text += fmt::format("| {} | {} | {}:{} | {} | {} |\n", name_of(finding.severity), finding.rule,
                        markdown_cell(finding.place.file), finding.place.line,
                        markdown_cell(finding.message), markdown_cell(finding.fix));
  }
  if (!review.workloads.empty()) {
    text += "\n| workload | engine | model | GPUs | need of one GPU |\n|---|---|---|---|---|\n";
  }
  for (const domain::UnderstoodWorkload& row : review.workloads) {
    const std::string need = row.need_bytes ? fmt::format("{:.1f} GiB", row.need_bytes->gib())
                                            : fmt::format("not sized: {}", row.gap);
    text += fmt::format("| {} | {} | {} | {}{} | {} |\n", markdown_cell(row.object),
                        markdown_cell(row.engine), markdown_cell(row.model),
                        row.gpus ? fmt::format("{:.6g} ", *row.gpus) : "", markdown_cell(row.gpu),
                        markdown_cell(need));
  }
  if (!review.checklist.empty()) {
    text += "\n| # | group | question | answer | because |\n|---|---|---|---|---|\n";
  }
  for (const domain::ChecklistAnswer& answer : review.checklist) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", answer.number, markdown_cell(answer.group),
                        markdown_cell(answer.question), answer_word(answer),
                        markdown_cell(answer.is_yes ? answer.because : answer.ask));
  }
  for (const Diagnostic& fault : review.faults) {
    text += fmt::format("\n{} could not be read: {}\n", code(fault.span.file),
                        markdown_cell(fault.message));
  }
  return text;
}

}  // namespace gpushape::render
