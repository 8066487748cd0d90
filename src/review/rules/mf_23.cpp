// MF-23: extended resources are whole, and limit and request are equal (Kubernetes API validation,
// pkg/apis/core/validation: ValidateResourceRequirements).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "review/edits.hpp"
#include "review/gpu_asks.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

void check_whole(const PodRequest& pod, const Container& container, const ResourceAmount& row,
                 Report& report) {
  if (!is_gpu_resource(row.name) || !row.amount || row.node == nullptr) return;
  if (std::floor(*row.amount) == *row.amount) return;
  report.add(*pod.document, *row.node,
             {.message = fmt::format("container {} of {} asks for {:g} {}: extended resources are "
                                     "counted whole",
                                     container.name, pod.title(), *row.amount, row.name),
              .fix = "ask for whole GPUs, a MIG instance, or a share under a scheduler that has "
                     "them"});
}

/// The same amount among the limits that are there; where there are none the list is the user's to
/// begin.
Edits limit_like(const PodRequest& pod, const Container& container, const ResourceAmount& row) {
  const document::Node* limits = at(*container.node, {"resources", "limits"});
  if (limits == nullptr || row.node->position().line < 1) return {};
  const document::Position place = row.node->position();
  const std::string line = pod.document->source->line(place.line);
  const auto column = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
  if (column >= line.size()) return {};
  const std::string amount = line.substr(column, static_cast<std::size_t>(place.length));
  return add_field(*pod.document, *limits, fmt::format("{}: {}", row.name, amount));
}

}  // namespace

void mf_23(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (pod.source != PodSource::Kubernetes) continue;
    for (const Container& container : pod.containers) {
      for (const ResourceAmount& row : container.limits) check_whole(pod, container, row, report);
      for (const ResourceAmount& row : container.requests) {
        if (!is_gpu_resource(row.name) || row.node == nullptr) continue;
        const ResourceAmount* limit = container.limit(row.name);
        if (limit == nullptr) {
          report.add(
              *pod.document, *row.node,
              {.message = fmt::format("container {} of {} requests {} without a limit, which "
                                      "an extended resource needs",
                                      container.name, pod.title(), row.name),
               .fix = "write it under limits: the request follows",
               .edits = limit_like(pod, container, row)});
        } else if (row.amount && limit->amount && *row.amount != *limit->amount) {
          report.add(*pod.document, *row.node,
                     {.message = fmt::format("container {} of {} requests {:g} {} with a limit of "
                                             "{:g}: they must be equal",
                                             container.name, pod.title(), *row.amount, row.name,
                                             *limit->amount),
                      .fix = "write it under limits alone: the request follows",
                      .edits = copy_value(*pod.document, *row.node, *limit->node)});
        }
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
