// RV-24: hidden tokens count. What a model thinks before it answers, and what its tools print,
// stand in the cache like everything else (F. Denneman, Understanding AI Memory, part 3: KV cache
// memory and session concurrency).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// vLLM and SGLang: switches of models that reason, or that call tools.
constexpr auto kHiddenTokenFlags =
    std::to_array<std::string_view>({"--reasoning-parser", "--enable-reasoning",
                                     "--tool-call-parser", "--enable-auto-tool-choice"});

}  // namespace

void rv_24(const Deployment& deployment, Report& report) {
  if (!deployment.sizings) return;
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto flag = std::ranges::find_if(call.settings, [](const EngineSetting& row) {
      return std::ranges::find(kHiddenTokenFlags, row.flag) != kHiddenTokenFlags.end();
    });
    if (flag == call.settings.end()) return;
    // A trace records what the engine generated, hidden tokens and all.
    const domain::Traffic& traffic = deployment.sizing(pod).workload.traffic;
    if (!traffic.output_tokens || traffic.trace_file) return;
    const auto& mean = traffic.output_tokens->value.mean;
    const std::string tokens =
        mean ? fmt::format("{:g} output tokens", *mean) : std::string("output tokens");
    report.add(
        *pod.document, flag->position,
        {.message = fmt::format(
             "{} {} ({}), and is sized from {} that somebody stated", pod.title(),
             flag->flag.contains("reasoning") ? "reasons" : "calls tools", flag->flag, tokens)});
  });
}

}  // namespace gpushape::review::rules_of
