// ME-04: the pool holds the sequences that are wanted in flight. More than it holds wait, or are
// preempted and computed again (vLLM, Optimization: preemption).
#include <fmt/format.h>

#include <cmath>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Ours: fewer tokens than this are no conversation.
constexpr std::int64_t kLeastTokens = 256;

}  // namespace

void me_04(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const domain::Capacity& capacity = *sized.capacity;
    if (capacity.fits_at == domain::FitsAt::None && capacity.max_concurrency_at_context < 1) return;
    const auto& wanted = sized.sizing->workload.concurrency;
    const bool is_stated = wanted && wanted->origin != domain::Origin::Default;
    if (is_stated &&
        static_cast<double>(wanted->value) > std::floor(capacity.max_concurrency_at_context) &&
        capacity.max_concurrency_at_context > 0) {
      report.add(
          *sized.pod->document, sized.place("maxNumSeqs"),
          {.message = fmt::format("{} wants {} sequences in flight, and the pool of {} holds "
                                  "{:.1f} of full context",
                                  sized.pod->title(), wanted->value, sized.gpu(),
                                  capacity.max_concurrency_at_context),
           .fix = "shorten the context, take an 8-bit cache, or add a replica"});
      return;
    }
    const auto most = whole_of(*sized.call, "maxNumSeqs");
    if (sized.call->runs_llama_cpp() || !most || *most < 2 || capacity.kv_pool_tokens <= 0 ||
        *most * kLeastTokens <= capacity.kv_pool_tokens) {
      return;
    }
    report.add(
        *sized.pod->document, sized.place("maxNumSeqs"),
        {.message = fmt::format("{} admits {} sequences, and the pool of {} holds {} tokens: "
                                "{} for each",
                                sized.pod->title(), *most, sized.gpu(), capacity.kv_pool_tokens,
                                capacity.kv_pool_tokens / *most),
         .fix = fmt::format("admit about {}", capacity.kv_pool_tokens / (4 * kLeastTokens))});
  });
}

}  // namespace gpushape::review::rules_of
