// Measured terms in place of predicted ones: which measurements speak of the start that a plan
// describes, of which of its terms, and what they say together.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/measurement.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

/// A term is taken where all that decides it is as it was measured (measured_starts.hpp). Stages of
/// a pipeline differ: for several, nothing is taken. Of several starts, a term is as low as the
/// least of them, as high as the greatest, and expected in their middle (the median).
class TakenEvidence {
 public:
  TakenEvidence(const Request& request, const ResolvedPlan& resolved);

  [[nodiscard]] bool is_empty() const { return taken_.empty(); }
  /// nullptr where the term is predicted.
  [[nodiscard]] const domain::MeasuredTerm* find(std::string_view term) const;
  [[nodiscard]] std::string source(std::string_view term) const;
  /// Whether a term is part of another one that was measured: buffers hold those of the
  /// collectives, weights hold towers, and slots for adapters and a draft model as far as the
  /// engine counts them so.
  [[nodiscard]] bool holds(std::string_view term) const;
  /// What was taken, and why a measurement was not, as notes.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// The same figures stand in place of the same terms.
  [[nodiscard]] bool is_same(const TakenEvidence& other) const;

 private:
  struct Taken {
    domain::MeasuredTerm term;
    std::vector<Bytes> figures;  ///< expected, one a start
    std::vector<std::string> sources;
  };
  /// Reasons, each with the terms that are left for it.
  using Left = std::vector<std::pair<std::string, std::vector<std::string>>>;
  void add(const domain::MeasuredTerm& term, const std::string& source);
  void note(const std::string& source, const std::vector<std::string>& used, const Left& left);

  std::vector<Taken> taken_;
  std::vector<std::string> notes_;
  bool has_slots_ = false;      ///< the weights hold them
  bool is_one_figure_ = false;  ///< for all that is outside the framework
};

}  // namespace gpushape::estimate
