// inventory import: a Cluster document from what real systems print.
#include <fmt/format.h>

#include <algorithm>

#include "cli/inventory_questions.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"

namespace gpushape::cli {

int import_inventory(const std::vector<std::string>& paths, const Invocation& invocation,
                     const Terminal& terminal) {
  const std::string format = invocation.outputs.empty() ? "yaml" : invocation.outputs.back();
  if (format != "yaml" && format != "json") {
    return refuse({complaint(fmt::format("--output: '{}' is no format of an import", format),
                             "expected one of yaml, json")},
                  terminal);
  }
  if (const Diagnostics faults = check_destination(invocation, {format}); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<inventory::Imported> imported =
      import_paths(paths, {.from = invocation.import_source, .name = invocation.name}, *profiles);
  if (!imported) return refuse(imported.error(), terminal);
  const document::Node node = inventory::to_node(imported->cluster);
  const std::string text =
      format == "json" ? document::write_json(node) : document::write_yaml(node);
  const Result<std::vector<std::string>> written =
      write_pieces({{"cluster", format, text}}, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  terminal.err << to_text(imported->notes);
  return kDone;
}

}  // namespace gpushape::cli
