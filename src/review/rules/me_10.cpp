// ME-10: 8-bit weights do not make an 8-bit cache. `auto` is the model's dtype unless the
// checkpoint says otherwise (vllm/config/cache.py; vLLM, Quantized KV Cache).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void me_10(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const std::string_view weights = name_of(sized.estimate->quantization.value);
    const std::string_view cache = name_of(sized.estimate->kv_cache_type.value);
    const bool is_wide = cache == "bf16" || cache == "fp16";
    if (!weights.starts_with("fp8") || !is_wide || sized.call->find("kvCacheType") != nullptr ||
        sized.call->engine != "vllm") {
      return;
    }
    const GrantedGpu& gpu = sized.sizing->gpus.front();
    if (gpu.device == nullptr || !gpu.device->supports_fp8) return;
    // Only where the cache is what runs out: below what is wanted in flight, or where nobody says,
    // eight sequences of full context.
    const auto& wanted = sized.sizing->workload.concurrency;
    const bool is_stated = wanted && wanted->origin != domain::Origin::Default;
    const double enough = is_stated ? static_cast<double>(wanted->value) : 8;
    if (sized.capacity->max_concurrency_at_context >= enough) return;
    report.add(*sized.pod->document, sized.place("model"),
               {.message = fmt::format("{} keeps its cache in {} beside {} weights: the pool of {} "
                                       "holds {:.1f} sequences of full context, and twice that in "
                                       "8 bits",
                                       sized.pod->title(), cache, weights, sized.gpu(),
                                       sized.capacity->max_concurrency_at_context)});
  });
}

}  // namespace gpushape::review::rules_of
