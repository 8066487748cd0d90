#include "estimate/parallel_complaints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {
namespace {

using domain::Fact;

class ParallelChecker {
 public:
  explicit ParallelChecker(const Request& request)
      : model_(*request.model), workload_(*request.workload) {}

  Diagnostics run() {
    check_tensor_parallel();
    check_pipeline_parallel();
    check_expert_parallel();
    check_context_parallel();
    return std::move(diagnostics_);
  }

 private:
  void complain(std::string message, std::string help) {
    diagnostics_.push_back(complaint(std::move(message), std::move(help)));
  }

  /// What `ranks` does not divide, and its count; nothing where it divides all.
  struct Undivided {
    std::string_view what;
    std::int64_t count = 0;
  };
  [[nodiscard]] std::optional<Undivided> undivided_by(std::int64_t ranks) const {
    for (const domain::LayerRun& run : model_.layers) {
      if (const auto undivided = undivided_attention(run.layer.attention, ranks)) return undivided;
      if (run.layer.recurrent) {
        if (const auto undivided = undivided_state(*run.layer.recurrent, ranks)) return undivided;
      }
      const domain::FeedForward& feed_forward = run.layer.feed_forward;
      if (feed_forward.width % ranks != 0)
        return Undivided{"feed-forward width", feed_forward.width};
      if (const auto undivided = undivided_experts(feed_forward, ranks)) return undivided;
    }
    const std::int64_t rows = padded_vocabulary(model_, WeightsLayout{});
    if (rows % ranks != 0) return Undivided{"padded vocabulary", rows};
    return std::nullopt;
  }

  static std::optional<Undivided> undivided_attention(const domain::Attention& attention,
                                                      std::int64_t ranks) {
    const bool has_heads =
        attention.kind != domain::LayerKind::None && attention.kind != domain::LayerKind::Recurrent;
    if (!has_heads) return std::nullopt;
    if (attention.heads % ranks != 0) return Undivided{"attention heads", attention.heads};
    const bool has_latent = attention.latent.has_value();  // the same on every rank
    const bool is_shared = has_latent || attention.kv_heads % ranks == 0 ||
                           (attention.kv_heads > 0 && ranks % attention.kv_heads == 0);
    if (!is_shared) return Undivided{"KV heads", attention.kv_heads};
    return std::nullopt;
  }

  static std::optional<Undivided> undivided_state(const domain::Recurrent& recurrent,
                                                  std::int64_t ranks) {
    if (recurrent.value_heads % ranks != 0)
      return Undivided{"heads of the recurrent state", recurrent.value_heads};
    if (recurrent.key_heads % ranks != 0)
      return Undivided{"key heads of the recurrent state", recurrent.key_heads};
    if (recurrent.inner % ranks != 0)
      return Undivided{"inner size of the recurrent state", recurrent.inner};
    // Every rank holds whole groups; a single one is copied.
    if (recurrent.groups > 1 && recurrent.groups % ranks != 0 && ranks % recurrent.groups != 0)
      return Undivided{"groups of the recurrent state", recurrent.groups};
    return std::nullopt;
  }

  /// Ranks that share each expert: those that experts are not dealt out to whole.
  [[nodiscard]] std::optional<Undivided> undivided_experts(const domain::FeedForward& feed_forward,
                                                           std::int64_t ranks) const {
    if (!feed_forward.experts) return std::nullopt;
    const domain::Experts& experts = *feed_forward.experts;
    const bool is_whole = workload_.engine.expert && workload_.engine.expert->value > 1;
    if (!is_whole && experts.width % ranks != 0) return Undivided{"expert width", experts.width};
    if (experts.shared_width % ranks != 0)
      return Undivided{"width of the shared experts", experts.shared_width};
    return std::nullopt;
  }

  void check_tensor_parallel() {
    if (!workload_.engine.tensor) return;
    const std::int64_t ranks = workload_.engine.tensor->value;
    const std::optional<Undivided> undivided = undivided_by(ranks);
    if (!undivided) return;
    std::string fitting = "1";
    for (const std::int64_t size : {2, 4, 8, 16, 32}) {
      if (!undivided_by(size)) fitting += fmt::format(", {}", size);
    }
    complain(fmt::format("tensor parallel size {} does not divide the {} {} of {}", ranks,
                         undivided->count, undivided->what, model_.id),
             fmt::format("sizes that do: {}", fitting));
  }

  void check_pipeline_parallel() {
    if (!workload_.engine.pipeline) return;
    const std::int64_t stages = workload_.engine.pipeline->value;
    const std::int64_t layers = layer_count(model_);
    if (stages <= layers) return;
    complain(fmt::format("pipeline parallel size {} is more than the {} layers of {}", stages,
                         layers, model_.id),
             fmt::format("use at most {} stages", layers));
  }

  [[nodiscard]] std::int64_t most_experts() const {
    std::int64_t most = 0;
    for (const domain::LayerRun& run : model_.layers) {
      const auto& experts = run.layer.feed_forward.experts;
      if (experts) most = std::max(most, experts->count);
    }
    return most;
  }

  void check_expert_parallel() {
    const auto& expert = workload_.engine.expert;
    if (!expert || expert->value == 1) return;
    const std::int64_t experts = most_experts();
    if (experts == 0) {
      complain(fmt::format("expert parallel size {} needs experts, and {} has none", expert->value,
                           model_.id),
               "leave expert parallelism at 1");
      return;
    }
    if (expert->value > experts) {
      complain(fmt::format("expert parallel size {} is more than the {} experts of {}",
                           expert->value, experts, model_.id),
               fmt::format("use at most {} ranks", experts));
      return;
    }
    const std::int64_t ranks =
        value_or_one(workload_.engine.tensor) * value_or_one(workload_.engine.data);
    if (ranks % expert->value == 0) return;
    complain(fmt::format("expert parallel size {} does not divide the {} ranks of tensor and data "
                         "parallelism, which hold the experts",
                         expert->value, ranks),
             fmt::format("use {}: experts are dealt out to all of them", ranks));
  }

  static std::int64_t value_or_one(const std::optional<Fact<std::int64_t>>& fact) {
    return fact ? fact->value : 1;
  }

  /// Ranks share the context of a request where they would hold copies of its KV heads.
  void check_context_parallel() {
    const auto& context = workload_.engine.context_parallel;
    if (!context || context->value == 1) return;
    const std::int64_t tensor = value_or_one(workload_.engine.tensor);
    if (tensor % context->value != 0) {
      complain(fmt::format("context parallel size {} does not divide tensor parallel size {}, "
                           "whose ranks it takes",
                           context->value, tensor),
               "it is a part of tensor parallelism, and takes no GPUs of its own");
      return;
    }
    for (const domain::LayerRun& run : model_.layers) {
      const domain::Attention& attention = run.layer.attention;
      const bool is_windowed = attention.kind == domain::LayerKind::Sliding ||
                               attention.kind == domain::LayerKind::Chunked ||
                               attention.kind == domain::LayerKind::Compressed;
      if (is_windowed) {
        complain(fmt::format("{} has {} layers, whose cache ranks cannot share by context",
                             model_.id, name_of(attention.kind)),
                 "leave context parallelism at 1");
        return;
      }
      const std::int64_t kv_heads = attention.latent ? 1 : attention.kv_heads;
      const bool has_copies = kv_heads <= 0 || tensor / context->value >= kv_heads;
      if (has_copies || attention.kind == domain::LayerKind::None) continue;
      complain(fmt::format("context parallel size {} at tensor parallel size {} leaves each rank "
                           "other KV heads of {}: there are no copies to share out",
                           context->value, tensor, model_.id),
               fmt::format("use a tensor parallel size of at least {}", kv_heads * context->value));
      return;
    }
  }

  const domain::Model& model_;
  const domain::Workload& workload_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics complaints_about_parallelism(const Request& request) {
  return ParallelChecker(request).run();
}

}  // namespace gpushape::estimate
