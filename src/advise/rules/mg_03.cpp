// MG-03: narrower weights keep an instance inside one link domain. P10, Two NVLink pairs.
#include <fmt/format.h>

#include <string>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_03(const Facts& facts, const Thresholds& /*thresholds*/) {
  const bool crosses = facts.gpus_needed == 0 || facts.gpus_needed > facts.link_domain_size;
  if (!crosses || facts.narrower_quantization.empty()) return std::nullopt;
  return Verdict{
      .says = fmt::format(
          "with {} weights (--quant {}) {}, {}, would do: a larger group crosses to PCIe "
          "and the sockets' link, and the slowest link sets the pace",
          facts.narrower_quantization, facts.narrower_quantization,
          counted(facts.narrower_gpus, "GPU"),
          facts.narrower_gpus == 1
              ? std::string("which needs no link")
              : fmt::format("inside the link domain of {}", facts.link_domain_size))};
}

}  // namespace gpushape::advise::rules_of
