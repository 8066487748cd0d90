#include "schema/shape_fields.hpp"

#include "schema/fields.hpp"
#include "schema/limits.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;

namespace {

template <class E>
std::optional<E> required_choice(Reader& reader, std::string_view field) {
  if (reader.has(field)) return reader.choice<E>(field);
  static_cast<void>(reader.required_text(field));  // complains
  return std::nullopt;
}

}  // namespace

Node to_node(const domain::Parallelism& parallelism) {
  Node node = Node::mapping();
  node.set("tensor", parallelism.tensor);
  node.set("pipeline", parallelism.pipeline);
  node.set("data", parallelism.data);
  node.set("expert", parallelism.expert);
  return node;
}

void set_shape(Node& node, const domain::Shape& shape) {
  set_choice(node, "consumptionModel", shape.consumption_model);
  set_choice(node, "technology", shape.technology);
  set_text(node, "device", shape.device);
  set_text(node, "profile", shape.profile);
  set_text(node, "profileShort", shape.profile_short);
  node.set("count", shape.count);
  if (shape.nodes > 1) node.set("nodes", shape.nodes);
  set_text(node, "interconnect", shape.interconnect);
  set_text(node, "deviceGroup", shape.device_group);
  node.set("parallelism", to_node(shape.parallelism));
  node.set("computeShare", shape.compute_share);
  node.set("memoryBytes", shape.memory_bytes);
  node.set("isMixedSize", shape.is_mixed_size);
}

Node to_node(const domain::Shape& shape) {
  Node node = Node::mapping();
  set_shape(node, shape);
  return node;
}

domain::Parallelism read_parallelism(Reader& reader) {
  domain::Parallelism parallelism;
  parallelism.tensor = reader.integer("tensor", kGpusBounds).value_or(1);
  parallelism.pipeline = reader.integer("pipeline", kGpusBounds).value_or(1);
  parallelism.data = reader.integer("data", kGpusBounds).value_or(1);
  parallelism.expert = reader.integer("expert", kGpusBounds).value_or(1);
  reader.finish();
  return parallelism;
}

domain::Shape read_shape(Reader& reader) {
  domain::Shape shape;
  shape.consumption_model = required_choice<domain::ConsumptionModel>(reader, "consumptionModel")
                                .value_or(shape.consumption_model);
  shape.technology =
      required_choice<domain::Technology>(reader, "technology").value_or(shape.technology);
  shape.device = reader.required_text("device");
  shape.profile = reader.text("profile").value_or("");
  shape.profile_short = reader.text("profileShort").value_or("");
  shape.count = reader.integer("count", kGpusBounds).value_or(1);
  shape.nodes = reader.integer("nodes", kGpusBounds).value_or(1);
  shape.interconnect = reader.text("interconnect").value_or("");
  shape.device_group = reader.text("deviceGroup").value_or("");
  if (auto parallelism = reader.mapping("parallelism")) {
    shape.parallelism = read_parallelism(*parallelism);
  }
  shape.compute_share = reader.number("computeShare", kShareBounds).value_or(1);
  shape.memory_bytes = read_bytes(reader, "memoryBytes").value_or(Bytes(0));
  shape.is_mixed_size = reader.boolean("isMixedSize").value_or(false);
  reader.finish();
  return shape;
}

}  // namespace gpushape::schema
