// Where a run prints, and what its surroundings say about colour and letters. Tests make one of
// string streams.
#pragma once

#include <ostream>
#include <string>

#include "render/formats.hpp"

namespace gpushape::cli {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool is_out_terminal = false;
  bool is_err_terminal = false;
  std::string no_color;  ///< NO_COLOR; empty where it is not set
  std::string term;      ///< TERM
  std::string locale;    ///< LC_ALL, LC_CTYPE or LANG, the first that is set
};

enum class ColorChoice { Auto, Always, Never };

/// Colour is decided once: --color, then NO_COLOR, TERM and whether a terminal listens.
render::Style style_for(const Terminal& terminal, ColorChoice color, int verbosity);

}  // namespace gpushape::cli
