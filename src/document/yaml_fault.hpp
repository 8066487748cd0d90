// What yaml-cpp finds wrong with a text, in our words and with our places.
#pragma once

#include <yaml-cpp/exceptions.h>

#include "base/diagnostic.hpp"
#include "document/node.hpp"

namespace gpushape::document {

/// With the line's place and, where the message is a usual one, what to do about it.
Diagnostic yaml_fault(const YAML::Exception& exception, const Source& source);

}  // namespace gpushape::document
