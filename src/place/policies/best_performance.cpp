// best-performance: the host with the highest goodness; on it the GPU with the fewest VMs.
#include "place/device_choice.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {

HostChoice best_performance(const PolicyQuestion& question) {
  const Option option = choose_device(question, Assignment::FewestVms).option;
  return {.option = option,
          .key = billionths(goodness(question.snapshot, question.host, question.request, option,
                                     question.weights))};
}

}  // namespace gpushape::place
