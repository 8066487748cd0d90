#include "estimate/prepared.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "estimate/cache_type_answer.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate {
namespace {

using domain::Range;

/// Stages between the first and the last differ in their number of layers only, so of those the one
/// with most layers stands for all.
std::vector<Stage> telling_stages(const std::vector<Stage>& stages) {
  if (stages.size() <= 2) return stages;
  const auto most =
      std::max_element(stages.begin() + 1, stages.end() - 1,
                       [](const Stage& a, const Stage& b) { return a.layers < b.layers; });
  return {stages.front(), *most, stages.back()};
}

Range bytes_of(const TermRow& row, const Situation& situation, const TakenEvidence& evidence) {
  if (!row.applies(situation)) return {};
  if (evidence.is_empty()) return to_range(row.bytes(situation));
  if (const domain::MeasuredTerm* measured = evidence.find(row.name)) return measured->bytes;
  if (evidence.holds(row.name)) return {};
  return to_range(row.bytes(situation));
}

/// Tokens whose keys a step of an indexer gathers, for each of its requests.
std::int64_t gathered_tokens(const Plan& plan) {
  return plan.facts.expected("indexerRequests") > 0 ? plan.longest_request : 0;
}

/// What settling may change of a plan and is not read again by every question.
struct Settled {
  std::array<std::int64_t, 5> batch{};
  int facts_changes = 0;
  CacheGeometry cache;

  explicit Settled(const Plan& plan)
      : batch{plan.max_num_seqs, plan.max_num_batched_tokens, plan.largest_graph,
              plan.sampled_sequences, gathered_tokens(plan)},
        facts_changes(plan.facts.changes()),
        cache(plan.cache) {}
};

/// The running step's tokens are no part of the layout.
bool is_same_layout(CacheGeometry a, const CacheGeometry& b) {
  a.batched_tokens = b.batched_tokens;
  return a == b;
}

}  // namespace

PreparedEstimate::PreparedEstimate(const Request& request, const EngineRow& row,
                                   ResolvedPlan resolved)
    : request_(request),
      row_(&row),
      resolved_(std::make_unique<ResolvedPlan>(std::move(resolved))),
      evidence_(request, *resolved_) {}

Result<PreparedEstimate> PreparedEstimate::make(const Request& request, const EngineRow& row) {
  Result<ResolvedPlan> resolved = row.plan(request);
  if (!resolved) return failure(std::move(resolved.error()));
  if (std::string note = note_of_cache_type(request); !note.empty())
    resolved->notes.push_back(std::move(note));
  PreparedEstimate prepared(request, row, *std::move(resolved));
  prepared.add_stages();
  return prepared;
}

void PreparedEstimate::add_stages() {
  const Plan& plan = resolved_->plan;
  stages_.clear();
  for (const Stage& stage : telling_stages(plan.stages)) {
    stages_.push_back(
        {.situation = shared_situation(request_, plan, stage), .terms = {}, .total = {}});
    count(stages_.back(), Change::Everything);
  }
  choose_largest();
}

StageFigures PreparedEstimate::figures_of(const Stage& stage) const {
  StageFigures figures{.situation = situation_of(resolved_->plan, stage), .terms = {}, .total = {}};
  count(figures, Change::Everything);
  return figures;
}

void PreparedEstimate::count(StageFigures& stage, Change change) const {
  const std::span<const EngineTerm> rows = row_->terms();
  stage.terms.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TermRow& row = rows[i].row;
    const bool is_changed = change == Change::Everything || row.follows == Follows::Load ||
                            (row.follows == Follows::Batch && change == Change::Batch);
    if (is_changed) stage.terms[i] = bytes_of(row, stage.situation, evidence_);
  }
  stage.total = independent_sum(stage.terms);
}

void PreparedEstimate::choose_largest() {
  const auto largest = std::ranges::max_element(
      stages_, {}, [](const StageFigures& stage) { return stage.total.expected; });
  largest_ = static_cast<std::size_t>(largest - stages_.begin());
}

Diagnostics PreparedEstimate::settle() {
  if (row_->settle == nullptr) {
    Result<ResolvedPlan> again = row_->plan(request_);
    if (!again) return std::move(again.error());
    *resolved_ = *std::move(again);
    evidence_ = TakenEvidence(request_, *resolved_);
    add_stages();
    return {};
  }
  Plan& plan = resolved_->plan;
  const Settled before(plan);
  row_->settle(request_, plan);
  const Settled after(plan);
  Change change = Change::Load;
  if (after.batch != before.batch) change = Change::Batch;
  // Facts hold for some numbers of sequences only.
  if (after.facts_changes != before.facts_changes) change = Change::Everything;
  const bool keeps_layout = is_same_layout(before.cache, plan.cache);
  if (!keeps_layout) change = Change::Everything;
  if (!request_.workload->measurements.empty()) {
    TakenEvidence taken(request_, *resolved_);
    if (!taken.is_same(evidence_)) change = Change::Everything;
    evidence_ = std::move(taken);
  }
  for (StageFigures& stage : stages_) {
    // Trainers keep no cache, and engines with planned buffers have theirs in the plan.
    const bool has_pages = !plan.training.is_training && !plan.offload;
    if (has_pages && keeps_layout) {
      stage.situation.cache.geometry.batched_tokens = plan.cache.batched_tokens;
    } else if (has_pages) {
      stage.situation.cache =
          lay_out_cache(*plan.model, stage.situation.stage, plan.cache, plan.draft.model);
    }
    if (has_pages) stage.situation.traffic = traffic_on(plan, stage.situation.cache);
    count(stage, change);
  }
  choose_largest();
  return {};
}

Bytes PreparedEstimate::kv_bytes_per_token() const {
  Bytes most;
  for (const StageFigures& stage : stages_)
    most = std::max(most, stage.situation.cache.bytes_per_token());
  return most;
}

domain::Capacity PreparedEstimate::capacity(std::vector<std::string>* notes) const {
  return row_->capacity(resolved_->plan, stages_, *request_.gpu, notes);
}

}  // namespace gpushape::estimate
