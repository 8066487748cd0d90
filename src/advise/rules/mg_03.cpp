// MG-03: narrower weights keep an instance inside one link domain. P10, Two NVLink pairs.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> mg_03(const Facts& facts, const Thresholds& /*thresholds*/) {
  const bool crosses = facts.gpus_needed == 0 || facts.gpus_needed > facts.link_domain_size;
  if (!crosses || facts.narrower_quantization.empty()) return std::nullopt;
  return Verdict{.says = fmt::format(
                     "with {} weights {} inside the link domain of {} would do: crossing it goes "
                     "over PCIe and the sockets' link, and the slowest link sets the pace",
                     facts.narrower_quantization, counted(facts.narrower_gpus, "GPU"),
                     facts.link_domain_size)};
}

}  // namespace gpushape::advise::rules_of
