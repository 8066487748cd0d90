// A target of the user's own: a mustache template over the JSON of the advice.
//
// {{…}} writes a value as it is (nothing is escaped: manifests are no HTML). `shape` is the first
// picked shape, `shapes` all of the answer, `contract` and `flags` belong to `shape`; `name` and
// `namespace` are those of the documents. Values of JSON keep their spelling, lists repeat a
// section, an absent value is an empty section.
#pragma once

#include <string>

#include "base/result.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit {

/// `text` is the template, `file` its name in messages. A malformed template is refused.
Result<std::string> fill_template(const EmitRequest& request, const std::string& text,
                                  const std::string& file);

}  // namespace gpushape::emit
