// MG-04: no links between the devices. NVIDIA, Peer-To-Peer CUDA Transfers; P10, PCIe connected
// GPUs.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_04(const Facts& facts, const Thresholds& /*thresholds*/) {
  if (facts.gpus_needed <= 1 || facts.gpus_needed <= facts.link_domain_size) return std::nullopt;
  if (!has_hypervisor(facts.platform) && facts.tensor > 0 &&
      facts.tensor <= facts.link_domain_size) {
    const char* crossed = facts.nodes > 1 ? "the network" : "PCIe";
    return Verdict{
        .says = facts.tensor > 1
                    ? fmt::format("{} GPUs exceed the link domain of {}: {} stages of {} keep each "
                                  "layer inside one, and only activations cross {}",
                                  facts.gpus_needed, facts.link_domain_size,
                                  facts.gpus_needed / facts.tensor, facts.tensor, crossed)
                    : fmt::format("no links between the GPUs: {} stages one after another, of "
                                  "which only activations cross {}; tensor parallel would move "
                                  "every layer's sums over it",
                                  facts.gpus_needed, crossed)};
  }
  return Verdict{
      .says =
          has_hypervisor(facts.platform)
              ? fmt::format("{} GPUs exceed the link domain of {}: a vGPU has peer traffic over "
                            "NVLink only; use pipeline parallel or replicas",
                            facts.gpus_needed, facts.link_domain_size)
              : fmt::format("{} GPUs exceed the link domain of {}: tensor parallel goes over "
                            "PCIe; pipeline parallel or replicas are faster",
                            facts.gpus_needed, facts.link_domain_size)};
}

}  // namespace gpushape::advise::rules_of
