// One device asked for, with everything that the rules and the choice of its shapes look at: its
// candidates, what the workload needs on it, and the facts that follow.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "advise/candidates.hpp"
#include "advise/facts.hpp"
#include "advise/rules.hpp"
#include "advise/sizing.hpp"
#include "base/result.hpp"

namespace gpushape::advise {

/// Group sizes, in the order in which MG-01 tries them.
inline constexpr std::array<std::int64_t, 3> kGroupSizes = {2, 4, 8};

/// Several devices for one instance, or for each of several copies.
struct Group {
  Candidate candidate;
  Layout layout;
  std::optional<Need> need;  ///< absent where `refusal` says why there is none
  std::string refusal;       ///< empty where the layout is possible
  bool fits = false;
  std::optional<domain::Quantization> quantization = {};  ///< narrower than what was asked for
};

/// Borrows the request and the wish.
struct DeviceCase {
  const AdviceRequest& request;
  const Wish& wish;
  Facts facts;
  std::vector<Candidate> fractions;  ///< largest first
  std::optional<Candidate> full;     ///< absent where the platform has no vGPU profile for it
  std::optional<Candidate> passthrough;
  std::optional<Need> need;       ///< on the whole device
  std::vector<Group> groups;      ///< one per group size that the wish and the host allow
  std::optional<Group> copies;    ///< MG-05: fewer GPUs in all than one large instance
  std::optional<Group> narrower;  ///< MG-03: inside one link domain, with narrower weights
  std::vector<Fired> shape_rules;
  std::vector<Fired> mode_rules;

  [[nodiscard]] const Candidate& whole() const { return full ? *full : *passthrough; }
};

/// Sizes the workload on the device and lets the rules speak.
Result<DeviceCase> examine(const AdviceRequest& request, const Wish& wish, const Facts& declared);

/// The mode rule that refuses this fraction, if one does.
const Fired* refusing_mode_rule(const DeviceCase& device_case, const Candidate& fraction);
/// What the first mode rule or the user asks for; time-sliced where nobody does. The other mode
/// where the device has no fraction in this one.
FractionMode preferred_mode(const DeviceCase& device_case);
/// The rule that decides: the first that names a model. Null where none does.
const Fired* deciding_rule(const DeviceCase& device_case);

domain::VisibleMemory memory_of(const Wish& wish, const Candidate& candidate);

/// What must be held, as far as it is known.
Bytes known_need(const Need& need);

/// Whether a candidate holds a need, and what is left.
struct Fit {
  domain::FitsAt at = domain::FitsAt::None;
  Bytes headroom_bytes;
  std::string refusal;  ///< the term and by how much; empty where it fits
};
Fit fit_of(const Candidate& candidate, const Need& need);

}  // namespace gpushape::advise
