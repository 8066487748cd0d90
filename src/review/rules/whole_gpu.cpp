#include "review/rules/whole_gpu.hpp"

#include <algorithm>
#include <charconv>

#include "domain/profile_memory.hpp"

namespace gpushape::review {

const domain::Device* whole_gpu_of(const Deployment& deployment, const PodRequest& pod) {
  const bool takes_whole =
      !pod.gpus.empty() && std::ranges::all_of(pod.gpus, [](const GpuAsk& ask) {
        const bool is_claim = ask.kind == GrantKind::Claim && ask.claim != nullptr &&
                              meaning_of_class(ask.resource) == ClassMeaning::WholeGpu;
        return ask.kind == GrantKind::Plugin || is_claim;
      });
  if (!takes_whole || !deployment.sizings) return nullptr;
  const Sizing& sizing = deployment.sizing(pod);
  if (sizing.gpus.empty()) return nullptr;
  const GrantedGpu& gpu = sizing.gpus.front();
  return gpu.profile == nullptr && !gpu.limit ? gpu.device : nullptr;
}

const document::Node& place_of_gpus(const PodRequest& pod) {
  for (const GpuAsk& ask : pod.gpus) {
    if (ask.node != nullptr) return *ask.node;
  }
  return pod.place();
}

const domain::Profile* instance_for(const domain::Device& device, Bytes need) {
  const Bytes most = domain::largest_fraction_bytes(device, domain::Technology::Mig);
  const domain::Profile* smallest = nullptr;
  for (const domain::Profile& profile : device.profiles) {
    if (profile.technology != domain::Technology::Mig || !profile.attributes.empty()) continue;
    const Bytes usable = domain::usable_bytes(device, &profile);
    if (usable < need || usable > most) continue;
    if (smallest == nullptr || usable < domain::usable_bytes(device, smallest)) {
      smallest = &profile;
    }
  }
  return smallest;
}

std::string stated_evidence(const PodRequest& pod) {
  const NamedText* row = pod.annotation("gpushape.dev/evidence");
  return row == nullptr ? std::string() : row->value;
}

std::optional<std::chrono::sys_days> calendar_day(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  const auto read = [&](std::size_t at, std::size_t length, auto& value) {
    const char* const first = text.data() + at;
    return std::from_chars(first, first + length, value).ptr == first + length;
  };
  if (!read(0, 4, year) || !read(5, 2, month) || !read(8, 2, day)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<double> age_in_days(const Deployment& deployment, const PodRequest& pod) {
  if (!deployment.request->as_of) return std::nullopt;
  const auto created = calendar_day(word_at(*pod.root, {"metadata", "creationTimestamp"}));
  if (!created || *created > *deployment.request->as_of) return std::nullopt;
  return static_cast<double>((*deployment.request->as_of - *created).count());
}

}  // namespace gpushape::review
