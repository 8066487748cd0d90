// The consumption rules: one row and one file each. A rule looks at Facts alone and says, with the
// values that fired it, what follows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/facts.hpp"
#include "advise/thresholds.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// What a rule that fired concludes. A rule that only remarks leaves both outcomes empty.
struct Verdict {
  std::string says;
  std::optional<domain::ConsumptionModel> model = std::nullopt;
  std::optional<FractionMode> mode = std::nullopt;
};

/// Nothing where its condition does not hold.
using RuleFunction = std::optional<Verdict> (*)(const Facts&, const Thresholds&);

struct RuleRow {
  std::string_view id;         ///< "CM-06"
  std::string_view title;      ///< a short sentence
  std::string_view condition;  ///< in the words of Facts
  std::string_view outcome;
  std::string_view reason;
  std::string_view source;
  std::string_view thresholds;  ///< names of those that take part, a blank between them
  std::string_view example;     ///< arguments of a run in whose answer the rule is named
  RuleFunction function = nullptr;
};

/// In display order.
std::span<const RuleRow> rules();
/// The row of an id that is in the table.
const RuleRow& rule(std::string_view id);

/// A rule that fired.
struct Fired {
  std::string_view id;
  Verdict verdict;
};

/// CM rules that fired, in the order in which they decide: the first is the answer, the rest are
/// notes. CM-10 stands before CM-06; CM-02 and CM-05 stand before both.
std::vector<Fired> fired_shape_rules(const Facts& facts, const Thresholds& thresholds);
/// MD rules about the mode of a fraction that fired, in order.
std::vector<Fired> fired_mode_rules(const Facts& facts, const Thresholds& thresholds);
/// Rules by id that fired, in the order asked for.
std::vector<Fired> fired_rules(std::span<const std::string_view> ids, const Facts& facts,
                               const Thresholds& thresholds);

domain::Reason to_reason(const Fired& fired);

}  // namespace gpushape::advise
