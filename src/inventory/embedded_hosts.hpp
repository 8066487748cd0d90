// Server models that the program knows by name: GPU instances of the large clouds, as Host
// documents.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_text.hpp"
#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::inventory {

/// hosts/*.yaml, by file name.
std::span<const EmbeddedText> embedded_hosts();

/// "aws-p5.48xlarge" …
std::vector<std::string> host_names();

/// The document of a name, with or without its cloud in front ("p5.48xlarge"); nothing where there
/// is none.
std::optional<document::Document> named_host(std::string_view name);

}  // namespace gpushape::inventory
