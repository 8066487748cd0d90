// What a record of a published start says in words.
#pragma once

#include "calibrate/engine_start.hpp"
#include "document/node.hpp"

namespace gpushape::calibrate {

/// Remarks (`notes`, and `engine_extra`) on the generation of the engine, WSL,
/// LoRA, drafts, and where tables of n-grams lie.
void read_remarks(const document::Node& record, EngineStart& start);

}  // namespace gpushape::calibrate
