// The contracts that files hold: as they are, the best one of an Advice, or what is advised for a
// Workload.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/advise.hpp"
#include "cli/advise_cluster.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "cli/manifest_contracts.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

/// The best shape that the clusters can place, as `advise -f FILE --cluster …` answers.
Result<domain::ResourceContract> advised_contract(const document::Document& document,
                                                  const std::string& file,
                                                  const Invocation& invocation) {
  Result<domain::Workload> workload = schema::read_workload(document);
  if (!workload) return std::unexpected(workload.error());
  Invocation own;
  own.workload = *std::move(workload);
  own.clusters = invocation.clusters;
  own.host = invocation.host;
  own.profiles_folder = invocation.profiles_folder;
  own.catalog_folder = invocation.catalog_folder;
  if (!invocation.workload.gpus.empty()) own.workload.gpus = invocation.workload.gpus;
  if (invocation.workload.platform) own.workload.platform = invocation.workload.platform;
  Result<Gathered> gathered = gather_for(own);
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
    return failure(fmt::format("{}: no shape of the GPUs fits this workload", file),
                   fmt::format("'gpushape advise -f {}' tells why", file));
  }
  return best->contract;
}

/// Of our kinds, or meant as one of them; values of a chart have neither version nor kind.
bool is_own(const document::Document& document) {
  const document::Node* version = document.root.find("apiVersion");
  if (version != nullptr) return version->text() == schema::kApiVersion;
  return document.root.find("servingEngineSpec") == nullptr &&
         document.root.find("modelArtifacts") == nullptr &&
         document.root.find("services") == nullptr;
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
    std::vector<document::Document> manifests;
    for (const document::Document& document : *documents) {
      if (!is_own(document)) {
        manifests.push_back(document);
        continue;
      }
      if (schema::kind_of(document) == "Workload") {
        Result<domain::ResourceContract> advised = advised_contract(document, file, invocation);
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
    if (manifests.empty()) continue;
    Result<std::vector<domain::ResourceContract>> asked = manifest_contracts(manifests, invocation);
    if (asked) {
      std::ranges::move(*asked, std::back_inserter(contracts));
    } else {
      std::ranges::copy(asked.error(), std::back_inserter(faults));
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (contracts.empty()) {
    return failure("no contract to place", "an Advice whose shapes are all refused holds none");
  }
  return contracts;
}

}  // namespace gpushape::cli
