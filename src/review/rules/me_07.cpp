// ME-07: on a MIG instance the batch limits are given. vLLM takes its defaults from the parent GPU,
// which it asks for by index: 1024 sequences on a slice of 10 GB
// (https://github.com/vllm-project/vllm/pull/41776,
// https://github.com/vllm-project/vllm/pull/50463).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void me_07(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container& container,
                              const EngineCall& call) {
    if (call.engine != "vllm" || call.find("maxNumSeqs") != nullptr) return;
    const bool is_mig = std::ranges::any_of(pod.gpus, [&](const GpuAsk& ask) {
      return (ask.container == nullptr || ask.container == &container) &&
             (ask.kind == GrantKind::MigInstance ||
              (ask.kind == GrantKind::Claim &&
               meaning_of_class(ask.resource) == ClassMeaning::MigInstance));
    });
    if (!is_mig) return;
    report.add(*pod.document,
               call.model_position.line > 0 ? call.model_position : pod.place().position(),
               {.message = fmt::format("{} runs vLLM on a MIG instance without --max-num-seqs: it "
                                       "takes the default of the whole GPU",
                                       pod.title())});
  });
}

}  // namespace gpushape::review::rules_of
