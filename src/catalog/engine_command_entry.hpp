// The form of catalog/engines/flags/<engine>.yaml, and its reader.
//
//   id: vllm
//   image: vllm/vllm-openai
//   tag: "v{version}"
//   command: [vllm, serve]
//   port: 8000
//   healthPath: /health
//   flags:                                   # in the order they are written on the command line
//     - {setting: contextTokens, flag: --max-model-len, source: vllm engine/arg_utils.py}
//     - {setting: kvCacheType, flag: --kv-cache-dtype, words: {fp8: fp8}, since: "0.8", source: …}
//
// `since` and `before` bound the versions that know a flag by this name.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/engine_command.hpp"

namespace gpushape::catalog {

Result<domain::EngineCommand> read_engine_command(const document::Document& document);

}  // namespace gpushape::catalog
