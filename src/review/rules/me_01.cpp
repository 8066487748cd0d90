// ME-01: the engine starts on the GPU that it gets, with one sequence of its whole context. vLLM:
// "No available memory for the cache blocks", "To serve at least one request with the model's max
// seq len"; the estimate behind it: `gpushape estimate`.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

double expected_of(const domain::Range& range) {
  return static_cast<double>(range.expected.count());
}

/// The parts, largest first: "weights 65.7 GiB, KV cache 2.5 GiB".
std::string largest_parts(const domain::Estimate& estimate) {
  struct PartRow {
    domain::Part part;
    double bytes;
  };
  std::vector<PartRow> rows;
  for (const auto& row : kNames<domain::Part>) {
    const double bytes = expected_of(domain::part_bytes(estimate, row.value));
    if (bytes > 0) rows.push_back({row.value, bytes});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &PartRow::bytes);
  std::string text;
  constexpr std::size_t kShownParts = 3;
  for (std::size_t i = 0; i < std::min(kShownParts, rows.size()); ++i) {
    text +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", name_of(rows[i].part), gib_text(rows[i].bytes));
  }
  return text;
}

/// What stands beside the cache, less what the engine may take: above 0 where not even that fits.
double short_before_cache(const domain::Estimate& estimate, const domain::Capacity& capacity) {
  double beside = 0;
  for (const auto& row : kNames<domain::Part>) {
    if (row.value == domain::Part::KvCache || row.value == domain::Part::State) continue;
    beside += expected_of(domain::part_bytes(estimate, row.value));
  }
  return beside - expected_of(capacity.visible_bytes) * capacity.utilization;
}

/// Ollama starts all the same: layers that have no room stay with the CPU.
void add_spill(const SizedPod& sized, Report& report) {
  report.add(
      *sized.pod->document, sized.place("model"),
      {.message = fmt::format("{} does not hold all of {}: what Ollama does not find room "
                              "for runs on the CPU ({})",
                              sized.gpu(), sized.sizing->model->id, largest_parts(*sized.estimate)),
       .fix = "take more GPUs, a larger one, fewer bits or a shorter context",
       .label = "runs in part on the CPU",
       .severity = domain::Severity::Warning,
       .why = "Every token waits for the layers that the CPU computes"});
}

}  // namespace

void me_01(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const domain::Capacity& capacity = *sized.capacity;
    // More sequences than the pool holds wait, which ME-04 tells; the engine starts.
    if (capacity.fits_at != domain::FitsAt::None || capacity.max_concurrency_at_context >= 1)
      return;
    // One that fits is enough where a claim takes alternatives.
    for (const GrantedGpu& gpu : sized.sizing->gpus) {
      const auto other = estimate_on(*sized.sizing, gpu);
      if (other && other->capacity && other->capacity->fits_at != domain::FitsAt::None) return;
    }
    if (sized.call->engine == "ollama") {
      add_spill(sized, report);
      return;
    }
    const double pool = expected_of(capacity.kv_pool_bytes);
    const double held = capacity.max_concurrency_at_context;
    const double cache =
        held > 0 ? pool / held
                 : expected_of(domain::part_bytes(*sized.estimate, domain::Part::KvCache)) +
                       expected_of(domain::part_bytes(*sized.estimate, domain::Part::State));
    const std::int64_t context =
        sized.estimate->context_tokens ? sized.estimate->context_tokens->value : 0;
    const std::string short_of =
        pool > 0 ? fmt::format("leaves {} for the cache, and {} tokens of context need {}",
                               gib_text(pool), context, gib_text(cache))
                 : fmt::format("is {} short before any cache",
                               gib_text(short_before_cache(*sized.estimate, capacity)));
    report.add(
        *sized.pod->document, sized.place("contextTokens"),
        {.message = fmt::format("{} does not fit {}: {} at utilization {:g} {} ({})",
                                sized.pod->title(), sized.gpu(), sized.sizing->model->id,
                                capacity.utilization, short_of, largest_parts(*sized.estimate)),
         .fix = pool > 0 && sized.estimate->kv_bytes_per_token.count() > 0
                    ? fmt::format("limit the context to {} tokens, or take more memory",
                                  capacity.kv_pool_tokens)
                    : "take more GPUs, a larger one, or weights in fewer bits",
         .label = "does not fit"});
  });
}

}  // namespace gpushape::review::rules_of
