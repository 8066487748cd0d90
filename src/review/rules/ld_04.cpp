// LD-04: the driver branch runs the CUDA of the image. Within a major release older drivers will
// do; CUDA 12 needs branch 525, CUDA 13 branch 580 (NVIDIA, CUDA Compatibility, minor version
// compatibility).
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct BranchRow {
  int cuda;  ///< major release
  int branch;
};
constexpr auto kLeastBranch = std::to_array<BranchRow>({{11, 450}, {12, 525}, {13, 580}});

/// "…-cu129" and "nvidia/cuda:12.9.1-…": 12.
std::optional<int> cuda_of_image(std::string_view image) {
  int major = 0;
  const auto digits_at = [&](std::size_t at) {
    const std::string_view two = image.substr(std::min(at, image.size()), 2);
    return two.size() == 2 &&
           std::from_chars(two.data(), two.data() + 2, major).ptr == two.data() + 2;
  };
  if (const std::size_t at = image.find("-cu1");
      at != std::string_view::npos && digits_at(at + 3)) {
    return major;
  }
  if (const std::size_t at = image.find("/cuda:");
      at != std::string_view::npos && digits_at(at + 6)) {
    return major;
  }
  return std::nullopt;
}

/// What GPU feature discovery says of a node's driver: the whole version, or its branch.
constexpr auto kDriverLabels = std::to_array<std::string_view>(
    {"nvidia.com/cuda.driver-version.major", "nvidia.com/cuda.driver-version.full",
     "nvidia.com/cuda.driver.major"});

/// Of the nodes that the pod selects; nullptr where it does not say.
const NamedText* driver_label(const PodRequest& pod) {
  for (const std::string_view label : kDriverLabels) {
    if (const NamedText* row = find_name(pod.node_selector, label)) return row;
  }
  return nullptr;
}

int branch_of(std::string_view text) {
  int branch = 0;
  std::from_chars(text.data(), text.data() + text.size(), branch);
  return branch;
}

void check_image_on_branch(const PodRequest& pod, int branch, std::string_view who,
                           Report& report) {
  constexpr int kOldestBranch = 300;
  for (const Container& container : pod.containers) {
    const auto cuda = container.image ? cuda_of_image(container.image->value) : std::nullopt;
    if (!cuda || pod.gpus.empty() || branch < kOldestBranch) continue;
    for (const BranchRow& row : kLeastBranch) {
      if (row.cuda != *cuda || branch >= row.branch) continue;
      report.add(*pod.document, *container.image->node,
                 {.message = fmt::format("image {} brings CUDA {}, which needs driver branch {}; "
                                         "{}",
                                         container.image->value, *cuda, row.branch, who)});
    }
  }
}

}  // namespace

void ld_04(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (const NamedText* row = driver_label(pod)) {
      check_image_on_branch(pod, branch_of(row->value),
                            fmt::format("it selects nodes with {} {}", row->name, row->value),
                            report);
    }
  }
  for (const OperatorPolicy& policy : deployment.operator_policies) {
    if (!policy.driver_version) continue;
    const std::string& text = policy.driver_version->value;
    for (const PodRequest& pod : deployment.pods) {
      if (driver_label(pod) != nullptr) continue;  // said above, of its own nodes
      check_image_on_branch(pod, branch_of(text), fmt::format("{} installs {}", policy.name, text),
                            report);
    }
  }
}

}  // namespace gpushape::review::rules_of
