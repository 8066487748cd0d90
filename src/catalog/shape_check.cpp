#include "catalog/shape_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {
namespace {

using domain::Tensor;

constexpr std::size_t kMostShapeFaults = 5;

// What a network cannot be built without: if these differ, it is another model.
constexpr auto kProjections = std::to_array<std::string_view>({
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "self_attn.q_a_proj",
    "self_attn.q_b_proj",
    "self_attn.kv_a_proj_with_mqa",
    "self_attn.kv_b_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
    "mlp.experts.gate_proj",
    "mlp.experts.up_proj",
    "mlp.experts.down_proj",
    "model.embed_tokens",
});

bool has_one_value_a_place(const StoredShape& weight) {
  return weight.is_there() && weight.type->bits > 0 &&
         (weight.type->is_float || weight.name() == "I8" || weight.name().starts_with("F8_E4") ||
          weight.name().starts_with("F8_E5"));
}

/// Tensors of an architecture that lie in one module.
struct Expected {
  const StoredModule* module = nullptr;
  std::string_view name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t values = 0;
  bool is_projection = false;
  bool is_matrix = false;
};

std::string shape_text(std::int64_t rows, std::int64_t columns) {
  return columns > 0 ? fmt::format("{} x {}", rows, columns) : fmt::format("{}", rows);
}

/// Nothing where it agrees, or cannot be told; otherwise the two shapes.
std::optional<std::string> difference(const Expected& expected, std::int64_t layer) {
  const StoredModule& module = *expected.module;
  const std::string place =
      layer < 0 ? std::string(expected.name) : fmt::format("{} of layer {}", expected.name, layer);
  if (has_one_value_a_place(module.weight) && !module.packed.is_there()) {
    const bool is_one = module.weights == 1 && module.experts <= 1;
    if (!is_one && module.weights != module.experts) return std::nullopt;
    const std::int64_t stored = module.weight.values() * (is_one ? 1 : module.experts);
    if (stored == expected.values) return std::nullopt;
    return fmt::format(
        "{} is {}{}, config.json makes it {} of {} values", place,
        is_one ? "" : fmt::format("{} times ", module.experts),
        shape_text(module.weight.rows, module.weight.rank > 1 ? module.weight.columns : 0),
        shape_text(expected.rows, expected.columns), expected.values);
  }
  const StoredMatrix matrix = matrix_of(module);
  if (!expected.is_matrix || matrix.rows == 0 || matrix.rows == expected.rows) return std::nullopt;
  return fmt::format("{} has {} rows, config.json gives it {}", place, matrix.rows, expected.rows);
}

class ShapeCheck {
 public:
  ShapeCheck(const TensorListing& listing, const StoredModules& modules, domain::Model& model,
             Diagnostics& faults)
      : listing_(listing), modules_(modules), model_(model), faults_(faults) {}

  void run() {
    std::int64_t first = 0;
    for (const domain::LayerRun& run : model_.layers) {
      const std::vector<Tensor> tensors = domain::tensors_of(run.layer, model_);
      for (std::int64_t layer = first; layer < first + run.count; ++layer) check(tensors, layer);
      first += run.count;
    }
    check(domain::outer_tensors(model_), domain::kOutsideLayers);
    if (others_ > 0) {
      model_.notes.push_back(
          fmt::format("{}: {} tensors are not of the shapes that config.json "
                      "gives them (the first: {})",
                      listing_.source, others_, example_));
    }
  }

 private:
  void check(const std::vector<Tensor>& tensors, std::int64_t layer) {
    expected_.clear();
    for (const Tensor& tensor : tensors) {
      const StoredModule* module = modules_.find(tensor.name, layer, false);
      if (module == nullptr) continue;
      auto row = std::ranges::find(expected_, module, &Expected::module);
      if (row == expected_.end()) {
        row = expected_.insert(row, {.module = module, .name = tensor.name});
        row->columns = tensor.columns;
        row->is_matrix = tensor.columns > 0 && tensor.copies == 1;
        row->is_projection = std::ranges::find(kProjections, tensor.name) != kProjections.end();
      }
      row->rows += tensor.rows;
      row->values += tensor.values();
    }
    for (const Expected& row : expected_) report(row, layer);
  }

  void report(const Expected& row, std::int64_t layer) {
    if (faults_.size() >= kMostShapeFaults) return;
    const std::optional<std::string> text = difference(row, layer);
    if (!text) return;
    if (row.is_projection) {
      faults_.push_back(complaint(fmt::format("{}: {}", listing_.source, *text),
                                  "give a config.json and weights that belong together"));
      return;
    }
    if (others_++ == 0) example_ = *text;
  }

  const TensorListing& listing_;
  const StoredModules& modules_;
  domain::Model& model_;
  Diagnostics& faults_;
  std::vector<Expected> expected_;  ///< of one layer, for the moment
  std::int64_t others_ = 0;
  std::string example_;
};

}  // namespace

// Words of 32 bits hide inputs, and AutoAWQ's outputs; the scales beside them show what they hide.
StoredMatrix matrix_of_each(const StoredModule& module) {
  const StoredShape& packed = module.packed;
  const StoredShape& weight = module.weight;
  if (packed.is_there()) {
    if (packed.rank != 2) return {};
    if (packed.name() != "I32") return {.rows = packed.rows, .columns = 2 * packed.last};
    if (!module.scale.is_there()) return {};
    if (module.scale.rows == packed.rows) return {.rows = packed.rows, .columns = 0};
    const bool is_awq = packed.columns != module.scale.columns;
    return {.rows = module.scale.columns, .columns = is_awq ? packed.rows : 0};
  }
  if (weight.rank != 2) return {};
  if (weight.name() == "U32") return {.rows = weight.rows, .columns = 0};  // MLX
  if (has_one_value_a_place(weight)) return {.rows = weight.rows, .columns = weight.columns};
  const bool is_pair_in_byte = weight.name() == "U8" && weight.last > 1 && module.scale.is_there();
  return is_pair_in_byte ? StoredMatrix{.rows = weight.rows, .columns = 2 * weight.last}
                         : StoredMatrix{};
}

StoredMatrix matrix_of(const StoredModule& module) {
  return module.weights == 1 ? matrix_of_each(module) : StoredMatrix{};
}

void check_shapes(const TensorListing& listing, const StoredModules& modules, domain::Model& model,
                  Diagnostics& faults) {
  ShapeCheck(listing, modules, model, faults).run();
}

}  // namespace gpushape::catalog
