// Settings of a start that the fields of its record leave out: listed under names of their own
// (`engine_extra`), as a command, or in the lines of its log that it quotes (`quotes`).
#pragma once

#include <optional>
#include <string>

#include "calibrate/engine_start.hpp"
#include "document/node.hpp"

namespace gpushape::calibrate {

/// Empty for anything but a text.
std::string text_of(const document::Node* node);

/// What a record lists of settings, each under its own name, as logs list them: "page_size=1,
/// speculative_config={"method": "mtp"}, ".
std::string listed_settings(const document::Node& record);

/// Of SGLang, and what was free before it loaded.
void read_sglang_record(const document::Node& record, EngineStart& start);

/// What lines that a record of llama.cpp quotes say of its buffers.
struct QuotedBuffers {
  /// The cache lies there though layers are on a GPU, so that attention is computed there.
  bool has_cache_with_host = false;
  /// Of the GPU, where the encoder of images prints a buffer for its steps below it: records take
  /// the last one.
  std::optional<double> compute_gib;
};

/// Of llama.cpp.
QuotedBuffers read_quoted_llama(const document::Node& record, EngineStart& start);

/// Of vLLM.
void read_quoted_lines(const document::Node& record, EngineStart& start);

}  // namespace gpushape::calibrate
