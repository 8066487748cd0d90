// VC-17: an engine has a CPU for each of its processes. vLLM runs an API server, an engine core and
// a worker for each GPU, each of them busy, and wants two cores more than GPUs at the least (vLLM,
// CPU Resources for GPU Deployments).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// The contract beside the class knows its workload, and what that needs at the least.
void check_least_vcpus(const Deployment& deployment, const VmClass& vm, Report& report) {
  if (vm.annotation("gpushape.dev/contract").empty()) return;
  const auto contract = contract_behind(deployment, vm);
  if (!contract || vm.cpus->value >= contract->minimum_vcpus) return;
  report.add(*vm.document, *vm.cpus->node,
             {.message = fmt::format("{} has {} vCPU, and the contract beside it needs {} at the "
                                     "least{}",
                                     title_of(vm), vm.cpus->value, contract->minimum_vcpus,
                                     contract->model.empty() ? "" : " for " + contract->model),
              .fix = fmt::format("give it {} vCPU or more", contract->minimum_vcpus),
              .severity = domain::Severity::Warning});
}

/// Before 0.8 the engine's process was the worker of its first GPU, too (vLLM, V1 Guide).
bool has_worker_in_core(const EngineCall& call) {
  static const auto kApart = domain::engine_version("0.8");
  return call.version && kApart && *call.version < *kApart;
}

}  // namespace

void vc_17(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container& container,
                              const EngineCall& call) {
    const auto ranks = ranks_of(call);
    const ResourceAmount* limit = container.limit("cpu");
    if (call.engine != "vllm" || !ranks || limit == nullptr || !limit->amount) return;
    // Whoever uses a template says how much; on the CPU alone vLLM counts otherwise.
    if (pod.is_template || pod.gpus.empty()) return;
    // KServe's Hugging Face server runs with transformers what vLLM does not have.
    const bool may_be_other = call.is_wrapped && pod.kind == "InferenceService";
    if (may_be_other && !deployment.sizings->of(pod).model) return;
    const std::int64_t workers = ranks->total() / pods_of_instance(pod, *ranks);
    const std::int64_t api_servers = whole_of(call, "apiServers").value_or(1);
    const std::int64_t cores = has_worker_in_core(call) ? 0 : ranks->data;
    const std::int64_t processes = api_servers + cores + workers + (ranks->data > 1 ? 1 : 0);
    if (*limit->amount >= static_cast<double>(processes)) return;
    report.add(*pod.document, *limit->node,
               {.message = fmt::format("{} limits vLLM to {:g} CPU, and it runs {} processes that "
                                       "are busy all the time",
                                       pod.title(), *limit->amount, processes),
                .fix = fmt::format("limit it to {} CPU or more, {} where a CPU is a hyper-thread",
                                   processes + 1, 2 * (2 + workers)),
                .severity = domain::Severity::Warning});
  });
  for (const VmClass& vm : deployment.vm_classes) {
    const auto gpus = static_cast<std::int64_t>(vm.devices.size());
    if (gpus == 0 || !vm.cpus) continue;
    if (vm.cpus->value >= gpus + 2) {
      check_least_vcpus(deployment, vm, report);
      continue;
    }
    report.add(
        *vm.document, *vm.cpus->node,
        {.message = fmt::format("VM class '{}' has {} vCPU for {} GPU{}: an engine runs {} "
                                "processes that are busy all the time",
                                vm.name, vm.cpus->value, gpus, gpus == 1 ? "" : "s", gpus + 2),
         .fix = fmt::format("give it {} vCPU or more", gpus + 4)});
  }
}

}  // namespace gpushape::review::rules_of
