// VC-19: a VM with several GPUs has whole ones, and a device group as a whole. Fractions and MIG
// have no NVLink (NVIDIA AI Enterprise, Peer-To-Peer CUDA Transfers; F. Denneman, device groups).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool is_part_of_gpu(const VmDevice& device) {
  if (device.profile.empty() || device.product == nullptr) return false;
  return std::ranges::any_of(device.product->profiles, [&](const domain::Profile& profile) {
    return profile.name == device.profile && !profile.is_full_size;
  });
}

/// "Nvidia:2@nvidia_h100xm-80c%NVLink" -> 2.
std::int64_t group_size(std::string_view name) {
  const std::size_t colon = name.find(':');
  std::int64_t size = 0;
  if (colon == std::string_view::npos) return 0;
  std::from_chars(name.data() + colon + 1, name.data() + name.size(), size);
  return size;
}

std::int64_t members_of(const document::Node& config, std::int64_t key) {
  std::int64_t count = 0;
  const document::Node* changes = config.find("deviceChange");
  if (changes == nullptr) return 0;
  for (const document::Node& change : changes->items()) {
    const auto own = integer_at(change, {"device", "deviceGroupInfo", "groupInstanceKey"});
    if (own && own->value == key) ++count;
  }
  return count;
}

}  // namespace

void vc_19(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const auto part = std::ranges::find_if(vm.devices, is_part_of_gpu);
    if (vm.devices.size() > 1 && part != vm.devices.end()) {
      report.add(*vm.document, *part->node,
                 {.message = fmt::format("VM class '{}' has {} GPUs, among them {}, a part of one: "
                                         "parts have no NVLink",
                                         vm.name, vm.devices.size(), part->profile)});
    }
    const document::Node* config = at(*vm.root, {"spec", "configSpec"});
    const document::Node* groups =
        config == nullptr ? nullptr : at(*config, {"deviceGroups", "deviceGroup"});
    if (groups == nullptr) continue;
    for (const document::Node& group : groups->items()) {
      const auto key = integer_at(group, {"groupInstanceKey"});
      const auto name = text_at(group, {"deviceGroupName"});
      if (!key || !name) continue;
      const std::int64_t size = group_size(name->value);
      const std::int64_t members = members_of(*config, key->value);
      if (size <= 0 || members == size) continue;
      report.add(
          *vm.document, *name->node,
          {.message = fmt::format("device group {} of VM class '{}' is {} GPUs, and {} of its "
                                  "devices name it",
                                  name->value, vm.name, size, members),
           .fix = "give deviceGroupInfo to every member, all in one request"});
    }
  }
}

}  // namespace gpushape::review::rules_of
