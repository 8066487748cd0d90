// gpushape catalog list and profiles list: what is built in, and what an overlay adds.
#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.hpp"
#include "catalog/catalog.hpp"
#include "catalog/quantization_names.hpp"
#include "cli/commands.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {
namespace {

using document::Node;

/// One row of a listing: the columns of the text, and the mapping of JSON and YAML.
struct Row {
  std::vector<std::string> columns;
  Node node;
};

struct Listing {
  std::vector<std::string> heads;
  std::vector<bool> is_number;
  std::vector<Row> rows;
};

std::string as_text(const Listing& listing) {
  std::vector<std::size_t> widths;
  widths.reserve(listing.heads.size());
  for (const std::string& head : listing.heads) widths.push_back(head.size());
  for (const Row& row : listing.rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row.columns[i].size());
    }
  }
  const auto line = [&](const std::vector<std::string>& columns) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += "  ";
      text += listing.is_number[i] ? fmt::format("{:>{}}", columns[i], widths[i])
                                   : fmt::format("{:<{}}", columns[i], widths[i]);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line(listing.heads);
  for (const Row& row : listing.rows) text += line(row.columns);
  return text;
}

int print(const Listing& listing, const Invocation& invocation, const Terminal& terminal) {
  const std::vector<std::string> known = {"text", "json", "yaml"};
  const std::string format = invocation.outputs.empty() ? "text" : invocation.outputs.back();
  if (std::ranges::find(known, format) == known.end()) {
    return refuse({complaint(fmt::format("--output: '{}' is no format", format),
                             suggestion(format, known, "expected one of text, json, yaml"))},
                  terminal);
  }
  if (format == "text") {
    terminal.out << as_text(listing);
    return kDone;
  }
  Node items = Node::sequence();
  for (const Row& row : listing.rows) items.add(row.node);
  terminal.out << (format == "json" ? document::write_json(items) : document::write_yaml(items));
  return kDone;
}

/// "list" is the one question so far; everything else is answered with it.
Diagnostics check_question(const ParsedFlags& parsed, std::string_view command) {
  if (parsed.positionals.size() == 1 && parsed.positionals.front() == "list") return {};
  const std::vector<std::string> known = {"list"};
  if (parsed.positionals.empty()) {
    return {complaint(fmt::format("{} needs a word: list", command))};
  }
  return {complaint(fmt::format("{}: '{}' is not known", command, parsed.positionals.front()),
                    suggestion(parsed.positionals.front(), known, "expected: list"))};
}

std::string billions(std::int64_t parameters) {
  return fmt::format("{:.2f}", static_cast<double>(parameters) / 1e9);
}

Listing quantization_listing() {
  Listing listing{.heads = {"name", "also written", "what it is"},
                  .is_number = {false, false, false},
                  .rows = {}};
  for (const auto& row : kNames<domain::Quantization>) {
    std::vector<std::string> spellings;
    Node also = Node::sequence();
    for (const catalog::QuantizationSpelling& spelling : catalog::quantization_spellings()) {
      if (spelling.value != row.value || spelling.spelling == row.name) continue;
      spellings.emplace_back(spelling.spelling);
      also.add(spelling.spelling);
    }
    Node node = Node::mapping();
    node.set("name", row.name);
    node.set("spellings", std::move(also));
    node.set("description", row.description);
    listing.rows.push_back({{std::string(row.name), fmt::format("{}", fmt::join(spellings, ", ")),
                             std::string(row.description)},
                            std::move(node)});
  }
  return listing;
}

}  // namespace

int run_catalog(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (const Diagnostics faults = check_question(parsed, "catalog"); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (invocation.wants_quantizations) return print(quantization_listing(), invocation, terminal);
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return refuse(catalog.error(), terminal);
  Listing listing{.heads = {"model", "family", "1e9", "context", "stored as"},
                  .is_number = {false, false, true, true, false},
                  .rows = {}};
  for (const std::string& id : catalog->models()) {
    const Result<domain::Model> model = catalog->find(id);
    if (!model) return refuse(model.error(), terminal);
    const std::string stored(name_of(model->weights.linear));
    Node node = Node::mapping();
    node.set("id", model->id);
    node.set("family", model->family);
    node.set("parameters", model->parameters.total);
    node.set("contextTokens", model->max_context_tokens);
    node.set("quantization", stored);
    listing.rows.push_back({{model->id, model->family, billions(model->parameters.total),
                             std::to_string(model->max_context_tokens), stored},
                            std::move(node)});
  }
  return print(listing, invocation, terminal);
}

int run_profiles(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (const Diagnostics faults = check_question(parsed, "profiles"); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<std::vector<domain::Device>> devices = profiles->all();
  if (!devices) return refuse(devices.error(), terminal);
  Listing listing{
      .heads = {"device", "architecture", "CUDA sees GiB", "vGPU", "MIG", "NVLink GPUs"},
      .is_number = {false, false, true, true, true, true},
      .rows = {}};
  for (const domain::Device& device : *devices) {
    std::int64_t vgpu = 0;
    std::int64_t mig = 0;
    for (const domain::Profile& profile : device.profiles) {
      (profile.technology == domain::Technology::Mig ? mig : vgpu) += 1;
    }
    Node node = Node::mapping();
    node.set("id", device.id);
    node.set("architecture", device.architecture);
    node.set("visibleBytes", device.visible_bytes.expected);
    node.set("vgpuProfiles", vgpu);
    node.set("migProfiles", mig);
    node.set("nvlinkGpus", device.nvlink.max_domain);
    const auto count = [](std::int64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
    listing.rows.push_back(
        {{device.id, device.architecture,
          fmt::format("{:.2f}", device.visible_bytes.expected.gib()), count(vgpu), count(mig),
          count(device.nvlink.max_domain > 1 ? device.nvlink.max_domain : 0)},
         std::move(node)});
  }
  return print(listing, invocation, terminal);
}

}  // namespace gpushape::cli
