// The documents that a command line names: files, folders of them, or standard input.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::cli {

/// A folder stands for its .yaml, .yml and .json files, in the order of their names; one without
/// any is a Diagnostic.
Result<std::vector<std::string>> document_files(const std::vector<std::string>& given);

/// All documents of one file.
Result<std::vector<document::Document>> read_documents(const std::string& file);

}  // namespace gpushape::cli
