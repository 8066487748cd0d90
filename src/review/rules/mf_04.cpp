// MF-04: selectors read what the driver publishes, in the domain it publishes it in. A missing
// attribute is a run-time error that fails the whole claim on that node
// (https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/issues/744).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/edit_distance.hpp"
#include "review/published_table.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kStandard = "resource.kubernetes.io";
constexpr std::array<std::string_view, 2> kGone = {"index", "minor"};  // since driver 25.8

const cel::Fields* published_in(const PublishedGpu& gpu, const cel::Read& read,
                                std::string_view domain) {
  return read.is_capacity ? gpu.device.capacity_of(domain) : gpu.device.attributes_of(domain);
}

bool is_published(const std::vector<PublishedGpu>& gpus, std::optional<std::string_view> type,
                  const cel::Read& read, std::string_view domain) {
  return std::ranges::any_of(gpus, [&](const PublishedGpu& gpu) {
    const cel::Fields* fields = published_in(gpu, read, domain);
    return (!type || *type == gpu.type) && fields != nullptr && fields->contains(read.name);
  });
}

std::string help_of(const std::vector<PublishedGpu>& gpus, const cel::Read& read) {
  const std::string map = read.is_capacity ? "capacity" : "attributes";
  for (const std::string_view domain : {kStandard, kNvidiaDriver}) {
    if (domain != read.domain && is_published(gpus, std::nullopt, read, domain)) {
      return fmt::format("read device.{}['{}'].{}", map, domain, read.name);
    }
  }
  cel::Read other = read;
  other.is_capacity = !read.is_capacity;
  if (is_published(gpus, std::nullopt, other, kNvidiaDriver)) {
    return fmt::format("read device.{}['{}'].{}", other.is_capacity ? "capacity" : "attributes",
                       kNvidiaDriver, read.name);
  }
  if (std::ranges::find(kGone, read.name) != kGone.end()) {
    return "select by uuid or pciBusID: index and minor are gone since driver 25.8";
  }
  std::vector<std::string> names;
  for (const PublishedGpu& gpu : gpus) {
    const cel::Fields* fields = published_in(gpu, read, kNvidiaDriver);
    if (fields == nullptr) continue;
    for (const auto& [name, value] : *fields) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return suggestion(read.name, names,
                    "`kubectl get resourceslices -o yaml` lists what is published");
}

struct SelectorHolder {
  const document::Document* document;
  std::optional<std::string_view> type;
  std::string what;
};

void check_selector(const SelectorHolder& holder, const Located<std::string>& expression,
                    const std::vector<PublishedGpu>& gpus, Report& report) {
  const auto selector = cel::Selector::compile(expression.value);
  if (!selector) return;
  for (const cel::Read& read : selector->reads()) {
    if (is_published(gpus, holder.type, read, read.domain)) continue;
    report.add(*holder.document, *expression.node,
               {.message = fmt::format("{} reads {} '{}' of {}, which NVIDIA's driver does not "
                                       "publish for a device of this class",
                                       holder.what, read.is_capacity ? "capacity" : "attribute",
                                       read.name, read.domain),
                .fix = help_of(gpus, read),
                .severity = read.is_guarded ? domain::Severity::Warning : domain::Severity::Error});
  }
}

}  // namespace

void mf_04(const Deployment& deployment, Report& report) {
  if (deployment.claims.empty() && deployment.device_classes.empty()) return;
  const std::vector<PublishedGpu>& gpus = deployment.published->gpus();
  each_request(deployment, [&](const Claim& claim, const ClaimRequest& request) {
    if (!request.device_class) return;
    const auto type = type_of_class(request.device_class->value);
    if (!type) return;
    for (const Located<std::string>& expression : request.selectors) {
      check_selector({claim.document, type, fmt::format("request '{}'", request.name)}, expression,
                     gpus, report);
    }
  });
  for (const DeviceClass& row : deployment.device_classes) {
    const bool is_nvidia = std::ranges::any_of(row.selectors, [](const auto& expression) {
      return expression.value.contains(kNvidiaDriver) &&
             !expression.value.contains("compute-domain");
    });
    if (!is_nvidia) continue;
    for (const Located<std::string>& expression : row.selectors) {
      check_selector({row.document, std::nullopt, fmt::format("DeviceClass {}", row.name)},
                     expression, gpus, report);
    }
  }
}

}  // namespace gpushape::review::rules_of
