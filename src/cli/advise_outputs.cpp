#include "cli/advise_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/wish_documents.hpp"
#include "base/edit_distance.hpp"
#include "document/text_format.hpp"
#include "emit/manifest.hpp"
#include "emit/targets.hpp"

namespace gpushape::cli {

const render::FormatRow* find_format(std::string_view name) {
  for (const render::FormatRow& row : render::formats()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Diagnostics check_advice_outputs(const std::vector<std::string>& outputs) {
  Diagnostics faults;
  for (const std::string& output : outputs) {
    if (find_format(output) != nullptr || emit::find_target(output) != nullptr) continue;
    std::vector<std::string> names;
    for (const render::FormatRow& row : render::formats()) names.emplace_back(row.name);
    for (const emit::TargetRow& row : emit::targets()) names.emplace_back(row.name);
    faults.push_back(complaint(fmt::format("--output: '{}' is no format and no target", output),
                               suggestion(output, names, "'-o list' shows them all")));
  }
  return faults;
}

std::string extension_of(const std::string& output) {
  if (output == "text") return "txt";
  if (const emit::TargetRow* row = emit::find_target(output)) return std::string(row->extension);
  return output == "json" ? "json" : "yaml";
}

std::optional<domain::Fact<domain::Platform>> implied_platform(
    const std::vector<std::string>& outputs) {
  bool has_vm = false;
  bool has_pod = false;
  std::string names;
  for (const std::string& output : outputs) {
    const emit::TargetRow* row = emit::find_target(output);
    if (row == nullptr || !row->platform) continue;
    if (*row->platform == domain::Platform::Vks) has_vm = has_pod = true;
    if (*row->platform == domain::Platform::Vsphere) has_vm = true;
    if (*row->platform == domain::Platform::Kubernetes) has_pod = true;
    names += (names.empty() ? "-o " : " -o ") + output;
  }
  if (!has_vm && !has_pod) return std::nullopt;
  domain::Platform platform = domain::Platform::Vsphere;
  if (has_pod) platform = has_vm ? domain::Platform::Vks : domain::Platform::Kubernetes;
  return domain::Fact<domain::Platform>{platform, domain::Origin::Computed, "implied by " + names};
}

std::vector<const domain::RankedShape*> pick_shapes(const domain::Advice& advice,
                                                    const std::optional<std::int64_t>& pick) {
  if (pick) return {&advice.shapes[static_cast<std::size_t>(*pick - 1)]};
  std::vector<const domain::RankedShape*> picked;
  for (const domain::WishDocument& document : advice.documents) {
    for (const domain::RankedShape& shape : document.shapes) picked.push_back(&shape);
  }
  if (!picked.empty()) {
    std::ranges::stable_sort(picked, {},
                             [](const domain::RankedShape* shape) { return shape->wish; });
    return picked;
  }
  for (const std::size_t place : advise::best_of_each_wish(advice))
    picked.push_back(&advice.shapes[place]);
  return picked;
}

namespace {

/// What one target makes of the request; a further document has a file of its own.
struct Part {
  emit::EmitRequest request;
  std::string of;  ///< "document 2, 2 x 48C of l40s"; empty for the first
};

/// The documents that the wishes come to, each with the names that its shapes have among all.
std::vector<Part> parts_of(const emit::EmitRequest& request) {
  const domain::Advice& advice = *request.advice;
  if (advice.documents.size() < 2 || request.picked.size() < 2) return {{request, {}}};
  const std::vector<std::string> names = emit::document_names(request);
  std::vector<Part> parts;
  for (const domain::WishDocument& document : advice.documents) {
    Part part{.request = request, .of = {}};
    part.request.picked.clear();
    for (std::size_t i = 0; i < request.picked.size(); ++i) {
      const bool is_in = std::ranges::any_of(
          document.shapes, [&](const auto& shape) { return &shape == request.picked[i]; });
      if (!is_in) continue;
      part.request.picked.push_back(request.picked[i]);
      part.request.names.push_back(names[i]);
    }
    part.request.is_further = !parts.empty();
    if (part.request.is_further) part.of = part.request.names.front();
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Values of a chart are a file: a second set does not follow in the same one.
bool is_one_a_file(const std::string& output) { return output.ends_with("-values"); }

void take_emitted(const std::string& output, const std::string& of, emit::Emitted emitted,
                  Written& written) {
  for (std::string& note : emitted.notes) {
    if (std::ranges::find(written.notes, note) == written.notes.end())
      written.notes.push_back(std::move(note));
  }
  std::ranges::copy(emitted.documents, std::back_inserter(written.documents));
  written.pieces.push_back(
      {of.empty() ? output : fmt::format("{}-{}", output, of), extension_of(output),
       emitted.text.empty() ? document::write_yaml(emitted.documents) : std::move(emitted.text)});
}

/// Why there are several documents, once.
std::string several_documents(const domain::Advice& advice) {
  std::string text;
  for (std::size_t i = 1; i < advice.documents.size(); ++i)
    text += fmt::format("{}document {}: {}", text.empty() ? "" : "; ", i + 1,
                        advice.documents[i].why_apart);
  return fmt::format("{} documents stand for one another, in order of the wishes: apply one. {}",
                     advice.documents.size(), text);
}

}  // namespace

Result<Written> write_outputs(const std::vector<std::string>& outputs, const domain::Advice& advice,
                              const emit::EmitRequest& request, const render::Style& style,
                              bool has_folder) {
  Written written;
  Diagnostics faults;
  std::vector<Part> parts;
  for (const std::string& output : outputs) {
    if (const render::FormatRow* format = find_format(output)) {
      written.pieces.push_back({"advice", extension_of(output), format->advice(advice, style)});
      continue;
    }
    const emit::TargetRow& row = *emit::find_target(output);
    if (!emit::is_of_one_pod(row)) {
      Result<emit::Emitted> emitted = row.emit(request);
      if (emitted) {
        take_emitted(output, {}, *std::move(emitted), written);
      } else {
        std::ranges::move(emitted.error(), std::back_inserter(faults));
      }
      continue;
    }
    if (parts.empty()) {
      parts = parts_of(request);
      if (parts.size() > 1) written.notes.push_back(several_documents(advice));
    }
    for (const Part& part : parts) {
      if (!part.of.empty() && is_one_a_file(output) && !has_folder) {
        written.notes.push_back(
            fmt::format("{}: {} is a file of its own, with --output-dir", output, part.of));
        continue;
      }
      Result<emit::Emitted> emitted = row.emit(part.request);
      if (emitted) {
        take_emitted(output, part.of, *std::move(emitted), written);
      } else if (part.of.empty()) {
        std::ranges::move(emitted.error(), std::back_inserter(faults));
      } else {
        written.notes.push_back(
            fmt::format("no {} of {}: {}", output, part.of, emitted.error().front().message));
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  return written;
}

}  // namespace gpushape::cli
