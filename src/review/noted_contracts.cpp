#include "review/noted_contracts.hpp"

#include <string>
#include <utility>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"

namespace gpushape::review {

using domain::ResourceContract;

namespace {

/// What a comment of that name says; empty where the line is none.
std::string_view note_of_line(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(" \t");
  if (mark == std::string_view::npos || line[mark] != '#') return {};
  line.remove_prefix(mark + 1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (!line.starts_with(kContractNote)) return {};
  line.remove_prefix(kContractNote.size());
  if (!line.starts_with(':')) return {};
  return line.substr(1);
}

}  // namespace

std::optional<ResourceContract> contract_of_text(std::string_view text) {
  auto read = document::read_json(text, std::string(kContractNote));
  if (!read) return std::nullopt;
  auto contract = schema::read_contract(*read);
  if (!contract) return std::nullopt;
  return std::move(*contract);
}

std::optional<ResourceContract> noted_contract(const NamedText* annotation) {
  if (annotation == nullptr) return std::nullopt;
  return contract_of_text(annotation->value);
}

std::optional<ResourceContract> noted_contract(const document::Node& object) {
  const auto annotations = named_texts(at(object, {"metadata", "annotations"}));
  return noted_contract(find_name(annotations, kContractNote));
}

std::optional<ResourceContract> noted_contract(const PodRequest& pod) {
  if (auto noted = noted_contract(pod.annotation(kContractNote))) return noted;
  if (pod.source == PodSource::Kubernetes) return std::nullopt;
  std::vector<ResourceContract> comments =
      commented_contracts(*pod.document, pod.root->position().line);
  if (comments.empty()) return std::nullopt;
  return std::move(comments.front());
}

std::vector<ResourceContract> commented_contracts(const document::Document& document,
                                                  int first_line, int end_line) {
  std::vector<ResourceContract> contracts;
  const std::string_view text = document.source->text;
  int number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    if (end_line > 0 && number >= end_line) break;
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (number < first_line) continue;
    if (number > first_line && (line == "---" || line.starts_with("--- "))) break;
    const std::string_view note = note_of_line(line);
    if (note.empty()) continue;
    if (auto contract = contract_of_text(note)) contracts.push_back(std::move(*contract));
  }
  return contracts;
}

}  // namespace gpushape::review
