// The checks that every text passes before a reader looks at it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "document/node.hpp"
#include "document/text_format.hpp"

namespace gpushape::document {

/// The text as a Source, without its byte order mark. Too large a text, one that is empty or blank,
/// invalid UTF-8 and control characters are refused.
Result<std::shared_ptr<const Source>> accept_text(std::string_view text, std::string file,
                                                  const Limits& limits);

/// Line and column of a byte.
Position position_at(std::string_view text, std::size_t offset);

}  // namespace gpushape::document
