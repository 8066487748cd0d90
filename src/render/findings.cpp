#include "render/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.hpp"
#include "render/page.hpp"

namespace gpushape::render {
namespace {

constexpr std::string_view kPrefix = "error: ";  // what to_text opens with

std::string plural(std::ptrdiff_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string findings_text(std::span<const domain::Finding> findings, const Style& style) {
  const Page page(style);
  std::string text;
  for (const domain::Finding& finding : findings) {
    Diagnostic diagnostic;
    diagnostic.message = finding.message;
    diagnostic.span = finding.place;
    diagnostic.excerpt = finding.excerpt;
    diagnostic.excerpt_column = finding.excerpt_column;
    diagnostic.label = finding.label;
    const std::string body = to_text(diagnostic).substr(kPrefix.size());
    const Tone tone = finding.severity == domain::Severity::Error ? Tone::Bad : Tone::Strong;
    text += page.paint(fmt::format("{}[{}]", name_of(finding.severity), finding.rule), tone);
    text += ": " + body;
    text += fmt::format("   = why:  {}\n   = help: {}\n\n", finding.why, finding.fix);
  }
  const auto count = [&](domain::Severity severity) {
    return std::ranges::count(findings, severity, &domain::Finding::severity);
  };
  return text + fmt::format("{}, {}, {}\n", plural(count(domain::Severity::Error), "error"),
                            plural(count(domain::Severity::Warning), "warning"),
                            plural(count(domain::Severity::Note), "note"));
}

}  // namespace gpushape::render
