// A text file that the build compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace gpushape {

struct EmbeddedText {
  std::string_view name;  ///< file name
  std::string_view text;
};

}  // namespace gpushape
