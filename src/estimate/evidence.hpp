// Measured terms in place of predicted ones: which measurement speaks of the start that a plan
// describes, and of which of its terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/measurement.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

/// Weights depend on model, precision and parallelism; the activation on the batch, too; graphs and
/// buffers on the GPU and the engine's release. Stages of a pipeline differ: for several, nothing
/// is taken. The newest of several measurements wins.
class TakenEvidence {
 public:
  TakenEvidence(const Request& request, const ResolvedPlan& resolved);

  [[nodiscard]] bool is_empty() const { return taken_.empty(); }
  /// nullptr where the term is predicted.
  [[nodiscard]] const domain::MeasuredTerm* find(std::string_view term) const;
  [[nodiscard]] std::string source(std::string_view term) const;
  /// What was taken, and why a measurement was not, as notes.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Taken {
    domain::MeasuredTerm term;
    std::string source;
  };
  std::vector<Taken> taken_;
  std::vector<std::string> notes_;
};

/// Whether a term is part of another one that was measured: buffers hold those of the collectives,
/// weights hold the towers.
bool is_in_measured(std::string_view term, const TakenEvidence& evidence);

}  // namespace gpushape::estimate
