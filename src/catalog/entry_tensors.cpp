#include "catalog/entry_fields.hpp"

namespace gpushape::catalog {
namespace {

template <class Fields>
void visit_tensor(Fields& fields) {
  using domain::ExtraTensor;
  fields.text("name", &ExtraTensor::name);
  fields.integer("rows", &ExtraTensor::rows, kRows);
  fields.integer("columns", &ExtraTensor::columns, up_to(kWidth));
  fields.boolean("linear", &ExtraTensor::is_linear);
  fields.boolean("float32", &ExtraTensor::is_float32);
  fields.boolean("dealtOut", &ExtraTensor::is_dealt_out);
}

}  // namespace

std::vector<domain::ExtraTensor> read_tensors(document::Reader& reader, std::string_view field) {
  std::vector<domain::ExtraTensor> tensors;
  for (document::Reader& item : reader.mappings(field)) {
    domain::ExtraTensor& tensor = tensors.emplace_back();
    item.required_text("name");
    item.required_integer("rows");
    FieldReader<domain::ExtraTensor> fields(holder_of(item), tensor);
    visit_tensor(fields);
    item.finish();
  }
  return tensors;
}

document::Node tensor_list(const std::vector<domain::ExtraTensor>& tensors) {
  document::Node list = document::Node::sequence();
  const domain::ExtraTensor plain;
  for (const domain::ExtraTensor& tensor : tensors) {
    document::Node& item = list.add(document::Node::mapping());
    item.in_flow();
    FieldWriter<domain::ExtraTensor> fields(item, tensor, plain);
    visit_tensor(fields);
  }
  return list;
}

}  // namespace gpushape::catalog
