#include "cli/advise_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.hpp"
#include "emit/targets.hpp"

namespace gpushape::cli {

const render::FormatRow* find_format(std::string_view name) {
  for (const render::FormatRow& row : render::formats()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Diagnostics check_advice_outputs(const std::vector<std::string>& outputs) {
  Diagnostics faults;
  for (const std::string& output : outputs) {
    if (find_format(output) != nullptr || emit::find_target(output) != nullptr) continue;
    std::vector<std::string> names;
    for (const render::FormatRow& row : render::formats()) names.emplace_back(row.name);
    for (const emit::TargetRow& row : emit::targets()) names.emplace_back(row.name);
    faults.push_back(complaint(fmt::format("--output: '{}' is no format and no target", output),
                               suggestion(output, names, "'-o list' shows them all")));
  }
  return faults;
}

std::string extension_of(const std::string& output) {
  if (output == "text") return "txt";
  if (const emit::TargetRow* row = emit::find_target(output)) return std::string(row->extension);
  return output == "json" ? "json" : "yaml";
}

std::optional<domain::Fact<domain::Platform>> implied_platform(
    const std::vector<std::string>& outputs) {
  bool has_vm = false;
  bool has_pod = false;
  std::string names;
  for (const std::string& output : outputs) {
    const emit::TargetRow* row = emit::find_target(output);
    if (row == nullptr || !row->platform) continue;
    if (*row->platform == domain::Platform::Vks) has_vm = has_pod = true;
    if (*row->platform == domain::Platform::Vsphere) has_vm = true;
    if (*row->platform == domain::Platform::Kubernetes) has_pod = true;
    names += (names.empty() ? "-o " : " -o ") + output;
  }
  if (!has_vm && !has_pod) return std::nullopt;
  domain::Platform platform = domain::Platform::Vsphere;
  if (has_pod) platform = has_vm ? domain::Platform::Vks : domain::Platform::Kubernetes;
  return domain::Fact<domain::Platform>{platform, domain::Origin::Computed, "implied by " + names};
}

std::vector<const domain::RankedShape*> pick_shapes(const domain::Advice& advice,
                                                    const std::optional<std::int64_t>& pick) {
  if (pick) return {&advice.shapes[static_cast<std::size_t>(*pick - 1)]};
  std::vector<const domain::RankedShape*> picked;
  for (const domain::RankedShape& shape : advice.shapes) {
    const bool has_wish = std::ranges::any_of(
        picked, [&](const domain::RankedShape* other) { return other->wish == shape.wish; });
    if (!has_wish && shape.fits_at != domain::FitsAt::None) picked.push_back(&shape);
  }
  std::ranges::stable_sort(picked, {},
                           [](const domain::RankedShape* shape) { return shape->wish; });
  return picked;
}

}  // namespace gpushape::cli
