#include "cli/mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "advise/advise.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using domain::ConsumptionModel;
using domain::MixItem;

constexpr std::int64_t kMostReplicas = 100'000;

std::string name_from(const std::string& file) {
  return file == "-" ? std::string("workload") : std::filesystem::path(file).stem().string();
}

bool wants_instance(const domain::RankedShape& shape) {
  return std::ranges::any_of(shape.reasons, [](const domain::Reason& reason) {
    return reason.rule == "MD-01" || reason.rule == "MD-02";
  });
}

MixItem item_of(const domain::Shape& shape, std::string name, Bytes need, std::int64_t copies) {
  MixItem item;
  item.name = std::move(name);
  item.need_bytes = need;
  item.copies = std::clamp<std::int64_t>(copies, 1, kMostReplicas);
  item.is_whole = shape.consumption_model != ConsumptionModel::Fractional;
  item.gpus = std::max<std::int64_t>(1, shape.count);
  return item;
}

Result<MixItem> advised_item(const MixDocument& one, const std::string& device,
                             const Invocation& invocation) {
  Result<domain::Workload> workload = schema::read_workload(one.document);
  if (!workload) return std::unexpected(workload.error());
  Invocation own;
  own.workload = *std::move(workload);
  own.workload.gpus = {device};
  own.profiles_folder = invocation.profiles_folder;
  if (invocation.workload.platform) own.workload.platform = invocation.workload.platform;
  Result<Gathered> gathered = gather_for(own);
  if (!gathered) return std::unexpected(gathered.error());
  const Result<domain::Advice> advice = advise::advise(advice_request(*gathered));
  if (!advice) return std::unexpected(advice.error());
  const std::string name = own.workload.name.empty() ? name_from(one.file) : own.workload.name;
  if (advice->shapes.empty()) {
    return failure(fmt::format("{}: no shape of {} fits this workload", name, device),
                   fmt::format("'gpushape advise -f {} --gpu {}' tells why", one.file, device));
  }
  const domain::RankedShape& best = advice->shapes.front();
  MixItem item = item_of(best.shape, name, best.need_bytes, best.replicas);
  item.needs_instance = wants_instance(best);
  return item;
}

}  // namespace

Result<std::vector<MixDocument>> mix_documents(const std::vector<std::string>& given) {
  const Result<std::vector<std::string>> files = document_files(given);
  if (!files) return std::unexpected(files.error());
  std::vector<MixDocument> all;
  Diagnostics faults;
  for (const std::string& file : *files) {
    Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      std::ranges::copy(documents.error(), std::back_inserter(faults));
      continue;
    }
    for (document::Document& document : *documents) all.push_back({file, std::move(document)});
  }
  if (!faults.empty()) return failure(std::move(faults));
  return all;
}

std::vector<std::string> wished_gpus(const std::vector<MixDocument>& documents) {
  std::vector<std::string> gpus;
  const auto add = [&](const std::string& gpu) {
    if (!gpu.empty() && gpu != "any" && std::ranges::find(gpus, gpu) == gpus.end()) {
      gpus.push_back(gpu);
    }
  };
  for (const MixDocument& one : documents) {
    if (schema::kind_of(one.document) == "Workload") {
      if (const auto workload = schema::read_workload(one.document)) {
        for (const std::string& gpu : workload->gpus) add(gpu);
      }
    } else if (const auto contracts = schema::read_contracts(one.document)) {
      for (const domain::ResourceContract& contract : *contracts) add(contract.shape.device);
    }
  }
  return gpus;
}

Result<std::vector<MixItem>> read_mix(const std::vector<MixDocument>& documents,
                                      const std::string& device, const Invocation& invocation) {
  std::vector<MixItem> mix;
  Diagnostics faults;
  for (const MixDocument& one : documents) {
    if (schema::kind_of(one.document) == "Workload") {
      Result<MixItem> item = advised_item(one, device, invocation);
      if (item) {
        mix.push_back(*std::move(item));
      } else {
        std::ranges::copy(item.error(), std::back_inserter(faults));
      }
      continue;
    }
    Result<std::vector<domain::ResourceContract>> contracts = schema::read_contracts(one.document);
    if (!contracts) {
      std::ranges::copy(contracts.error(), std::back_inserter(faults));
      continue;
    }
    // The best shape of an Advice is its answer.
    if (schema::kind_of(one.document) == "Advice" && contracts->size() > 1) contracts->resize(1);
    for (const domain::ResourceContract& contract : *contracts) {
      const std::string name = contract.name.empty() ? name_from(one.file) : contract.name;
      mix.push_back(item_of(contract.shape, name, contract.shape.memory_bytes, contract.replicas));
      const domain::Technology technology = contract.shape.technology;
      mix.back().needs_instance =
          technology == domain::Technology::Mig || technology == domain::Technology::MigBackedVgpu;
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (mix.empty()) return failure("no workload to plan for");
  return mix;
}

}  // namespace gpushape::cli
