#include "cli/terminal.hpp"

namespace gpushape::cli {
namespace {

bool is_utf8(const std::string& locale) {
  // A locale that is not set says nothing of the terminal's letters; UTF-8 has been every system's
  // default for years.
  return locale.empty() || locale.contains("UTF-8") || locale.contains("utf8") ||
         locale.contains("utf-8") || locale.contains("UTF8");
}

}  // namespace

render::Style style_for(const Terminal& terminal, ColorChoice color, int verbosity) {
  render::Style style;
  style.has_color =
      color == ColorChoice::Always ||
      (color == ColorChoice::Auto && terminal.is_out_terminal && terminal.no_color.empty() &&
       terminal.term != "dumb" && !terminal.term.empty());
  style.has_unicode = is_utf8(terminal.locale);
  style.verbosity = verbosity;
  return style;
}

}  // namespace gpushape::cli
