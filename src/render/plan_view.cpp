#include "render/plan_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "render/axis.hpp"
#include "render/page.hpp"
#include "render/words.hpp"

namespace gpushape::render {
namespace {

using domain::GpuMode;
using domain::HostPlan;
using domain::PlannedGpus;
using domain::ProfilePlan;

constexpr std::size_t kPlanLabel = 14;

std::string proof_text(std::int64_t found, std::int64_t least, bool is_proven) {
  if (is_proven) return "proven: no fewer do";
  return fmt::format("at least {} are needed; {} is not proven to be the least", least, found);
}

void draw_gpus(Page& page, const PlannedGpus& gpus) {
  const std::string head = fmt::format("  {} x {}", gpus.count, name_of(gpus.mode));
  if (gpus.shares.size() == 1 && gpus.shares.front().profile == "whole") {
    page.raw(fmt::format("  {:<16}[{:^62}]", fmt::format("{} whole", gpus.count), ""));
    return;
  }
  std::vector<Box> boxes;
  for (const domain::PlannedShare& share : gpus.shares) {
    boxes.push_back({share.start, share.size, share.profile});
  }
  std::string line = fmt::format("{:<18}{}", head, axis_line(gpus.length, boxes));
  line.erase(line.find_last_not_of(' ') + 1);
  page.raw(line);
}

/// "mig-configs" and "vgpu-configs" entries, one for each way in which GPUs are set up.
void show_config(Page& page, const ProfilePlan& plan) {
  const auto has = [&](GpuMode mode) {
    return std::ranges::any_of(plan.gpus,
                               [&](const PlannedGpus& gpus) { return gpus.mode == mode; });
  };
  const auto entries = [&](bool is_mig) {
    int number = 0;
    for (const PlannedGpus& gpus : plan.gpus) {
      if (gpus.mode == GpuMode::Passthrough || (gpus.mode == GpuMode::Mig) != is_mig) continue;
      std::map<std::string, int> counts;
      for (const domain::PlannedShare& share : gpus.shares) ++counts[share.profile];
      page.raw(fmt::format("  plan-{}:  # {}", ++number, counted(gpus.count, "GPU")));
      page.raw("  - devices: all");
      if (is_mig) page.raw("    mig-enabled: true");
      page.raw(is_mig ? "    mig-devices:" : "    vgpu-devices:");
      for (const auto& [name, count] : counts) {
        const auto size = std::ranges::find(plan.sizes, name, &domain::PlannedSize::profile);
        page.raw(fmt::format("      \"{}\": {}", size->type, count));
      }
    }
  };
  if (has(GpuMode::Mig)) {
    page.blank();
    page.heading("For mig-parted");
    page.raw("version: v1");
    page.raw("mig-configs:");
    entries(true);
  }
  if (has(GpuMode::SameSize) || has(GpuMode::MixedSize)) {
    page.blank();
    page.heading("For the vGPU device manager");
    page.raw("version: v1");
    page.raw("vgpu-configs:");
    entries(false);
  }
}

void show_plan(Page& page, const ProfilePlan& plan) {
  page.heading(fmt::format("{} of {}, {} mode", plan.devices, plan.device, name_of(plan.mode)));
  Table table;
  table.columns = {{"size", Align::Left}, {"copies", Align::Right}, {"for", Align::Left}};
  for (const domain::PlannedSize& size : plan.sizes) {
    table.rows.push_back({size.profile, std::to_string(size.copies),
                          fmt::format("{}", fmt::join(size.items, ", "))});
  }
  page.table(table);
  page.blank();
  page.heading("How the GPUs lie");
  for (const PlannedGpus& gpus : plan.gpus) draw_gpus(page, gpus);
  page.blank();
  page.labelled("GPUs", kPlanLabel,
                fmt::format("{}; {}", plan.devices,
                            proof_text(plan.devices, plan.least_devices, plan.is_proven)));
  Bytes free;
  for (const PlannedGpus& gpus : plan.gpus) free += gpus.free_bytes * gpus.count;
  page.labelled(
      "stranded", kPlanLabel,
      plan.stranded_bytes > Bytes()
          ? fmt::format("{:.1f} GiB that no size of the plan can use", plan.stranded_bytes.gib())
          : std::string("nothing"));
  page.labelled("free", kPlanLabel, fmt::format("{:.1f} GiB for more of these sizes", free.gib()));
  page.labelled("beyond needs", kPlanLabel, fmt::format("{:.1f} GiB", plan.surplus_bytes.gib()));
  for (const std::string& note : plan.notes) page.labelled("note", kPlanLabel, note);
}

void show_others(Page& page, std::span<const ProfilePlan> plans) {
  if (plans.empty()) return;
  page.blank();
  page.heading("The other ways");
  Table table;
  table.columns = {{"GPU", Align::Left},
                   {"mode", Align::Left},
                   {"GPUs", Align::Right},
                   {"stranded GiB", Align::Right},
                   {"sizes", Align::Left}};
  std::vector<std::string> refusals;
  for (const ProfilePlan& plan : plans) {
    if (!plan.refusal.empty()) {
      refusals.push_back(fmt::format("{}, {}: {}", plan.device, name_of(plan.mode), plan.refusal));
      continue;
    }
    std::vector<std::string> sizes;
    for (const domain::PlannedSize& size : plan.sizes) sizes.push_back(size.profile);
    table.rows.push_back({plan.device, std::string(name_of(plan.mode)),
                          std::to_string(plan.devices),
                          fmt::format("{:.1f}", plan.stranded_bytes.gib()),
                          fmt::format("{}", fmt::join(sizes, ", "))});
  }
  if (!table.rows.empty()) page.table(table);
  for (const std::string& refusal : refusals) page.paragraph(refusal, 2);
  for (const ProfilePlan& plan : plans) {
    for (const std::string& note : plan.notes) page.paragraph(note, 2);
  }
}

std::string share_text(const domain::Gpu& gpu) {
  if (gpu.allocations.empty()) return "free";
  std::map<std::string, int> counts;
  std::set<std::string> holders;
  for (const domain::GpuAllocation& share : gpu.allocations) {
    ++counts[share.profile.empty() ? "whole" : share.profile];
    holders.insert(share.vm);
  }
  std::string text;
  for (const auto& [profile, count] : counts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", count, profile);
  }
  return fmt::format("{}: {}", text, fmt::join(holders, ", "));
}

void show_host(Page& page, const domain::ClusterHost& host) {
  page.heading(fmt::format("{}: {:.1f} of {:.0f} cores, {:.0f} of {:.0f} GiB", host.name,
                           static_cast<double>(host.used_millicores) / domain::kMillicoresPerCore,
                           static_cast<double>(host.millicores) / domain::kMillicoresPerCore,
                           host.used_memory_bytes.gib(), host.memory_bytes.gib()));
  Table table;
  table.columns = {{"GPU", Align::Left}, {"mode", Align::Left}, {"holds", Align::Left}};
  for (const domain::Gpu& gpu : host.gpus) {
    std::string mode = gpu.mode ? std::string(name_of(*gpu.mode)) : std::string("-");
    if (!gpu.profile.empty()) mode += " " + gpu.profile;
    table.rows.push_back({gpu.id, mode, share_text(gpu)});
  }
  page.table(table);
}

}  // namespace

std::string profile_plans_text(const std::vector<ProfilePlan>& plans, const Style& style) {
  Page page(style);
  if (plans.empty() || !plans.front().refusal.empty()) {
    page.paragraph("No plan serves the mix", 0, Tone::Bad);
    for (const ProfilePlan& plan : plans) {
      page.paragraph(fmt::format("{}, {}: {}", plan.device, name_of(plan.mode), plan.refusal), 2);
    }
    return page.text();
  }
  show_plan(page, plans.front());
  show_others(page, std::span(plans).subspan(1));
  show_config(page, plans.front());
  return page.text();
}

std::string host_plans_text(const std::vector<HostPlan>& plans, const Style& style) {
  Page page(style);
  const HostPlan& best = plans.front();
  if (!best.refusal.empty()) {
    page.paragraph(fmt::format("{}: no plan", best.host), 0, Tone::Bad);
    page.paragraph(best.refusal, 2);
    return page.text();
  }
  page.paragraph(fmt::format("{} of {} for {}", counted(best.hosts, "host"), best.host,
                             counted(best.copies, "instance")),
                 0, Tone::Good);
  page.blank();
  for (const domain::ClusterHost& host : best.used) {
    show_host(page, host);
    page.blank();
  }
  page.heading("Why not fewer");
  for (const domain::HostBound& bound : best.bounds) {
    page.labelled(bound.resource, 20,
                  fmt::format("{}: {}", counted(bound.hosts, "host"), bound.says));
  }
  page.labelled(
      "answer", 20,
      fmt::format("{}; {}", best.hosts, proof_text(best.hosts, best.least_hosts, best.is_proven)));
  for (const domain::OtherShape& other : best.other_shapes) {
    page.labelled(other.workload, 20,
                  fmt::format("{} instead of {}, {}", other.shape, other.instead_of,
                              other.is_forced ? "which no host takes" : "which saves hosts"));
  }
  if (best.shape_choices > 1) {
    page.labelled("shapes", 20,
                  fmt::format("{} choices of shapes were planned for", best.shape_choices));
  }
  for (const HostPlan& other : std::span(plans).subspan(1)) {
    page.labelled(fmt::format("{} vGPUs", name_of(other.mode)), 20,
                  other.refusal.empty() ? fmt::format("{}, {}", counted(other.hosts, "host"),
                                                      other.is_proven ? "proven" : "not proven")
                                        : other.refusal);
  }
  return page.text();
}

}  // namespace gpushape::render
