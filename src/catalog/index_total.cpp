#include "catalog/index_total.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/stored_modules.hpp"
#include "domain/modules.hpp"
#include "domain/tensor_exceptions.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;
using domain::Tensor;
using domain::TensorPart;

// A scheme is taken for the checkpoint's own where it comes so near to the total: what stays in 16
// bits is in doubt by more.
constexpr double kIsOwn = 0.001;

// No scheme is so much smaller than another: 32 bits against one.
constexpr std::int64_t kMostOff = 32;

// What only checkpoints of these schemes have beside a weight.
struct Mark {
  std::string_view suffix;
  Quantization scheme;
};
constexpr auto kMarks = std::to_array<Mark>({
    {"weight_scale", Quantization::Fp8},
    {"weight_scale", Quantization::Fp8Channel},
    {"weight_scale", Quantization::Int8},
    {"weight_scale", Quantization::Mxfp8},
    {"weight_scale", Quantization::Mxfp4},
    {"weight_scale_2", Quantization::Nvfp4},
    {"weight_scale_inv", Quantization::Fp8Block},
    {"weight_packed", Quantization::Int4},
    {"weight_packed", Quantization::Int8Weight},
    {"weight_packed", Quantization::Nvfp4},
    {"qweight", Quantization::GptqInt4},
    {"qweight", Quantization::GptqInt8},
    {"qweight", Quantization::Awq},
    {"SCB", Quantization::BnbInt8},
    {"weight.absmax", Quantization::BnbNf4},
    {"weight.nested_absmax", Quantization::BnbNf4Double},
    {"blocks", Quantization::Mxfp4},
});

/// A tensor of some layers in a row that are alike.
struct Place {
  Tensor tensor;
  std::int64_t first_layer = 0;
  std::int64_t layers = 1;
  bool is_multi_token = false;
  bool is_packed = false;  ///< by the names; of names without marks, every linear layer
  std::int64_t said_bytes = 0;
};

class TotalComparison {
 public:
  TotalComparison(const TensorListing& listing, domain::Model& model)
      : listing_(listing), model_(model) {
    for (const ListedTensor& tensor : listing.tensors) take_name(tensor);
    tidy();
    has_multi_token_ = has_multi_token_ || !multi_token_layers(listing).empty();
    said_bytes_ = domain::stored_bytes(model_) - unlisted();
  }

  void run() {
    const std::int64_t target = listing_.bytes - tied_copy();
    const std::int64_t said = said_bytes_;
    if (said == target) return;
    if (target < said / kMostOff || target / kMostOff > said) {
      model_.notes.push_back(fmt::format(
          "{} says {} bytes, which cannot be: architecture and scheme give {}, and stand",
          listing_.source, target, said));
      return;
    }
    const bool is_own = is_near(said, target);
    if (!is_own) collect();
    const std::optional<Quantization> found = is_own ? std::nullopt : scheme_near(target);
    if (found) take(*found);
    note(said, target, found);
    model_.stored.push_back({.part = TensorPart::Other,
                             .dtype = "total_size",
                             .tensors = static_cast<std::int64_t>(listing_.tensors.size()),
                             .values = 0,
                             .bytes = target});
    count_multi_token();
  }

 private:
  static bool is_near(std::int64_t bytes, std::int64_t target) {
    return std::abs(static_cast<double>(bytes) / static_cast<double>(target) - 1) < kIsOwn;
  }

  // Most names are layers' weights and tell nothing: they are not taken apart.
  void take_name(const ListedTensor& tensor) {
    const std::string_view name = tensor.name;
    has_head_ = has_head_ || name.starts_with("lm_head.") || name.contains(".lm_head.");
    if (!has_multi_token_ && (name.contains("mtp") || name.contains("nextn")))
      has_multi_token_ = parsed_name(listing_, tensor).scope == TensorName::Scope::MultiToken;
    if (name.ends_with(".weight")) return;
    const std::string suffix = parsed_name(listing_, tensor).suffix;
    for (const Mark& mark : kMarks) {
      if (suffix == mark.suffix) marked_.push_back(mark.scheme);
    }
    if (marked_.size() > 2 * kMarks.size()) tidy();
  }

  void tidy() {
    std::ranges::sort(marked_);
    const auto same = std::ranges::unique(marked_);
    marked_.erase(same.begin(), same.end());
  }

  void collect() {
    if (!marked_.empty()) modules_.emplace(listing_, layers_of(model_));
    const auto add = [&](const std::vector<domain::LayerRun>& runs, bool is_multi_token) {
      std::int64_t first = 0;
      for (const domain::LayerRun& run : runs) {
        for (const Tensor& tensor : domain::tensors_of(run.layer, model_)) {
          const std::size_t begin = places_.size();
          for (std::int64_t layer = first; layer < first + run.count; ++layer)
            add_place(place_of(tensor, layer, is_multi_token), begin);
        }
        first += run.count;
      }
    };
    add(model_.layers, false);
    if (model_.multi_token_prediction) add(model_.multi_token_prediction->layers, true);
    for (const Tensor& tensor : domain::outer_tensors(model_))
      places_.push_back(place_of(tensor, domain::kOutsideLayers, false));
  }

  /// `begin`: the first place of the same tensor.
  void add_place(Place place, std::size_t begin) {
    if (places_.size() > begin && places_.back().is_packed == place.is_packed &&
        places_.back().said_bytes == place.said_bytes) {
      ++places_.back().layers;
    } else {
      places_.push_back(place);
    }
  }

  [[nodiscard]] Place place_of(const Tensor& tensor, std::int64_t layer,
                               bool is_multi_token) const {
    const StoredModule* module =
        modules_ ? modules_->find(tensor.name, layer, is_multi_token) : nullptr;
    const bool is_packed = modules_ ? module != nullptr && module->is_packed
                                    : tensor.is_linear && tensor.part != TensorPart::Head;
    const domain::WeightScheme said = is_multi_token
                                          ? domain::multi_token_scheme(model_, tensor, layer)
                                          : domain::scheme_of(model_, tensor, layer);
    return {.tensor = tensor,
            .first_layer = layer,
            .layers = 1,
            .is_multi_token = is_multi_token,
            .is_packed = is_packed,
            .said_bytes = domain::stored_bytes(tensor, said)};
  }

  /// A copy of a tied head is stored, but not loaded.
  [[nodiscard]] std::int64_t tied_copy() const {
    return has_head_ && model_.tied_embeddings ? domain::stored_table_bytes(model_) : 0;
  }
  /// What the config says for predicting further tokens and the index does not name.
  [[nodiscard]] std::int64_t unlisted() const {
    return has_multi_token_ ? 0 : domain::stored_prediction_bytes(model_);
  }

  [[nodiscard]] bool is_in_16_bits() const {
    const auto is_half = [](Quantization one) {
      return one == Quantization::Bf16 || one == Quantization::Fp16;
    };
    return is_half(model_.weights.linear) && is_half(model_.weights.other) &&
           model_.weights.modules.empty();
  }

  [[nodiscard]] std::int64_t bytes_in(Quantization quantization) const {
    const domain::WeightScheme packed = domain::scheme(quantization);
    const bool is_plain = packed.granularity == domain::ScaleGranularity::None;
    const domain::WeightScheme other = is_plain ? packed : domain::scheme(model_.weights.other);
    // Towers and what is beside the layers stay as they were said, unless a whole checkpoint of 16
    // bits is written down in 32.
    if (quantization == Quantization::Fp32 && is_in_16_bits()) return 2 * said_bytes_;
    std::int64_t bytes = said_bytes_;
    for (const Place& place : places_) {
      if (place.is_multi_token && !has_multi_token_) continue;
      const std::int64_t bytes_then =
          domain::stored_bytes(place.tensor, place.is_packed ? packed : other);
      bytes += (bytes_then - place.said_bytes) * place.layers;
    }
    return bytes;
  }

  [[nodiscard]] std::optional<Quantization> scheme_near(std::int64_t target) const {
    std::vector<Quantization> candidates = marked_;
    if (candidates.empty()) {
      candidates = {Quantization::Bf16, Quantization::Fp32};
      for (const Mark& mark : kMarks) candidates.push_back(mark.scheme);
    }
    const auto distance = [&](Quantization scheme) { return std::abs(bytes_in(scheme) - target); };
    const Quantization nearest = *std::ranges::min_element(candidates, {}, distance);
    return is_near(bytes_in(nearest), target) ? std::optional(nearest) : std::nullopt;
  }

  void take(Quantization quantization) {
    const domain::WeightScheme packed = domain::scheme(quantization);
    if (packed.granularity == domain::ScaleGranularity::None) model_.weights.other = quantization;
    const domain::WeightScheme other = domain::scheme(model_.weights.other);
    domain::WeightFormat weights;
    weights.linear = quantization;
    weights.other = model_.weights.other;
    model_.weights = std::move(weights);
    domain::TensorExceptions exceptions(model_);
    for (const Place& place : places_) {
      for (std::int64_t layer = 0; layer < place.layers; ++layer)
        exceptions.add(place.tensor, place.first_layer + layer, place.is_multi_token,
                       place.is_packed ? packed : other);
    }
    model_.weights.modules = domain::patterns_of_exceptions(model_);
  }

  void note(std::int64_t said, std::int64_t target, std::optional<Quantization> found) {
    const std::string difference = fmt::format("{} says {} bytes, architecture and scheme give {}",
                                               listing_.source, target, said);
    model_.notes.push_back(
        found ? fmt::format("{}: the total wins, which is that of {}", difference, name_of(*found))
              : fmt::format("{}: the total wins", difference));
  }

  // Servers load it for speculative decoding only: it stands apart from the rest of the total.
  void count_multi_token() {
    if (!has_multi_token_ || !model_.multi_token_prediction) return;
    const std::int64_t bytes = domain::stored_prediction_bytes(model_);
    model_.stored.back().bytes -= bytes;
    model_.stored.push_back({.part = TensorPart::MultiToken,
                             .dtype = "total_size",
                             .tensors = 0,
                             .values = 0,
                             .bytes = bytes});
  }

  const TensorListing& listing_;
  domain::Model& model_;
  std::optional<StoredModules> modules_;  ///< where names tell of schemes
  std::vector<Place> places_;
  std::vector<Quantization> marked_;
  bool has_multi_token_ = false;
  bool has_head_ = false;
  std::int64_t said_bytes_ = 0;
};

}  // namespace

void hold_against_total(const TensorListing& listing, domain::Model& model) {
  if (listing.bytes <= 0) return;
  model.sources.push_back({"storedBytes", listing.source});
  TotalComparison(listing, model).run();
}

}  // namespace gpushape::catalog
