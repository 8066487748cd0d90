// gpushape profiles list: the GPUs that are built in, and those of an overlay.
#include "profiles/profiles.hpp"

#include <fmt/format.h>

#include "cli/listing.hpp"

namespace gpushape::cli {

using document::Node;
using render::Align;

int run_profiles(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (const auto word = question_of(parsed, "profiles", {"list"}); !word)
    return refuse(word.error(), terminal);
  if (parsed.positionals.size() > 1) {
    return refuse({complaint(fmt::format("profiles list takes no '{}'", parsed.positionals[1]))},
                  terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<std::vector<domain::Device>> devices = profiles->all();
  if (!devices) return refuse(devices.error(), terminal);
  Listing listing;
  listing.heads = {{"device", Align::Left},         {"architecture", Align::Left},
                   {"CUDA sees GiB", Align::Right}, {"vGPU", Align::Right},
                   {"MIG", Align::Right},           {"NVLink GPUs", Align::Right}};
  for (const domain::Device& device : *devices) {
    std::int64_t vgpu = 0;
    std::int64_t mig = 0;
    for (const domain::Profile& profile : device.profiles) {
      (profile.technology == domain::Technology::Mig ? mig : vgpu) += 1;
    }
    Node node = Node::mapping();
    node.set("id", device.id);
    node.set("architecture", device.architecture);
    node.set("visibleBytes", device.visible_bytes.expected);
    node.set("vgpuProfiles", vgpu);
    node.set("migProfiles", mig);
    node.set("nvlinkGpus", device.nvlink.max_domain);
    const auto count = [](std::int64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
    listing.rows.push_back(
        {{device.id, device.architecture,
          fmt::format("{:.2f}", device.visible_bytes.expected.gib()), count(vgpu), count(mig),
          count(device.nvlink.max_domain > 1 ? device.nvlink.max_domain : 0)},
         std::move(node)});
  }
  return print(listing, invocation, terminal);
}

}  // namespace gpushape::cli
