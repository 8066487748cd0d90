// What is wrong with an input, and where: one message a reader of the input can act on.
//
// A Diagnostic is made by whoever reads input (document, catalog, profiles, inventory, cli);
// readers collect all of them. It ends in exit status 2. "The answer is no" is never a Diagnostic:
// that is a value in a result.
#pragma once

#include <string>
#include <vector>

namespace gpushape {

/// A stretch of one line of a source. Lines and columns count from 1, columns in bytes; line 0
/// means "the whole source".
struct SourceSpan {
  std::string
      file;  ///< as the user named it; "<flags>" for the command line, "-" for standard input
  int line = 0;
  int column = 0;
  int length = 1;

  bool operator==(const SourceSpan&) const = default;
};

struct Diagnostic {
  std::string message;  ///< complete on its own: names the thing and the values
  SourceSpan span;
  std::string excerpt;     ///< the source line that `span` points into; empty where there is none
  std::string label;       ///< short text beside the caret; may be empty
  std::string help;        ///< an action to take; may be empty
  int excerpt_column = 1;  ///< where the excerpt begins, when it is a window into a long line

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// A diagnostic without a place.
inline Diagnostic complaint(std::string message, std::string help = {}) {
  return {.message = std::move(message),
          .span = {},
          .excerpt = {},
          .label = {},
          .help = std::move(help)};
}

/// "error: MESSAGE", then place, excerpt with caret and help, in the form of the style guide. Ends
/// with a newline.
std::string to_text(const Diagnostic& diagnostic);
std::string to_text(const Diagnostics& diagnostics);

}  // namespace gpushape
