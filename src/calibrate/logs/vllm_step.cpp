#include "calibrate/logs/vllm_step.hpp"

#include <array>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

/// The last number of the list in brackets that `rest` begins with.
std::optional<std::int64_t> last_of_list(std::string_view rest) {
  const std::size_t open = rest.find('[');
  const std::size_t close = rest.find(']');
  constexpr std::size_t kMostBefore = 4;  // "': ["
  if (open > kMostBefore || close == std::string_view::npos || close < open) return std::nullopt;
  std::string_view list = rest.substr(open + 1, close - open - 1);
  const std::size_t comma = list.rfind(',');
  if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
  while (list.starts_with(' ')) list.remove_prefix(1);
  return leading_count(list);
}

/// The most sequences of a start that takes so many tokens a step by itself: 2,048 and 256 of a
/// server on smaller GPUs, 8,192 and 256 of a program there; 8,192 and 1,024 of a server on larger
/// ones, 16,384 and 1,024 of a program. Source: engine/arg_utils.py, get_batch_defaults.
std::optional<std::int64_t> default_sequences(std::int64_t tokens, const StepWords& said,
                                              const EngineStart& start) {
  constexpr std::int64_t kFew = 256;
  constexpr std::int64_t kMany = 1024;
  if (tokens == 2048) return kFew;
  if (tokens == 16384) return kMany;
  if (tokens != 8192) return std::nullopt;
  if (start.is_library) return kFew;
  return said.is_server ? std::optional(kMany) : std::nullopt;
}

/// Source: vLLM config/scheduler.py, SchedulerConfig (DEFAULT_MAX_NUM_BATCHED_TOKENS and
/// DEFAULT_MAX_NUM_SEQS).
constexpr std::int64_t kTokensOfScheduler = 2048;
constexpr std::int64_t kSequencesOfScheduler = 128;

/// Neither a server nor vLLM's own class for programs, which would have said so before the line on
/// chunks, or taken larger steps: a program with an engine of its own keeps what the scheduler has
/// by itself. Source: vLLM engine/arg_utils.py, whose defaults by device are of two usage contexts
/// alone.
bool has_own_engine(std::int64_t tokens, const StepWords& said, const EngineLog& log) {
  return tokens == kTokensOfScheduler && said.has_chunks && !log.is_excerpt && !said.is_server &&
         !log.start.is_library;
}

/// Before, sequences did not go by the device.
constexpr domain::EngineVersion kFirstByDevice{0, 8, 0};

bool goes_by_device(const EngineStart& start) {
  const auto version = release_of(start.engine_version);
  return version && *version >= kFirstByDevice && !start.is_first_generation;
}

}  // namespace

void read_step(std::string_view line, StepWords& said) {
  said.is_server |= line.contains("vLLM API server version ") || line.contains("(APIServer ");
  said.has_chunks |= line.contains("Chunked prefill is enabled with max_num_batched_tokens=");
  for (const std::string_view words : {"compile_ranges_endpoints", "compile_ranges_split_points"}) {
    const auto rest = behind(line, words);
    if (const auto tokens = rest ? last_of_list(*rest) : std::nullopt)
      said.compiled_tokens = tokens;
  }
  if (const auto rest = behind(line, "for compile range (1, "); rest && !said.compiled_tokens)
    said.compiled_tokens = leading_count(*rest);
  if (const auto rest = behind(line, "Profiling CUDA graph memory: ")) {
    constexpr std::string_view kLargest = "(largest=";
    if (const auto piece = behind(*rest, "PIECEWISE="))
      if (const auto size = behind(*piece, kLargest)) said.largest_piece = leading_count(*size);
    if (const auto whole = behind(*rest, "FULL="))
      if (const auto size = behind(*whole, kLargest)) said.largest_whole = leading_count(*size);
  }
}

void take_step(const StepWords& said, EngineLog& log) {
  EngineStart& start = log.start;
  if (!start.max_num_batched_tokens && said.compiled_tokens) {
    start.max_num_batched_tokens = said.compiled_tokens;
    log.step_tokens_from = "told from the range that is compiled";
  }
  if (start.max_num_seqs) return;
  // The largest size of all is captured for any more sequences, too.
  const bool is_bound = said.largest_whole && said.largest_piece &&
                        *said.largest_whole < *said.largest_piece && !log.has_drafts;
  if (is_bound) {
    start.max_num_seqs = said.largest_whole;
    log.sequences_from = "told from the graphs that are captured";
    return;
  }
  if (said.is_asked || !start.max_num_batched_tokens || !goes_by_device(start)) return;
  if (has_own_engine(*start.max_num_batched_tokens, said, log)) {
    start.max_num_seqs = kSequencesOfScheduler;
    log.sequences_from = "the scheduler's default: no server, nor the class for programs";
    return;
  }
  start.max_num_seqs = default_sequences(*start.max_num_batched_tokens, said, start);
  if (start.max_num_seqs) log.sequences_from = "default with so many tokens";
}

}  // namespace gpushape::calibrate::logs
