// One model, precision, layout, engine and GPU, resolved once and asked for many loads: all figures
// of an estimate, without its words. An estimate is one such question (estimate_memory), a sweep
// asks many.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/estimate.hpp"
#include "estimate/engines.hpp"
#include "estimate/evidence.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

class PreparedEstimate {
 public:
  /// What the request points to stays in its place for as long as this lives. Its engine is that of
  /// the row, and nothing is wrong with it (complaints_about).
  static Result<PreparedEstimate> make(const Request& request, const EngineRow& row);

  /// Takes the workload's context, concurrency and utilization as they are now; everything else in
  /// the request is as it was.
  Diagnostics settle();

  /// The stages that can be the largest one; stages between the first and the last differ in their
  /// number of layers only.
  [[nodiscard]] std::span<const StageFigures> stages() const { return stages_; }
  /// The stage whose GPUs need most: an estimate speaks of one of those.
  [[nodiscard]] const StageFigures& largest() const { return stages_[largest_]; }
  /// Of the stage that keeps most of a token.
  [[nodiscard]] Bytes kv_bytes_per_token() const;
  /// There is a GPU in the request. Its names stay empty.
  [[nodiscard]] domain::Capacity capacity(std::vector<std::string>* notes = nullptr) const;

  [[nodiscard]] const EngineRow& engine() const { return *row_; }
  [[nodiscard]] const ResolvedPlan& resolved() const { return *resolved_; }
  /// The words beside the plan, for whoever asks last.
  [[nodiscard]] ResolvedPlan& resolved() { return *resolved_; }
  [[nodiscard]] const TakenEvidence& evidence() const { return evidence_; }
  [[nodiscard]] StageFigures figures_of(const Stage& stage) const;

 private:
  enum class Change { Load, Batch, Everything };

  PreparedEstimate(const Request& request, const EngineRow& row, ResolvedPlan resolved);
  void add_stages();
  void count(StageFigures& stage, Change change) const;
  void choose_largest();

  Request request_;
  const EngineRow* row_;
  std::unique_ptr<ResolvedPlan> resolved_;  ///< situations point into it
  TakenEvidence evidence_;
  std::vector<StageFigures> stages_;
  std::size_t largest_ = 0;
};

}  // namespace gpushape::estimate
