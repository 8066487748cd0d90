// What -o may name for an advice: formats of ours and manifest targets; and the shapes that
// manifests are written for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "document/node.hpp"
#include "domain/advice.hpp"
#include "domain/workload.hpp"
#include "emit/targets.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {

/// nullptr where the name is no format.
const render::FormatRow* find_format(std::string_view name);

/// A complaint for every name that is neither format nor target.
Diagnostics check_advice_outputs(const std::vector<std::string>& outputs);

/// Of a file that holds the output: "yaml".
std::string extension_of(const std::string& output);

/// What the targets imply where nobody named a platform: a claim beside a VM class is for a pod in
/// that class's guest.
std::optional<domain::Fact<domain::Platform>> implied_platform(
    const std::vector<std::string>& outputs);

/// The shapes that manifests are written for: the Nth where --pick says so, else the best of every
/// wish, in their order, as it stands in its document. `pick` is within the answer.
std::vector<const domain::RankedShape*> pick_shapes(const domain::Advice& advice,
                                                    const std::optional<std::int64_t>& pick);

/// Everything that was asked for, before any of it is written.
struct Written {
  std::vector<Piece> pieces;
  std::vector<document::Node> documents;  ///< of the targets
  std::vector<std::string> notes;
};

/// Formats and targets, in order. A target of one pod is written once for every document that the
/// wishes come to. A refusal says that a target cannot express the shape: the answer is no for all
/// of them; of a further document it is a note.
Result<Written> write_outputs(const std::vector<std::string>& outputs, const domain::Advice& advice,
                              const emit::EmitRequest& request, const render::Style& style,
                              bool has_folder);

}  // namespace gpushape::cli
