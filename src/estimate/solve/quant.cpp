// The highest precision: what people serve the model in, from what the checkpoint holds downwards;
// with each, the engine's own type of the KV cache first, and a smaller one where the cache is what
// does not fit.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "estimate/solve/served_precisions.hpp"
#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate::solvers {

using domain::Estimate;
using domain::KvCacheType;
using domain::Origin;
using domain::Quantization;
using domain::SolveFor;
using domain::Workload;

namespace {

constexpr std::string_view kFrom = "--solve quant";

std::string words_of(const Estimate& estimate, bool has_smaller_cache) {
  std::string words(name_of(estimate.quantization.value));
  if (has_smaller_cache)
    words += fmt::format(" and a cache of {}", name_of(estimate.kv_cache_type.value));
  return words;
}

bool is_stated(const Workload& workload) {
  return workload.kv_cache_type.origin == Origin::Flag ||
         workload.kv_cache_type.origin == Origin::File;
}

Estimate solved(Estimate estimate, const Binding& binding, bool has_smaller_cache) {
  std::string says = binding.says;
  if (has_smaller_cache) {
    says +=
        fmt::format("; with a cache of {} it does (--kv-cache-dtype {})",
                    name_of(estimate.kv_cache_type.value), name_of(estimate.kv_cache_type.value));
  }
  estimate.solution = domain::Solution{.variable = SolveFor::Quant,
                                       .value = std::string(name_of(estimate.quantization.value)),
                                       .binding_term = binding.term,
                                       .says = std::move(says)};
  return estimate;
}

}  // namespace

Result<Estimate> solve_quant(const SolveRequest& request) {
  const auto precisions = served_precisions(*request.model, request.engine->name, request.gpu);
  if (precisions.empty()) {
    return failure(
        fmt::format("--solve quant: {} has no kernels on this GPU for what {} is stored as",
                    request.engine->name, request.model->id));
  }
  std::vector<KvCacheType> caches;
  if (!is_stated(request.workload)) caches = smaller_caches(request.engine->name, request.gpu);
  Binding binding{"checkpoint", "it is what the checkpoint holds"};
  std::optional<Estimate> last;
  for (const std::optional<Quantization>& precision : precisions) {
    Workload workload = request.workload;
    if (precision) workload.quantization = {*precision, Origin::Computed, std::string(kFrom)};
    Result<Estimate> estimate = estimated(request, workload);
    // Of the ladder's own steps an engine may lack one for this model; what the user asked for may
    // be wrong.
    if (!estimate && precision && last) continue;
    if (!estimate) return estimate;
    if (fits(*estimate)) return solved(*std::move(estimate), binding, false);
    binding = binding_of(*estimate);
    binding.says = fmt::format("with {}, {}", words_of(*estimate, false), binding.says);
    const bool is_cache = binding.term == "kvPool" || binding.term == "longestRequest";
    last = *std::move(estimate);
    if (!is_cache) continue;
    for (const KvCacheType type : caches) {
      workload.kv_cache_type = {type, Origin::Computed, std::string(kFrom)};
      Result<Estimate> smaller = estimated(request, workload);
      if (!smaller) continue;
      if (fits(*smaller)) return solved(*std::move(smaller), binding, true);
      binding = binding_of(*smaller);
      binding.says = fmt::format("with {}, {}", words_of(*smaller, true), binding.says);
      last = *std::move(smaller);
    }
  }
  last->solution = domain::Solution{
      .variable = SolveFor::Quant, .value = {}, .binding_term = binding.term, .says = binding.says};
  return *std::move(last);
}

}  // namespace gpushape::estimate::solvers
