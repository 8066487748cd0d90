#include "calibrate/verdict.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "base/grouped.hpp"

namespace gpushape::calibrate {

using domain::CalibratedTerm;
using domain::Calibration;

std::string verdict_of(const Calibration& calibration, const std::string& failure) {
  const CalibratedTerm* worst = nullptr;
  std::size_t compared = 0;
  for (const CalibratedTerm& term : calibration.terms) {
    if (!term.measured) continue;
    ++compared;
    if (!term.is_off) continue;
    const auto off = [](const CalibratedTerm& one) {
      const double gib = (one.measured->expected - one.predicted.expected).gib();
      return gib < 0 ? -gib : gib;
    };
    // The pool only follows from the terms before it.
    const bool is_more = worst == nullptr || (worst->name != "kvPool" && off(term) > off(*worst) &&
                                              term.name != "kvPool");
    if (is_more) worst = &term;
  }
  if (!failure.empty()) {
    const bool is_told = worst != nullptr && !worst->causes.empty();
    return fmt::format("the engine did not start: {}{}", failure,
                       is_told ? fmt::format("; {}", worst->causes.front()) : std::string());
  }
  if (worst != nullptr) {
    return fmt::format(
        "{} is off: {:.2f} GiB predicted, {:.2f} measured; {}", worst->name,
        worst->predicted.expected.gib(), worst->measured->expected.gib(),
        worst->causes.empty() ? "nothing in the log explains it" : worst->causes.front());
  }
  if (calibration.tokens && !calibration.agrees()) {
    return fmt::format("the printed count of {} tokens is not between {} and {}{}",
                       grouped(calibration.tokens->printed), grouped(calibration.tokens->least),
                       grouped(calibration.tokens->most),
                       calibration.token_cause.empty()
                           ? std::string()
                           : fmt::format(": {}", calibration.token_cause));
  }
  if (compared == 0 && calibration.tokens)
    return "the printed tokens are those of the printed pool; nothing else could be compared";
  if (compared == 0) return "nothing could be compared: see what is asked for";
  return fmt::format("every measured figure lies in its predicted range ({} compared)", compared);
}

}  // namespace gpushape::calibrate
