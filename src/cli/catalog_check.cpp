// gpushape catalog check: the proof of the built-in catalog and of an overlay.
#include "catalog/catalog_check.hpp"

#include <fmt/format.h>

#include "cli/catalog.hpp"
#include "cli/listing.hpp"
#include "render/words.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using document::Node;

Node to_node(const catalog::CatalogReport& report) {
  Node node = schema::new_document("CatalogReport");
  node.set("models", static_cast<std::int64_t>(report.models));
  node.set("names", static_cast<std::int64_t>(report.names));
  node.set("facts", static_cast<std::int64_t>(report.facts));
  Node& faults = node.set("faults", Node::sequence());
  for (const catalog::CatalogFault& fault : report.faults) {
    Node& row = faults.add(Node::mapping());
    row.set("model", fault.model);
    row.set("says", fault.says);
  }
  return node;
}

}  // namespace

int check_catalog(const Invocation& invocation, const Terminal& terminal) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return refuse(catalog.error(), terminal);
  const catalog::CatalogReport report = catalog::check_catalog(*catalog);
  const int status = report.faults.empty() ? kDone : kAnswerIsNo;
  if (*format != "text") {
    print(to_node(report), *format, terminal);
    return status;
  }
  render::Page page(style_for(terminal, invocation.color, invocation.verbosity));
  for (const catalog::CatalogFault& fault : report.faults)
    page.paragraph(fmt::format("{}: {}", fault.model, fault.says), 0, render::Tone::Bad);
  page.paragraph(
      fmt::format("{} under {}, {} with a source: {}",
                  render::counted(static_cast<std::int64_t>(report.models), "model"),
                  render::counted(static_cast<std::int64_t>(report.names), "name"),
                  render::counted(static_cast<std::int64_t>(report.facts), "fact"),
                  report.faults.empty()
                      ? std::string("every entry holds")
                      : render::counted(static_cast<std::int64_t>(report.faults.size()), "fault")));
  terminal.out << page.text();
  return status;
}

}  // namespace gpushape::cli
