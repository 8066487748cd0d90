// The rule book for people: a list, one rule in full, and the page of the documentation.
#pragma once

#include <string>

#include "domain/rule_book.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

/// One line a rule, under the heads of their groups.
std::string rules_text(const domain::RuleBook& book, const Style& style);
/// Everything that is known of a rule.
std::string rule_text(const domain::RuleEntry& rule, const domain::RuleBook& book,
                      const Style& style);
/// A number, and the rules of the book that look at it.
std::string number_text(const domain::RuleNumber& number, const domain::RuleBook& book,
                        const Style& style);
/// docs/rules.md.
std::string rules_markdown(const domain::RuleBook& book);

}  // namespace gpushape::render
