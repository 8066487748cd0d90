// LD-02: the volume holds the checkpoint. A download that fills its volume fails after minutes, and
// again at the next start.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Where engines and the Hugging Face hub keep what they load.
bool is_weights_path(std::string_view path, std::string_view model) {
  for (const std::string_view word : {"huggingface", "hf", "cache", "model", "weights"}) {
    if (path.contains(word)) return true;
  }
  return !model.empty() && model.starts_with(path) && path.size() > 1;
}

/// What engines hold of it on all GPUs, less a twentieth for padding and tables of their own.
double checkpoint_bytes(const domain::Estimate& estimate) {
  constexpr double kOfItsOwn = 0.95;
  const Bytes held = estimate.all_gpus
                         ? estimate.all_gpus->weights - estimate.all_gpus->copies
                         : domain::part_bytes(estimate, domain::Part::Weights).expected;
  return kOfItsOwn * static_cast<double>(held.count());
}

}  // namespace

void ld_02(const Deployment& deployment, Report& report) {
  each_estimated(deployment, [&](const SizedPod& sized) {
    const double stored = checkpoint_bytes(*sized.estimate);
    if (stored <= 0) return;
    for (const VolumeMount& mount : sized.sizing->container->mounts) {
      const Volume* volume = sized.pod->volume(mount.volume);
      if (volume == nullptr || volume->kind != VolumeKind::PersistentClaim) continue;
      const VolumeClaim* claim = deployment.find_volume_claim(volume->claim, sized.pod->name_space);
      if (claim == nullptr || !claim->bytes || !is_weights_path(mount.path, sized.call->model) ||
          claim->bytes->value >= stored) {
        continue;
      }
      report.add(
          *claim->document, *claim->bytes->node,
          {.message = fmt::format("volume claim {} holds {}, and the checkpoint of {} that {} "
                                  "keeps there is {}",
                                  claim->name, gib_text(claim->bytes->value),
                                  sized.sizing->model->id, sized.pod->title(), gib_text(stored))});
    }
  });
}

}  // namespace gpushape::review::rules_of
