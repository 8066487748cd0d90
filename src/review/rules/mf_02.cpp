// MF-02: ranks of one engine need GPUs of their own: a process sees one MIG instance at a time, and
// time-sliced shares may lie on one GPU (https://github.com/vllm-project/vllm/issues/6551,
// https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/issues/1364).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

std::string_view slice_words(const GpuAsk& ask) {
  if (ask.kind == GrantKind::PluginShare) return "time-sliced shares of a GPU";
  if (ask.kind == GrantKind::MigInstance) return "MIG instances";
  if (ask.kind == GrantKind::Claim && meaning_of_class(ask.resource) == ClassMeaning::MigInstance) {
    return "MIG instances";
  }
  return {};
}

}  // namespace

void mf_02(const Deployment& deployment, Report& report) {
  each_engine(
      deployment, [&](const PodRequest& pod, const Container& container, const EngineCall& call) {
        const auto ranks = ranks_of(call);
        if (!ranks || ranks->tensor * ranks->pipeline < 2 || ranks->place == nullptr) return;
        for (const GpuAsk& ask : pod.gpus) {
          if (ask.container != nullptr && ask.container != &container) continue;
          const std::string_view words = slice_words(ask);
          if (words.empty()) continue;
          report.add(*pod.document, ranks->place->position,
                     {.message = fmt::format("{} spreads {} over {} {}, {}", pod.title(),
                                             call.engine, ranks->tensor * ranks->pipeline, words,
                                             ask.kind == GrantKind::PluginShare
                                                 ? "which may be one and the same GPU"
                                                 : "and a process sees one of them"),
                      .label = words});
          return;
        }
      });
}

}  // namespace gpushape::review::rules_of
