// A log inside JSON: a notebook's outputs, the files that container engines write (one object a
// line), a harness's own results with the lines of the server in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpushape::calibrate {

/// The strings that stand in `text`, in order, each ending its line; of objects with a "log", as
/// containers' files have one for each piece of a line, that piece alone and as it is. `text` is
/// one document, or a document a line (lines that are none stay as they are). Nothing where it does
/// not begin as JSON does, or where it is written over several lines and broken.
std::optional<std::string> text_in_json(std::string_view text);

}  // namespace gpushape::calibrate
