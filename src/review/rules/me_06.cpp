// ME-06: a share is taken once. Inside a MIG instance, a vGPU or HAMi's share the engine sees the
// share as its whole GPU: a utilization that stands for the share takes a part of the part.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Ours: below this a utilization means a share, above it a margin.
constexpr double kMeansShare = 0.6;

std::string share_words(const GpuAsk& ask) {
  switch (ask.kind) {
    case GrantKind::MigInstance:
      return fmt::format("a MIG instance {}", ask.profile);
    case GrantKind::VirtualGpu:
      return fmt::format("a vGPU {}", ask.profile);
    case GrantKind::Hami:
    case GrantKind::Volcano:
      return ask.memory_bytes || ask.fraction ? std::string("a share of a GPU") : std::string();
    case GrantKind::Claim:
      return meaning_of_class(ask.resource) == ClassMeaning::MigInstance
                 ? std::string("a MIG instance by claim")
                 : std::string();
    default:
      return {};
  }
}

}  // namespace

void me_06(const Deployment& deployment, Report& report) {
  each_engine(
      deployment, [&](const PodRequest& pod, const Container& container, const EngineCall& call) {
        const auto wanted = real_of(call, "utilization");
        if (!wanted || *wanted > kMeansShare || call.engine != "vllm") return;
        const auto engines = std::ranges::count_if(
            pod.containers, [](const Container& row) { return row.engine.has_value(); });
        if (engines > 1) return;
        for (const GpuAsk& ask : pod.gpus) {
          if (ask.container != nullptr && ask.container != &container) continue;
          const std::string words = share_words(ask);
          if (words.empty()) continue;
          report.add(
              *pod.document, call.find("utilization")->value_position,
              {.message = fmt::format("{} has {} and takes {:g} of it: the engine sees the share "
                                      "as its whole GPU",
                                      pod.title(), words, *wanted)});
          return;
        }
      });
}

}  // namespace gpushape::review::rules_of
