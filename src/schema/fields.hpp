// What the writers of this room share: setting a field only when its value is known.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.hpp"
#include "document/node.hpp"
#include "domain/fact.hpp"
#include "domain/range.hpp"

namespace gpushape::schema {

/// A mapping that opens with `apiVersion` and `kind`.
document::Node new_document(std::string_view kind);

/// Sets the field unless the text is empty: an empty text is "not known".
inline void set_text(document::Node& node, std::string name, const std::string& text) {
  if (!text.empty()) node.set(std::move(name), text);
}

/// Sets the field unless the count is 0, for counts that are never 0 when known.
inline void set_count(document::Node& node, std::string name, std::int64_t count) {
  if (count != 0) node.set(std::move(name), count);
}

/// Sets the field unless the number is absent or no number at all.
inline void set_number(document::Node& node, std::string name, std::optional<double> number) {
  if (number && std::isfinite(*number)) node.set(std::move(name), *number);
}

template <class T>
void set_known(document::Node& node, std::string name, const std::optional<T>& value) {
  if (value) node.set(std::move(name), *value);
}

template <class E>
void set_choice(document::Node& node, std::string name, E value) {
  node.set(std::move(name), name_of(value));
}

/// A sequence of texts.
document::Node texts_node(const std::vector<std::string>& texts);

/// {days}: when the answer should be looked at again, counted from the day it is put to use; {date}
/// beside it where that day of the calendar is known.
document::Node review_node(std::int64_t days, const std::string& date);

/// {low, expected, high} in bytes.
document::Node to_node(const domain::Range& range);

}  // namespace gpushape::schema
