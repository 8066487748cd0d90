// consolidation: whole devices go to the host with the fewest empty GPUs, so that other hosts stay
// empty; fractions go to the host with the highest goodness, and there to the GPU with most VMs.
#include <bit>

#include "place/device_choice.hpp"
#include "place/policies/functions.hpp"

namespace gpushape::place {

HostChoice consolidation(const PolicyQuestion& question) {
  constexpr PolicyKey kAboveGoodness = 2'000'000'000;  // billionths; goodness is 1 at most
  const DeviceChoice chosen = choose_device(question, Assignment::MostVms);
  const int empty = chosen.is_whole ? std::popcount(question.snapshot.row(question.host).free) : 0;
  return {.option = chosen.option,
          .key = billionths(goodness(question.snapshot, question.host, question.request,
                                     chosen.option, question.weights)) -
                 empty * kAboveGoodness};
}

}  // namespace gpushape::place
