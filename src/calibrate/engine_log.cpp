#include "calibrate/engine_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/json_text.hpp"
#include "calibrate/log_text.hpp"

namespace gpushape::calibrate {
namespace {

constexpr auto kReaders = std::to_array<LogReaderRow>({
    {"vllm", "vLLM 0.4 and newer, at INFO or DEBUG level", logs::is_vllm, logs::read_vllm},
    {"sglang", "SGLang 0.3 and newer", logs::is_sglang, logs::read_sglang},
    {"tensorrt-llm", "TensorRT-LLM 0.5 and newer", logs::is_tensorrt_llm, logs::read_tensorrt_llm},
    {"ollama", "Ollama, with or without the lines of its runner", logs::is_ollama,
     logs::read_ollama},
    {"llama.cpp", "llama.cpp's programs since 2023: buffer sizes, or the breakdown at the end",
     logs::is_llama_cpp, logs::read_llama_cpp},
});

}  // namespace

std::span<const LogReaderRow> log_readers() { return kReaders; }

bool has_unknown_drafts(const EngineLog& log) {
  if (!log.has_drafts) return false;
  return log.start.draft_model ? log.start.draft_model->model == nullptr
                               : !log.start.draft_tokens.has_value();
}

Result<EngineLog> read_engine_log(std::string_view text, const std::string& file) {
  const std::optional<std::string> in_json = text_in_json(text);
  if (in_json) text = *in_json;
  std::string_view rest = text;
  for (std::string line; next_line(rest, line);) {
    const auto row = std::ranges::find_if(
        kReaders, [&](const LogReaderRow& reader) { return reader.recognises(line); });
    if (row != kReaders.end()) return row->read(text, file);
  }
  std::vector<std::string_view> names;
  names.reserve(kReaders.size());
  for (const LogReaderRow& row : kReaders) names.push_back(row.engine);
  Diagnostic diagnostic =
      complaint(fmt::format("{} is no start-up log of an engine that is known", file),
                fmt::format("give the whole log of a start; engines: {}", fmt::join(names, ", ")));
  diagnostic.span.file = file;
  return failure(std::move(diagnostic));
}

}  // namespace gpushape::calibrate
