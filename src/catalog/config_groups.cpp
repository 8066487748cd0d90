// compressed-tensors: `config_groups` of a weight scheme and the modules it is for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "catalog/quantization_methods.hpp"
#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::Quantization;

struct Group {
  domain::WeightFormat weights;
  std::vector<std::string> targets;  ///< names and expressions, collapsed
  bool is_for_all = false;           ///< targets the class of all linear layers
};

/// What a group says of the inputs of its layers.
struct Inputs {
  bool are_quantized = false;
  bool are_static = false;
  std::int64_t bits = 0;
};

Inputs read_inputs(const Fields& group) {
  std::optional<Reader> input = group.mapping("input_activations");
  if (!input) return {};
  const Fields fields(*input);
  // `dynamic` may be the word "local" (NVFP4): the scale of the whole tensor is static then.
  const Node* dynamic = fields.node("dynamic");
  const bool is_dynamic =
      dynamic != nullptr && dynamic->is(Node::Kind::Boolean) && dynamic->boolean();
  return {.are_quantized = true,
          .are_static = dynamic != nullptr && !is_dynamic,
          .bits = fields.integer("num_bits").value_or(0)};
}

bool read_float(const Fields& fields, std::int64_t bits, std::string_view strategy,
                std::int64_t group, domain::WeightFormat& weights) {
  if (bits == 8) {
    if (strategy == "group" && group == domain::scheme(Quantization::Mxfp8).group) {
      weights.linear = Quantization::Mxfp8;
      return true;
    }
    weights.linear = strategy == "channel" ? Quantization::Fp8Channel : Quantization::Fp8;
    if (strategy == "block") read_block(fields, "block_structure", weights);
    return strategy.empty() || strategy == "tensor" || strategy == "channel" || strategy == "block";
  }
  if (bits != 4) return false;
  weights.linear = group == domain::scheme(Quantization::Mxfp4).group ? Quantization::Mxfp4
                                                                      : Quantization::Nvfp4;
  return group == domain::scheme(weights.linear).group || group == 0;
}

bool read_integer(const Fields& fields, std::int64_t bits, std::string_view strategy,
                  std::int64_t group, const Inputs& inputs, domain::WeightFormat& weights) {
  weights.zero_points = !fields.boolean("symmetric").value_or(true);
  if (bits == 8) {
    weights.linear = inputs.are_quantized ? Quantization::Int8 : Quantization::Int8Weight;
  } else if (bits == 4) {
    weights.linear = inputs.bits == 8 ? Quantization::Int4Act8 : Quantization::Int4;
  } else {
    return false;
  }
  if (strategy == "channel" || (strategy == "tensor" && bits == 8)) {
    weights.group = bits == 4 ? domain::kWholeRow : 0;
    return true;
  }
  if (strategy != "group" || group <= 0) return false;
  weights.group = group_of(fields, "group_size", weights.linear);
  return true;
}

domain::WeightFormat read_weights(const Fields& fields, const Inputs& inputs) {
  domain::WeightFormat weights;
  const std::int64_t bits = fields.integer("num_bits").value_or(0);
  const std::string type = fields.text("type").value_or("");
  const std::string strategy = fields.text("strategy").value_or("");
  const std::int64_t group = fields.integer("group_size").value_or(0);
  const bool is_known = type == "float" ? read_float(fields, bits, strategy, group, weights)
                                        : type == "int" && read_integer(fields, bits, strategy,
                                                                        group, inputs, weights);
  if (!is_known) {
    fields.reader().complain(
        fmt::format(
            "weights of {} bits, type '{}', strategy '{}', group size {} are not understood", bits,
            type, strategy, group),
        std::string(kGiveByHand));
  }
  weights.static_activation_scales = inputs.are_static && weights.linear != Quantization::Int8;
  return weights;
}

// Classes of layers, where other targets are names: all linear layers, or everything.
bool is_for_all_layers(std::string_view target) {
  constexpr auto kClasses = std::to_array<std::string_view>(
      {"Linear", "LinearBase", "FusedMoE", "re:.*", "*", "re:Linear"});
  return std::ranges::find(kClasses, target) != kClasses.end();
}

std::vector<Group> read_groups(const Reader& mapping, const Fields& fields) {
  std::vector<Group> groups;
  for (const Node::Entry& entry : mapping.self().entries()) {
    Reader reader(entry.value, fields.reader().source(), fields.reader().diagnostics(),
                  "config_groups." + entry.name);
    const Fields group_fields(reader);
    // A group of activations alone (an older way to say a KV cache type) stores no weights.
    if (!group_fields.given("weights") && group_fields.given("output_activations")) continue;
    std::optional<Reader> scheme = group_fields.mapping("weights");
    if (!scheme) {
      if (!group_fields.given("weights")) {
        reader.complain(
            fmt::format("config group '{}' does not say how weights are stored", entry.name),
            std::string(kGiveByHand));
      }
      continue;
    }
    Group group;
    group.weights = read_weights(Fields(*scheme), read_inputs(group_fields));
    const std::vector<std::string> targets = group_fields.texts("targets");
    group.is_for_all = targets.empty() || std::ranges::any_of(targets, is_for_all_layers);
    if (!group.is_for_all) group.targets = domain::collapse_modules(targets);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

void read_config_groups(const Fields& fields, StoredPrecision& stored) {
  const std::optional<Reader> mapping = fields.mapping("config_groups");
  if (!mapping || mapping->self().entries().empty()) {
    fields.reader().complain(std::string("quantization_config has no config_groups"),
                             std::string(kGiveByHand));
    return;
  }
  const std::vector<Group> groups = read_groups(*mapping, fields);
  const Group* common = nullptr;
  for (const Group& group : groups) {
    if (!group.is_for_all) continue;
    if (common != nullptr && common->weights != group.weights) {
      fields.complain("config_groups",
                      "two config groups are for all layers, in different precision",
                      std::string(kGiveByHand));
      return;
    }
    common = &group;
  }
  const bool names_all = common != nullptr;
  if (common == nullptr && !groups.empty()) {
    // The name of the whole is that of the larger group.
    common = &*std::ranges::max_element(groups, {},
                                        [](const Group& group) { return group.targets.size(); });
  }
  if (common == nullptr) return;
  stored.weights = common->weights;
  for (const Group& group : groups) {
    for (const std::string& target : group.targets) {
      stored.weights.modules.push_back(
          {.pattern = target,
           .quantization = group.weights.linear,
           .group = group.weights.group,
           .zero_points = group.weights.zero_points,
           .static_activation_scales = group.weights.static_activation_scales});
    }
  }
  if (!names_all) stored.weights.modules.push_back(everything_else());
}

}  // namespace gpushape::catalog
