#include "catalog/header_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "catalog/layer_series.hpp"
#include "catalog/limits.hpp"
#include "catalog/shape_check.hpp"
#include "catalog/stored_modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using domain::Attention;
using domain::LayerRun;

/// A field of the config and the fact that it gives.
struct SizeField {
  std::string_view field;
  std::string_view fact;
};
constexpr SizeField kLayerCount{"num_hidden_layers", "layers"};
constexpr SizeField kHeadCount{"num_attention_heads", "attentionHeads"};
constexpr SizeField kKvHeadCount{"num_key_value_heads", "kvHeads"};
constexpr SizeField kHeadSize{"head_dim", "headDim"};
constexpr SizeField kDenseWidth{"intermediate_size", "feedForwardWidth"};
constexpr SizeField kExpertWidth{"moe_intermediate_size", "experts"};
constexpr SizeField kExpertCount{"num_experts", "experts"};

bool is_multi_head(const Attention& attention) {
  return attention.heads > 0 && !attention.latent && !attention.compression &&
         attention.query_rank == 0 && attention.query_experts == 0 && !attention.borrows_weights &&
         attention.kind != domain::LayerKind::Cross &&
         attention.head_dim == attention.value_head_dim;
}

/// Widths of the projections that a layer stores; 0 where they cannot be told.
struct ProjectionWidths {
  std::int64_t query = 0;
  std::int64_t key = 0;
};

class ShapeReconciler {
 public:
  ShapeReconciler(const TensorListing& listing, domain::Model& model,
                  std::optional<StoredModules>& modules)
      : listing_(listing), model_(model), modules_(modules) {}

  Diagnostics run() {
    reconcile_layers();
    if (!faults_.empty()) return std::move(faults_);
    modules_.emplace(listing_, layers_of(model_));
    std::int64_t first = 0;
    for (LayerRun& run : model_.layers) {
      if (is_multi_head(run.layer.attention)) reconcile_heads(run.layer.attention, first);
      reconcile_width(run.layer.feed_forward, first);
      if (run.layer.feed_forward.experts) reconcile_experts(*run.layer.feed_forward.experts, first);
      first += run.count;
    }
    check_shapes(listing_, *modules_, model_, faults_);
    return std::move(faults_);
  }

 private:
  void refuse(std::string message) {
    faults_.push_back(complaint(std::move(message),
                                "config.json and weights are not of one model: give those that "
                                "belong together"));
  }

  /// One note for a change, whatever the number of layers that it is found in.
  void win(const SizeField& field, std::int64_t said, std::int64_t stored,
           const std::string& witness) {
    if (!told_.emplace(field.field, said, stored).second) return;
    model_.notes.push_back(
        fmt::format("{}: {}, which makes {} {}, not the {} of config.json: the "
                    "header wins",
                    listing_.source, witness, field.field, stored, said));
    const auto source = std::ranges::find(model_.sources, field.fact, &domain::FactSource::fact);
    if (source != model_.sources.end()) source->source = listing_.source;
  }

  [[nodiscard]] StoredMatrix matrix(std::string_view name, std::int64_t layer) const {
    const StoredModule* module = modules_->find(name, layer, false);
    return module == nullptr ? StoredMatrix{} : matrix_of(*module);
  }
  /// Of the module itself, not of one that it may be fused with.
  [[nodiscard]] StoredMatrix fused(std::string_view name, std::int64_t layer) const {
    return matrix(fused_name(name), layer);
  }

  void reconcile_layers() {
    const std::vector<std::int64_t> series = layer_series(listing_);
    const std::int64_t said = layers_of(model_);
    std::int64_t further = 0;
    if (model_.multi_token_prediction) {
      for (const LayerRun& run : model_.multi_token_prediction->layers) further += run.count;
    }
    const bool agrees = std::ranges::any_of(
        series, [&](std::int64_t count) { return count == said || count == said + further; });
    if (agrees || series.size() != 1 || !is_named_as_expected()) return;
    const std::int64_t stored = series.front();
    if (stored > kLayers.most || (stored < said ? !cut(stored) : !extend(stored))) {
      refuse(
          fmt::format("{} holds {} layers, num_hidden_layers of config.json is {}, and which "
                      "kinds of layers they are is not told",
                      listing_.source, stored, said));
      return;
    }
    win(kLayerCount, said, stored, fmt::format("{} layers are stored", stored));
  }

  /// Whether the first layer's tensors have the names that the architecture gives them.
  [[nodiscard]] bool is_named_as_expected() const {
    if (model_.layers.empty()) return false;
    const StoredModules modules(listing_, layers_of(model_));
    const std::vector<domain::Tensor> tensors =
        domain::tensors_of(model_.layers.front().layer, model_);
    return std::ranges::any_of(tensors, [&](const domain::Tensor& tensor) {
      return tensor.is_linear && modules.find(tensor.name, 0, false) != nullptr;
    });
  }

  /// Layers that the config has beyond the stored ones; not those that hold nothing at all.
  bool cut(std::int64_t stored) {
    std::int64_t above = layers_of(model_) - stored;
    while (above > 0) {
      LayerRun& last = model_.layers.back();
      if (domain::tensors_of(last.layer, model_).empty()) return false;
      const std::int64_t gone = std::min(above, last.count);
      last.count -= gone;
      above -= gone;
      if (last.count == 0) model_.layers.pop_back();
    }
    return true;
  }

  /// Further layers are like the last, where kinds do not take turns.
  bool extend(std::int64_t stored) {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      for (std::size_t j = i + 1; j < model_.layers.size(); ++j) {
        if (model_.layers[i].layer == model_.layers[j].layer) return false;
      }
    }
    LayerRun& last = model_.layers.back();
    if (model_.layers.size() > 1 && last.count == 1) return false;
    last.count += stored - layers_of(model_);
    return true;
  }

  [[nodiscard]] ProjectionWidths widths(const Attention& attention, std::int64_t layer) const {
    const std::int64_t gates = attention.output_gate == domain::OutputGate::Value ? 2 : 1;
    const StoredMatrix output = matrix("self_attn.o_proj", layer);
    const StoredMatrix all = matrix("self_attn.qkv_proj", layer);
    if (all.rows > 0) {
      if (output.columns <= 0) return {};
      const std::int64_t rest = all.rows - gates * output.columns;
      return {.query = output.columns, .key = rest > 0 && rest % 2 == 0 ? rest / 2 : 0};
    }
    const StoredMatrix query = matrix("self_attn.q_proj", layer);
    const StoredMatrix key = matrix("self_attn.k_proj", layer);
    ProjectionWidths found{.query = query.rows % gates == 0 ? query.rows / gates : 0,
                           .key = key.rows};
    if (found.query == 0) found.query = output.columns;
    return found;
  }

  void reconcile_heads(Attention& attention, std::int64_t layer) {
    const ProjectionWidths stored = widths(attention, layer);
    const std::int64_t heads = attention.heads;
    const std::int64_t kv_heads = attention.kv_heads;
    const std::int64_t size = attention.head_dim;
    if (stored.query <= 0 || stored.key <= 0 ||
        (stored.query == heads * size && stored.key == kv_heads * size))
      return;
    const StoredMatrix norm = norm_of_heads(attention, layer);
    if (norm.rows > 0 && norm.rows != size) {
      set_heads(attention, stored, norm.rows, layer);
    } else if (stored.query != heads * size && stored.query % heads == 0 &&
               stored.key % kv_heads == 0 && stored.query / heads == stored.key / kv_heads &&
               norm.rows == 0) {
      set_heads(attention, stored, stored.query / heads, layer);
    } else {
      set_heads(attention, stored, size, layer);
    }
  }

  /// The norm on single heads is as long as one.
  [[nodiscard]] StoredMatrix norm_of_heads(const Attention& attention, std::int64_t layer) const {
    if (attention.head_norm != domain::HeadNorm::Shared) return {};
    const StoredModule* norm = modules_->find("self_attn.q_norm", layer, false);
    if (norm == nullptr || norm->weight.rank != 1) return {};
    return {.rows = norm->weight.rows, .columns = 1};
  }

  /// Nothing where the widths are not whole heads of that size: the check names the tensors then.
  void set_heads(Attention& attention, const ProjectionWidths& stored, std::int64_t size,
                 std::int64_t layer) {
    if (size < kHeadDim.least || size > kHeadDim.most || stored.query % size != 0 ||
        stored.key % size != 0)
      return;
    const std::int64_t heads = stored.query / size;
    const std::int64_t kv_heads = stored.key / size;
    if (heads % kv_heads != 0 || heads > kHeads.most) return;
    const std::string witness = fmt::format("queries and keys of layer {} are {} and {} wide",
                                            layer, stored.query, stored.key);
    if (size != attention.head_dim) win(kHeadSize, attention.head_dim, size, witness);
    if (heads != attention.heads) win(kHeadCount, attention.heads, heads, witness);
    if (kv_heads != attention.kv_heads) win(kKvHeadCount, attention.kv_heads, kv_heads, witness);
    resize_rotation(attention.head_dim, size);
    attention.head_dim = size;
    attention.value_head_dim = size;
    attention.heads = heads;
    attention.kv_heads = kv_heads;
  }

  void resize_rotation(std::int64_t before, std::int64_t after) {
    if (before == after || is_rotation_resized_) return;
    is_rotation_resized_ = true;
    model_.rope.rotary_dim = model_.rope.rotary_dim * after / before;
    for (domain::Rope& rope : model_.further_ropes)
      rope.rotary_dim = rope.rotary_dim * after / before;
  }

  void reconcile_width(domain::FeedForward& network, std::int64_t layer) {
    if (network.width <= 0) return;
    const StoredMatrix down = matrix("mlp.down_proj", layer);
    StoredMatrix up = matrix("mlp.up_proj", layer);
    if (const StoredMatrix both = fused("mlp.up_proj", layer); both.rows > 0)
      up = {.rows = both.rows % 2 == 0 ? both.rows / 2 : 0, .columns = both.columns};
    const std::int64_t stored = up.rows > 0 ? up.rows : down.columns;
    if (stored <= 0 || stored == network.width || stored > kWidth.most) return;
    if (down.columns > 0 && down.columns != stored) return;
    win(kDenseWidth, network.width, stored,
        fmt::format("the feed-forward network of layer {} is {} wide", layer, stored));
    network.width = stored;
  }

  void reconcile_experts(domain::Experts& experts, std::int64_t layer) {
    constexpr std::string_view kUp = "mlp.experts.up_proj";
    const StoredModule* up = modules_->find(kUp, layer, false);
    const StoredModule* router = modules_->find("mlp.gate", layer, false);
    if (up == nullptr || up->experts == 0 || up->experts != up->weights) return;
    if (up->experts != experts.count && up->experts >= experts.active && router != nullptr &&
        matrix_of(*router).rows == up->experts) {
      win(kExpertCount, experts.count, up->experts,
          fmt::format("layer {} holds {} experts", layer, up->experts));
      experts.count = up->experts;
    }
    const bool is_fused = modules_->find(fused_name(kUp), layer, false) != nullptr;
    const std::int64_t width = matrix_of_each(*up).rows;
    if (is_fused || width <= 0 || width == experts.width || width > kWidth.most) return;
    win(kExpertWidth, experts.width, width,
        fmt::format("an expert of layer {} is {} wide", layer, width));
    experts.width = width;
  }

  const TensorListing& listing_;
  domain::Model& model_;
  std::optional<StoredModules>& modules_;
  std::set<std::tuple<std::string_view, std::int64_t, std::int64_t>> told_;
  Diagnostics faults_;
  bool is_rotation_resized_ = false;
};

}  // namespace

Diagnostics reconcile_shapes(const TensorListing& listing, domain::Model& model,
                             std::optional<StoredModules>& modules) {
  return ShapeReconciler(listing, model, modules).run();
}

}  // namespace gpushape::catalog
