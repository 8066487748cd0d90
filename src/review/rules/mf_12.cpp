// MF-12: what stands at /dev/shm is memory, and the container's memory holds it. An emptyDir
// without `medium: Memory` is the node's disk; one of memory counts into the container's limit
// (Kubernetes, Volumes: emptyDir).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mf_12(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    for (const Container& container : pod.containers) {
      const VolumeMount* mount = container.mount_at("/dev/shm");
      const Volume* volume = mount == nullptr ? nullptr : pod.volume(mount->volume);
      if (volume == nullptr || volume->kind != VolumeKind::EmptyDir || volume->node == nullptr) {
        continue;
      }
      if (!volume->is_memory) {
        report.add(*pod.document, *volume->node,
                   {.message = fmt::format("/dev/shm of container {} is an emptyDir on the node's "
                                           "disk",
                                           container.name),
                    .fix = "set `medium: Memory` and a sizeLimit"});
        continue;
      }
      const ResourceAmount* limit = container.limit("memory");
      if (limit == nullptr || !limit->amount || !volume->limit_bytes ||
          volume->limit_bytes->value < *limit->amount) {
        continue;
      }
      report.add(
          *pod.document, *volume->limit_bytes->node,
          {.message = fmt::format("/dev/shm may take {} and container {} may take {} in all: "
                                  "what it writes there counts as its memory",
                                  gib_text(volume->limit_bytes->value), container.name,
                                  gib_text(*limit->amount)),
           .fix = "raise limits.memory above the size of /dev/shm, or shrink it"});
    }
  }
}

}  // namespace gpushape::review::rules_of
