// What a record of a published start says in words: remarks, lines of the log that it quotes, flags
// that it lists.
#pragma once

#include "calibrate/engine_start.hpp"
#include "document/node.hpp"

namespace gpushape::calibrate {

/// Remarks (`notes`, and `engine_extra`) on the generation of the engine, WSL,
/// LoRA, drafts, and where tables of n-grams lie.
void read_remarks(const document::Node& record, EngineStart& start);

/// Settings of SGLang that its fields leave out, and what was free before it loaded.
void read_sglang_record(const document::Node& record, EngineStart& start);

/// Settings of llama.cpp that its fields leave out and the quoted lines of its log have. Whether
/// the cache lies with the host though layers are on a GPU, so that attention is computed there.
bool read_quoted_llama(const document::Node& record, EngineStart& start);

/// Settings of vLLM that its fields leave out and the quoted lines of its log (`quotes`) or the
/// listed flags (`engine_extra`, as a text or under names of their own) have.
void read_quoted_lines(const document::Node& record, EngineStart& start);

}  // namespace gpushape::calibrate
