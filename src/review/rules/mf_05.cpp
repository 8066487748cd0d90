// MF-05: a constraint that some server can satisfy. Every request must publish the attribute, and
// devices that must agree must be able to (resource.k8s.io/v1, DeviceConstraint).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "review/published_table.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Different on every device.
constexpr std::array<std::string_view, 2> kSingular = {"gpu.nvidia.com/uuid",
                                                       "resource.kubernetes.io/pciBusID"};

bool has_attribute(const std::vector<PublishedGpu>& gpus, std::string_view type,
                   std::string_view full_name) {
  const std::size_t slash = full_name.find('/');
  if (slash == std::string_view::npos) return false;
  return std::ranges::any_of(gpus, [&](const PublishedGpu& gpu) {
    const cel::Fields* fields = gpu.device.attributes_of(full_name.substr(0, slash));
    return gpu.type == type && fields != nullptr && fields->contains(full_name.substr(slash + 1));
  });
}

/// Memory and compute slices of the MIG profiles that selectors name, one instance each.
struct Slices {
  std::int64_t memory = 0;
  std::int64_t compute = 0;
  std::int64_t instances = 0;
};

void add_slices(const DeviceMatch& match, std::int64_t count, Slices& slices) {
  std::int64_t memory = 0;
  std::int64_t compute = 0;
  for (const auto* list : {&match.yes, &match.maybe}) {
    for (const PublishedGpu* gpu : *list) {
      if (gpu->profile == nullptr) continue;
      const bool is_first = memory == 0;
      memory =
          is_first ? gpu->profile->memory_slices : std::min(memory, gpu->profile->memory_slices);
      compute =
          is_first ? gpu->profile->compute_slices : std::min(compute, gpu->profile->compute_slices);
    }
  }
  slices.memory += memory * count;
  slices.compute += compute * count;
  slices.instances += count;
}

}  // namespace

void mf_05(const Deployment& deployment, Report& report) {
  if (deployment.claims.empty()) return;
  const std::vector<PublishedGpu>& gpus = deployment.published->gpus();
  for (const Claim& claim : deployment.claims) {
    for (const ClaimConstraint& constraint : claim.constraints) {
      if (!constraint.match_attribute) continue;
      const Located<std::string>& attribute = *constraint.match_attribute;
      std::int64_t count = 0;
      Slices slices;
      for (const ClaimRequest& request : claim.requests) {
        const bool is_meant =
            constraint.requests.empty() ||
            std::ranges::find(constraint.requests, request.name) != constraint.requests.end();
        if (!is_meant || !request.device_class) continue;
        count += request.count;
        const auto type = type_of_class(request.device_class->value);
        if (!type) continue;
        if (!has_attribute(gpus, *type, attribute.value)) {
          report.add(
              *claim.document, *attribute.node,
              {.message = fmt::format("claim {} matches {}, which devices of class {} do "
                                      "not publish: the constraint always fails",
                                      claim.name, attribute.value, request.device_class->value)});
        }
        if (*type == "mig") add_slices(match_devices(deployment, request), request.count, slices);
      }
      if (count > 1 && std::ranges::find(kSingular, attribute.value) != kSingular.end()) {
        report.add(*claim.document, *attribute.node,
                   {.message = fmt::format("claim {} wants {} devices with the same {}, and no two "
                                           "share one",
                                           claim.name, count, attribute.value)});
      }
      // NVIDIA MIG User Guide: seven compute and eight memory slices a GPU.
      if (attribute.value == "gpu.nvidia.com/parentUUID" &&
          (slices.memory > 8 || slices.compute > 7)) {
        report.add(
            *claim.document, *attribute.node,
            {.message = fmt::format("claim {} wants {} MIG instances of one GPU with {} "
                                    "memory and {} compute slices; a GPU has 8 and 7",
                                    claim.name, slices.instances, slices.memory, slices.compute)});
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
