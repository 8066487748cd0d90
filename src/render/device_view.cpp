#include "render/device_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/profile_geometry.hpp"
#include "domain/release_needs.hpp"
#include "render/axis.hpp"
#include "render/page.hpp"
#include "render/words.hpp"

namespace gpushape::render {
namespace {

using domain::Profile;
using domain::Technology;

constexpr std::size_t kLeastNameWidth = 11;

void raw_row(Page& page, std::string_view name, const std::string& drawing,
             std::size_t width = kLeastNameWidth) {
  std::string line = fmt::format("  {:<{}}{}", name, width, drawing);
  line.erase(line.find_last_not_of(' ') + 1);
  page.raw(line);
}

/// Every start of a profile, on as many lines as they overlap.
void draw_profile(Page& page, const Profile& profile, std::int64_t length, std::size_t width) {
  std::vector<std::vector<Box>> lines;
  for (const std::int64_t start : profile.placement_ids) {
    auto line = std::ranges::find_if(lines, [&](const std::vector<Box>& boxes) {
      return boxes.back().start + boxes.back().size <= start;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), std::vector<Box>());
    line->push_back({start, profile.placement_size, ""});
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    raw_row(page, i == 0 ? profile.short_name : "", axis_line(length, lines[i]), width);
}

void draw_axis(Page& page, const domain::Device& device, bool is_mig, std::int64_t length) {
  const auto is_drawn = [&](const Profile& profile) {
    const bool is_instance = profile.technology == Technology::Mig;
    const bool is_share =
        profile.technology == Technology::TimeSliced || profile.technology == Technology::FullVgpu;
    return (is_mig ? is_instance : is_share) && !profile.placement_ids.empty();
  };
  if (length == 0 || std::ranges::none_of(device.profiles, is_drawn)) return;
  page.blank();
  page.heading(is_mig
                   ? fmt::format("Where MIG instances may lie: {} memory slices, {} compute slices",
                                 length, device.mig_compute_slices)
                   : fmt::format("Where vGPUs of mixed sizes may lie: {} GB", length));
  std::size_t width = kLeastNameWidth;
  for (const Profile& profile : device.profiles) {
    if (is_drawn(profile)) width = std::max(width, profile.short_name.size() + 1);
  }
  raw_row(page, is_mig ? "slice" : "GB", axis_scale(length), width);
  for (const Profile& profile : device.profiles) {
    if (is_drawn(profile)) draw_profile(page, profile, length, width);
  }
}

std::string_view table_title(Technology technology) {
  switch (technology) {
    case Technology::Mig:
      return "MIG instances";
    case Technology::MigBackedVgpu:
      return "vGPUs that own a MIG instance";
    case Technology::Partition:
      return "partitions, all of a GPU alike";
    default:
      return "time-sliced vGPUs";
  }
}

void show_profiles(Page& page, const domain::Device& device) {
  std::map<Technology, Table> tables;
  for (const Profile& profile : device.profiles) {
    const Technology technology =
        profile.technology == Technology::FullVgpu ? Technology::TimeSliced : profile.technology;
    Table& table = tables[technology];
    if (table.columns.empty()) {
      table.columns = {{"profile", Align::Left},      {"name on the host", Align::Left},
                       {"visible GiB", Align::Right}, {"usable GiB", Align::Right},
                       {"per GPU", Align::Right},     {"needs", Align::Left}};
    }
    std::string mixed =
        profile.max_per_gpu_mixed && *profile.max_per_gpu_mixed != profile.max_per_gpu
            ? fmt::format("{} ({} mixed)", profile.max_per_gpu, *profile.max_per_gpu_mixed)
            : std::to_string(profile.max_per_gpu);
    if (profile.max_per_instance > 1)
      mixed += fmt::format(" ({} an instance)", profile.max_per_instance);
    table.rows.push_back({profile.short_name, profile.name,
                          fmt::format("{:.2f}", profile.visible_bytes.expected.gib()),
                          fmt::format("{:.2f}", profile.usable_bytes.gib()), mixed,
                          profile.requires_release});
  }
  for (const auto& [technology, table] : tables) {
    page.blank();
    page.heading(table_title(technology));
    page.table(table);
  }
}

std::string_view or_not_known(const std::string& text) {
  return text.empty() ? std::string_view("not known") : std::string_view(text);
}

void show_facts(Page& page, const domain::Device& device) {
  constexpr std::size_t kWidth = 18;
  const auto fact = [&](std::string_view label, std::string_view text) {
    page.labelled(label, kWidth, text);
  };
  fact("vendor", fmt::format("{}, {}", device.vendor, device.architecture));
  fact("memory", fmt::format("{} GB by name; a process sees {:.2f} GiB ({:.2f} to {:.2f})",
                             device.nominal_gb, device.visible_bytes.expected.gib(),
                             device.visible_bytes.low.gib(), device.visible_bytes.high.gib()));
  if (device.under_wsl_bytes)
    fact("under WSL", fmt::format("{:.2f} GiB", device.under_wsl_bytes->gib()));
  if (device.free_at_start) {
    fact("free at start",
         fmt::format(
             "{:.1f} GiB ({:.1f} to {:.1f}): CPU and GPU share the memory, the rest is the "
             "operating system's; an engine's share of the total cannot exceed {:.2f}",
             device.free_at_start->expected.gib(), device.free_at_start->low.gib(),
             device.free_at_start->high.gib(),
             std::floor(100 * device.free_at_start->low.gib() / device.visible_bytes.high.gib()) /
                 100));
  }
  if (device.nvml_bytes)
    fact("driver's total", fmt::format("{:.0f} MiB", device.nvml_bytes->gib() * 1024));
  if (device.memory_gigabytes_per_second)
    fact("bandwidth", fmt::format("{:g} GB/s", *device.memory_gigabytes_per_second));
  if (!device.compute_capability.empty()) fact("compute capability", device.compute_capability);
  std::vector<std::string_view> types;
  if (device.supports_bf16) types.emplace_back("bf16");
  if (device.supports_fp8) types.emplace_back("fp8");
  if (device.supports_fp4) types.emplace_back("fp4");
  if (device.supports_int8) types.emplace_back("int8");
  fact("tensor types", types.empty() ? "not known" : fmt::format("{}", fmt::join(types, ", ")));
  if (device.nvlink.max_domain > 1)
    fact("links", fmt::format("{}, {} GPUs", device.nvlink.kind, device.nvlink.max_domain));
  if (device.mmio_gib) fact("MMIO", fmt::format("{} GiB", *device.mmio_gib));
  if (device.watts) fact("power", fmt::format("{} W", *device.watts));
  std::vector<std::string> boards;
  for (const domain::Board& board : device.boards) boards.push_back(board.id);
  fact("boards", or_not_known(fmt::format("{}", fmt::join(boards, ", "))));
  std::vector<std::string> sizes;
  for (const Profile* profile : domain::nesting_profiles(device))
    sizes.push_back(profile->short_name);
  if (sizes.size() > 1) fact("sizes that nest", fmt::format("{}", fmt::join(sizes, ", ")));
  for (const domain::ReleaseNeed& need : domain::release_needs(device))
    fact("needs", fmt::format("{}: {}", need.use, need.needs));
  for (const std::string& note : device.notes) fact("note", note);
}

/// "slice 4", "slices 2 to 3", "GB 0 to 39".
std::string place_words(const domain::FittedProfile& one, domain::GpuMode mode) {
  const int last = one.start + one.size - 1;
  if (mode != domain::GpuMode::Mig) return fmt::format("GB {} to {}", one.start, last);
  return one.size == 1 ? fmt::format("slice {}", one.start)
                       : fmt::format("slices {} to {}", one.start, last);
}

/// "cpx_nps4" is set as two modes.
void show_partition_commands(Page& page, const std::string& name) {
  const std::size_t cut = name.find('_');
  std::string compute = name.substr(0, cut);
  std::string memory = name.substr(cut + 1);
  for (std::string* word : {&compute, &memory}) {
    for (char& letter : *word)
      letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  page.blank();
  page.heading("How it is set, while nothing runs on the GPU");
  page.raw("sudo amd-smi set --memory-partition " + memory);
  page.raw("sudo amd-smi set --gpu all --compute-partition " + compute);
}

bool is_partition(const domain::ProfileFit& fit) {
  return fit.mode == domain::GpuMode::SameSize && !fit.placed.empty() &&
         fit.placed.front().name.find("_nps") != std::string::npos;
}

void show_mig_parted(Page& page, const domain::ProfileFit& fit) {
  std::map<std::string, int> counts;
  for (const domain::FittedProfile& one : fit.placed) ++counts[one.name];
  page.blank();
  page.heading("The entry for mig-parted");
  page.raw("version: v1");
  page.raw("mig-configs:");
  page.raw("  gpushape:");
  page.raw("  - devices: all");
  page.raw("    mig-enabled: true");
  page.raw("    mig-devices:");
  for (const auto& [name, count] : counts) page.raw(fmt::format("      \"{}\": {}", name, count));
}

}  // namespace

std::string device_text(const domain::Device& device, const Style& style) {
  Page page(style);
  page.heading(fmt::format("{} · {}", device.id, device.name));
  show_facts(page, device);
  show_profiles(page, device);
  draw_axis(page, device, false, device.mixed_region_gib);
  draw_axis(page, device, true, device.mig_memory_slices);
  if (style.verbosity > 0 && !device.fact_sources.empty()) {
    page.blank();
    page.heading("Sources");
    for (const domain::FactSource& fact : device.fact_sources)
      page.labelled(fact.fact, 26, fact.source);
  }
  return page.text();
}

std::string fit_text(const domain::ProfileFit& fit, const Style& style) {
  Page page(style);
  const std::string_view mode = name_of(fit.mode);
  if (!fit.is_legal) {
    page.paragraph(fmt::format("{}: not legal", fit.device), 0, Tone::Bad);
    page.paragraph(fit.why, 2);
    return page.text();
  }
  page.paragraph(fmt::format("{} in {} mode: legal", fit.device, mode), 0, Tone::Good);
  page.blank();
  if (fit.length > 0) {
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < fit.placed.size(); ++i)
      boxes.push_back({fit.placed[i].start, fit.placed[i].size, std::to_string(i + 1)});
    raw_row(page, fit.mode == domain::GpuMode::Mig ? "slice" : "GB", axis_scale(fit.length));
    raw_row(page, "", axis_line(fit.length, boxes));
  }
  Table table;
  table.columns = {{"", Align::Right},
                   {"profile", Align::Left},
                   {"lies at", Align::Left},
                   {"legal starts in this set", Align::Left}};
  for (std::size_t i = 0; i < fit.placed.size(); ++i) {
    const domain::FittedProfile& one = fit.placed[i];
    table.rows.push_back(
        {std::to_string(i + 1),
         one.vgpu.empty()
             ? one.name
             : fmt::format("{} with {} of {} {}", one.name, one.vgpus, one.most_vgpus, one.vgpu),
         fit.mode == domain::GpuMode::SameSize ? "any free place" : place_words(one, fit.mode),
         fit.mode == domain::GpuMode::SameSize
             ? "-"
             : fmt::format("{}{}", fmt::join(one.legal_starts, ", "),
                           one.legal_starts.size() == 1 ? " only" : "")});
  }
  page.blank();
  page.table(table);
  page.blank();
  if (fit.mode != domain::GpuMode::SameSize) {
    page.labelled("layouts", 16,
                  fmt::format("{}{}", fit.is_exhausted ? "" : "at least ", grouped(fit.layouts)));
  }
  if (fit.compute > 0)
    page.labelled("compute slices", 16, fmt::format("{} of {}", fit.compute_used, fit.compute));
  page.labelled(
      "room for", 16,
      fit.room.empty() ? "nothing more" : fmt::format("one more of {}", fmt::join(fit.room, ", ")));
  if (fit.mode == domain::GpuMode::Mig) show_mig_parted(page, fit);
  if (is_partition(fit)) show_partition_commands(page, fit.placed.front().name);
  return page.text();
}

}  // namespace gpushape::render
