// What a program tells the engine that it makes, where its text stands before the log: the cells of
// a notebook. Engines of the first generation do not print these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpushape::calibrate::logs {

/// Keyword arguments of the engine's call that are numbers.
struct ProgramArguments {
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<std::int64_t> adapter_rank;
  std::optional<double> utilization;
};

/// Reads lines of Python for calls of vLLM's LLM class and of Unsloth's from_pretrained.
class ProgramReader {
 public:
  void read(std::string_view line);
  /// Of the last call, once: the engine that starts next is its.
  ProgramArguments take() { return std::exchange(arguments_, {}); }

 private:
  using Variables = std::vector<std::pair<std::string, double>>;

  [[nodiscard]] Variables::const_iterator variable(std::string_view name) const;
  [[nodiscard]] std::optional<double> value_of(std::string_view text) const;
  void read_assignment(std::string_view line);
  void read_arguments(std::string_view text);

  Variables variables_;  ///< plain numbers, the last of a name
  int depth_ = 0;        ///< of brackets within the call
  ProgramArguments arguments_;
};

}  // namespace gpushape::calibrate::logs
