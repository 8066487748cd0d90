// A finite double as both formats print it.
#pragma once

#include <string>

namespace gpushape::document {

/// The shortest text that reads back the same, and reads back as a Number in YAML 1.1, YAML 1.2 and
/// JSON: 1.0, 0.25, 1.0e+30.
std::string number_text(double value);

}  // namespace gpushape::document
