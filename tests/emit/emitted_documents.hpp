// What a target writes for a case, and how a test finds its way in it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "emit/emit_cases.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit::cases {

inline const TargetRow& row_of(const std::string& target) {
  for (const TargetRow& row : targets()) {
    if (row.name == target) return row;
  }
  throw std::logic_error("no target " + target);
}

inline Result<Emitted> emitted(const Case& from) {
  return row_of(from.target).emit(from.request());
}

/// "spec.hardware.cpus", "spec.devices.requests[0].exactly"; fails the test where there is no such.
inline const document::Node& at(const document::Node& root, const std::string& path) {
  static const document::Node kNothing;
  const document::Node* node = &root;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    std::string step = path.substr(start, end - start);
    std::string index;
    if (const std::size_t bracket = step.find('['); bracket != std::string::npos) {
      index = step.substr(bracket + 1, step.size() - bracket - 2);
      step.resize(bracket);
    }
    node = node->find(step);
    if (node != nullptr && !index.empty()) {
      const std::size_t position = std::stoul(index);
      node = position < node->items().size() ? &node->items()[position] : nullptr;
    }
    CAPTURE(path);
    CAPTURE(step);
    CHECK(node != nullptr);
    if (node == nullptr) return kNothing;
    start = end + 1;
  }
  return *node;
}

inline std::string option(const document::Node& vm_class, std::string_view key) {
  for (const document::Node& row : at(vm_class, "spec.configSpec.extraConfig").items()) {
    if (at(row, "key").text() == key) return at(row, "value._value").text();
  }
  return "absent";
}

inline document::Node document_of(const Case& from) {
  const Result<Emitted> result = emitted(from);
  REQUIRE(result);
  REQUIRE(result->documents.size() == 1);
  return result->documents.front();
}

inline std::vector<std::string> expressions(const document::Node& request) {
  std::vector<std::string> found;
  for (const document::Node& selector : at(request, "selectors").items()) {
    found.push_back(at(selector, "cel.expression").text());
  }
  return found;
}

inline bool mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::ranges::any_of(
      lines, [text](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace gpushape::emit::cases
