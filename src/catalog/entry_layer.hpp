// The layers of a catalog entry: the fields of one layer, and the order in which layers follow one
// another.
//
// The facts of an entry describe its common layer. Where layers differ, `layerTypes` names the
// kinds and says how each differs from the common one, and `layers` lists them in order:
//
//   attentionHeads: 8
//   layerTypes:
//     local: {attention: sliding, window: 1024}
//     global: {}
//   layers: 10 x (5 x local, global), 2 x local
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/entry_fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

struct LayerType {
  std::string name;
  domain::Layer layer;
};

/// `layer` starts as the base that the fields are differences from.
void read_layer_fields(const Holder& holder, domain::Layer& layer);
void write_layer_fields(document::Node& node, const domain::Layer& layer,
                        const domain::Layer& base);

/// Which type each run of layers is of, adjacent runs of different types.
struct TypeRun {
  std::size_t type = 0;
  std::int64_t count = 0;

  bool operator==(const TypeRun&) const = default;
};

/// "10 x (5 x local, global), 2 x local". A fault is one message, without a place.
Result<std::vector<TypeRun>> parse_layer_pattern(std::string_view text,
                                                 std::span<const LayerType> types);
/// The shortest such text that folding of repetitions finds.
std::string layer_pattern(std::span<const TypeRun> runs, std::span<const LayerType> types);

/// Types under which the layers of a model and of its multi-token prediction fall, in the order of
/// their appearance, with names that tell them apart.
std::vector<LayerType> layer_types_of(const domain::Model& model);
std::vector<TypeRun> type_runs(std::span<const domain::LayerRun> runs,
                               std::span<const LayerType> types);

}  // namespace gpushape::catalog
