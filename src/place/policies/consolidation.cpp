// consolidation: whole devices go to the host with the fewest empty GPUs, so that other hosts stay
// empty; fractions go to the host with the highest goodness, and there to the GPU with most VMs.
#include <algorithm>

#include "place/device_choice.hpp"
#include "place/fragmentation.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {

HostChoice consolidation(const PolicyQuestion& question) {
  const Option option = choose_device(question, Assignment::MostVms);
  const GpuStates& states = question.snapshot.states();
  const auto empty =
      takes_whole_devices(question)
          ? std::ranges::count_if(question.snapshot.row(question.host).gpus,
                                  [&](StateId state) { return states.is_free(state); })
          : 0;
  return {.option = option,
          .key = {-static_cast<double>(empty),
                  rounded(goodness(question.snapshot, question.host, question.request, option,
                                   question.weights))}};
}

}  // namespace gpushape::place
