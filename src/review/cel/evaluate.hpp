// Running an expression on one device.
#pragma once

#include "review/cel/expression.hpp"

namespace gpushape::review::cel {

/// An Error where Kubernetes logs one, Unknown where the answer hangs on a value nobody knows.
Value evaluate(const Expression& expression, const Value& device);

}  // namespace gpushape::review::cel
