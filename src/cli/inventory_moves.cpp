// inventory failover and defragment: what can restart or move elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/inventory_questions.hpp"
#include "place/decide.hpp"
#include "place/defragment.hpp"
#include "place/demand.hpp"
#include "place/failover.hpp"

namespace gpushape::cli::questions {
namespace {

using document::Node;
using render::Align;
using render::Page;
using render::Table;
using render::Tone;

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

}  // namespace

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

int defragment(const Question& question) {
  const Result<std::vector<domain::ResourceContract>> contracts =
      read_contracts(question.invocation.files, question.invocation);
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

}  // namespace gpushape::cli::questions
