#include "render/facts_view.hpp"

#include <fmt/format.h>

#include "render/words.hpp"

namespace gpushape::render {

namespace {

std::string mark_with_flag(const domain::Assumption& fact) {
  const bool is_default = fact.origin == domain::Origin::Default;
  if (!is_default || fact.flag.empty()) return mark_of(fact);
  return fmt::format("{} ({})", mark_of(fact), fact.flag);
}

}  // namespace

void show_facts(Page& page, const std::vector<domain::Assumption>& facts) {
  if (facts.empty()) return;
  page.heading("What this rests on");
  Table table;
  table.columns = {{"", Align::Left}, {"", Align::Left}, {"", Align::Left}};
  for (const bool is_default : {false, true}) {
    for (const domain::Assumption& fact : facts) {
      if ((fact.origin == domain::Origin::Default) != is_default) continue;
      table.rows.push_back({words_of(fact.fact), shown_value(fact), mark_with_flag(fact)});
    }
  }
  page.table(table);
}

}  // namespace gpushape::render
