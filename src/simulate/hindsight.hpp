// Would a different earlier choice have made room for a request that was refused? Proven by an
// arrangement: the VMs of a host (or all of them) are laid out anew, and everything that runs finds
// a place beside the request. Where none is found it stays open, unless the free capacity alone
// rules it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "place/offers.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"

namespace gpushape::simulate {

enum class Hindsight {
  Unavoidable,  ///< GPUs that could serve it, CPU or memory are short in total
  Avoidable,    ///< an arrangement of all that runs and the request was found
  Open,         ///< free in total, and no arrangement was found
};

class Rearranger {
 public:
  /// `first` is the cluster before the trace: its VMs stay where they are. Asks hosts no more often
  /// than `most_asks` in all; what comes after is Open.
  Rearranger(const place::Snapshot& first, const place::Distribution& distribution,
             std::int64_t most_asks = 2'000'000);

  Hindsight judge(const place::Snapshot& now, const place::Request& request, double gpus);

 private:
  struct Moved {
    std::string vm;
    place::PlacedVm placed;
    double size = 0;
  };

  [[nodiscard]] bool has_room(const place::Snapshot& now, const place::Request& request,
                              double gpus) const;
  bool works(place::Snapshot& scratch, const std::vector<std::size_t>& cleared,
             const place::Request& request);
  bool place_best(place::Snapshot& scratch, const std::string& vm, const place::Request& request,
                  const std::vector<std::size_t>& hosts);
  [[nodiscard]] double size_of(const place::Snapshot& now, const place::PlacedVm& placed) const;

  const place::Snapshot first_;
  const place::Distribution& distribution_;
  place::Offers offers_;
  std::int64_t asks_left_;
};

}  // namespace gpushape::simulate
