#include "cli/wishes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "advise/capability.hpp"
#include "cli/advise_cluster.hpp"
#include "domain/profile_memory.hpp"

namespace gpushape::cli {
namespace {

// "4x" in front of a device: more than a rack holds is a slip of the keyboard.
constexpr std::int64_t kMostCounted = 1024;

struct ParsedWish {
  std::string name;
  std::optional<std::int64_t> most;
};

/// "4xl40s" is up to four l40s.
Result<ParsedWish> parse_wish(const std::string& text) {
  const std::size_t cross = text.find('x');
  const bool is_counted =
      cross != std::string::npos && cross > 0 && cross + 1 < text.size() &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cross),
                  [](unsigned char letter) { return std::isdigit(letter) != 0; });
  if (!is_counted) return ParsedWish{text, std::nullopt};
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + cross, count);
  if (error != std::errc() || count < 1 || count > kMostCounted) {
    return failure(fmt::format("--gpu: '{}' asks for {} GPUs, expected 1 to {}", text,
                               text.substr(0, cross), kMostCounted));
  }
  return ParsedWish{text.substr(cross + 1), count};
}

// A driver, ECC and firmware leave more or less of the same card.
constexpr Bytes kCardsDiffer = gib(1);

/// Whether the device as a whole could report this total.
bool reports_about(const domain::Device& device, Bytes total) {
  return total + kCardsDiffer > device.visible_bytes.low &&
         total < device.visible_bytes.high + kCardsDiffer;
}

/// The user's total for the device, or for the profile asked for, instead of the table's.
Diagnostics state_memory(domain::Device& device, const Invocation& invocation) {
  const Bytes total = *invocation.visible_bytes;
  if (total > device.visible_bytes.high + kCardsDiffer) {
    return {complaint(fmt::format("--memory-mib: {:.1f} GiB is more than the {:.1f} GiB of {}",
                                  total.gib(), device.visible_bytes.high.gib(), device.id))};
  }
  if (!invocation.profile) {
    device.visible_bytes = domain::exactly(total);
    device.visible_source = "--memory-mib";
    return {};
  }
  for (domain::Profile& profile : device.profiles) {
    if (!domain::is_named(profile, *invocation.profile)) continue;
    profile.visible_bytes = domain::exactly(total);
    profile.usable_bytes = total;
    profile.usable_source = "--memory-mib";
  }
  return {};
}

/// What a wish is looked up in.
struct WishSources {
  const domain::Workload& workload;
  const profiles::Profiles& profiles;
  const std::optional<domain::Host>& host;
  const std::optional<LoadedCluster>& clusters;
  const Invocation& invocation;
};

std::vector<std::string> wish_words(const WishSources& sources) {
  std::vector<std::string> words = sources.workload.gpus;
  if (words.empty() && sources.host) {
    for (const domain::HostGpu& gpu : sources.host->gpus) {
      if (std::ranges::find(words, gpu.device) == words.end()) words.push_back(gpu.device);
    }
  }
  if (words.empty()) words.emplace_back("any");
  return words;
}

bool is_on_host(const WishSources& sources, const domain::Device& device) {
  if (!sources.host) return true;
  return std::ranges::find(sources.host->gpus, device.id, &domain::HostGpu::device) !=
         sources.host->gpus.end();
}

bool is_in_cluster(const WishSources& sources, const domain::Device& device) {
  if (!sources.clusters) return true;
  const std::vector<domain::Device>& there = sources.clusters->devices;
  return std::ranges::find(there, device.id, &domain::Device::id) != there.end();
}

/// The last capability of --require that the device has not; empty where it has them all.
std::string lacking_capability(const WishSources& sources, const domain::Device& device) {
  // Links are those of the host, which is not known yet: the device's own stand in.
  advise::Wish wish;
  wish.device = device;
  std::string lacks;
  for (const std::string& capability : sources.workload.requires_) {
    const bool is_linked = capability == "nvlink" && device.nvlink.max_domain > 1;
    if (!is_linked && !advise::lacking(capability, wish).empty()) lacks = capability;
  }
  return lacks;
}

/// Whether `any` means this device too. Cards that no server board carries (a workstation's, a
/// preliminary one) are had by name.
bool is_among_any(const WishSources& sources, const domain::Device& device) {
  const bool is_in_servers = sources.host || sources.clusters || !device.boards.empty();
  return is_in_servers && is_on_host(sources, device) && is_in_cluster(sources, device) &&
         lacking_capability(sources, device).empty();
}

/// Why a device that was named cannot be had; nothing where it can.
Diagnostics refusal_of(const WishSources& sources, const domain::Device& device) {
  if (const std::string lacking = lacking_capability(sources, device); !lacking.empty())
    return {complaint(fmt::format("--require {}: a {} has none", lacking, device.id))};
  if (!is_on_host(sources, device)) {
    return {complaint(fmt::format("--host {}: the host has no {}", sources.host->name, device.id),
                      "name a GPU of that host with --gpu, or leave --gpu out")};
  }
  if (!is_in_cluster(sources, device)) {
    return {complaint(
        fmt::format("--cluster: {} has no {}", sources.clusters->cluster.source, device.id),
        "name a GPU of the cluster with --gpu, or leave --gpu out")};
  }
  return {};
}

/// The server that the device would stand in: the one named, the cluster's, or the usual one.
Diagnostics take_server(const WishSources& sources, advise::Wish& wish) {
  const std::optional<domain::Host> server = sources.host || !sources.clusters
                                                 ? sources.host
                                                 : server_with(*sources.clusters, wish.device.id);
  wish.is_usual_host = !server;
  if (server) {
    wish.host = *server;
    return {};
  }
  Result<domain::Host> usual = sources.profiles.usual_server(wish.device);
  if (!usual) return usual.error();
  wish.host = std::move(*usual);
  return {};
}

/// The devices of one word, each a wish of that rank.
Diagnostics take_word(const WishSources& sources, const std::string& word, int rank,
                      std::vector<advise::Wish>& wishes) {
  const Result<ParsedWish> parsed = parse_wish(word);
  if (!parsed) return parsed.error();
  const bool is_any = parsed->name == "any";
  std::vector<domain::Device> devices;
  if (is_any) {
    Result<std::vector<domain::Device>> all = sources.profiles.all();
    if (!all) return all.error();
    devices = std::move(*all);
    std::erase_if(devices,
                  [&](const domain::Device& device) { return !is_among_any(sources, device); });
    const auto& total = sources.invocation.visible_bytes;
    if (total && !sources.invocation.profile)
      std::erase_if(devices, [&](const auto& device) { return !reports_about(device, *total); });
  } else {
    Result<domain::Device> device = sources.profiles.find(parsed->name);
    if (!device) return device.error();
    if (Diagnostics refused = refusal_of(sources, *device); !refused.empty()) return refused;
    devices.push_back(std::move(*device));
  }
  for (domain::Device& device : devices) {
    advise::Wish wish;
    if (sources.invocation.visible_bytes) {
      if (Diagnostics wrong = state_memory(device, sources.invocation); !wrong.empty())
        return wrong;
    }
    wish.device = std::move(device);
    if (Diagnostics missing = take_server(sources, wish); !missing.empty()) return missing;
    wish.is_counted = parsed->most.has_value();
    wish.most = parsed->most.value_or(wish.most);
    wish.rank = rank;
    wish.is_any = is_any;
    wishes.push_back(std::move(wish));
  }
  return {};
}

}  // namespace

Result<std::vector<advise::Wish>> gather_wishes(const domain::Workload& workload,
                                                const profiles::Profiles& profiles,
                                                const std::optional<domain::Host>& host,
                                                const std::optional<LoadedCluster>& clusters,
                                                const Invocation& invocation) {
  const WishSources sources{workload, profiles, host, clusters, invocation};
  std::vector<advise::Wish> wishes;
  Diagnostics faults;
  int rank = 0;
  for (const std::string& word : wish_words(sources))
    std::ranges::move(take_word(sources, word, rank++, wishes), std::back_inserter(faults));
  if (!faults.empty()) return failure(std::move(faults));
  if (wishes.empty() && invocation.visible_bytes) {
    return failure(fmt::format("--memory-mib: no GPU of the table reports {:.1f} GiB",
                               invocation.visible_bytes->gib()),
                   "name the GPU that this is a part of with --gpu");
  }
  if (wishes.empty()) {
    return failure("no GPU of the table has what --require asks for",
                   "drop a requirement, or name the GPUs with --gpu");
  }
  return wishes;
}

}  // namespace gpushape::cli
