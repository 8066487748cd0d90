// What is wrong with a request whatever the engine.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "estimate/cache_type_answer.hpp"
#include "estimate/engines.hpp"
#include "estimate/parallel_complaints.hpp"
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
constexpr std::int64_t kMostDrafts = 1024;
constexpr std::int64_t kMostBlock = 1LL << 20U;
constexpr std::int64_t kMostPool = 1LL << 50U;
constexpr double kMostCache = 0x1p60;  // bytes of all tokens in flight

/// Above 0 and at most 1; not a number is neither.
bool is_share(double value) { return value > 0 && value <= 1; }

class Checker {
 public:
  explicit Checker(const Request& request)
      : request_(request),
        model_(*request.model),
        workload_(*request.workload),
        gpu_(request.gpu),
        row_(engine_row(request.engine->name)) {}

  Diagnostics run() {
    check_numbers();
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    check_setting();
    check_load();
    return std::move(diagnostics_);
  }
  Diagnostics run_setting() {
    check_settings_numbers();
    if (diagnostics_.empty()) check_setting();
    return std::move(diagnostics_);
  }
  Diagnostics run_load() {
    check_load_numbers();
    if (diagnostics_.empty()) check_load();
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

  void check_setting() {
    check_layers();
    std::ranges::move(complaints_about_parallelism(request_), std::back_inserter(diagnostics_));
    check_drafts();
    std::ranges::move(complaints_about_cache_type(request_), std::back_inserter(diagnostics_));
  }

  void check_load() {
    check_context();
    check_cache();
  }

  void check_numbers() {
    check_load_numbers();
    check_settings_numbers();
  }

  void check_load_numbers() {
    check_count(workload_.context_tokens, "context", kMostContext);
    check_count(workload_.concurrency, "concurrency", kMostConcurrency);
    if (const auto& fact = workload_.engine.gpu_memory_utilization;
        fact && !is_share(fact->value)) {
      complain(fmt::format("gpu_memory_utilization is {}, which is not above 0 and at most 1",
                           fact->value),
               "it is a fraction of the GPU's memory: 0.9 is usual");
    }
  }

  void check_settings_numbers() {
    const domain::EngineSettings& engine = workload_.engine;
    check_count(engine.max_num_seqs, "max_num_seqs", kMostSequences);
    check_count(engine.max_num_batched_tokens, "max_num_batched_tokens", kMostBatchedTokens);
    check_count(engine.tensor, "tensor parallel size", kMostRanks);
    check_count(engine.pipeline, "pipeline parallel size", kMostRanks);
    check_count(engine.data, "data parallel size", kMostRanks);
    check_count(engine.expert, "expert parallel size", kMostRanks);
    check_count(engine.context_parallel, "context parallel size", kMostRanks);
    check_count(engine.draft_tokens, "draft tokens", kMostDrafts);
    check_count(engine.block_tokens, "tokens of a block", kMostBlock);
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

  /// What a layer of its kind needs and does not say; empty for nothing.
  static std::string_view missing_of(const domain::Layer& layer) {
    const domain::Attention& attention = layer.attention;
    switch (attention.kind) {
      case domain::LayerKind::Latent:
        return attention.latent ? "" : "the rank of their latents";
      case domain::LayerKind::Compressed:
        return attention.compression ? "" : "how many tokens share an entry";
      case domain::LayerKind::Recurrent:
        return layer.recurrent ? "" : "the size of their state";
      case domain::LayerKind::Full:
      case domain::LayerKind::Sliding:
      case domain::LayerKind::Chunked:
      case domain::LayerKind::Cross:
        return attention.heads > 0 && attention.kv_heads > 0 ? "" : "their attention heads";
      case domain::LayerKind::None:
        break;
    }
    return "";
  }

  [[nodiscard]] bool is_served() const { return row_ == nullptr || serves(*row_, model_.family); }

  void check_layers() {
    if (row_ != nullptr && is_draft_head(model_)) {
      complain(fmt::format("{} is a draft, which proposes tokens to another model", model_.id),
               "name the model that it was trained for, and this one with --draft-model");
      return;
    }
    if (!is_served()) {
      complain(fmt::format("{} does not serve the family '{}'", row_->name, model_.family),
               "--engine transformers runs the code that is published with the checkpoint");
      return;
    }
    for (const domain::LayerRun& run : model_.layers) {
      const std::string_view missing = missing_of(run.layer);
      if (missing.empty()) continue;
      complain(fmt::format("{} has {} layers, and says nothing of {}", model_.id,
                           name_of(run.layer.attention.kind), missing),
               "complete the model's description");
      return;
    }
    // An encoder of sound has no words.
    const bool has_words = model_.vocabulary > 0 || !model_.has_head;
    if (layer_count(model_) < 1 || model_.hidden_size < 1 || !has_words) {
      complain(fmt::format("{} has no layers, no hidden size or no vocabulary", model_.id),
               "check the model's description");
    }
  }

  /// A head reads the target's hidden states through `fc`, and its embedding and head.
  [[nodiscard]] bool fits_target(const domain::Model& draft) const {
    if (draft.vocabulary != model_.vocabulary || draft.layers.empty()) return false;
    const auto& extra = draft.layers.front().layer.extra;
    const auto reads = std::ranges::find(extra, "fc", &domain::ExtraTensor::name);
    return reads == extra.end() || reads->columns % model_.hidden_size == 0;
  }

  void check_draft_head() {
    const auto& draft = workload_.engine.draft_model;
    if (!draft || !draft->model || !is_draft_head(*draft->model)) return;
    if (fits_target(*draft->model)) return;
    complain(fmt::format("the draft {} was made for another model: a vocabulary of {} and hidden "
                         "size {}, where {} has {} and {}",
                         draft->model->id, draft->model->vocabulary, draft->model->hidden_size,
                         model_.id, model_.vocabulary, model_.hidden_size),
             "name the draft that was trained for this model with --draft-model");
  }

  void check_drafts() {
    const domain::EngineSettings& engine = workload_.engine;
    check_draft_head();
    if (!engine.draft_tokens || engine.draft_model || model_.multi_token_prediction) return;
    complain(fmt::format("{} has no layers that predict further tokens", model_.id),
             "leave draft tokens away, or name a draft model that proposes them");
  }

  void check_context() {
    if (!workload_.context_tokens || model_.max_context_tokens <= 0) return;
    const std::int64_t context = workload_.context_tokens->value;
    if (context <= model_.max_context_tokens) return;
    if (row_ != nullptr && row_->takes_any_context) return;
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

  const Request& request_;
  const domain::Model& model_;
  const domain::Workload& workload_;
  const domain::VisibleMemory* gpu_;
  const EngineRow* row_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics complaints_about(const Request& request) { return Checker(request).run(); }

Diagnostics complaints_about_load(const Request& request) { return Checker(request).run_load(); }

Diagnostics complaints_about_setting(const Request& request) {
  return Checker(request).run_setting();
}

}  // namespace gpushape::estimate
