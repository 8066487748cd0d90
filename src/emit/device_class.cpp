// The target `device-class`: a DeviceClass of its own for every picked shape, so that claims name
// the shape and not its selectors; from 1.36 on it can serve an extended resource, too (KEP-5004).

#include <fmt/format.h>

#include <utility>

#include "emit/claims.hpp"
#include "emit/manifest.hpp"
#include "emit/published_device.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

using document::Node;

Result<Emitted> emit_device_class(const EmitRequest& request) {
  if (Diagnostics diagnostics = check_names(request); !diagnostics.empty()) {
    return failure(std::move(diagnostics));
  }
  const Result<std::string> api = claim_api(request.kubernetes);
  if (!api) return failure(api.error());
  const Commenter comment(request);
  const std::vector<std::string> names = document_names(request);
  Emitted emitted;
  for (std::size_t i = 0; i < request.picked.size(); ++i) {
    const domain::RankedShape& picked = *request.picked[i];
    const domain::Device& device = device_of(request, picked.shape);
    const Result<DeviceSelector> selector = select_published(
        picked.shape, device, profile_of(device, picked.shape), request.advice->platform);
    if (!selector) return failure(selector.error());
    // The class stands in for the driver's: it has to say what the driver's class says.
    const std::string_view type = selector->device_class.starts_with("mig")    ? "mig"
                                  : selector->device_class.starts_with("vfio") ? "vfio"
                                                                               : "gpu";
    Node selectors = Node::sequence();
    const auto add = [&](const std::string& expression, const std::string& why) {
      selectors.add(comment.above(map({{"cel", map({{"expression", expression}})}}), why));
    };
    add(fmt::format("device.driver == 'gpu.nvidia.com' && 'type' in "
                    "device.attributes['gpu.nvidia.com'] && "
                    "device.attributes['gpu.nvidia.com'].type == '{}'",
                    type),
        fmt::format("as the driver's own class {}", selector->device_class));
    for (const Condition& condition : selector->conditions)
      add(condition.expression, condition.why);
    EmitRequest cluster_wide = request;
    cluster_wide.name_space.clear();  // classes have none
    Node root = map({{"apiVersion", comment.above(Node(*api), headline(picked))},
                     {"kind", "DeviceClass"},
                     {"metadata", metadata(cluster_wide, names[i], picked)},
                     {"spec", map({{"selectors", std::move(selectors)}})}});
    comment.close(root, request);
    emitted.documents.push_back(std::move(root));
    if (!selector->caveat.empty())
      emitted.notes.push_back(fmt::format("{}: {}", names[i], selector->caveat));
  }
  return emitted;
}

}  // namespace gpushape::emit
