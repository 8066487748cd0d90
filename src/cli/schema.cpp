// gpushape schema: the published form of our documents.
#include <fmt/format.h>

#include "base/edit_distance.hpp"
#include "cli/commands.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {

int run_schema(const ParsedFlags& parsed, Invocation&, const Terminal& terminal) {
  std::vector<std::string> names;
  for (const schema::KindRow& row : schema::kinds()) names.emplace_back(row.kind);
  const std::string known = fmt::format("expected one of {}", fmt::join(names, ", "));
  if (parsed.positionals.size() != 1) {
    return refuse(
        {complaint(fmt::format("one KIND is expected, found {}", parsed.positionals.size()),
                   known)},
        terminal);
  }
  const std::string& kind = parsed.positionals.front();
  if (kind == "list") {
    for (const schema::KindRow& row : schema::kinds()) {
      terminal.out << fmt::format("{:<18} {}\n", row.kind, row.description);
    }
    return kDone;
  }
  const std::optional<std::string_view> text = schema::schema_text(kind);
  if (!text) {
    return refuse(
        {complaint(fmt::format("there is no kind '{}'", kind), suggestion(kind, names, known))},
        terminal);
  }
  terminal.out << *text;
  return kDone;
}

}  // namespace gpushape::cli
