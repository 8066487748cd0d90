// inventory usage: what is allocated and what is used, and what pausing idle holders would free.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/document_files.hpp"
#include "cli/inventory_questions.hpp"
#include "inventory/dcgm.hpp"
#include "place/usage.hpp"

namespace gpushape::cli {

Result<std::vector<domain::UsageSeries>> read_usage_series(const std::vector<std::string>& files) {
  std::vector<domain::UsageSeries> all;
  Diagnostics faults;
  for (const std::string& file : files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      std::ranges::copy(documents.error(), std::back_inserter(faults));
      continue;
    }
    for (const document::Document& document : *documents) {
      Result<std::vector<domain::UsageSeries>> read = inventory::read_usage(document);
      if (read) {
        std::ranges::move(*read, std::back_inserter(all));
      } else {
        std::ranges::copy(read.error(), std::back_inserter(faults));
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  return all;
}

}  // namespace gpushape::cli

namespace gpushape::cli::questions {
namespace {

using document::Node;
using place::HolderUsage;
using place::UsageTotal;
using render::Align;
using render::Page;
using render::Table;
using render::Tone;

/// "2025-09-16T10:12:01Z".
std::string time_text(double seconds) {
  using namespace std::chrono;
  const sys_seconds time{std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds)))};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string since_text(const std::optional<double>& since, bool is_throughout) {
  if (!since) return "-";
  return (is_throughout ? "before " : "") + time_text(*since);
}

/// Each of the clusters that were read together.
std::vector<UsageTotal> by_cluster(const place::Usage& usage, const LoadedCluster& loaded) {
  std::vector<UsageTotal> totals;
  for (const ClusterPart& part : loaded.parts) {
    UsageTotal total;
    total.name = part.name;
    for (const place::GpuUsage& gpu : usage.gpus) {
      if (!part.has(gpu.host)) continue;
      total.gpus += 1;
      total.allocated_gpus += gpu.allocated;
      if (!gpu.activity) continue;
      total.measured_gpus += gpu.allocated;
      total.work_gpus += gpu.activity->mean;
    }
    totals.push_back(std::move(total));
  }
  return totals;
}

void set_idle(Node& node, const std::optional<double>& since, bool is_throughout) {
  if (!since) return;
  node.set("idleSince", time_text(*since));
  if (is_throughout) node.set("idleThroughout", true);
}

Node total_node(const UsageTotal& total) {
  Node node = Node::mapping();
  node.set("name", total.name);
  if (total.gpus > 0) node.set("gpus", total.gpus);
  node.set("allocatedGpus", total.allocated_gpus);
  node.set("measuredGpus", total.measured_gpus);
  node.set("workGpus", total.work_gpus);
  return node;
}

Node gpu_node(const place::GpuUsage& usage, const domain::Cluster& cluster) {
  const domain::ClusterHost& host = cluster.hosts[usage.host];
  Node node = Node::mapping();
  node.set("host", host.name);
  node.set("gpu", host.gpus[static_cast<std::size_t>(usage.gpu)].id);
  node.set("device", host.gpus[static_cast<std::size_t>(usage.gpu)].device);
  node.set("allocated", usage.allocated);
  if (usage.activity) {
    node.set("active", usage.activity->mean);
    set_idle(node, usage.activity->idle_since, usage.activity->is_idle_throughout);
  }
  if (usage.used_bytes) node.set("usedBytes", *usage.used_bytes);
  Node& holders = node.set("holders", Node::sequence());
  for (const std::string& holder : usage.holders) holders.add(holder);
  return node;
}

Node holder_node(const HolderUsage& holder, const domain::Cluster& cluster) {
  Node node = Node::mapping();
  node.set("name", holder.name);
  if (!holder.team.empty()) node.set("team", holder.team);
  node.set("host", cluster.hosts[holder.host].name);
  node.set("allocatedGpus", holder.allocated_gpus);
  node.set("measuredGpus", holder.measured_gpus);
  if (holder.measured_gpus > 0) node.set("workGpus", holder.work_gpus);
  if (holder.is_divided) node.set("workIsDivided", true);
  set_idle(node, holder.idle_since, holder.is_idle_throughout);
  if (holder.is_idle()) {
    Node& frees = node.set("pausingFrees", Node::mapping());
    frees.set("gpus", holder.allocated_gpus);
    frees.set("cores", static_cast<double>(holder.millicores) / domain::kMillicoresPerCore);
    frees.set("memoryBytes", holder.memory_bytes);
  }
  return node;
}

Node usage_node(const Question& question, const place::Usage& usage) {
  const domain::Cluster& cluster = question.loaded.cluster;
  Node node = new_document("Usage", cluster);
  node.set("from", time_text(usage.first_seconds));
  node.set("to", time_text(usage.last_seconds));
  node.set("idleBelow", place::kIdleBelow);
  Node& gpus = node.set("gpus", Node::sequence());
  for (const place::GpuUsage& gpu : usage.gpus) gpus.add(gpu_node(gpu, cluster));
  Node& holders = node.set("holders", Node::sequence());
  for (const HolderUsage& holder : usage.holders) holders.add(holder_node(holder, cluster));
  Node& teams = node.set("teams", Node::sequence());
  for (const UsageTotal& team : usage.teams) teams.add(total_node(team));
  Node& clusters = node.set("clusters", Node::sequence());
  for (const UsageTotal& total : by_cluster(usage, question.loaded))
    clusters.add(total_node(total));
  Node total = total_node(usage.total);
  node.set("total", std::move(total));
  if (!usage.unknown.empty()) {
    Node& unknown = node.set("unknownGpus", Node::sequence());
    for (const std::string& gpu : usage.unknown) unknown.add(gpu);
  }
  return node;
}

std::string percent_of(double part, double whole) {
  return whole > 0 ? render::percent(part / whole) : std::string("-");
}

void show_gpus(Page& page, const place::Usage& usage, const domain::Cluster& cluster) {
  Table table{.columns = {{"host", Align::Left},
                          {"GPU", Align::Left},
                          {"allocated", Align::Right},
                          {"used", Align::Right},
                          {"GiB used", Align::Right},
                          {"idle since", Align::Left}},
              .rows = {},
              .ruled = {}};
  for (const place::GpuUsage& gpu : usage.gpus) {
    const domain::ClusterHost& host = cluster.hosts[gpu.host];
    table.rows.push_back(
        {host.name, host.gpus[static_cast<std::size_t>(gpu.gpu)].id, render::percent(gpu.allocated),
         gpu.activity ? render::percent(gpu.activity->mean) : std::string("not measured"),
         gpu.used_bytes ? fmt::format("{:.1f}", gpu.used_bytes->gib()) : std::string("-"),
         gpu.activity ? since_text(gpu.activity->idle_since, gpu.activity->is_idle_throughout)
                      : std::string("-")});
  }
  page.table(table);
}

void show_holders(Page& page, const place::Usage& usage) {
  Table table{.columns = {{"holder", Align::Left},
                          {"team", Align::Left},
                          {"allocated", Align::Right},
                          {"work", Align::Right},
                          {"idle since", Align::Left}},
              .rows = {},
              .ruled = {}};
  for (const HolderUsage& holder : usage.holders) {
    table.rows.push_back(
        {holder.name, holder.team.empty() ? "-" : holder.team, figure(holder.allocated_gpus),
         holder.measured_gpus > 0 ? figure(holder.work_gpus) + (holder.is_divided ? " *" : "")
                                  : std::string("not measured"),
         since_text(holder.idle_since, holder.is_idle_throughout)});
  }
  if (table.rows.empty()) return;
  page.blank();
  page.table(table);
  if (std::ranges::any_of(usage.holders, &HolderUsage::is_divided)) {
    page.paragraph("* of a GPU that several hold and that is measured as a whole: by their shares",
                   2, Tone::Faint);
  }
}

void show_totals(Page& page, const std::string& head, const std::vector<UsageTotal>& totals) {
  Table table{.columns = {{head, Align::Left},
                          {"GPUs", Align::Right},
                          {"allocated", Align::Right},
                          {"measured", Align::Right},
                          {"work", Align::Right},
                          {"of measured", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const UsageTotal& total : totals) {
    table.rows.push_back({total.name.empty() ? "-" : total.name,
                          total.gpus > 0 ? fmt::format("{:.0f}", total.gpus) : std::string("-"),
                          figure(total.allocated_gpus), figure(total.measured_gpus),
                          figure(total.work_gpus),
                          percent_of(total.work_gpus, total.measured_gpus)});
  }
  page.blank();
  page.table(table);
}

void show_idle(Page& page, const place::Usage& usage) {
  std::vector<const HolderUsage*> idle;
  for (const HolderUsage& holder : usage.holders) {
    if (holder.is_idle()) idle.push_back(&holder);
  }
  if (idle.empty()) return;
  std::ranges::stable_sort(idle, [](const HolderUsage* a, const HolderUsage* b) {
    return a->allocated_gpus > b->allocated_gpus;
  });
  Table table{.columns = {{"pausing", Align::Left},
                          {"frees GPUs", Align::Right},
                          {"cores", Align::Right},
                          {"GiB", Align::Right}},
              .rows = {},
              .ruled = {}};
  double sum = 0;
  for (const HolderUsage* const holder : idle) {
    sum += holder->allocated_gpus;
    table.rows.push_back({holder->name, figure(holder->allocated_gpus),
                          fmt::format("{:.4g}", static_cast<double>(holder->millicores) /
                                                    domain::kMillicoresPerCore),
                          fmt::format("{:.1f}", holder->memory_bytes.gib())});
  }
  page.blank();
  page.table(table);
  page.paragraph(
      fmt::format("{} idle at the end of the window; pausing them all frees {:.2f} GPUs.",
                  render::counted(static_cast<std::int64_t>(idle.size()), "holder"), sum));
}

void show_usage(Page& page, const Question& question, const place::Usage& usage) {
  page.paragraph(fmt::format("Telemetry from {} to {}; idle is below {} of the time.",
                             time_text(usage.first_seconds), time_text(usage.last_seconds),
                             render::percent(place::kIdleBelow)));
  page.blank();
  show_gpus(page, usage, question.loaded.cluster);
  show_holders(page, usage);
  if (!usage.teams.empty()) show_totals(page, "team", usage.teams);
  if (question.loaded.parts.size() > 1) {
    show_totals(page, "cluster", by_cluster(usage, question.loaded));
  }
  show_idle(page, usage);
  for (const std::string& gpu : usage.unknown) {
    page.paragraph(fmt::format("{}: telemetry names it, and the inventory lacks it", gpu));
  }
  page.blank();
  const UsageTotal& total = usage.total;
  page.paragraph(
      total.measured_gpus > 0
          ? fmt::format("{:.4g} allocated GPUs at {} do the work of {:.2f}. {:.4g} of {:.0f} GPUs "
                        "are allocated.",
                        total.measured_gpus, percent_of(total.work_gpus, total.measured_gpus),
                        total.work_gpus, total.allocated_gpus, total.gpus)
          : std::string("No allocated GPU is measured."),
      0, Tone::Plain);
}

}  // namespace

int usage(const Question& question) {
  const Result<std::vector<domain::UsageSeries>> series =
      read_usage_series(question.invocation.usage_files);
  if (!series) return refuse(series.error(), question.terminal);
  const place::Snapshot snapshot(question.loaded.cluster, question.loaded.devices);
  const place::Usage usage = place::usage_of(snapshot, question.loaded.cluster, *series);
  if (!question.is_text()) {
    print(usage_node(question, usage), question.format, question.terminal);
    return kDone;
  }
  Page page = question.page();
  show_usage(page, question, usage);
  question.terminal.out << page.text();
  return kDone;
}

}  // namespace gpushape::cli::questions
