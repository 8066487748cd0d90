// The contracts that files hold: as they are, the best one of an Advice, or what is advised for a
// Workload.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/advise.hpp"
#include "cli/advise_cluster.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

void give(ParsedFlags& parsed, std::string_view flag, const std::string& value) {
  for (const FlagRow& row : flags()) {
    if (row.name == flag) parsed.given.emplace_back(&row, value);
  }
}

/// The best shape that the clusters can place, as `advise -f FILE --cluster …` answers.
Result<domain::ResourceContract> advised_contract(const std::string& file,
                                                  const Invocation& invocation) {
  if (file == "-") {
    return failure("a Workload is read from a file, not from standard input",
                   "or pipe what advise answers: advise … -o contract | place -f -");
  }
  ParsedFlags parsed;
  give(parsed, "--file", file);
  for (const std::string& cluster : invocation.clusters) give(parsed, "--cluster", cluster);
  if (invocation.profiles_folder) give(parsed, "--profiles-dir", *invocation.profiles_folder);
  Invocation own;
  Result<Gathered> gathered = gather(parsed, own);
  if (!gathered) return std::unexpected(gathered.error());
  advise::AdviceRequest request;
  request.workload = gathered->workload;
  request.model = gathered->model;
  request.engine = gathered->engine;
  request.wishes = gathered->wishes;
  Result<domain::Advice> advice = advise::advise(request);
  if (!advice) return std::unexpected(advice.error());
  if (gathered->clusters) rank_by_cluster(*advice, *gathered->clusters);
  const auto best = std::ranges::find_if(advice->shapes, &domain::RankedShape::fits);
  if (best == advice->shapes.end()) {
    return failure(fmt::format("{}: no shape of the cluster's GPUs fits this workload", file),
                   fmt::format("'gpushape advise -f {}' tells why", file));
  }
  return best->contract;
}

}  // namespace

Result<std::vector<domain::ResourceContract>> read_contracts(const std::vector<std::string>& given,
                                                             const Invocation& invocation) {
  const Result<std::vector<std::string>> files = document_files(given);
  if (!files) return std::unexpected(files.error());
  std::vector<domain::ResourceContract> contracts;
  Diagnostics faults;
  for (const std::string& file : *files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      std::ranges::copy(documents.error(), std::back_inserter(faults));
      continue;
    }
    for (const document::Document& document : *documents) {
      if (schema::kind_of(document) == "Workload") {
        Result<domain::ResourceContract> advised = advised_contract(file, invocation);
        if (advised) {
          contracts.push_back(std::move(*advised));
        } else {
          std::ranges::copy(advised.error(), std::back_inserter(faults));
        }
        continue;
      }
      Result<std::vector<domain::ResourceContract>> read = schema::read_contracts(document);
      if (!read) {
        std::ranges::copy(read.error(), std::back_inserter(faults));
      } else if (schema::kind_of(document) == "Advice" && !read->empty()) {
        contracts.push_back(std::move(read->front()));  // the best shape is the answer
      } else {
        std::ranges::move(*read, std::back_inserter(contracts));
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (contracts.empty()) {
    return failure("no contract to place", "an Advice whose shapes are all refused holds none");
  }
  return contracts;
}

}  // namespace gpushape::cli
