// The form of catalog/engines/arguments/<engine>.yaml, and its reader.
//
//   id: vllm
//   version: "0.23"                  # whose list it is
//   isComplete: true                 # may be left out, as the next four
//   readsUnderscores: true
//   hasNegations: true
//   hasKeys: true
//   takesPrefixes: true
//   values: [--max-model-len]        # take a value
//   switches: [--enforce-eager]      # take none
//   spellings: [{spelling: -tp, flag: --tensor-parallel-size}]
//   settings: [{setting: dtype, flag: --dtype}]
//   retired: [{flag: --swap-space, before: "0.12", instead: --kv-offloading-size}]
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/engine_arguments.hpp"

namespace gpushape::catalog {

Result<domain::EngineArguments> read_engine_arguments(const document::Document& document);

}  // namespace gpushape::catalog
