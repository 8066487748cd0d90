#include "render/facts_view.hpp"

#include <fmt/format.h>

#include "render/words.hpp"

namespace gpushape::render {

namespace {

bool is_default(const domain::Assumption& fact) { return fact.origin == domain::Origin::Default; }

/// Nobody said, and there is no more to tell of it than that.
bool is_plain_default(const domain::Assumption& fact) {
  return is_default(fact) && mark_of(fact) == "default";
}

/// The flag that states it, or the field of a Workload where there is no flag.
std::string flag_text(const domain::Assumption& fact) {
  if (fact.flag.empty()) return {};
  return fmt::format(" ({}{})", fact.flag.starts_with('-') ? "" : "Workload ", fact.flag);
}

std::string mark_with_flag(const domain::Assumption& fact) {
  return is_default(fact) ? mark_of(fact) + flag_text(fact) : mark_of(fact);
}

}  // namespace

void show_facts(Page& page, const std::vector<domain::Assumption>& facts) {
  if (facts.empty()) return;
  page.heading("What this rests on");
  Table table;
  table.columns = {{"", Align::Left}, {"", Align::Left}, {"", Align::Left}};
  std::string defaults;
  for (const bool wants_default : {false, true}) {
    for (const domain::Assumption& fact : facts) {
      if (is_default(fact) != wants_default) continue;
      const std::string name = words_of(fact.fact);
      if (is_plain_default(fact) && page.style().verbosity <= 0) {
        defaults += fmt::format("{}{} {}{}", defaults.empty() ? "" : ", ", name, shown_value(fact),
                                flag_text(fact));
      } else {
        table.rows.push_back({name, shown_value(fact), mark_with_flag(fact)});
      }
    }
  }
  page.table(table);
  if (!defaults.empty()) page.labelled("default", 7, defaults);
}

}  // namespace gpushape::render
