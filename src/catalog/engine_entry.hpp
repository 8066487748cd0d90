// The form of catalog/engines/<engine>.yaml, and its reader.
//
//   id: vllm
//   aliases: [vllm-openai]                        # other names that people write; may be left out
//   knownVersions: ["0.8", "0.19", "0.19.1"]      # ascending, in quotes; the last is the default
//   kvCacheTypes:                                 # those that may be asked for; none: all of them
//     - {type: fp8, source: vllm config/cache.py}
//     - {type: nvfp4, after: "0.14", since: "0.22.1", source: …}
//     - {type: fp16, models: dtype, note: what its user should know, source: …}
//   facts:                                        # ascending by `since`
//     - since: "0.8"
//       source: vllm v0.8.5 v1/worker/gpu_worker.py      # for every constant without its own
//       constants:
//         - {name: gpuMemoryUtilization, expected: 0.9}
//         - {name: nonTorch, when: "tp=1", low: 0.08, expected: 0.11, high: 0.17, unit: GiB,
//            source: start-up logs of 0.9 to 0.17}
//
// A KV cache type is refused up to `after`, taken from `since` on, and open in between; `models`
// are all, those whose dtype it is, or those with latents.
//
// A constant holds from `since` on until a later row gives the same name and `when`. `low` and
// `high` are `expected` where they are left out. What `when` means is the engine's own affair.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/engine.hpp"

namespace gpushape::catalog {

Result<domain::Engine> read_engine(const document::Document& document);

}  // namespace gpushape::catalog
