#include "estimate/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpushape::estimate {
namespace {

using domain::Measurement;

/// Why a measurement says nothing of the plan at all; empty where it does.
std::string mismatch(const Measurement& one, const Request& request, const ResolvedPlan& resolved) {
  const Plan& plan = resolved.plan;
  if (one.model != request.model->id) return fmt::format("it is of {}", one.model);
  if (one.engine != request.engine->name) return fmt::format("it is of {}", one.engine);
  if (one.quantization && *one.quantization != resolved.quantization.value)
    return fmt::format("it is of {} weights", name_of(*one.quantization));
  if (one.tensor != plan.parallelism.tensor || one.pipeline != plan.parallelism.pipeline) {
    return fmt::format("it is of tensor parallel {}, pipeline parallel {}", one.tensor,
                       one.pipeline);
  }
  if (one.pipeline > 1) return "stages of a pipeline differ";
  return {};
}

bool is_same_batch(const Measurement& one, const Plan& plan) {
  return one.max_num_seqs == plan.max_num_seqs &&
         one.max_num_batched_tokens == plan.max_num_batched_tokens;
}

bool is_same_place(const Measurement& one, const Request& request, const ResolvedPlan& resolved) {
  const domain::EngineVersion& version = resolved.settings.version.value;
  const bool is_release = one.version.major == version.major && one.version.minor == version.minor;
  const bool is_gpu = one.gpu.empty() || (request.gpu != nullptr && request.gpu->device == one.gpu);
  return is_release && is_gpu;
}

bool holds(std::string_view term, const Measurement& one, const Request& request,
           const ResolvedPlan& resolved) {
  if (term == "weights") return true;
  if (!is_same_place(one, request, resolved)) return false;
  if (term == "nonTorch") return true;
  const Plan& plan = resolved.plan;
  if (term == "graphs") {
    return one.max_num_seqs == plan.max_num_seqs && one.enforce_eager == plan.enforce_eager;
  }
  return term == "activation" && is_same_batch(one, plan);
}

}  // namespace

TakenEvidence::TakenEvidence(const Request& request, const ResolvedPlan& resolved) {
  for (const Measurement& one : request.workload->measurements) {
    if (const std::string reason = mismatch(one, request, resolved); !reason.empty()) {
      notes_.push_back(fmt::format("the measurement {} is not used: {}", one.source, reason));
      continue;
    }
    std::vector<std::string> used;
    for (const domain::MeasuredTerm& term : one.terms) {
      if (!holds(term.name, one, request, resolved)) continue;
      std::erase_if(taken_, [&](const Taken& other) { return other.term.name == term.name; });
      taken_.push_back({.term = term, .source = fmt::format("measured: {}", one.source)});
      used.push_back(term.name);
    }
    notes_.push_back(
        used.empty()
            ? fmt::format("the measurement {} is of other settings: nothing is taken", one.source)
            : fmt::format("measured, not predicted ({}): {}", one.source, fmt::join(used, ", ")));
  }
}

const domain::MeasuredTerm* TakenEvidence::find(std::string_view term) const {
  const auto found =
      std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.term.name == term; });
  return found == taken_.end() ? nullptr : &found->term;
}

std::string TakenEvidence::source(std::string_view term) const {
  const auto found =
      std::ranges::find_if(taken_, [&](const Taken& taken) { return taken.term.name == term; });
  return found == taken_.end() ? std::string() : found->source;
}

bool is_in_measured(std::string_view term, const TakenEvidence& evidence) {
  if (evidence.is_empty()) return false;
  if (term == "collectives") return evidence.find("nonTorch") != nullptr;
  return (term == "towers" || term == "stepBuffers") && evidence.find("weights") != nullptr;
}

}  // namespace gpushape::estimate
