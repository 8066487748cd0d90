// MG-04: tensor parallelism runs over links. vGPU has peer traffic over NVLink alone, and over PCIe
// every step waits for the slowest link (NVIDIA AI Enterprise, Peer-To-Peer CUDA Transfers;
// F. Denneman, PCIe connected GPUs).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mg_04(const Deployment& deployment, Report& report) {
  if (!deployment.sizings) return;
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto tensor = whole_of(call, "tensor");
    // llama.cpp splits rows or layers as it likes; several pods are linked by a network anyway.
    if (!tensor || *tensor < 2 || call.runs_llama_cpp()) return;
    const Sizing& sizing = deployment.sizing(pod);
    if (sizing.gpus.empty() || static_cast<double>(*tensor) > pod.gpu_count()) return;
    const auto has_links = [&](const GrantedGpu& gpu) {
      return gpu.device->nvlink.max_domain >= *tensor;
    };
    if (std::ranges::any_of(sizing.gpus, has_links)) return;
    const GrantedGpu& gpu = sizing.gpus.front();
    const bool is_guest =
        gpu.profile != nullptr && gpu.profile->technology != domain::Technology::Mig;
    const std::string links =
        gpu.device->nvlink.max_domain > 1
            ? fmt::format("NVLink among {} of them", gpu.device->nvlink.max_domain)
            : std::string("no NVLink");
    report.add(*pod.document, call.find("tensor")->value_position,
               {.message = fmt::format("{} spreads every layer over {} x {}, which have {}: {}",
                                       pod.title(), *tensor, gpu.device->id, links,
                                       is_guest ? "vGPUs do not reach each other over PCIe"
                                                : "every step crosses PCIe"),
                .severity = is_guest ? std::optional(domain::Severity::Error) : std::nullopt});
  });
}

}  // namespace gpushape::review::rules_of
