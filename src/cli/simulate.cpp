// gpushape simulate: a trace replayed under one or several policies, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"
#include "inventory/traces.hpp"
#include "place/decide.hpp"
#include "render/line_chart.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"
#include "simulate/replay.hpp"
#include "simulate/task_replay.hpp"
#include "simulate/vm_replay.hpp"

namespace gpushape::cli {
namespace {

using document::Node;
using render::Align;

std::string percent(double share) { return fmt::format("{:.2f}", 100 * share); }

/// What a replay has to say, in every form.
struct Report {
  Node node;
  render::Table table;
  std::vector<std::string> lines;  ///< below the table
  std::string remark;
  std::string csv;
  std::vector<render::Chart> charts;
};

Node header(const Invocation& invocation) {
  Node node = schema::new_document("Simulation");
  node.set("trace", invocation.trace);
  return node;
}

/// The rows whose names were asked for; all of them where none was.
template <class Row>
Result<std::vector<const Row*>> chosen_policies(std::span<const Row> rows,
                                                const std::vector<std::string>& wanted) {
  std::vector<const Row*> chosen;
  std::vector<std::string> names;
  for (const Row& row : rows) {
    names.emplace_back(row.name);
    if (wanted.empty()) chosen.push_back(&row);
  }
  for (const std::string& name : wanted) {
    const auto row = std::ranges::find(rows, name, &Row::name);
    if (row == rows.end()) {
      return failure(
          fmt::format("--policy: '{}' is not known", name),
          suggestion(name, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
    }
    chosen.push_back(&*row);
  }
  return chosen;
}

// ---- tasks on shared GPUs

constexpr double kChartStep = 0.01;  // of the GPU capacity

void add_task_points(const std::vector<simulate::TaskReplayPoint>& points,
                     const std::string& policy, Node& row, Report& report) {
  Node& list = row.set("points", Node::sequence());
  render::ChartLine line{.name = policy, .points = {}};
  for (const simulate::TaskReplayPoint& point : points) {
    Node& entry = list.add(Node::mapping());
    entry.set("arrivedShare", point.arrived);
    entry.set("allocatedShare", point.allocated);
    entry.set("placed", point.placed);
    entry.set("rejected", point.rejected);
    line.points.emplace_back(100 * point.arrived, 100 * point.allocated);
    report.csv += fmt::format("{},{:.6f},{:.6f},{},{}\n", policy, point.arrived, point.allocated,
                              point.placed, point.rejected);
  }
  report.charts.front().lines.push_back(std::move(line));
}

Result<Report> simulate_tasks(const std::vector<domain::SharedTask>& tasks,
                              const Invocation& invocation) {
  if (invocation.clusters.size() != 1) {
    return failure("a task list is replayed on one node list", "name it: --cluster nodes.csv");
  }
  const std::string& file = invocation.clusters.front();
  const Result<std::string> text = document::read_file(file);
  if (!text) return std::unexpected(text.error());
  const Result<std::vector<domain::SharedNode>> nodes = inventory::read_node_list(*text, file);
  if (!nodes) return std::unexpected(nodes.error());
  const auto policies = chosen_policies(place::shared_policies(), invocation.policies);
  if (!policies) return std::unexpected(policies.error());

  const double last = invocation.arrivals_percent / 100;
  std::vector<double> arrivals;
  for (double share = kChartStep; share < last; share += kChartStep) arrivals.push_back(share);
  arrivals.push_back(last);
  Report report;
  report.node = header(invocation);
  report.node.set("seed", invocation.seed);
  Node& rows = report.node.set("policies", Node::sequence());
  report.table.columns = {{"policy", Align::Left},
                          {"arrived %", Align::Right},
                          {"allocated %", Align::Right},
                          {"placed", Align::Right},
                          {"rejected", Align::Right}};
  report.csv = "policy,arrivedShare,allocatedShare,placed,rejected\n";
  report.charts.push_back({.title = invocation.trace,
                           .x_title = "GPU demand arrived, % of the capacity",
                           .y_title = "allocated, %",
                           .lines = {}});
  for (const place::SharedPolicyRow* policy : *policies) {
    const auto points = simulate::replay_tasks(
        *nodes, tasks, *policy, static_cast<std::uint64_t>(invocation.seed), arrivals);
    if (points.empty()) {
      return failure("nothing to simulate: no GPU in the node list, or no GPU asked for");
    }
    const simulate::TaskReplayPoint& point = points.back();
    const std::string name(policy->name);
    report.table.rows.push_back({name, percent(point.arrived), percent(point.allocated),
                                 std::to_string(point.placed), std::to_string(point.rejected)});
    Node& row = rows.add(Node::mapping());
    row.set("policy", name);
    row.set("arrivedShare", point.arrived);
    row.set("allocatedShare", point.allocated);
    row.set("placed", point.placed);
    row.set("rejected", point.rejected);
    add_task_points(points, name, row, report);
  }
  return report;
}

// ---- VMs on hosts with modes

Node vm_row(const simulate::VmReplay& replay) {
  Node row = Node::mapping();
  row.set("policy", replay.policy);
  row.set("arrived", replay.arrived);
  row.set("placed", replay.placed);
  row.set("rejected", replay.rejected);
  row.set("acceptedShare", replay.accepted_gpu_share);
  row.set("acceptedTimeShare", replay.accepted_gpu_time_share);
  row.set("meanIdleGpus", replay.mean_idle);
  row.set("meanTouchGpus", replay.mean_touch);
  row.set("meanFillGpus", replay.mean_fill);
  row.set("avoidableRejections", replay.avoidable);
  row.set("perhapsAvoidableRejections", replay.perhaps_avoidable);
  Node& reasons = row.set("rejectedBy", Node::mapping());
  for (const auto& [refusal, count] : replay.rejected_by) {
    reasons.set(std::string(name_of(refusal)), count);
  }
  Node& points = row.set("points", Node::sequence());
  for (const simulate::ReplayPoint& point : replay.points) {
    Node& entry = points.add(Node::mapping());
    entry.set("seconds", point.seconds);
    entry.set("idleGpus", point.idle);
    entry.set("touchGpus", point.touch);
    entry.set("fillGpus", point.fill);
    entry.set("placed", point.placed);
    entry.set("rejected", point.rejected);
  }
  return row;
}

/// "3", or "3 to 5" where some are open.
std::string avoidable_text(const simulate::VmReplay& replay) {
  if (replay.perhaps_avoidable == 0) return std::to_string(replay.avoidable);
  return fmt::format("{} to {}", replay.avoidable, replay.avoidable + replay.perhaps_avoidable);
}

void add_vm_charts(const simulate::VmReplay& replay, Report& report) {
  render::ChartLine idle{.name = replay.policy, .points = {}};
  render::ChartLine touch = idle;
  for (const simulate::ReplayPoint& point : replay.points) {
    idle.points.emplace_back(point.seconds, point.idle);
    touch.points.emplace_back(point.seconds, point.touch);
    report.csv += fmt::format("{},{},{:.6f},{:.6f},{:.6f},{},{}\n", replay.policy, point.seconds,
                              point.idle, point.touch, point.fill, point.placed, point.rejected);
  }
  report.charts[0].lines.push_back(std::move(idle));
  report.charts[1].lines.push_back(std::move(touch));
}

Result<Report> simulate_vms(const domain::Trace& trace, const Invocation& invocation,
                            const Terminal& terminal) {
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return std::unexpected(profiles.error());
  const Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
  if (!loaded) return std::unexpected(loaded.error());
  const auto policies = chosen_policies(place::policies(), invocation.policies);
  if (!policies) return std::unexpected(policies.error());

  constexpr double kHoursPerSecond = 1.0 / 3600;
  Report report;
  report.node = header(invocation);
  if (!trace.remark.empty()) report.node.set("remark", trace.remark);
  Node& rows = report.node.set("policies", Node::sequence());
  report.table.columns = {{"policy", Align::Left},      {"placed", Align::Right},
                          {"rejected", Align::Right},   {"avoidable", Align::Right},
                          {"accepted %", Align::Right}, {"idle", Align::Right},
                          {"touch", Align::Right},      {"fill", Align::Right}};
  report.csv = "policy,seconds,idleGpus,touchGpus,fillGpus,placed,rejected\n";
  for (const char* const title : {"idle GPUs", "idle GPUs out of reach (touch)"}) {
    report.charts.push_back({.title = fmt::format("{}: {}", invocation.trace, title),
                             .x_title = "hours",
                             .y_title = "GPUs",
                             .x_factor = kHoursPerSecond,
                             .lines = {}});
  }
  const place::Snapshot snapshot(loaded->cluster, loaded->devices);
  for (const place::PolicyRow* policy : *policies) {
    if (terminal.is_out_terminal) terminal.err << fmt::format("\r{:<40}", policy->name);
    const simulate::VmReplay replay = simulate::replay_vms(snapshot, trace, *policy);
    std::vector<std::string> reasons;
    reasons.reserve(replay.rejected_by.size());
    for (const auto& [refusal, count] : replay.rejected_by) {
      reasons.push_back(fmt::format("{} {}", name_of(refusal), count));
    }
    report.table.rows.push_back(
        {replay.policy, std::to_string(replay.placed), std::to_string(replay.rejected),
         avoidable_text(replay), percent(replay.accepted_gpu_share),
         fmt::format("{:.2f}", replay.mean_idle), fmt::format("{:.2f}", replay.mean_touch),
         fmt::format("{:.2f}", replay.mean_fill)});
    if (!reasons.empty()) {
      report.lines.push_back(
          fmt::format("{}: rejected by {}", replay.policy, fmt::join(reasons, ", ")));
    }
    rows.add(vm_row(replay));
    add_vm_charts(replay, report);
  }
  if (terminal.is_out_terminal) terminal.err << fmt::format("\r{:<40}\r", "");
  if (!trace.remark.empty()) report.lines.push_back(trace.remark);
  report.remark =
      "avoidable: rejections that a different earlier choice would have avoided, as another "
      "arrangement of what ran then proves; up to: GPUs, CPU and memory were free in total; "
      "accepted: of the GPU capacity that was asked for; idle, touch and fill: GPUs, mean over "
      "time";
  return report;
}

// ---- forms

struct FormRow {
  std::string_view name;
  std::string_view extension;
  std::string (*write)(const Report&, const render::Style&);
};
constexpr auto kForms = std::to_array<FormRow>({
    {"text", "txt",
     [](const Report& report, const render::Style& style) {
       render::Page page(style);
       page.table(report.table, 0);
       if (!report.lines.empty()) page.blank();
       for (const std::string& line : report.lines) page.paragraph(line);
       if (!report.remark.empty()) {
         page.blank();
         page.paragraph(report.remark);
       }
       return page.text();
     }},
    {"json", "json",
     [](const Report& report, const render::Style&) { return document::write_json(report.node); }},
    {"yaml", "yaml",
     [](const Report& report, const render::Style&) { return document::write_yaml(report.node); }},
    {"csv", "csv", [](const Report& report, const render::Style&) { return report.csv; }},
    {"svg", "svg",
     [](const Report& report, const render::Style&) {
       return render::chart_svg(report.charts.front());
     }},
    {"html", "html",
     [](const Report& report, const render::Style&) {
       return render::chart_html(report.charts, report.charts.front().title);
     }},
});

Result<std::vector<const FormRow*>> chosen_forms(const Invocation& invocation) {
  std::vector<std::string> names;
  names.reserve(kForms.size());
  for (const FormRow& row : kForms) names.emplace_back(row.name);
  std::vector<const FormRow*> forms;
  for (const std::string& output : invocation.outputs) {
    const auto row = std::ranges::find(kForms, output, &FormRow::name);
    if (row == kForms.end()) {
      return failure(
          fmt::format("--output: '{}' is no format", output),
          suggestion(output, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
    }
    forms.push_back(&*row);
  }
  if (forms.empty()) forms.push_back(kForms.data());
  return forms;
}

}  // namespace

int run_simulate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (invocation.trace.empty() || invocation.clusters.empty()) {
    return refuse({complaint("simulate needs a cluster and a trace",
                             "name them: --cluster INVENTORY --trace FILE")},
                  terminal);
  }
  const Result<std::vector<const FormRow*>> forms = chosen_forms(invocation);
  if (!forms) return refuse(forms.error(), terminal);
  std::vector<std::string> extensions;
  for (const FormRow* form : *forms) extensions.emplace_back(form->extension);
  if (const Diagnostics faults = check_destination(invocation, extensions); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const Result<std::string> text = document::read_file(invocation.trace);
  if (!text) return refuse(text.error(), terminal);
  const Result<inventory::AnyTrace> trace = inventory::read_trace(*text, invocation.trace);
  if (!trace) return refuse(trace.error(), terminal);
  const auto* const tasks = std::get_if<std::vector<domain::SharedTask>>(&*trace);
  const Result<Report> report =
      tasks != nullptr ? simulate_tasks(*tasks, invocation)
                       : simulate_vms(std::get<domain::Trace>(*trace), invocation, terminal);
  if (!report) return refuse(report.error(), terminal);
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  std::vector<Piece> pieces;
  for (const FormRow* form : *forms) {
    pieces.push_back({"simulation", std::string(form->extension), form->write(*report, style)});
  }
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  return kDone;
}

}  // namespace gpushape::cli
