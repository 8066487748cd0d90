// inventory show and check: what hosts and GPUs hold, and what contradicts itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/inventory_questions.hpp"
#include "place/check.hpp"
#include "place/snapshot.hpp"

namespace gpushape::cli::questions {
namespace {

using document::Node;
using render::Align;
using render::Page;
using render::Table;
using render::Tone;

std::string holders_of(const domain::Gpu& gpu) {
  std::vector<std::string> parts;
  parts.reserve(gpu.shares.size());
  for (const domain::SoftwareShare& share : gpu.shares) {
    parts.push_back(
        share.fraction ? fmt::format("{} of it: {}", render::percent(*share.fraction), share.holder)
                       : share.holder);
  }
  return fmt::format("shared: {}", fmt::join(parts, ", "));
}

/// What an empty GPU may become: its modes, and the label that keeps it for some.
std::string empty_words(const domain::Gpu& gpu) {
  std::vector<std::string_view> modes;
  modes.reserve(gpu.allowed_modes.size());
  for (const domain::GpuMode mode : gpu.allowed_modes) modes.push_back(name_of(mode));
  std::string text =
      modes.empty() ? std::string("empty") : fmt::format("empty: {}", fmt::join(modes, ", "));
  if (!gpu.label.empty()) text += fmt::format("; label {}", gpu.label);
  return text;
}

std::string holdings(const domain::Gpu& gpu) {
  if (gpu.has_failed) return "failed";
  if (!gpu.shares.empty()) return holders_of(gpu);
  if (gpu.allocations.empty()) return empty_words(gpu);
  std::map<std::string, int> counts;
  for (const domain::GpuAllocation& share : gpu.allocations) {
    ++counts[share.profile.empty() ? "passthrough" : share.profile];
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [profile, count] : counts) {
    parts.push_back(count == 1 ? profile : fmt::format("{} x {}", count, profile));
  }
  std::vector<std::string_view> vms;
  vms.reserve(gpu.allocations.size());
  for (const domain::GpuAllocation& share : gpu.allocations) vms.push_back(share.vm);
  return fmt::format("{}: {}", fmt::join(parts, ", "), fmt::join(vms, ", "));
}

/// "########....": a letter for each tenth of the device that is taken.
std::string bar(double idle) {
  constexpr int kCells = 10;
  const int taken = kCells - static_cast<int>(std::lround(idle * kCells));
  return std::string(static_cast<std::size_t>(taken), '#') +
         std::string(static_cast<std::size_t>(kCells - taken), '.');
}

/// Hosts and GPUs of each of several clusters, and of all.
void show_totals(Page& page, const Question& question, const place::Snapshot& snapshot) {
  std::vector<ClusterPart> parts = question.loaded.parts;
  parts.push_back({.name = "total", .first = 0, .hosts = snapshot.size()});
  Table table{.columns = {{"cluster", Align::Left},
                          {"hosts", Align::Right},
                          {"GPUs", Align::Right},
                          {"idle", Align::Right},
                          {"cores free", Align::Right},
                          {"GiB free", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const ClusterPart& part : parts) {
    std::size_t gpus = 0;
    double idle = 0;
    std::int64_t millicores = 0;
    Bytes memory;
    for (std::size_t host = part.first; host < part.first + part.hosts; ++host) {
      const place::HostRow& row = snapshot.row(host);
      gpus += row.gpus.size();
      if (!row.is_up) continue;
      for (const place::StateId state : row.gpus) idle += snapshot.states().idle(state);
      millicores += row.free_millicores;
      memory += Bytes(row.free_memory);
    }
    table.rows.push_back(
        {part.name, std::to_string(part.hosts), std::to_string(gpus), figure(idle),
         fmt::format("{:.0f}", static_cast<double>(millicores) / domain::kMillicoresPerCore),
         fmt::format("{:.0f}", memory.gib())});
  }
  page.blank();
  page.table(table);
}

}  // namespace

int show(const Question& question) {
  const domain::Cluster& cluster = question.loaded.cluster;
  if (!question.is_text()) {
    print(inventory::to_node(cluster), question.format, question.terminal);
    return kDone;
  }
  const place::Snapshot snapshot(cluster, question.loaded.devices);
  Page page = question.page();
  for (std::size_t host = 0; host < cluster.hosts.size(); ++host) {
    const domain::ClusterHost& row = cluster.hosts[host];
    page.blank();
    page.heading(fmt::format(
        "{}  {}  {:.4g} of {:.4g} cores free, {:.1f} of {:.1f} GiB free", row.name,
        name_of(row.state), static_cast<double>(row.millicores - row.used_millicores) / 1000,
        static_cast<double>(row.millicores) / 1000,
        (row.memory_bytes - row.used_memory_bytes).gib(), row.memory_bytes.gib()));
    if (!row.server.empty()) page.paragraph(fmt::format("a VM on {}", row.server), 2);
    Table table{.columns = {{"GPU", Align::Left},
                            {"device", Align::Left},
                            {"taken", Align::Left},
                            {"mode", Align::Left},
                            {"holds", Align::Left}},
                .rows = {},
                .ruled = {}};
    for (std::size_t i = 0; i < row.gpus.size(); ++i) {
      const domain::Gpu& gpu = row.gpus[i];
      std::string mode = gpu.mode ? std::string(name_of(*gpu.mode)) : "-";
      if (!gpu.profile.empty()) mode += " " + gpu.profile;
      table.rows.push_back({gpu.id, gpu.device,
                            bar(snapshot.states().idle(snapshot.row(host).gpus[i])), mode,
                            holdings(gpu)});
    }
    if (!table.rows.empty()) page.table(table);
    if (!row.link_domains.empty() && question.invocation.verbosity > 0) {
      std::vector<std::string> sets;
      sets.reserve(row.link_domains.size());
      for (const domain::LinkDomain& domain : row.link_domains) {
        sets.push_back(fmt::format("{}", fmt::join(domain.gpus, "+")));
      }
      page.paragraph(fmt::format("link domains: {}", fmt::join(sets, "  ")), 2);
    }
  }
  if (question.loaded.parts.size() > 1) show_totals(page, question, snapshot);
  question.terminal.out << page.text();
  return kDone;
}

int check(const Question& question) {
  const auto found = place::contradictions(question.loaded.cluster, question.loaded.devices);
  if (!question.is_text()) {
    Node node = new_document("InventoryCheck", question.loaded.cluster);
    Node& rows = node.set("contradictions", Node::sequence());
    for (const place::Contradiction& row : found) {
      Node& entry = rows.add(Node::mapping());
      entry.set("host", row.host);
      if (!row.subject.empty()) entry.set("subject", row.subject);
      entry.set("says", row.says);
    }
    print(node, question.format, question.terminal);
    return found.empty() ? kDone : kAnswerIsNo;
  }
  Page page = question.page();
  for (const place::Contradiction& row : found) {
    page.paragraph(row.subject.empty()
                       ? fmt::format("{}: {}", row.host, row.says)
                       : fmt::format("{}, {}: {}", row.host, row.subject, row.says));
  }
  page.paragraph(
      found.empty()
          ? "no contradiction"
          : fmt::format("{} found",
                        render::counted(static_cast<std::int64_t>(found.size()), "contradiction")),
      0, found.empty() ? Tone::Good : Tone::Bad);
  question.terminal.out << page.text();
  return found.empty() ? kDone : kAnswerIsNo;
}

}  // namespace gpushape::cli::questions
