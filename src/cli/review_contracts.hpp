// `review -o contract`: what the reviewed manifests ask for, as contracts of ours.
#pragma once

#include <string>
#include <vector>

#include "review/request.hpp"

namespace gpushape::cli {

struct ContractsOfFiles {
  std::string text;                ///< YAML documents, one a contract; empty: there is none
  std::vector<std::string> notes;  ///< why something that asks for a GPU has none, a line each
};

ContractsOfFiles contracts_of_files(const review::ReviewRequest& request);

}  // namespace gpushape::cli
