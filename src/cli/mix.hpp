// A mix of workloads for a planner: what each document of the files needs of one GPU model.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "document/node.hpp"
#include "domain/profile_plan.hpp"

namespace gpushape::cli {

/// One document, with the file that it stands in.
struct MixDocument {
  std::string file;
  document::Document document;
};

/// All documents of files, folders and standard input; kinds Workload, Advice and ResourceContract.
Result<std::vector<MixDocument>> mix_documents(const std::vector<std::string>& given);

/// The GPUs that the documents wish for, in the order in which they first appear.
std::vector<std::string> wished_gpus(const std::vector<MixDocument>& documents);

/// What each needs of this device; a Workload is advised on it.
Result<std::vector<domain::MixItem>> read_mix(const std::vector<MixDocument>& documents,
                                              const std::string& device,
                                              const Invocation& invocation);

}  // namespace gpushape::cli
