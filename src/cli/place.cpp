// gpushape place: where contracts land, why, and what that costs later requests.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/document_files.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"
#include "inventory/cluster_file.hpp"
#include "place/decide.hpp"
#include "render/formats.hpp"
#include "render/placement_view.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

constexpr std::string_view kClusterOutput = "cluster";

Diagnostics check_outputs(const std::vector<std::string>& outputs) {
  std::vector<std::string> names;
  for (const render::FormatRow& row : render::formats()) names.emplace_back(row.name);
  names.emplace_back(kClusterOutput);
  for (const std::string& output : outputs) {
    if (std::ranges::find(names, output) != names.end()) continue;
    return {complaint(
        fmt::format("--output: '{}' is no format", output),
        suggestion(output, names, fmt::format("expected one of {}", fmt::join(names, ", "))))};
  }
  return {};
}

Piece piece_of(const std::string& output, const domain::Placement& placement,
               const place::Snapshot& snapshot, const std::string& cluster_name,
               const render::Style& style) {
  if (output == kClusterOutput) {
    domain::Cluster cluster = snapshot.cluster();
    cluster.name = cluster_name;
    return {"cluster", "yaml", document::write_yaml(inventory::to_node(cluster))};
  }
  const auto formats = render::formats();
  const auto row = std::ranges::find(formats, output, &render::FormatRow::name);
  return {"placement", output == "text" ? "txt" : output, row->placement(placement, style)};
}

}  // namespace

Result<std::vector<domain::ResourceContract>> read_contracts(
    const std::vector<std::string>& given) {
  const Result<std::vector<std::string>> files = document_files(given);
  if (!files) return std::unexpected(files.error());
  std::vector<domain::ResourceContract> contracts;
  Diagnostics faults;
  for (const std::string& file : *files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      std::ranges::copy(documents.error(), std::back_inserter(faults));
      continue;
    }
    for (const document::Document& document : *documents) {
      Result<std::vector<domain::ResourceContract>> read = schema::read_contracts(document);
      if (!read) {
        std::ranges::copy(read.error(), std::back_inserter(faults));
      } else if (schema::kind_of(document) == "Advice" && !read->empty()) {
        contracts.push_back(std::move(read->front()));  // the best shape is the answer
      } else {
        std::ranges::move(*read, std::back_inserter(contracts));
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (contracts.empty()) {
    return failure("no contract to place", "an Advice whose shapes are all refused holds none");
  }
  return contracts;
}

Result<const place::PolicyRow*> policy_of(const Invocation& invocation) {
  if (invocation.policies.empty()) return &place::policies().front();
  const std::string& name = invocation.policies.front();
  if (const place::PolicyRow* row = place::find_policy(name)) return row;
  std::vector<std::string> names;
  for (const place::PolicyRow& row : place::policies()) names.emplace_back(row.name);
  return failure(
      fmt::format("--policy: '{}' is not known", name),
      suggestion(name, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
}

int run_place(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> files = invocation.files;
  std::ranges::copy(parsed.positionals, std::back_inserter(files));
  if (files.empty() || invocation.clusters.empty()) {
    return refuse({complaint("place needs contracts and a cluster",
                             "name them: -f CONTRACT --cluster INVENTORY")},
                  terminal);
  }
  std::vector<std::string> outputs = invocation.outputs;
  if (outputs.empty()) outputs.emplace_back("text");
  if (const Diagnostics faults = check_outputs(outputs); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> extensions;
  for (const std::string& output : outputs) {
    if (output == "text")
      extensions.emplace_back("txt");
    else
      extensions.emplace_back(output == "json" ? "json" : "yaml");
  }
  if (const Diagnostics faults = check_destination(invocation, extensions); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const bool is_exact =
      !invocation.policies.empty() && invocation.policies.front() == place::kExactPolicy;
  const Result<const place::PolicyRow*> policy =
      is_exact ? Result<const place::PolicyRow*>(&place::policies().front())
               : policy_of(invocation);
  if (!policy) return refuse(policy.error(), terminal);
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
  if (!loaded) return refuse(loaded.error(), terminal);
  const Result<std::vector<domain::ResourceContract>> contracts = read_contracts(files);
  if (!contracts) return refuse(contracts.error(), terminal);

  place::Snapshot snapshot(loaded->cluster, loaded->devices);
  const place::Expected expected = place::expected_requests(loaded->cluster, loaded->devices);
  const place::GoodnessWeights& weights = place::goodness_presets().front();
  domain::Placement placement;
  placement.cluster = loaded->cluster.name.empty() ? loaded->cluster.source : loaded->cluster.name;
  placement.policy = is_exact ? place::kExactPolicy : (*policy)->name;
  placement.goodness_preset = fmt::format("{} ({})", weights.name, weights.description);
  placement.distribution = expected.source;
  const place::DecideInput input{
      .devices = loaded->devices, .expected = expected, .policy = **policy, .weights = weights};
  if (is_exact) {
    placement.decisions = place::decide_jointly(snapshot, *contracts, input);
  } else {
    for (const domain::ResourceContract& contract : *contracts) {
      std::ranges::move(place::decide(snapshot, contract, input),
                        std::back_inserter(placement.decisions));
    }
  }
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  std::vector<Piece> pieces;
  pieces.reserve(outputs.size());
  for (const std::string& output : outputs) {
    pieces.push_back(piece_of(output, placement, snapshot, loaded->cluster.name, style));
  }
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  const bool has_text = std::ranges::find(outputs, "text") != outputs.end();
  if (!has_text) terminal.err << render::placement_verdict(placement);
  return std::ranges::all_of(placement.decisions, &domain::PlacementDecision::is_placed)
             ? kDone
             : kAnswerIsNo;
}

}  // namespace gpushape::cli
