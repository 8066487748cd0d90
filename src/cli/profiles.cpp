// gpushape profiles: the GPUs that are built in, and those of an overlay.
#include "cli/profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "cli/listing.hpp"

namespace gpushape::cli {

using document::Node;
using render::Align;

namespace {

int list_devices(const profiles::Profiles& profiles, const Invocation& invocation,
                 const Terminal& terminal) {
  const Result<std::vector<domain::Device>> devices = profiles.all();
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

struct ProfilesWord {
  std::string_view word;
  std::string_view needs;  ///< what stands behind it; empty for nothing
  std::size_t least;       ///< words in all
  std::size_t most;
  int (*run)(const profiles::Profiles&, const Invocation&, const Terminal&);
};
constexpr auto kProfilesWords = std::to_array<ProfilesWord>({
    {"list", "", 1, 1, list_devices},
    {"show", "a GPU", 2, 2, show_device},
    {"check", "", 1, 1, check_profiles},
    {"import", "what nvidia-smi printed", 2, std::numeric_limits<std::size_t>::max(),
     import_profiles},
    {"plan", "", 1, std::numeric_limits<std::size_t>::max(), plan_sizes},
    {"fit", "a GPU and its profiles", 3, std::numeric_limits<std::size_t>::max(), fit_set},
});

}  // namespace

int run_profiles(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  invocation.positionals = parsed.positionals;
  std::vector<std::string> words;
  words.reserve(kProfilesWords.size());
  for (const ProfilesWord& row : kProfilesWords) words.emplace_back(row.word);
  const Result<std::string> word = question_of(parsed, "profiles", words);
  if (!word) return refuse(word.error(), terminal);
  const auto row = std::ranges::find(kProfilesWords, *word, &ProfilesWord::word);
  if (parsed.positionals.size() < row->least) {
    return refuse({complaint(fmt::format("profiles {} needs {}", row->word, row->needs))},
                  terminal);
  }
  if (parsed.positionals.size() > row->most) {
    return refuse({complaint(fmt::format("profiles {} takes no '{}'", row->word,
                                         parsed.positionals[row->most]))},
                  terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  return row->run(*profiles, invocation, terminal);
}

}  // namespace gpushape::cli
