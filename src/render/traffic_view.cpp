#include "render/traffic_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <variant>

#include "render/words.hpp"

namespace gpushape::render {

using domain::CacheDemand;

namespace {

constexpr std::size_t kTrafficLabelWidth = 14;

std::string tokens_text(double tokens) {
  return grouped(static_cast<std::int64_t>(std::llround(tokens)));
}

/// "in 0.2 % of the time", with as many digits as it has use for.
std::string chance_text(double chance) {
  if (chance >= 0.9995) return "all of the time";
  if (chance < 0.00005) return "less than 0.01 % of the time";
  return fmt::format("{:.{}f} % of the time", chance * 100, chance < 0.001 ? 2 : 1);
}

std::string each_text(const CacheDemand& demand) {
  std::string text = fmt::format("{} tokens on average at its end, P50 {}, P95 {}, P99 {}",
                                 tokens_text(demand.mean_tokens), tokens_text(demand.p50_tokens),
                                 tokens_text(demand.p95_tokens), tokens_text(demand.p99_tokens));
  if (demand.longest_tokens)
    text += fmt::format(", longest {}", tokens_text(*demand.longest_tokens));
  if (!demand.from.empty()) text += fmt::format(" ({})", demand.from);
  return text;
}

std::string together_text(const CacheDemand& demand) {
  return fmt::format("{} tokens at {}, {} half of the time: {} and {} of cache",
                     tokens_text(demand.together_level_tokens), level_text(demand.service_level),
                     tokens_text(demand.together_p50_tokens), size_text(demand.level_bytes),
                     size_text(demand.p50_bytes));
}

std::string worst_text(const CacheDemand& demand, std::int64_t context) {
  const double times = demand.together_level_tokens > 0
                           ? demand.together_worst_tokens / demand.together_level_tokens
                           : 1;
  const std::string bytes = demand.worst_bytes
                                ? fmt::format(", {} of cache", size_text(*demand.worst_bytes))
                                : std::string();
  return fmt::format("{} x {} = {} tokens{}: {} times as many", grouped(demand.sequences),
                     grouped(context), tokens_text(demand.together_worst_tokens), bytes,
                     plain_number(times));
}

void show_replay(Page& page, const CacheDemand& demand) {
  const domain::Replay& replay = *demand.replay;
  if (replay.token_seconds <= 0) {
    page.labelled(
        "measured", kTrafficLabelWidth,
        fmt::format("the cache held {} tokens on average, {} at P99 and {} at most{}",
                    tokens_text(replay.mean_tokens), tokens_text(replay.p99_tokens),
                    tokens_text(replay.peak_tokens),
                    replay.peak_in_flight > 0
                        ? fmt::format("; {} were in flight on average, {} at P99 and {} "
                                      "at most",
                                      plain_number(replay.mean_in_flight),
                                      grouped(replay.p99_in_flight), grouped(replay.peak_in_flight))
                        : std::string()));
    return;
  }
  page.labelled(
      "played back", kTrafficLabelWidth,
      fmt::format(
          "at {:g} s a token the trace has {} in flight on average, {} at P99 and {} at "
          "most; they hold {} tokens on average{}, and {} at most{}",
          replay.token_seconds, plain_number(replay.mean_in_flight), grouped(replay.p99_in_flight),
          grouped(replay.peak_in_flight), tokens_text(replay.mean_tokens),
          demand.is_sized_by_replay ? std::string()
                                    : fmt::format(", {} at P99", tokens_text(replay.p99_tokens)),
          tokens_text(replay.peak_tokens),
          demand.is_sized_by_replay
              ? ". The cache is sized by what they hold together, moment by moment"
              : "; what is stated wins over it"));
}

std::string value_text(const domain::Solution& solution) {
  if (!solution.value) return "none";
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>) {
          return grouped(value);
        } else {
          return fmt::format("{}", value);
        }
      },
      *solution.value);
}

}  // namespace

std::string level_text(double level) { return fmt::format("P{:g}", level * 100); }

void show_traffic(Page& page, const domain::Estimate& estimate) {
  if (!estimate.traffic || !estimate.context_tokens) return;
  const CacheDemand& demand = *estimate.traffic;
  const auto show = [&](std::string_view label, const std::string& text) {
    page.labelled(label, kTrafficLabelWidth, text);
  };
  page.heading("What the sequences in flight hold");
  show("in flight", fmt::format("{} sequences", grouped(demand.sequences)));
  show("each", each_text(demand));
  const bool is_joint = demand.service_level < 1;
  if (is_joint) {
    show("together", together_text(demand));
    show("worst case", worst_text(demand, estimate.context_tokens->value));
    if (demand.spread) show("spread", fmt::format("{:.2f}, P99 over P50", *demand.spread));
  }
  if (demand.common_prefix_tokens > 0) {
    show("common prefix",
         fmt::format("{} tokens are kept once, {} of cache", grouped(demand.common_prefix_tokens),
                     size_text(demand.shared_bytes)));
  }
  if (demand.cut_share) {
    show("cut", fmt::format("{:.2g} % of the requests are longer than the context, and counted as "
                            "long as it",
                            *demand.cut_share * 100));
  }
  if (demand.shortage && is_joint) {
    std::string text = fmt::format("the pool is too small {}", chance_text(*demand.shortage));
    if (demand.shortage_at_low && *demand.shortage_at_low > *demand.shortage)
      text += fmt::format(", {} at the low end of the pool", chance_text(*demand.shortage_at_low));
    show("preemption", text);
  }
  if (demand.replay) show_replay(page, demand);
}

void show_solution(Page& page, const domain::Estimate& estimate) {
  if (!estimate.solution) return;
  const domain::Solution& solution = *estimate.solution;
  page.heading(fmt::format("The other way round: {}", domain::description_of(solution.variable)));
  page.labelled(name_of(solution.variable), kTrafficLabelWidth, value_text(solution), 2,
                solution.value ? Tone::Good : Tone::Bad);
  page.labelled("because", kTrafficLabelWidth,
                fmt::format("{} ({})", solution.says, words_of(solution.binding_term)));
}

}  // namespace gpushape::render
