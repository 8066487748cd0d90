#include "render/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"

namespace gpushape::render {
namespace {

using domain::Part;
using estimate::SweepGrid;
using estimate::SweepRow;

constexpr std::ptrdiff_t kMostFigure = 32;  // 17 digits, sign, point, exponent; the longest word

char* write_count(std::int64_t count, char* at) {
  return std::to_chars(at, at + kMostFigure, count).ptr;
}

char* write_word(std::string_view word, char* at) { return std::ranges::copy(word, at).out; }

/// As the documents print numbers: the shortest text that reads back the same, with a point.
char* write_number(double value, char* at) {
  char* end = std::to_chars(at, at + kMostFigure, value).ptr;
  if (std::find(at, end, '.') == end && std::find(at, end, 'e') == end) end = write_word(".0", end);
  return end;
}

bool can_be(const SweepRow& row) { return row.reason.empty(); }

bool has_demand(const SweepRow& row) {
  return can_be(row) && row.workload->context_tokens && row.workload->concurrency;
}

bool has_gpu(const SweepRow& row) { return can_be(row) && row.figures.capacity.has_value(); }

template <Part part>
char* write_part(const SweepRow& row, char* at) {
  constexpr bool kNeedsDemand = part == Part::KvCache || part == Part::State;
  if (!(kNeedsDemand ? has_demand(row) : can_be(row))) return at;
  return write_count(row.figures.parts.at(static_cast<std::size_t>(part)).count(), at);
}

/// A part that most workloads do not have.
template <Part part>
char* write_extra(const SweepRow& row, char* at) {
  const bool is_there =
      can_be(row) && row.figures.parts.at(static_cast<std::size_t>(part)) > Bytes(0);
  return is_there ? write_part<part>(row, at) : at;
}

template <Bytes domain::Range::* bound>
char* write_total(const SweepRow& row, char* at) {
  return has_demand(row) ? write_count((row.figures.total.*bound).count(), at) : at;
}

template <class T>
std::string text_of(const std::optional<domain::Fact<T>>& fact) {
  return fact ? std::to_string(fact->value) : std::string();
}

/// 1 where nobody says.
template <class T>
std::string count_of(const std::optional<domain::Fact<T>>& fact) {
  return fact ? std::to_string(fact->value) : std::string("1");
}

std::int64_t gpus_of(const SweepRow& row) {
  const domain::EngineSettings& engine = row.workload->engine;
  std::int64_t gpus = 1;
  for (const auto& fact : {engine.tensor, engine.pipeline, engine.data})
    gpus *= fact ? fact->value : 1;
  return gpus;
}

constexpr auto kTexts = std::to_array<SweepTextColumn>({
    {"model", "catalog id, or the path it was read from", false,
     [](const SweepRow& row, const SweepGrid&) { return row.model->id; }},
    {"engine", "name of the engine", false,
     [](const SweepRow& row, const SweepGrid&) { return row.engine->name; }},
    {"engineVersion", "release of the engine", false,
     [](const SweepRow& row, const SweepGrid&) {
       if (row.resolved != nullptr) return to_text(row.resolved->settings.version.value);
       const auto& asked = row.workload->engine.version;
       return asked ? to_text(asked->value) : std::string();
     }},
    {"quantization", "precision of the weights", false,
     [](const SweepRow& row, const SweepGrid&) {
       if (row.resolved != nullptr) return std::string(name_of(row.resolved->quantization.value));
       const auto& asked = row.workload->quantization;
       return asked ? std::string(name_of(asked->value)) : std::string();
     }},
    {"kvCacheType", "type of the KV cache's entries", false,
     [](const SweepRow& row, const SweepGrid&) {
       return std::string(name_of(row.resolved != nullptr ? row.resolved->kv_cache_type.value
                                                          : row.workload->kv_cache_type.value));
     }},
    {"tensor", "tensor parallel size", true,
     [](const SweepRow& row, const SweepGrid&) { return count_of(row.workload->engine.tensor); }},
    {"pipeline", "pipeline parallel size", true,
     [](const SweepRow& row, const SweepGrid&) { return count_of(row.workload->engine.pipeline); }},
    {"data", "data parallel size", true,
     [](const SweepRow& row, const SweepGrid&) { return count_of(row.workload->engine.data); }},
    {"expert", "expert parallel size", true,
     [](const SweepRow& row, const SweepGrid&) { return count_of(row.workload->engine.expert); }},
    {"gpus", "GPUs of one instance; every figure is of one of them", true,
     [](const SweepRow& row, const SweepGrid&) { return std::to_string(gpus_of(row)); }},
    {"gpu", "device id", false,
     [](const SweepRow& row, const SweepGrid& grid) {
       const auto& gpu = grid.gpus[row.gpu];
       return gpu ? gpu->device : std::string();
     }},
    {"profile", "vGPU type or MIG profile; absent: the whole device", false,
     [](const SweepRow& row, const SweepGrid& grid) {
       const auto& gpu = grid.gpus[row.gpu];
       return gpu ? gpu->profile : std::string();
     }},
    {"visibleBytes", "what the CUDA runtime reports there", true,
     [](const SweepRow& row, const SweepGrid& grid) {
       const auto& gpu = grid.gpus[row.gpu];
       return gpu ? std::to_string(gpu->bytes.expected.count()) : std::string();
     }},
});

constexpr auto kFigures = std::to_array<SweepFigureColumn>({
    {"contextTokens", "longest sequence, prompt and answer together",
     [](const SweepRow& row, char* at) {
       const auto& fact = row.workload->context_tokens;
       return fact ? write_count(fact->value, at) : at;
     }},
    {"concurrency", "sequences in flight at the same time",
     [](const SweepRow& row, char* at) {
       const auto& fact = row.workload->concurrency;
       return fact ? write_count(fact->value, at) : at;
     }},
    {"utilization", "the engine's own fraction of the GPU's memory",
     [](const SweepRow& row, char* at) {
       if (can_be(row) && row.resolved->plan.utilization > 0)
         return write_number(row.resolved->plan.utilization, at);
       const auto& asked = row.workload->engine.gpu_memory_utilization;
       return asked ? write_number(asked->value, at) : at;
     }},
    {"maxNumSeqs", "the engine's limit of sequences",
     [](const SweepRow& row, char* at) {
       const bool is_known = can_be(row) && row.figures.max_num_seqs > 0;
       return is_known ? write_count(row.figures.max_num_seqs, at) : at;
     }},
    {"maxNumBatchedTokens", "the engine's limit of tokens a step",
     [](const SweepRow& row, char* at) {
       const bool is_known = can_be(row) && row.figures.max_num_batched_tokens > 0;
       return is_known ? write_count(row.figures.max_num_batched_tokens, at) : at;
     }},
    {"weightsBytes", "parameters as the engine holds them", write_part<Part::Weights>},
    {"adapterBytes", "LoRA adapters", write_extra<Part::Adapters>},
    {"draftBytes", "a draft model of its own", write_extra<Part::Draft>},
    {"gradientBytes", "gradients of the parameters that are trained", write_extra<Part::Gradients>},
    {"optimizerBytes", "states of the optimizer", write_extra<Part::Optimizer>},
    {"kvCacheBytes", "keys and values of the tokens in flight", write_part<Part::KvCache>},
    {"stateBytes", "recurrent state of the sequences in flight", write_part<Part::State>},
    {"activationBytes", "the largest forward or sampler peak", write_part<Part::Activation>},
    {"graphBytes", "captured CUDA graphs", write_part<Part::Graphs>},
    {"contextBytes", "CUDA context and buffers outside the framework's allocator",
     write_part<Part::Context>},
    {"communicationBytes", "collective communication buffers", write_part<Part::Communication>},
    {"totalLowBytes", "all parts, the low end", write_total<&domain::Range::low>},
    {"totalExpectedBytes", "all parts", write_total<&domain::Range::expected>},
    {"totalHighBytes", "all parts, the high end", write_total<&domain::Range::high>},
    {"kvBytesPerToken", "what one more token of context costs",
     [](const SweepRow& row, char* at) {
       const bool keeps_any = can_be(row) && row.figures.kv_bytes_per_token > Bytes(0);
       return keeps_any ? write_count(row.figures.kv_bytes_per_token.count(), at) : at;
     }},
    {"kvPoolBytes", "what the engine would report as left for the KV cache",
     [](const SweepRow& row, char* at) {
       return has_gpu(row) ? write_count(row.figures.capacity->kv_pool_bytes.expected.count(), at)
                           : at;
     }},
    {"kvPoolTokens", "the tokens that the engine would report for it",
     [](const SweepRow& row, char* at) {
       return has_gpu(row) ? write_count(row.figures.capacity->kv_pool_tokens, at) : at;
     }},
    {"maxConcurrencyAtContext", "sequences of that length that the pool holds",
     [](const SweepRow& row, char* at) {
       const bool is_known = has_gpu(row) && row.figures.capacity->max_concurrency_at_context > 0;
       return is_known ? write_number(row.figures.capacity->max_concurrency_at_context, at) : at;
     }},
    {"fits", "at the high end of the range",
     [](const SweepRow& row, char* at) {
       return has_gpu(row) ? write_word(row.figures.capacity->fits ? "true" : "false", at) : at;
     }},
});

constexpr std::string_view kFitsAt = "fitsAt";
constexpr std::string_view kReason = "reason";

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string json_text(std::string_view text) {
  std::string quoted = document::write_json(document::Node(std::string(text)));
  while (quoted.ends_with('\n')) quoted.pop_back();
  return quoted;
}

}  // namespace

std::span<const SweepTextColumn> sweep_text_columns() { return kTexts; }
std::span<const SweepFigureColumn> sweep_figure_columns() { return kFigures; }

SweepText::SweepText(const SweepGrid& grid, SweepFormat format)
    : grid_(grid), format_(format), gpus_(grid.gpus.size()) {
  for (const SweepFigureColumn& column : kFigures)
    figure_heads_.push_back(format == SweepFormat::Csv ? std::string(",")
                                                       : fmt::format(",\"{}\":", column.name));
}

std::string SweepText::head() const {
  if (format_ == SweepFormat::JsonLines) return {};
  std::string line;
  for (const SweepTextColumn& column : kTexts) line += fmt::format("{},", column.name);
  for (const SweepFigureColumn& column : kFigures) line += fmt::format("{},", column.name);
  return line + fmt::format("{},{}\n", kFitsAt, kReason);
}

void SweepText::append_texts(const SweepRow& row, std::string& out) const {
  if (format_ == SweepFormat::JsonLines)
    out += fmt::format(R"({{"apiVersion":"{}","kind":"SweepRow")", schema::kApiVersion);
  for (const SweepTextColumn& column : kTexts) {
    const std::string text = column.text(row, grid_);
    if (format_ == SweepFormat::Csv) {
      if (&column != kTexts.data()) out += ',';
      out += csv_text(text);
    } else if (!text.empty()) {
      out += fmt::format(R"(,"{}":{})", column.name, column.is_number ? text : json_text(text));
    }
  }
}

void SweepText::append(const SweepRow& row, std::string& out) {
  OnGpu& cached = gpus_[row.gpu];
  const bool is_resolved = row.resolved != nullptr;
  if (cached.setting != row.setting || cached.is_resolved != is_resolved) {
    cached = {.setting = row.setting, .is_resolved = is_resolved, .text = {}};
    append_texts(row, cached.text);
  }
  out += cached.text;

  // Every figure and its head, at their longest; filled below, and a row is no place to clear it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  std::array<char, kFigures.size() * 2 * static_cast<std::size_t>(kMostFigure)> line;
  char* at = line.data();
  const bool is_csv = format_ == SweepFormat::Csv;
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    const std::string& head = figure_heads_[i];
    char* const start = write_word(head, at);
    char* const end = kFigures[i].write(row, start);
    if (is_csv || end != start) at = end;
  }
  out.append(line.data(), static_cast<std::size_t>(at - line.data()));

  const std::string_view fits_at =
      has_gpu(row) ? name_of(row.figures.capacity->fits_at) : std::string_view();
  if (is_csv) {
    out += ',';
    out += fits_at;
    out += ',';
    if (!row.reason.empty()) out += csv_text(row.reason);
  } else {
    if (!fits_at.empty()) out += fmt::format(R"(,"{}":"{}")", kFitsAt, fits_at);
    if (!row.reason.empty()) out += fmt::format(R"(,"{}":{})", kReason, json_text(row.reason));
    out += '}';
  }
  out += '\n';
}

}  // namespace gpushape::render
