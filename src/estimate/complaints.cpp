// What is wrong with a request whatever the engine.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/plan.hpp"

namespace gpushape::estimate {
namespace {

using domain::Fact;

// Bounds far above every real system ("ours"): they keep the arithmetic within 64 bits.
constexpr std::int64_t kMostContext = 1LL << 30U;
constexpr std::int64_t kMostConcurrency = 10'000'000;
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr std::int64_t kMostBatchedTokens = 1LL << 26U;
constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostPool = 1LL << 50U;
constexpr double kMostCache = 0x1p60;  // bytes of all tokens in flight

/// Above 0 and at most 1; not a number is neither.
bool is_share(double value) { return value > 0 && value <= 1; }

class Checker {
 public:
  explicit Checker(const Request& request)
      : model_(*request.model), workload_(*request.workload), gpu_(request.gpu) {}

  Diagnostics run() {
    check_numbers();
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    check_layers();
    check_tensor_parallel();
    check_pipeline_parallel();
    check_expert_parallel();
    check_context();
    check_cache();
    return std::move(diagnostics_);
  }

 private:
  void complain(std::string message, std::string help) {
    diagnostics_.push_back(complaint(std::move(message), std::move(help)));
  }

  void check_count(const std::optional<Fact<std::int64_t>>& fact, std::string_view what,
                   std::int64_t most) {
    if (!fact || (fact->value >= 1 && fact->value <= most)) return;
    complain(fmt::format("{} is {}, which is not between 1 and {}", what, fact->value, most),
             fmt::format("give {} as a whole number in that range", what));
  }

  void check_numbers() {
    const domain::EngineSettings& engine = workload_.engine;
    check_count(workload_.context_tokens, "context", kMostContext);
    check_count(workload_.concurrency, "concurrency", kMostConcurrency);
    check_count(engine.max_num_seqs, "max_num_seqs", kMostSequences);
    check_count(engine.max_num_batched_tokens, "max_num_batched_tokens", kMostBatchedTokens);
    check_count(engine.tensor, "tensor parallel size", kMostRanks);
    check_count(engine.pipeline, "pipeline parallel size", kMostRanks);
    check_count(engine.data, "data parallel size", kMostRanks);
    check_count(engine.expert, "expert parallel size", kMostRanks);
    if (const auto& fact = engine.gpu_memory_utilization; fact && !is_share(fact->value)) {
      complain(fmt::format("gpu_memory_utilization is {}, which is not above 0 and at most 1",
                           fact->value),
               "it is a fraction of the GPU's memory: 0.9 is usual");
    }
    if (const auto& fact = engine.kv_cache_memory_bytes;
        fact && (fact->value < Bytes(1) || fact->value > Bytes(kMostPool))) {
      complain(fmt::format("kv_cache_memory_bytes is {}, which is not between 1 and {}",
                           fact->value.count(), kMostPool),
               "give the KV cache of one GPU in bytes");
    }
    if (gpu_ != nullptr && gpu_->bytes.low < Bytes(1)) {
      complain(
          fmt::format("GPU memory is {} bytes, which is not positive", gpu_->bytes.low.count()),
          "give the total that the CUDA runtime reports");
    }
  }

  void check_layers() {
    for (const domain::LayerRun& run : model_.layers) {
      if (layer_kind(run.layer.attention.kind) != nullptr) continue;
      std::string known;
      for (const LayerKindRow& row : layer_kinds())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(row.kind));
      complain(fmt::format("{} has {} layers, whose memory is not modelled", model_.id,
                           name_of(run.layer.attention.kind)),
               fmt::format("layer kinds that are: {}", known));
      return;
    }
    if (layer_count(model_) < 1 || model_.hidden_size < 1 || model_.vocabulary < 1) {
      complain(fmt::format("{} has no layers, no hidden size or no vocabulary", model_.id),
               "check the model's description");
    }
  }

  /// What `ranks` does not divide, and its count; nothing where it divides all.
  struct Undivided {
    std::string_view what;
    std::int64_t count = 0;
  };
  [[nodiscard]] std::optional<Undivided> undivided_by(std::int64_t ranks) const {
    for (const domain::LayerRun& run : model_.layers) {
      const domain::Attention& attention = run.layer.attention;
      const std::int64_t width = run.layer.feed_forward.width;
      if (attention.heads % ranks != 0) return Undivided{"attention heads", attention.heads};
      if (attention.kv_heads % ranks != 0 && ranks % attention.kv_heads != 0)
        return Undivided{"KV heads", attention.kv_heads};
      if (width % ranks != 0) return Undivided{"feed-forward width", width};
    }
    const std::int64_t rows = padded_vocabulary(model_, WeightsLayout{});
    if (rows % ranks != 0) return Undivided{"padded vocabulary", rows};
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

  void check_expert_parallel() {
    const auto& expert = workload_.engine.expert;
    if (!expert || expert->value == 1) return;
    complain(fmt::format("expert parallel size {} needs experts, and {} has none", expert->value,
                         model_.id),
             "leave expert parallelism at 1");
  }

  void check_context() {
    if (!workload_.context_tokens || model_.max_context_tokens <= 0) return;
    const std::int64_t context = workload_.context_tokens->value;
    if (context <= model_.max_context_tokens) return;
    const std::string help =
        model_.rope.scaling.empty()
            ? fmt::format("use at most {}, or a config.json that declares rope scaling",
                          model_.max_context_tokens)
            : fmt::format("use at most {}: its {} rope scaling (factor {}) is counted in already",
                          model_.max_context_tokens, model_.rope.scaling, model_.rope.factor);
    complain(fmt::format("context {} is above the {} tokens that {} takes", context,
                         model_.max_context_tokens, model_.id),
             help);
  }

  void check_cache() {
    if (!workload_.context_tokens || !workload_.concurrency) return;
    constexpr double kWidestValue = 4;     // bytes of one cache entry
    constexpr double kRoundedTokens = 64;  // at most what blocks add to a request
    double of_token = 0;
    for (const domain::LayerRun& run : model_.layers) {
      const domain::Attention& attention = run.layer.attention;
      of_token += static_cast<double>(run.count) * static_cast<double>(attention.kv_heads) *
                  static_cast<double>(attention.head_dim + attention.value_head_dim) * kWidestValue;
    }
    const double tokens = (static_cast<double>(workload_.context_tokens->value) + kRoundedTokens) *
                          static_cast<double>(workload_.concurrency->value);
    if (tokens * of_token <= kMostCache) return;
    complain(fmt::format("{} requests of {} tokens are more KV cache of {} than any system holds",
                         workload_.concurrency->value, workload_.context_tokens->value, model_.id),
             "give the requests that run at the same time on one instance");
  }

  const domain::Model& model_;
  const domain::Workload& workload_;
  const domain::VisibleMemory* gpu_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics complaints_about(const Request& request) { return Checker(request).run(); }

}  // namespace gpushape::estimate
