#include "render/facts_view.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// Without the addresses that stand behind a reason: what comes before the colon or semicolon that
/// leads to the first of them.
std::string without_sources(std::string mark) {
  const std::size_t address = mark.find("://");
  if (address == std::string::npos) return mark;
  const std::size_t start = mark.starts_with("default: ") ? 9 : 0;
  const std::size_t end = mark.find_first_of(":;", start);
  return mark.substr(0, std::min(end, address));
}

std::string mark_with_flag(const Page& page, const domain::Assumption& fact) {
  const std::string mark =
      page.style().verbosity > 0 ? mark_of(fact) : without_sources(mark_of(fact));
  return is_default(fact) ? mark + flag_text(fact) : mark;
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
        table.rows.push_back({name, shown_value(fact), mark_with_flag(page, fact)});
      }
    }
  }
  page.table(table);
  if (!defaults.empty()) page.labelled("default", 7, defaults);
}

}  // namespace gpushape::render
