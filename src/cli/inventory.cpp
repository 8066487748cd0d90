// gpushape inventory: questions about one cluster.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "inventory/cluster_file.hpp"
#include "place/check.hpp"
#include "place/decide.hpp"
#include "place/defragment.hpp"
#include "place/demand.hpp"
#include "place/failover.hpp"
#include "place/fragmentation.hpp"
#include "render/words.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using document::Node;
using render::Align;
using render::Page;
using render::Table;
using render::Tone;

struct Question {
  const LoadedCluster& loaded;
  const Invocation& invocation;
  const Terminal& terminal;
  std::string format;

  [[nodiscard]] Page page() const {
    return Page(style_for(terminal, invocation.color, invocation.verbosity));
  }
  [[nodiscard]] bool is_text() const { return format == "text"; }
};

Node new_document(std::string_view kind, const domain::Cluster& cluster) {
  Node node = Node::mapping();
  node.set("apiVersion", schema::kApiVersion);
  node.set("kind", kind);
  if (!cluster.name.empty()) node.set("cluster", cluster.name);
  return node;
}

std::string figure(double value) { return fmt::format("{:.2f}", value); }

// ---- show

std::string holdings(const domain::Gpu& gpu) {
  if (gpu.has_failed) return "failed";
  if (gpu.allocations.empty()) return "empty";
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
  question.terminal.out << page.text();
  return kDone;
}

// ---- check

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

// ---- fragmentation

struct FragmentationAnswer {
  place::Expected expected;
  place::Fragmentation total;
  std::vector<place::Fragmentation> hosts;
  std::vector<place::PaperCapacity> paper;
};

Node fragmentation_node(const Question& question, const FragmentationAnswer& answer) {
  const domain::Cluster& cluster = question.loaded.cluster;
  Node node = new_document("Fragmentation", cluster);
  node.set("distribution", answer.expected.source);
  node.set("idleGpus", answer.total.idle);
  node.set("touchGpus", answer.total.touch);
  node.set("fillGpus", answer.total.fill);
  Node& shapes = node.set("shapes", Node::sequence());
  for (std::size_t i = 0; i < answer.expected.shapes.size(); ++i) {
    const place::ShapeFragmentation& shape = answer.total.shapes[i];
    Node& row = shapes.add(Node::mapping());
    row.set("shape", place::words_of(answer.expected.shapes[i].second));
    row.set("probability", answer.expected.shapes[i].first);
    row.set("slots", shape.slots);
    row.set("touchGpus", shape.touch);
    row.set("fillGpus", shape.fill);
  }
  Node& hosts = node.set("hosts", Node::sequence());
  for (std::size_t i = 0; i < answer.hosts.size(); ++i) {
    Node& row = hosts.add(Node::mapping());
    row.set("host", cluster.hosts[i].name);
    row.set("idleGpus", answer.hosts[i].idle);
    row.set("touchGpus", answer.hosts[i].touch);
    row.set("fillGpus", answer.hosts[i].fill);
  }
  Node& paper = node.set("onPaper", Node::sequence());
  for (const place::PaperCapacity& row : answer.paper) {
    Node& entry = paper.add(Node::mapping());
    entry.set("host", cluster.hosts[row.host].name);
    entry.set("gpu", cluster.hosts[row.host].gpus[static_cast<std::size_t>(row.gpu)].id);
    entry.set("idleGpus", row.idle);
    Node& blockers = entry.set("blockedBy", Node::sequence());
    for (const std::string& vm : row.blockers) blockers.add(vm);
  }
  return node;
}

void show_fragmentation(Page& page, const Question& question, const FragmentationAnswer& answer) {
  const domain::Cluster& cluster = question.loaded.cluster;
  const auto share = [&](double lost) {
    return answer.total.idle <= 0 ? 0.0 : lost / answer.total.idle;
  };
  page.paragraph(fmt::format("Next requests: {}.", answer.expected.source));
  page.paragraph(fmt::format(
      "{:.2f} GPUs are idle. Out of reach for the next request: {:.2f} by touch ({}), {:.2f} by "
      "fill ({}).",
      answer.total.idle, answer.total.touch, render::percent(share(answer.total.touch)),
      answer.total.fill, render::percent(share(answer.total.fill))));
  page.blank();
  Table shapes{.columns = {{"shape", Align::Left},
                           {"probability", Align::Right},
                           {"slots", Align::Right},
                           {"touch", Align::Right},
                           {"fill", Align::Right}},
               .rows = {},
               .ruled = {}};
  for (std::size_t i = 0; i < answer.expected.shapes.size(); ++i) {
    const place::ShapeFragmentation& shape = answer.total.shapes[i];
    shapes.rows.push_back({place::words_of(answer.expected.shapes[i].second),
                           fmt::format("{:.3f}", answer.expected.shapes[i].first),
                           render::grouped(shape.slots), figure(shape.touch), figure(shape.fill)});
  }
  page.table(shapes);
  page.blank();
  constexpr std::size_t kMostHosts = 20;  // ours: the worst ones; -v lists all
  std::vector<std::size_t> order(answer.hosts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t host) { return answer.hosts[host].touch; });
  Table hosts{.columns = {{"host", Align::Left},
                          {"idle", Align::Right},
                          {"touch", Align::Right},
                          {"fill", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const std::size_t host : order) {
    if (hosts.rows.size() == kMostHosts && question.invocation.verbosity <= 0) break;
    hosts.rows.push_back({cluster.hosts[host].name, figure(answer.hosts[host].idle),
                          figure(answer.hosts[host].touch), figure(answer.hosts[host].fill)});
  }
  page.table(hosts);
  page.blank();
  double on_paper = 0;
  for (const place::PaperCapacity& row : answer.paper) on_paper += row.idle;
  page.paragraph(
      fmt::format("Capacity on paper: {:.2f} idle GPUs that no expected shape can use.", on_paper));
  for (const place::PaperCapacity& row : answer.paper) {
    const domain::ClusterHost& host = cluster.hosts[row.host];
    page.paragraph(
        fmt::format("{} {}: {:.2f} idle, blocked by {}", host.name,
                    host.gpus[static_cast<std::size_t>(row.gpu)].id, row.idle,
                    row.blockers.empty() ? std::string("its CPU, memory or mode")
                                         : fmt::format("{}", fmt::join(row.blockers, ", "))),
        2);
  }
}

int fragmentation(const Question& question) {
  const place::Snapshot snapshot(question.loaded.cluster, question.loaded.devices);
  FragmentationAnswer answer{
      .expected = place::expected_requests(question.loaded.cluster, question.loaded.devices),
      .total = {},
      .hosts = {},
      .paper = {}};
  const place::Distribution distribution = snapshot.compile(answer.expected.shapes);
  answer.total = place::fragmentation_of(snapshot, distribution);
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    answer.hosts.push_back(place::fragmentation_of(
        snapshot.states(), place::view_of(snapshot.row(host)), distribution));
  }
  answer.paper = place::capacity_on_paper(snapshot, distribution);
  if (!question.is_text()) {
    print(fragmentation_node(question, answer), question.format, question.terminal);
    return kDone;
  }
  Page page = question.page();
  show_fragmentation(page, question, answer);
  question.terminal.out << page.text();
  return kDone;
}

// ---- failover

std::string_view words_of(place::Answer answer) {
  switch (answer) {
    case place::Answer::Yes:
      return "yes";
    case place::Answer::No:
      return "no";
    case place::Answer::NotKnown:
      return "not known";
  }
  return "not known";
}

Node failover_node(const place::HostFailover& result, const place::Snapshot& snapshot,
                   std::size_t host) {
  Node node = Node::mapping();
  node.set("host", snapshot.host(host).name);
  node.set("vms", static_cast<int>(result.vms.size()));
  Node& pinned = node.set("pinned", Node::sequence());
  for (const std::string& vm : result.pinned) pinned.add(vm);
  node.set("allRestart", words_of(result.joint.answer));
  node.set("cpuAndMemorySuffice", result.cpu_and_memory_suffice);
  Node& restarts = node.set("restarts", Node::sequence());
  for (const place::Restart& restart : result.joint.restarts) {
    Node& row = restarts.add(Node::mapping());
    row.set("vm", restart.vm);
    row.set("host", snapshot.host(restart.host).name);
    Node& gpus = row.set("gpus", Node::sequence());
    for (const int gpu : place::gpus_of(restart.option.gpus)) gpus.add(gpu);
    row.set("start", restart.option.start);
  }
  return node;
}

int failover(const Question& question) {
  const place::Snapshot snapshot(question.loaded.cluster, question.loaded.devices);
  Node node = new_document("Failover", question.loaded.cluster);
  Node& rows = node.set("hosts", Node::sequence());
  Table table{.columns = {{"host", Align::Left},
                          {"VMs", Align::Right},
                          {"pinned", Align::Right},
                          {"all restart", Align::Left},
                          {"CPU and memory alone", Align::Left}},
              .rows = {},
              .ruled = {}};
  bool is_absorbed = true;
  std::vector<std::string> blind;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (!snapshot.row(host).is_up) continue;
    const place::HostFailover result = place::failover_of(snapshot, host);
    rows.add(failover_node(result, snapshot, host));
    is_absorbed = is_absorbed && result.joint.answer == place::Answer::Yes && result.pinned.empty();
    table.rows.push_back({snapshot.host(host).name, std::to_string(result.vms.size()),
                          std::to_string(result.pinned.size()),
                          std::string(words_of(result.joint.answer)),
                          result.cpu_and_memory_suffice ? "suffice" : "do not suffice"});
    if (result.joint.answer == place::Answer::No && result.cpu_and_memory_suffice) {
      blind.push_back(snapshot.host(host).name);
    }
  }
  if (!question.is_text()) {
    print(node, question.format, question.terminal);
    return is_absorbed ? kDone : kAnswerIsNo;
  }
  Page page = question.page();
  page.table(table);
  page.blank();
  for (const std::string& host : blind) {
    page.paragraph(fmt::format(
        "{}: admission control that reserves CPU and memory would count its VMs as covered, and no "
        "surviving host has the devices.",
        host));
  }
  page.paragraph(is_absorbed ? "Any one host may fail: every VM restarts elsewhere."
                             : "Not every VM restarts when its host fails.",
                 0, is_absorbed ? Tone::Good : Tone::Bad);
  question.terminal.out << page.text();
  return is_absorbed ? kDone : kAnswerIsNo;
}

// ---- defragment

Node move_node(const place::Move& move, const place::Snapshot& snapshot) {
  Node row = Node::mapping();
  row.set("vm", move.vm);
  row.set("from", snapshot.host(move.from).name);
  row.set("to", snapshot.host(move.to).name);
  Node& gpus = row.set("gpus", Node::sequence());
  for (const int gpu : place::gpus_of(move.option.gpus)) gpus.add(gpu);
  row.set("start", move.option.start);
  if (move.pause_seconds) row.set("pauseSeconds", *move.pause_seconds);
  return row;
}

void show_plan(Page& page, const place::DefragmentPlan& plan, const place::Snapshot& snapshot,
               const domain::PlacementRequest& request) {
  if (plan.answer != place::Answer::Yes) {
    page.paragraph(plan.answer == place::Answer::No
                       ? fmt::format("{}: no {} moves make it placeable.", place::words_of(request),
                                     plan.most_moves)
                       : fmt::format("{}: not known; the search stopped at its bound.",
                                     place::words_of(request)),
                   0, Tone::Bad);
    return;
  }
  if (plan.moves.empty()) {
    page.paragraph(fmt::format("{} fits {} as it is.", place::words_of(request),
                               snapshot.host(plan.host).name),
                   0, Tone::Good);
    return;
  }
  Table table{.columns = {{"VM", Align::Left},
                          {"from", Align::Left},
                          {"to", Align::Left},
                          {"GPUs", Align::Left},
                          {"pause s", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const place::Move& move : plan.moves) {
    table.rows.push_back({move.vm, snapshot.host(move.from).name, snapshot.host(move.to).name,
                          fmt::format("{}", fmt::join(place::gpus_of(move.option.gpus), ", ")),
                          move.pause_seconds ? fmt::format("{:.1f}", *move.pause_seconds)
                                             : std::string("not known")});
  }
  page.table(table);
  page.blank();
  page.paragraph(
      fmt::format("Then {} fits {}, GPUs {}.", place::words_of(request),
                  snapshot.host(plan.host).name, fmt::join(place::gpus_of(plan.option.gpus), ", ")),
      0, Tone::Good);
}

int defragment(const Question& question) {
  const Result<std::vector<domain::ResourceContract>> contracts =
      read_contracts(question.invocation.files);
  if (!contracts) return refuse(contracts.error(), question.terminal);
  const place::Snapshot snapshot(question.loaded.cluster, question.loaded.devices);
  Node node = new_document("DefragmentPlan", question.loaded.cluster);
  Node& plans = node.set("plans", Node::sequence());
  Page page = question.page();
  bool is_placeable = true;
  for (const domain::ResourceContract& contract : *contracts) {
    const domain::PlacementRequest request =
        place::request_of(contract, contract.shape, question.loaded.devices);
    const place::DefragmentPlan plan =
        place::defragment(snapshot, snapshot.compile(request), question.loaded.cluster.vms);
    is_placeable = is_placeable && plan.answer == place::Answer::Yes;
    show_plan(page, plan, snapshot, request);
    Node& entry = plans.add(Node::mapping());
    entry.set("contract", contract.name);
    entry.set("placeable", words_of(plan.answer));
    Node& moves = entry.set("moves", Node::sequence());
    for (const place::Move& move : plan.moves) moves.add(move_node(move, snapshot));
    if (plan.answer == place::Answer::Yes) entry.set("host", snapshot.host(plan.host).name);
  }
  if (question.is_text()) {
    question.terminal.out << page.text();
  } else {
    print(node, question.format, question.terminal);
  }
  return is_placeable ? kDone : kAnswerIsNo;
}

struct WordRow {
  std::string_view word;
  int (*run)(const Question&);
};
constexpr auto kWords = std::to_array<WordRow>({
    {"show", show},
    {"check", check},
    {"fragmentation", fragmentation},
    {"failover", failover},
    {"defragment", defragment},
});

}  // namespace

int run_inventory(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> words;
  words.reserve(kWords.size());
  for (const WordRow& row : kWords) words.emplace_back(row.word);
  const Result<std::string> word = question_of(parsed, "inventory", words);
  if (!word) return refuse(word.error(), terminal);
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  std::vector<std::string> paths = invocation.clusters;
  paths.insert(paths.end(), parsed.positionals.begin() + 1, parsed.positionals.end());
  if (paths.empty()) {
    return refuse({complaint(fmt::format("inventory {} needs an INVENTORY", *word),
                             "name a Cluster document, a folder of them, or - for standard input")},
                  terminal);
  }
  if (*word == "defragment" && invocation.files.empty()) {
    return refuse({complaint("inventory defragment needs a contract",
                             "name what should become placeable: -f CONTRACT")},
                  terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<LoadedCluster> loaded = load_cluster(paths, *profiles);
  if (!loaded) return refuse(loaded.error(), terminal);
  const auto row = std::ranges::find(kWords, *word, &WordRow::word);
  return row->run(
      {.loaded = *loaded, .invocation = invocation, .terminal = terminal, .format = *format});
}

}  // namespace gpushape::cli
