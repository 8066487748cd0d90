// Runtimes that serving kinds name: KServe's and OME's (Cluster)ServingRuntime hold the container
// that an InferenceService is filled in with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "review/deployment.hpp"

namespace gpushape::review {

/// Before anything else is read: an InferenceService may stand in front of its runtime, and of the
/// base model that OME's names.
void collect_serving_runtimes(std::span<const document::Document> documents,
                              Deployment& deployment);

/// The one that the InferenceService names or, of those that choose themselves, the only one of its
/// model's format; nullptr where none is among the documents.
const ServingRuntime* runtime_of(const document::Node& service, const Deployment& deployment);

/// No InferenceService of the documents is filled in with it.
bool is_unused(const Object& object, const Deployment& deployment);

/// Text of a runtime's container with {{.Name}} filled in.
void fill_in_placeholders(std::string_view name, Container& container);

/// What stands in another file is told at the field that names it.
void place_at(const document::Node& node, Container& container);

}  // namespace gpushape::review
