// inventory fragmentation: idle capacity that requests to come cannot use.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/inventory_questions.hpp"
#include "place/decide.hpp"
#include "place/demand.hpp"
#include "place/fragmentation.hpp"
#include "place/paper_capacity.hpp"

namespace gpushape::cli::questions {
namespace {

using document::Node;
using render::Align;
using render::Page;
using render::Table;

constexpr std::size_t kMostHosts = 20;  // ours: the worst ones; -v lists all

struct FragmentationAnswer {
  place::Expected expected;
  place::Fragmentation total;
  std::vector<place::Fragmentation> hosts;
  std::vector<place::PaperCapacity> paper;
};

/// Of one of the clusters that were read together.
place::Fragmentation sum_of(const ClusterPart& part, const FragmentationAnswer& answer) {
  place::Fragmentation sum;
  for (std::size_t host = 0; host < answer.hosts.size(); ++host) {
    if (!part.has(host)) continue;
    sum.idle += answer.hosts[host].idle;
    sum.touch += answer.hosts[host].touch;
    sum.fill += answer.hosts[host].fill;
  }
  return sum;
}

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
    entry.set("reason", name_of(row.refusal));
    Node& blockers = entry.set("blockedBy", Node::sequence());
    for (const std::string& vm : row.blockers) blockers.add(vm);
  }
  if (question.loaded.parts.size() < 2) return node;
  Node& clusters = node.set("clusters", Node::sequence());
  for (const ClusterPart& part : question.loaded.parts) {
    const place::Fragmentation sum = sum_of(part, answer);
    Node& row = clusters.add(Node::mapping());
    row.set("name", part.name);
    row.set("idleGpus", sum.idle);
    row.set("touchGpus", sum.touch);
    row.set("fillGpus", sum.fill);
  }
  return node;
}

void show_clusters(Page& page, const Question& question, const FragmentationAnswer& answer) {
  if (question.loaded.parts.size() < 2) return;
  Table table{.columns = {{"cluster", Align::Left},
                          {"idle", Align::Right},
                          {"touch", Align::Right},
                          {"fill", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const ClusterPart& part : question.loaded.parts) {
    const place::Fragmentation sum = sum_of(part, answer);
    table.rows.push_back({part.name, figure(sum.idle), figure(sum.touch), figure(sum.fill)});
  }
  page.table(table);
  page.blank();
}

std::string_view says_of(domain::Refusal refusal) {
  const auto& rows = kNames<domain::Refusal>;
  return std::ranges::find(rows, refusal, &NameRow<domain::Refusal>::value)->description;
}

/// GPUs of one host that the same rule and the same VMs keep idle are one row.
void show_paper(Page& page, const Question& question,
                const std::vector<place::PaperCapacity>& paper) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < paper.size();) {
    const place::PaperCapacity& first = paper[i];
    const domain::ClusterHost& host = question.loaded.cluster.hosts[first.host];
    std::vector<std::string> gpus;
    double idle = 0;
    for (; i < paper.size() && paper[i].host == first.host && paper[i].refusal == first.refusal &&
           paper[i].blockers == first.blockers;
         ++i) {
      gpus.push_back(host.gpus[static_cast<std::size_t>(paper[i].gpu)].id);
      idle += paper[i].idle;
    }
    if (rows++ == kMostHosts && question.invocation.verbosity <= 0) {
      page.paragraph("and more: -v lists them", 2, render::Tone::Faint);
      return;
    }
    page.paragraph(
        fmt::format("{}, {}: {:.2f} idle; {}: {}{}", host.name,
                    gpus.size() > 2 ? fmt::format("{} to {}", gpus.front(), gpus.back())
                                    : fmt::format("{}", fmt::join(gpus, ", ")),
                    idle, name_of(first.refusal), says_of(first.refusal),
                    first.blockers.empty()
                        ? std::string()
                        : fmt::format("; blocked by {}", fmt::join(first.blockers, ", "))),
        2);
  }
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
                           grouped(shape.slots), figure(shape.touch), figure(shape.fill)});
  }
  page.table(shapes);
  page.blank();
  show_clusters(page, question, answer);
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
  show_paper(page, question, answer.paper);
}

}  // namespace

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

}  // namespace gpushape::cli::questions
