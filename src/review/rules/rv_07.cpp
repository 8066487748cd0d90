// RV-07: a same-size fleet has few sizes. The first VM on a GPU fixes its size until the GPU is
// empty, so every size more locks GPUs early; so does spreading where whole GPUs are asked for, too
// (F. Denneman, host modes and assignment policies; same-size vGPU placement: six sizes with spread
// leave no slot of 40 and 80 GB, four right-sized ones with grouping place all).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

namespace {

bool is_same_size(const domain::Gpu& gpu) {
  return std::ranges::find(gpu.allowed_modes, domain::GpuMode::SameSize) != gpu.allowed_modes.end();
}

bool has_same_size(const Deployment& deployment, const domain::Device* product) {
  if (deployment.cluster() == nullptr) return false;
  return std::ranges::any_of(deployment.cluster()->hosts, [&](const domain::ClusterHost& host) {
    return std::ranges::any_of(host.gpus, [&](const domain::Gpu& gpu) {
      return is_same_size(gpu) && (product == nullptr || gpu.device == product->id);
    });
  });
}

/// A class that takes whole GPUs.
const VmClass* whole_class(const Deployment& deployment) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (!vm.devices.empty() && std::ranges::all_of(vm.devices, is_whole_device) &&
        !vm.devices.front().is_passthrough()) {
      return &vm;
    }
  }
  return nullptr;
}

void check_sizes(const Deployment& deployment, Report& report) {
  struct Sizes {
    std::vector<std::string> names;
    const VmClass* last = nullptr;
  };
  std::map<const domain::Device*, Sizes> by_product;
  std::vector<const domain::Device*> order;
  for (const VmClass& vm : deployment.vm_classes) {
    for (const VmDevice& device : vm.devices) {
      const domain::Profile* profile = profile_of_device(device);
      if (profile == nullptr || (profile->technology != domain::Technology::TimeSliced &&
                                 profile->technology != domain::Technology::FullVgpu)) {
        continue;
      }
      Sizes& sizes = by_product[device.product];
      if (sizes.last == nullptr) order.push_back(device.product);
      sizes.last = &vm;
      if (std::ranges::find(sizes.names, profile->short_name) == sizes.names.end()) {
        sizes.names.push_back(profile->short_name);
      }
    }
  }
  const advise::Threshold& limit = deployment.request->thresholds.catalog_sizes;
  for (const domain::Device* product : order) {
    const Sizes& sizes = by_product[product];
    if (static_cast<double>(sizes.names.size()) <= limit.value ||
        !has_same_size(deployment, product)) {
      continue;
    }
    report.add(*sizes.last->document, sizes.last->place(),
               {.message = fmt::format("the classes cut {} into {} sizes ({}), and its GPUs are in "
                                       "same-size mode: {:g} are enough",
                                       product->id, sizes.names.size(),
                                       fmt::join(sizes.names, ", "), limit.value)});
  }
}

}  // namespace

void rv_07(const Deployment& deployment, Report& report) {
  check_sizes(deployment, report);
  const VmClass* whole = whole_class(deployment);
  if (whole == nullptr || !has_same_size(deployment, nullptr)) return;
  each_platform(
      deployment, report, "assignmentPolicy",
      [](const domain::PlatformFacts& facts) {
        return facts.assignment_policy == domain::AssignmentPolicy::BestPerformance;
      },
      [&](const domain::PlatformFacts&) {
        return Remark{.message = fmt::format("vGPUs are spread over all GPUs, and {} asks for "
                                             "whole ones: none stays empty for it",
                                             title_of(*whole)),
                      .fix = "group them: assignment policy GPU Consolidation"};
      });
}

}  // namespace gpushape::review::rules_of
