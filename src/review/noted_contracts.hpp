// The contract that gpushape wrote into a document: as the annotation gpushape.dev/contract where
// the document has metadata, as a comment of that name where it has none (the values of a chart, a
// list of flags, a configuration file).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/contract.hpp"
#include "domain/contract_note.hpp"
#include "review/fields.hpp"
#include "review/pod_request.hpp"

namespace gpushape::review {

using domain::kContractNote;

/// A contract on one line; nothing where it is not whole.
std::optional<domain::ResourceContract> contract_of_text(std::string_view text);

/// Nothing where there is no such annotation; nullptr is none.
std::optional<domain::ResourceContract> noted_contract(const NamedText* annotation);
/// Of `metadata.annotations`.
std::optional<domain::ResourceContract> noted_contract(const document::Node& object);

/// An annotation of the manifest, or a comment in a file that has none.
std::optional<domain::ResourceContract> noted_contract(const PodRequest& pod);

/// `# gpushape.dev/contract: {…}` from that line on, to the end of the document or, where it is not
/// 0, to `end_line`; one for each wish, in order.
std::vector<domain::ResourceContract> commented_contracts(const document::Document& document,
                                                          int first_line, int end_line = 0);

}  // namespace gpushape::review
