#include "base/diagnostic.hpp"

#include <algorithm>

namespace gpushape {

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = "error: " + diagnostic.message + "\n";
  const SourceSpan& span = diagnostic.span;
  if (!span.file.empty()) {
    text += "  --> " + span.file;
    if (span.line > 0) text += ":" + std::to_string(span.line) + ":" + std::to_string(span.column);
    text += "\n";
  }
  if (span.line > 0 && !diagnostic.excerpt.empty()) {
    const std::string number = std::to_string(span.line);
    std::string indent;
    for (int i = 0; i + 1 < span.column && i < static_cast<int>(diagnostic.excerpt.size()); ++i) {
      indent += diagnostic.excerpt[static_cast<std::size_t>(i)] == '\t' ? '\t' : ' ';
    }
    text += " " + number + " | " + diagnostic.excerpt + "\n";
    text += " " + std::string(number.size(), ' ') + " | " + indent +
            std::string(static_cast<std::size_t>(std::clamp(span.length, 1, 60)), '^');
    if (!diagnostic.label.empty()) text += " " + diagnostic.label;
    text += "\n";
  }
  if (!diagnostic.help.empty()) text += "   = help: " + diagnostic.help + "\n";
  return text;
}

std::string to_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_text(diagnostic);
  return text;
}

}  // namespace gpushape
