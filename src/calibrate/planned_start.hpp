// Published starts of llama.cpp and Ollama: buffers by device, and how far estimates are off.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/comparison.hpp"
#include "calibrate/engine_start.hpp"
#include "document/node.hpp"
#include "domain/estimate.hpp"

namespace gpushape::calibrate {

/// Reads buffers of the GPUs, layers and slots of a record; those of the host stay out.
void read_planned(const document::Node& record, EngineStart& start);

/// The type alone of "Q4_K_M (58.45 GiB, 4.30 BPW)", "GGUF Q8_0", "IQ4_XS - 4.25 bpw".
std::string file_type_words(std::string_view text);

/// Compares weights and cache, and the compute buffer where there is one GPU.
Comparison compare_planned(const EngineStart& start, const catalog::Catalog& catalog,
                           const profiles::Profiles& profiles);

/// A file is told by its size: publishers call recipes of their own by the names of mixes. Empty
/// where the size is that of llama.cpp's own mix, or not stated.
std::string why_other_file(const EngineStart& start, const domain::Estimate& estimate);

/// What llama.cpp prints of flash attention: "1", "enabled" …; nothing where it chooses by itself.
std::optional<bool> flash_attention_of(std::string_view words);

}  // namespace gpushape::calibrate
