// gpushape profiles import: what nvidia-smi printed, as entries for --profiles-dir. The entries go
// to standard output, what is new or differs to standard error.
#include <fmt/format.h>

#include "cli/listing.hpp"
#include "cli/output.hpp"
#include "cli/profiles.hpp"
#include "document/text_format.hpp"
#include "profiles/import.hpp"
#include "render/page.hpp"
#include "render/words.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using document::Node;

Node import_node(const std::vector<profiles::ImportedDevice>& devices) {
  Node node = schema::new_document("ProfileImport");
  Node& list = node.set("devices", Node::sequence());
  for (const profiles::ImportedDevice& device : devices) {
    Node& row = list.add(Node::mapping());
    row.set("id", device.id);
    row.set("known", device.is_known);
    row.set("changed", device.has_changed);
    row.set("agreeing", device.agreeing);
    Node& remarks = row.set("remarks", Node::sequence());
    for (const profiles::ImportRemark& remark : device.remarks) {
      Node& one = remarks.add(Node::mapping());
      one.set("kind", name_of(remark.kind));
      one.set("says", remark.says);
      if (remark.printed.line > 0) {
        one.set("file", remark.printed.file);
        one.set("line", std::int64_t{remark.printed.line});
      }
      if (!remark.table.empty()) one.set("table", remark.table);
    }
    if (device.has_changed) row.set("entry", device.entry);
  }
  return node;
}

void report(const std::vector<profiles::ImportedDevice>& devices, const Invocation& invocation,
            const Terminal& terminal) {
  for (const profiles::ImportedDevice& device : devices) {
    if (invocation.verbosity < 0 && !device.has_changed) continue;
    terminal.err << fmt::format(
        "{} · {}: {} with the table{}\n", device.id, device.name,
        device.agreeing == 1 ? "1 figure agrees" : fmt::format("{} figures agree", device.agreeing),
        device.is_known ? "" : ", there is none");
    if (invocation.verbosity < 0) continue;
    for (const profiles::ImportRemark& remark : device.remarks) {
      terminal.err << fmt::format("  {:9} {}\n", name_of(remark.kind), remark.says);
      std::string where;
      if (remark.printed.line > 0) {
        where = fmt::format("{}:{}", remark.printed.file, remark.printed.line);
      }
      if (!remark.table.empty()) {
        where += (where.empty() ? "table " : "   table ") + remark.table;
      }
      if (!where.empty()) terminal.err << fmt::format("            --> {}\n", where);
    }
  }
}

}  // namespace

int import_profiles(const profiles::Profiles& profiles, const Invocation& invocation,
                    const Terminal& terminal) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  if (invocation.workload.gpus.size() > 1) {
    return refuse({complaint("--gpu: a listing is of one GPU",
                             "import the listings of different GPUs one after another")},
                  terminal);
  }
  Diagnostics faults;
  std::vector<profiles::ImportText> texts;
  for (std::size_t i = 1; i < invocation.positionals.size(); ++i) {
    Result<std::string> text = document::read_file(invocation.positionals[i]);
    if (text) {
      texts.push_back({invocation.positionals[i], *std::move(text)});
    } else {
      faults.insert(faults.end(), text.error().begin(), text.error().end());
    }
  }
  if (!faults.empty()) return refuse(faults, terminal);
  const Result<std::vector<profiles::ImportedDevice>> devices = profiles::import_printed(
      texts, profiles,
      invocation.workload.gpus.empty() ? std::string() : invocation.workload.gpus.front());
  if (!devices) return refuse(devices.error(), terminal);

  std::vector<Node> entries;
  for (const profiles::ImportedDevice& device : *devices) {
    if (device.has_changed) entries.push_back(device.entry);
  }
  const bool is_document = *format != "text";
  if (!is_document) report(*devices, invocation, terminal);
  if (!is_document && entries.empty()) {
    terminal.err << "nothing that the tables lack: no entry is needed\n";
    return kDone;
  }
  const auto written =
      write_pieces({{"entry", *format == "json" ? "json" : "yaml",
                     *format == "json"   ? document::write_json(import_node(*devices))
                     : *format == "yaml" ? document::write_yaml(import_node(*devices))
                                         : document::write_yaml(entries)}},
                   invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& file : *written) {
    terminal.err << fmt::format("{}: written; give its folder with --profiles-dir\n", file);
  }
  return kDone;
}

}  // namespace gpushape::cli
