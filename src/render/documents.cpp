// Results as documents: the published form of schema, printed as JSON or YAML.
#include "render/documents.hpp"

#include "document/text_format.hpp"
#include "schema/kinds.hpp"

namespace gpushape::render {

std::string estimate_json(const domain::Estimate& estimate, const Style& /*style*/) {
  return document::write_json(schema::to_node(estimate));
}

std::string advice_json(const domain::Advice& advice, const Style& /*style*/) {
  return document::write_json(schema::to_node(advice));
}

std::string estimate_yaml(const domain::Estimate& estimate, const Style& /*style*/) {
  return document::write_yaml(schema::to_node(estimate));
}

std::string advice_yaml(const domain::Advice& advice, const Style& /*style*/) {
  return document::write_yaml(schema::to_node(advice));
}

std::string placement_json(const domain::Placement& placement, const Style& /*style*/) {
  return document::write_json(schema::to_node(placement));
}

std::string placement_yaml(const domain::Placement& placement, const Style& /*style*/) {
  return document::write_yaml(schema::to_node(placement));
}

std::string comparison_json(const domain::EstimateComparison& comparison, const Style& /*style*/) {
  return document::write_json(schema::to_node(comparison));
}

std::string comparison_yaml(const domain::EstimateComparison& comparison, const Style& /*style*/) {
  return document::write_yaml(schema::to_node(comparison));
}

std::string calibration_json(const std::vector<domain::Calibration>& calibrations,
                             const Style& /*style*/) {
  return document::write_json(schema::calibration_node(calibrations));
}

std::string calibration_yaml(const std::vector<domain::Calibration>& calibrations,
                             const Style& /*style*/) {
  return document::write_yaml(schema::calibration_node(calibrations));
}

}  // namespace gpushape::render
