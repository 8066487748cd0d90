// VC-24: several GPU workers have shared memory. The container's default is 64 MiB; NCCL and the
// engine's queues need gigabytes (vLLM, Using Kubernetes; vllm-project/production-stack 97). The
// production stack mounts it for vllmConfig.tensorParallelSize alone.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_24(const Deployment& deployment, Report& report) {
  each_engine(
      deployment, [&](const PodRequest& pod, const Container& container, const EngineCall& call) {
        const auto ranks = ranks_of(call);
        if (!ranks || ranks->tensor < 2 || ranks->place == nullptr || call.runs_llama_cpp()) return;
        if (pod.is_partly_shown || pod.shares_host_ipc || container.mount_at("/dev/shm") != nullptr)
          return;
        // The other ranks may be in other pods.
        const auto gpus = counted_gpus(pod, &container);
        if (gpus && *gpus < 2) return;
        // What others fill in is not in sight: a serving kind's own template.
        const bool is_shown = (pod.source == PodSource::Kubernetes && pod.spec != nullptr &&
                               pod.kind != "LLMInferenceService" && pod.kind != "NIMService" &&
                               !pod.kind.starts_with("Dynamo")) ||
                              (pod.source == PodSource::Chart && !ranks->place->is_field);
        if (!is_shown) return;
        report.add(*pod.document, ranks->place->position,
                   {.message = fmt::format("{} runs {} workers with the 64 MiB of /dev/shm that a "
                                           "container has by default",
                                           pod.title(), ranks->tensor),
                    .fix = "mount an emptyDir {medium: Memory, sizeLimit: 8Gi} at /dev/shm"});
      });
}

}  // namespace gpushape::review::rules_of
