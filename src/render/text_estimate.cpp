#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "render/facts_view.hpp"
#include "render/memory_view.hpp"
#include "render/text.hpp"
#include "render/title.hpp"
#include "render/traffic_view.hpp"
#include "render/words.hpp"
#include "schema/estimate_fields.hpp"
#include "schema/stated_facts.hpp"

namespace gpushape::render {

using domain::Estimate;

namespace {

/// The answer to an inverse question in one sentence.
std::string solved_verdict(const domain::Solution& solution, const std::string& place) {
  if (!solution.value)
    return fmt::format("no {} fits {}: {}", name_of(solution.variable), place, solution.says);
  const std::string value =
      std::visit([](const auto& known) { return fmt::format("{}", known); }, *solution.value);
  return fmt::format("{} {} is {} on {}", name_of(solution.variable), value,
                     domain::description_of(solution.variable), place);
}

/// What it is short of, where the total beside the GPU's does not show it.
std::string shortage_of(const Estimate& estimate) {
  const domain::Capacity& capacity = *estimate.capacity;
  const Bytes demand = domain::part_bytes(estimate, domain::Part::KvCache).expected +
                       domain::part_bytes(estimate, domain::Part::State).expected;
  if (!domain::is_training(estimate) && capacity.kv_pool_bytes.expected < demand) {
    return fmt::format("; the KV cache needs {} GiB, and the pool has {}", gib_text(demand),
                       gib_text(capacity.kv_pool_bytes.expected));
  }
  if (!capacity.beside_share) return {};
  const auto& [needed, left] = *capacity.beside_share;
  if (needed.expected <= left.expected) return {};
  return fmt::format("; {} GiB stand beside what the engine plans with, and {} are left",
                     gib_text(needed.expected), gib_text(left.expected));
}

/// One sentence: does it fit, and on what.
std::string verdict_of(const Estimate& estimate) {
  if (estimate.solution && estimate.capacity)
    return solved_verdict(*estimate.solution, place_name(*estimate.capacity));
  if (!schema::demand_is_known(estimate)) {
    if (estimate.capacity && estimate.capacity->fits_at == domain::FitsAt::None) {
      return fmt::format("does not fit {}: {} GiB on each GPU before the KV cache",
                         place_name(*estimate.capacity), gib_text(estimate.total_bytes.expected));
    }
    return fmt::format(
        "{} GiB before the KV cache; --context and --concurrency say how much that is.",
        gib_text(estimate.total_bytes.expected));
  }
  const std::string need =
      fmt::format("{} GiB ({} to {}) on each GPU", gib_text(estimate.total_bytes.expected),
                  gib_text(estimate.total_bytes.low), gib_text(estimate.total_bytes.high));
  if (!estimate.capacity) return fmt::format("{}; --gpu NAME says whether it fits there.", need);
  const std::string place = place_name(*estimate.capacity);
  switch (estimate.capacity->fits_at) {
    case domain::FitsAt::High:
      return fmt::format("fits {}: {}", place, need);
    case domain::FitsAt::Expected:
      return fmt::format("may fit {}: {}; the high end does not", place, need);
    case domain::FitsAt::None:
      break;
  }
  return fmt::format("does not fit {}: {}{}", place, need, shortage_of(estimate));
}

std::string together(const domain::AllGpus& all) {
  std::string text = fmt::format("{} GPUs hold {} GiB, of it {} GiB of weights", all.gpus,
                                 gib_text(all.total), gib_text(all.weights));
  if (all.copies > Bytes(0)) text += fmt::format(" ({} GiB are copies)", gib_text(all.copies));
  return text;
}

/// "1: 20 layers, 16.95 GiB of weights, 22.62 GiB in all; 2 to 3: …": neighbours that hold the same
/// stand together.
std::string by_stage(const std::vector<domain::StageHolding>& stages) {
  std::string text;
  for (std::size_t first = 0; first < stages.size();) {
    const domain::StageHolding& stage = stages[first];
    std::size_t end = first + 1;
    while (end < stages.size() && stages[end] == stage) ++end;
    if (first > 0) text += "; ";
    text +=
        end - first == 1 ? fmt::format("{}", first + 1) : fmt::format("{} to {}", first + 1, end);
    text += fmt::format(": {} layers, {} GiB of weights, {} GiB in all", stage.layers,
                        gib_text(stage.weights), gib_text(stage.total));
    first = end;
  }
  return text;
}

}  // namespace

std::string estimate_text(const Estimate& estimate, const Style& style) {
  Page page(style);
  const bool fits =
      !estimate.capacity || estimate.capacity->fits ||
      (!schema::demand_is_known(estimate) && estimate.capacity->fits_at != domain::FitsAt::None);
  const Tone tone = fits ? Tone::Good : Tone::Bad;
  if (style.verbosity >= 0) {
    show_title(page, estimate);
    show_facts(page, schema::stated_facts(estimate));
    show_memory(page, estimate);
    show_traffic(page, estimate);
    show_capacity(page, estimate);
    show_solution(page, estimate);
    page.blank();
    if (const auto& all = estimate.all_gpus) {
      page.labelled("All", 7, together(*all), 0, Tone::Plain);
      if (!all->stages.empty()) page.labelled("Stages", 7, by_stage(all->stages), 0, Tone::Plain);
    }
  }
  page.labelled("Verdict", 7, verdict_of(estimate), 0, tone);
  return page.text();
}

}  // namespace gpushape::render
