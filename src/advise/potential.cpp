#include "advise/potential.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/candidates.hpp"
#include "advise/capability.hpp"
#include "advise/device_case.hpp"
#include "advise/words.hpp"
#include "base/grouped.hpp"

namespace gpushape::advise {

using domain::Potential;

namespace {

// ours: a sequence of everyday length, where no context is declared
constexpr std::int64_t kUsualContext = 8192;

std::int64_t shown_context(const AdviceRequest& request) {
  if (request.workload.context_tokens) return request.workload.context_tokens->value;
  const std::int64_t longest = request.model->max_context_tokens;
  return longest > 0 ? std::min(longest, kUsualContext) : kUsualContext;
}

/// One sequence at the shown context: the pool is what the engine leaves beside the weights.
AdviceRequest with_one_sequence(const AdviceRequest& request) {
  AdviceRequest one = request;
  one.wishes.clear();
  if (!one.workload.context_tokens) {
    one.workload.context_tokens = domain::defaulted(shown_context(request));
  }
  if (!one.workload.concurrency) one.workload.concurrency = domain::defaulted<std::int64_t>(1);
  return one;
}

Potential refused(const Wish& wish, std::string says) {
  Potential potential;
  potential.device = wish.device.id;
  potential.wish = wish.rank;
  potential.says = std::move(says);
  return potential;
}

std::optional<Potential> on_group(const AdviceRequest& one, const Facts& declared, const Wish& wish,
                                  const Candidate& whole, std::int64_t gpus) {
  Layout layout;
  layout.gpus = gpus;
  layout.parallelism.tensor = gpus;
  if (declared.attention_heads % gpus != 0) return std::nullopt;
  const Result<Need> need = size_workload(one, declared, layout, memory_of(wish, whole));
  if (!need || !need->estimate || !need->estimate->capacity) return std::nullopt;
  const domain::Capacity& capacity = *need->estimate->capacity;
  Potential potential{.device = wish.device.id,
                      .wish = wish.rank,
                      .count = gpus,
                      .free_bytes = capacity.kv_pool_bytes.expected,
                      .tokens = capacity.kv_pool_tokens,
                      .context_tokens = one.workload.context_tokens->value,
                      .sequences = 0,
                      .fits = false,
                      .says = {}};
  potential.sequences = static_cast<std::int64_t>(capacity.max_concurrency_at_context);
  potential.fits = potential.tokens > 0 && capacity.kv_pool_bytes.expected.count() > 0;
  const std::string name = gpus > 1 ? fmt::format("{} x {}", gpus, wish.device.id) : wish.device.id;
  if (potential.fits) {
    potential.says = fmt::format(
        "{}: {} tokens of KV cache beside the weights, {} of {}", name, grouped(potential.tokens),
        counted(potential.sequences, "sequence"), grouped(potential.context_tokens));
  } else {
    potential.says = fmt::format("{}: weights of {} leave nothing for the cache", name,
                                 size_text(need->weights_bytes));
  }
  return potential;
}

}  // namespace

std::vector<Potential> potentials_of(const AdviceRequest& request, const Facts& declared) {
  std::vector<Potential> potentials;
  if (!request.model || !request.engine) return potentials;
  const AdviceRequest one = with_one_sequence(request);
  for (const Wish& wish : request.wishes) {
    if (const auto missing = missing_capability(request, wish)) {
      potentials.push_back(refused(wish, missing->says));
      continue;
    }
    std::optional<Candidate> whole = full_candidate(wish, declared.platform);
    if (!whole) whole = passthrough_candidate(wish);
    std::optional<Potential> best;
    const std::int64_t links =
        has_hypervisor(declared.platform) ? link_domain_size(wish) : gpus_on_host(wish);
    for (const std::int64_t gpus : {1, 2, 4, 8}) {
      if (gpus > 1 && (gpus > wish.most || gpus > links)) break;
      std::optional<Potential> here = on_group(one, declared, wish, *whole, gpus);
      if (!here) continue;
      best = std::move(here);
      if (best->fits) break;
    }
    if (best) potentials.push_back(*std::move(best));
  }
  return potentials;
}

}  // namespace gpushape::advise
