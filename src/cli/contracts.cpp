// The contracts that files hold: as they are, the best one of an Advice, or what is advised for a
// Workload.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "advise/advise.hpp"
#include "cli/advise_cluster.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "cli/manifest_contracts.hpp"
#include "document/text_format.hpp"
#include "review/read_input.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using Contracts = std::vector<domain::ResourceContract>;

/// Of every shape that fits, the best first: those that the clusters can place come before the
/// others, as `advise -f FILE --cluster …` answers.
Result<Contracts> advised_contracts(const document::Document& document, const std::string& file,
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
  Result<domain::Advice> advice = advise::advise(advice_request(*gathered));
  if (!advice) return std::unexpected(advice.error());
  if (gathered->clusters) rank_by_cluster(*advice, *gathered->clusters);
  Contracts contracts;
  for (domain::RankedShape& shape : advice->shapes) {
    if (shape.fits) contracts.push_back(std::move(shape.contract));
  }
  if (contracts.empty()) {
    return failure(fmt::format("{}: no shape of the GPUs fits this workload", file),
                   fmt::format("'gpushape advise -f {}' tells why", file));
  }
  return contracts;
}

/// One contract, or the shapes of an Advice that fit; none where all of them are refused.
Result<Contracts> written_contracts(const document::Document& document) {
  Result<Contracts> read = schema::read_contracts(document);
  if (!read || schema::kind_of(document) != "Advice") return read;
  const document::Node* shapes = document.root.find("shapes");
  Contracts fitting;
  for (std::size_t i = 0; i < read->size(); ++i) {
    const document::Node* fits = shapes->items()[i].find("fits");
    const bool is_refused =
        fits != nullptr && fits->is(document::Node::Kind::Boolean) && !fits->boolean();
    if (!is_refused) fitting.push_back(std::move((*read)[i]));
  }
  return fitting;
}

/// Of our kinds, or meant as one of them; values of a chart, flags and Terraform have neither
/// version nor kind.
bool is_own(const document::Document& document) {
  const document::Node* version = document.root.find("apiVersion");
  if (version != nullptr) return version->text() == schema::kApiVersion;
  return !review::has_reader(document.root);
}

/// Manifests, scripts and Terraform as a review reads them.
Result<std::vector<document::Document>> read_manifests(const std::string& file) {
  const Result<std::string> text = document::read_file(file);
  if (!text) return std::unexpected(text.error());
  return review::read_input(*text, file);
}

/// What the flags say of the host stands in place of what the contracts say.
Diagnostics take_terms(const domain::PlacementTerms& given,
                       std::span<domain::ResourceContract> contracts) {
  Diagnostics faults;
  for (domain::ResourceContract& contract : contracts) {
    domain::overrule(contract.placement, given);
    if (given.pci_addresses.empty()) continue;
    const domain::Shape& shape = contract.shape;
    const std::string name = contract.name.empty() ? "vm" : contract.name;
    if (shape.technology != domain::Technology::Passthrough) {
      faults.push_back(complaint(
          fmt::format("--pci-address: '{}' asks for {}, which is not bound to an address", name,
                      name_of(shape.technology)),
          "only passthrough is: 'gpushape advise … --technology passthrough -o contract'"));
    } else if (std::cmp_not_equal(given.pci_addresses.size(), shape.count)) {
      faults.push_back(complaint(
          fmt::format("--pci-address: {} named, and '{}' asks for {} GPU{}",
                      given.pci_addresses.size(), name, shape.count, shape.count == 1 ? "" : "s"),
          "name one for each GPU"));
    }
  }
  return faults;
}

}  // namespace

Result<std::vector<Contracts>> read_contract_choices(const std::vector<std::string>& given,
                                                     const Invocation& invocation) {
  const Result<std::vector<std::string>> files = document_files(given);
  if (!files) return std::unexpected(files.error());
  std::vector<Contracts> choices;
  Diagnostics faults;
  for (const std::string& file : *files) {
    const Result<std::vector<document::Document>> documents = read_manifests(file);
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
      Result<Contracts> read = schema::kind_of(document) == "Workload"
                                   ? advised_contracts(document, file, invocation)
                                   : written_contracts(document);
      if (!read) {
        std::ranges::copy(read.error(), std::back_inserter(faults));
      } else if (!read->empty()) {
        choices.push_back(*std::move(read));
      }
    }
    if (manifests.empty()) continue;
    Result<Contracts> asked = manifest_contracts(manifests, invocation);
    if (asked) {
      for (domain::ResourceContract& contract : *asked) choices.push_back({std::move(contract)});
    } else {
      std::ranges::copy(asked.error(), std::back_inserter(faults));
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (choices.empty()) {
    return failure("no contract to place", "an Advice whose shapes are all refused holds none");
  }
  return choices;
}

Result<Contracts> read_contracts(const std::vector<std::string>& given,
                                 const Invocation& invocation) {
  Result<std::vector<Contracts>> choices = read_contract_choices(given, invocation);
  if (!choices) return std::unexpected(choices.error());
  Contracts contracts;
  for (Contracts& choice : *choices) contracts.push_back(std::move(choice.front()));
  if (Diagnostics unfit = take_terms(invocation.workload.placement, contracts); !unfit.empty()) {
    return failure(std::move(unfit));
  }
  return contracts;
}

}  // namespace gpushape::cli
