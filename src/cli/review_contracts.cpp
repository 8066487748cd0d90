#include "cli/review_contracts.hpp"

#include <fmt/format.h>

#include "document/text_format.hpp"
#include "review/asked_contracts.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {

ContractsOfFiles contracts_of_files(const review::ReviewRequest& request) {
  ContractsOfFiles made;
  std::vector<document::Node> documents;
  const review::Deployment deployment = review::read_deployment(request);
  for (const review::AskedContract& asked : review::contracts_of(deployment)) {
    const std::string place = fmt::format("{}:{}", asked.place.file, asked.place.line);
    if (!asked.contract) {
      made.notes.push_back(
          fmt::format("{}: no contract of {}: {}", place, asked.object, asked.gap));
      continue;
    }
    document::Node root = schema::to_node(*asked.contract);
    if (!root.entries().empty()) {
      root.entries().front().value.comment_above(
          fmt::format("{}, {}{}", asked.object, place, asked.runs ? "" : "; it offers the GPU"));
    }
    documents.push_back(std::move(root));
  }
  if (!documents.empty()) made.text = document::write_yaml(documents);
  return made;
}

}  // namespace gpushape::cli
