// CM-02: one instance that outgrows a device. P2, When a workload spans GPUs, 1 and 3.
#include <fmt/format.h>

#include "advise/rules/functions.hpp"
#include "advise/words.hpp"

namespace gpushape::advise::rules_of {

std::optional<Verdict> cm_02(const Facts& facts, const Thresholds& thresholds) {
  if (facts.gpus_needed == 1) return std::nullopt;
  if (facts.layout_is_asked) {
    return Verdict{.says = fmt::format("the layout asked for spreads one instance over {} GPUs",
                                       facts.gpus_needed),
                   .model = domain::ConsumptionModel::MultiGpu};
  }
  const Bytes need = facts.need_bytes.value_or(*facts.static_bytes);
  if (need <= most_of_device(facts, thresholds) && !facts.why_not_one.empty()) {
    return Verdict{
        .says = fmt::format("one {} does not hold it: {}", facts.device, facts.why_not_one),
        .model = domain::ConsumptionModel::MultiGpu};
  }
  return Verdict{.says = fmt::format("one instance needs {}, more than {}", size_text(need),
                                     most_of_device_text(facts, thresholds)),
                 .model = domain::ConsumptionModel::MultiGpu};
}

}  // namespace gpushape::advise::rules_of
