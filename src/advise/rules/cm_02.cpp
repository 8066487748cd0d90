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
  const double most =
      static_cast<double>(facts.device_bytes.count()) * thresholds.whole_device.value;
  return Verdict{.says = fmt::format("one instance needs {}, more than {}, {} of one {} ({})",
                                     size_text(facts.need_bytes.value_or(*facts.static_bytes)),
                                     size_text(Bytes(static_cast<std::int64_t>(most))),
                                     percent_text(thresholds.whole_device.value), facts.device,
                                     to_text(thresholds.whole_device)),
                 .model = domain::ConsumptionModel::MultiGpu};
}

}  // namespace gpushape::advise::rules_of
