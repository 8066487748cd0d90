// The published form of our own documents: one row a kind, with its JSON Schema, and the functions
// between value and tree.
//
// Every document has `apiVersion: gpushape.dev/v1` and `kind`; bytes are integers and end in Bytes;
// what is not known is absent. Unknown fields in an input are complaints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_text.hpp"
#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/advice.hpp"
#include "domain/api_version.hpp"
#include "domain/calibration.hpp"
#include "domain/contract.hpp"
#include "domain/estimate.hpp"
#include "domain/estimate_comparison.hpp"
#include "domain/measurement.hpp"
#include "domain/model.hpp"
#include "domain/placement.hpp"
#include "domain/profile_fit.hpp"
#include "domain/review.hpp"
#include "domain/rule_book.hpp"
#include "domain/workload.hpp"

namespace gpushape::schema {

using domain::kApiVersion;

struct KindRow {
  std::string_view kind;  ///< "Estimate"
  std::string_view description;
  std::string_view file;  ///< of its JSON Schema
};

std::span<const KindRow> kinds();
/// The JSON Schema of a kind; nullopt for an unknown one.
std::optional<std::string_view> schema_text(std::string_view kind);
std::span<const EmbeddedText> embedded_schemas();

document::Node to_node(const domain::Estimate& estimate);
document::Node to_node(const domain::Advice& advice);
document::Node to_node(const domain::ResourceContract& contract);
document::Node to_node(const domain::Workload& workload);
document::Node to_node(const domain::Placement& placement);
document::Node to_node(const domain::Model& model);
document::Node to_node(const domain::Device& device);
document::Node to_node(const domain::ProfileFit& fit);
document::Node to_node(const domain::EstimateComparison& comparison);
document::Node to_node(const domain::Review& review);
document::Node to_node(const domain::RuleBook& book);
document::Node calibration_node(const std::vector<domain::Calibration>& calibrations);
document::Node evidence_node(const std::vector<domain::Measurement>& measurements);

Result<domain::Workload> read_workload(const document::Document& document);
Result<std::vector<domain::Measurement>> read_evidence(const document::Document& document);
Result<domain::ResourceContract> read_contract(const document::Document& document);
/// The contracts of a ResourceContract, or of the shapes of an Advice, best first.
Result<std::vector<domain::ResourceContract>> read_contracts(const document::Document& document);

/// What the document says it is; empty where it does not say.
std::string kind_of(const document::Document& document);

}  // namespace gpushape::schema
