#include "cli/named_gpu.hpp"

#include "domain/profile_memory.hpp"

namespace gpushape::cli {

Result<domain::VisibleMemory> memory_of(const domain::Device& device,
                                        const Invocation& invocation) {
  if (!invocation.profile) return domain::visible_memory(device, nullptr);
  const Result<const domain::Profile*> profile = domain::find_profile(device, *invocation.profile);
  if (!profile) return std::unexpected(profile.error());
  return domain::visible_memory(device, *profile);
}

domain::VisibleMemory stated_memory(Bytes total) {
  domain::VisibleMemory memory;
  memory.bytes = domain::exactly(total);
  memory.source = "--memory-mib";
  memory.parent_bytes = total;
  memory.vendor = "nvidia";
  return memory;
}

}  // namespace gpushape::cli
