// ME-11: the sampler's peak is paid for before the cache. It grows with sequences times vocabulary
// (vLLM, profile_run with a dummy sampler call).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Ours: a tenth of the GPU is worth a flag.
constexpr double kWorthFlag = 0.10;

}  // namespace

void me_11(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    if (sized.call->engine != "vllm" || sized.call->find("maxNumSeqs") != nullptr) return;
    for (const domain::Term& term : sized.estimate->terms) {
      if (term.part != domain::Part::Activation) continue;
      const auto input =
          std::ranges::find(term.inputs, "samplerBytesPerLogit", &domain::Input::name);
      if (input == term.inputs.end()) continue;
      const auto bytes = static_cast<double>(term.bytes.expected.count());
      const auto visible = static_cast<double>(sized.capacity->visible_bytes.expected.count());
      const auto seqs = sized.estimate->settings.max_num_seqs.value;
      if (bytes < kWorthFlag * visible || seqs <= 64) return;
      report.add(
          *sized.pod->document, sized.place("model"),
          {.message = fmt::format("{} reserves {} of {} for one sampler call of {} sequences "
                                  "over {} tokens of vocabulary",
                                  sized.pod->title(), gib_text(bytes), sized.gpu(), seqs,
                                  sized.sizing->model->vocabulary)});
    }
  });
}

}  // namespace gpushape::review::rules_of
