#include "render/neighbours_view.hpp"

#include <fmt/format.h>

#include "render/words.hpp"

namespace gpushape::render {

void show_neighbours(Page& page, const domain::Advice& advice) {
  if (advice.neighbours.empty() || advice.shapes.empty()) return;
  page.heading(fmt::format("What it leaves of {}", advice.shapes.front().shape.device));
  Table table;
  table.columns = {{"", Align::Left},
                   {"size", Align::Left},
                   {"usable GiB", Align::Right},
                   {"per GPU", Align::Right},
                   {"stranded GiB", Align::Right},
                   {"one more beside it", Align::Left}};
  for (const domain::Neighbour& one : advice.neighbours) {
    const bool is_shared = one.per_device > 1 || !one.beside.empty();
    table.rows.push_back({one.is_chosen ? ">" : "", one.profile, gib_text(one.memory_bytes),
                          std::to_string(one.per_device),
                          one.stranded_bytes > Bytes() ? gib_text(one.stranded_bytes) : "-",
                          !is_shared           ? "nothing"
                          : one.beside.empty() ? "only its like"
                                               : fmt::format("{}", fmt::join(one.beside, ", "))});
  }
  page.table(table);
  for (const domain::Neighbour& one : advice.neighbours) {
    if (!one.refusal.empty()) page.labelled(one.profile, 17, one.refusal);
  }
}

}  // namespace gpushape::render
