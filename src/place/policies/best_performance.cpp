// best-performance: the host with the highest goodness; on it the GPU with the fewest VMs.
#include "place/device_choice.hpp"
#include "place/fragmentation.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {

HostChoice best_performance(const PolicyQuestion& question) {
  const Option option = choose_device(question, Assignment::FewestVms);
  return {.option = option,
          .key = {rounded(goodness(question.snapshot, question.host, question.request, option,
                                   question.weights)),
                  0}};
}

}  // namespace gpushape::place
