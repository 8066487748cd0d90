// Reads a document of kind Rules. Its names are those of the rooms that use them, so the caller
// brings them.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/rule_settings.hpp"

namespace gpushape::schema {

struct RuleNames {
  std::span<const domain::NumberRow> thresholds;
  std::span<const domain::NumberRow> contract;
  std::span<const std::string_view> rules;  ///< of a review: those with a severity
};

/// Unknown names are complaints with the nearest known one.
Result<domain::RuleSettings> read_rules(const document::Document& document, const RuleNames& names);

}  // namespace gpushape::schema
