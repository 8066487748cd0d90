#include "catalog/entry_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "domain/modules.hpp"

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;
using domain::ModuleFormat;
using domain::WeightFormat;

constexpr std::array kPlain = {domain::Quantization::Fp32, domain::Quantization::Bf16,
                               domain::Quantization::Fp16};

// What a checkpoint's own groups and zero points make of a scheme.
template <class Format, class Fields>
void visit_details(Fields& fields) {
  fields.integer("group", &Format::group, {.least = domain::kWholeRow, .most = kGroup.most});
  fields.boolean("zeroPoints", &Format::zero_points);
  fields.boolean("staticActivationScales", &Format::static_activation_scales);
}

template <class Fields>
void visit_module(Fields& fields) {
  fields.text("pattern", &ModuleFormat::pattern);
  fields.choice("scheme", &ModuleFormat::quantization);
  visit_details<ModuleFormat>(fields);
}

template <class Fields>
void visit_weights(Fields& fields) {
  fields.choice("scheme", &WeightFormat::linear);
  visit_details<WeightFormat>(fields);
  fields.boolean("headQuantized", &WeightFormat::head_quantized);
  fields.texts("kept", &WeightFormat::kept);
}

void check_pattern(Reader& reader, std::string_view field, const std::string& pattern) {
  if (const auto fault = domain::fault_of_pattern(pattern))
    reader.complain(field, fmt::format("the module pattern '{}' {}", pattern, *fault));
}

void read_dtype(Reader& group, WeightFormat& weights) {
  const auto dtype = group.choice<domain::Quantization>("dtype");
  if (dtype && std::ranges::find(kPlain, *dtype) == kPlain.end()) {
    group.complain("dtype",
                   fmt::format("dtype '{}' is not one of fp32, bf16, fp16", name_of(*dtype)),
                   "a quantized checkpoint names its scheme under `quantization:`");
  }
  weights.other = dtype.value_or(domain::Quantization::Bf16);
}

void read_modules(Reader& reader, WeightFormat& weights) {
  for (Reader& item : reader.mappings("modules")) {
    ModuleFormat& format = weights.modules.emplace_back();
    format.quantization = weights.other;
    item.required_text("pattern");
    item.required_text("scheme");
    FieldReader<ModuleFormat> fields(holder_of(item), format);
    visit_module(fields);
    check_pattern(item, "pattern", format.pattern);
    item.finish();
  }
}

}  // namespace

void read_weights(EntryFacts& facts, WeightFormat& weights) {
  if (Reader* group = facts.required("dtype")) read_dtype(*group, weights);
  weights.linear = weights.other;
  Reader* group = facts.holder("quantization");
  if (group == nullptr) return;
  std::optional<Reader> reader = group->mapping("quantization");
  if (!reader) return;
  reader->required_text("scheme");
  FieldReader<WeightFormat> fields(holder_of(*reader), weights);
  visit_weights(fields);
  for (const std::string& pattern : weights.kept) check_pattern(*reader, "kept", pattern);
  read_modules(*reader, weights);
  reader->finish();
}

void write_weights(Node& facts, const WeightFormat& weights) {
  facts.set("dtype", name_of(weights.other));
  WeightFormat plain;
  plain.linear = weights.other;
  plain.other = weights.other;
  if (weights == plain) return;
  Node quantization = Node::mapping();
  quantization.in_flow();
  FieldWriter<WeightFormat> fields(quantization, weights, plain);
  visit_weights(fields);
  if (quantization.find("scheme") == nullptr) quantization.set("scheme", name_of(weights.linear));
  if (!weights.modules.empty()) {
    ModuleFormat base;
    base.quantization = weights.other;
    Node& modules = quantization.set("modules", Node::sequence());
    for (const ModuleFormat& format : weights.modules) {
      Node& item = modules.add(Node::mapping());
      item.in_flow();
      FieldWriter<ModuleFormat> module_fields(item, format, base);
      visit_module(module_fields);
      if (item.find("scheme") == nullptr) item.set("scheme", name_of(format.quantization));
    }
  }
  facts.set("quantization", std::move(quantization));
}

}  // namespace gpushape::catalog
