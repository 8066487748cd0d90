#include "review/granted_shape.hpp"

#include <algorithm>

#include "domain/profile_memory.hpp"
#include "review/granted_gpus.hpp"

namespace gpushape::review {

using domain::ConsumptionModel;
using domain::Shape;
using domain::Technology;

namespace {

ConsumptionModel model_of_shape(std::int64_t count, Technology technology) {
  if (count > 1) return ConsumptionModel::MultiGpu;
  switch (technology) {
    case Technology::FullVgpu:
    case Technology::WholeGpu:
      return ConsumptionModel::Full;
    case Technology::Passthrough:
      return ConsumptionModel::Passthrough;
    default:
      return ConsumptionModel::Fractional;
  }
}

}  // namespace

Technology technology_of(const GpuAsk& ask, const GrantedGpu& gpu) {
  if (gpu.profile != nullptr) return gpu.profile->technology;
  const bool is_part = (ask.fraction && *ask.fraction < 1) || ask.memory_bytes ||
                       (ask.core_percent && *ask.core_percent < 100);
  switch (ask.kind) {
    case GrantKind::PluginShare:
      return Technology::SoftwareShare;
    case GrantKind::Hami:
    case GrantKind::Kai:
    case GrantKind::Volcano:
      return is_part ? Technology::SoftwareShare : Technology::WholeGpu;
    default:
      return Technology::WholeGpu;
  }
}

Shape granted_shape(const GrantedGpu& gpu, Technology technology, std::int64_t count) {
  Shape shape;
  shape.technology = technology;
  shape.device = gpu.device->id;
  shape.count = count;
  shape.consumption_model = model_of_shape(count, technology);
  shape.memory_bytes = domain::usable_bytes(*gpu.device, gpu.profile);
  if (gpu.profile != nullptr) {
    shape.profile = gpu.profile->name;
    shape.profile_short = gpu.profile->short_name;
    if (gpu.profile->compute_slices > 0 && gpu.device->mig_compute_slices > 0) {
      shape.compute_share = static_cast<double>(gpu.profile->compute_slices) /
                            static_cast<double>(gpu.device->mig_compute_slices);
    } else if (gpu.profile->max_per_gpu > 0) {
      shape.compute_share = 1.0 / static_cast<double>(gpu.profile->max_per_gpu);
    }
  }
  if (gpu.limit) shape.memory_bytes = std::min(*gpu.limit, shape.memory_bytes);
  return shape;
}

std::optional<Shape> claimed_shape(const ClaimRequest& request, PublishedTable& published) {
  const std::vector<const PublishedGpu*>& gpus = published.selected(request);
  if (gpus.empty()) return std::nullopt;
  const PublishedGpu& gpu = **std::ranges::min_element(gpus, {}, [](const PublishedGpu* each) {
    return domain::usable_bytes(*each->product, each->profile);
  });
  Technology technology = gpu.profile == nullptr ? Technology::WholeGpu : gpu.profile->technology;
  if (gpu.type == "vfio") technology = Technology::Passthrough;
  return granted_shape({gpu.product, gpu.profile, {}, {}}, technology, request.count);
}

}  // namespace gpushape::review
