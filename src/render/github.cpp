// Annotations of GitHub Actions. Source: actions/toolkit, packages/core/src/command.ts (escaping).
#include <fmt/format.h>

#include "render/review_formats.hpp"

namespace gpushape::render {
namespace {

std::string escaped_data(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '%') {
      result += "%25";
    } else if (letter == '\r') {
      result += "%0D";
    } else if (letter == '\n') {
      result += "%0A";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string escaped_property(std::string_view text) {
  std::string result;
  for (const char letter : escaped_data(text)) {
    if (letter == ':') {
      result += "%3A";
    } else if (letter == ',') {
      result += "%2C";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string_view command_of(domain::Severity severity) {
  if (severity == domain::Severity::Error) return "error";
  return severity == domain::Severity::Warning ? "warning" : "notice";
}

}  // namespace

std::string review_github(const domain::Review& review, const Style& /*style*/) {
  std::string text;
  for (const domain::Finding& finding : review.findings) {
    text += fmt::format("::{} file={},line={},col={},title={}::{}\n", command_of(finding.severity),
                        escaped_property(finding.place.file), finding.place.line,
                        finding.place.column, escaped_property(finding.rule),
                        escaped_data(fmt::format("{}\nwhy: {}\nhelp: {}", finding.message,
                                                 finding.why, finding.fix)));
  }
  for (const Diagnostic& fault : review.faults) {
    text += fmt::format("::error file={},line={},col={}::{}\n", escaped_property(fault.span.file),
                        fault.span.line, fault.span.column, escaped_data(fault.message));
  }
  return text;
}

}  // namespace gpushape::render
