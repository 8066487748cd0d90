#include "calibrate/logs/program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "calibrate/log_text.hpp"

namespace gpushape::calibrate::logs {
namespace {

constexpr auto kCalls = std::to_array<std::string_view>(
    {"LLM(", "FastLanguageModel.from_pretrained(", "FastVisionModel.from_pretrained(",
     "FastModel.from_pretrained("});
/// What only lines of a log hold: a call that a traceback quotes has no end.
constexpr auto kLevels = std::to_array<std::string_view>({"INFO ", "WARNING ", "ERROR "});
constexpr std::size_t kMostVariables = 256;
constexpr double kMostCount = 1e9;

bool is_part_of_name(char letter) {
  return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

std::string_view name_at_front(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_part_of_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool is_of_log(std::string_view line) {
  return std::ranges::any_of(kLevels, [&](std::string_view word) { return line.contains(word); });
}

/// Behind the first of the calls in the line, not a word that ends like one ("MyLLM(").
std::optional<std::string_view> behind_call(std::string_view line) {
  for (const std::string_view call : kCalls) {
    const std::size_t at = line.find(call);
    if (at == std::string_view::npos) continue;
    if (at > 0 && is_part_of_name(line[at - 1])) continue;
    return line.substr(at + call.size());
  }
  return std::nullopt;
}

void put(std::optional<std::int64_t>& count, std::optional<double> value) {
  if (value && *value >= 1 && *value < kMostCount && std::floor(*value) == *value)
    count = static_cast<std::int64_t>(*value);
}

/// Behind the "=" of a keyword argument.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos || (at > 0 && is_part_of_name(text[at - 1])))
    return std::nullopt;
  const std::string_view rest = without_blanks(text.substr(at + key.size()));
  if (!rest.starts_with('=') || rest.starts_with("==")) return std::nullopt;
  return rest.substr(1);
}

}  // namespace

ProgramReader::Variables::const_iterator ProgramReader::variable(std::string_view name) const {
  return std::ranges::find(variables_, name,
                           [](const auto& each) { return std::string_view(each.first); });
}

std::optional<double> ProgramReader::value_of(std::string_view text) const {
  text = without_blanks(text);
  const std::string_view name = name_at_front(text);
  if (name.empty()) return std::nullopt;
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) return leading_number(text);
  const auto known = variable(name);
  const std::string_view rest = without_blanks(text.substr(name.size()));
  const bool is_alone = rest.empty() || std::string_view(",)#\r").contains(rest.front());
  return known != variables_.end() && is_alone ? std::optional(known->second) : std::nullopt;
}

/// "lora_rank = 64 # Larger rank = smarter, but slower".
void ProgramReader::read_assignment(std::string_view line) {
  const std::string_view name = name_at_front(line);
  const std::string_view rest = without_blanks(line.substr(name.size()));
  const bool is_assignment = !name.empty() && rest.starts_with('=') && !rest.starts_with("==");
  if (!is_assignment) return;
  const auto known = variable(name);
  const std::string_view value = without_blanks(rest.substr(1));
  const bool is_number = !value.empty() && std::isdigit(static_cast<unsigned char>(value.front()));
  const std::optional<double> number = is_number ? leading_number(value) : std::nullopt;
  if (known != variables_.end()) variables_.erase(known);
  if (number && variables_.size() < kMostVariables) variables_.emplace_back(name, *number);
}

void ProgramReader::read_arguments(std::string_view text) {
  const auto number = [&](std::string_view key) {
    const auto rest = behind_key(text, key);
    return rest ? value_of(*rest) : std::nullopt;
  };
  put(arguments_.max_num_seqs, number("max_num_seqs"));
  put(arguments_.max_num_batched_tokens, number("max_num_batched_tokens"));
  put(arguments_.adapter_rank, number("max_lora_rank"));
  const std::optional<double> share = number("gpu_memory_utilization");
  if (share && *share > 0 && *share <= 1) arguments_.utilization = share;
}

void ProgramReader::read(std::string_view line) {
  if (is_of_log(line)) {
    depth_ = 0;
    return;
  }
  if (const auto call = behind_call(line)) {
    arguments_ = {};
    depth_ = 1;
    line = *call;
  } else if (depth_ == 0) {
    return read_assignment(line);
  }
  line = line.substr(0, line.find('#'));
  read_arguments(line);
  depth_ += static_cast<int>(std::ranges::count(line, '('));
  depth_ -= static_cast<int>(std::ranges::count(line, ')'));
  depth_ = std::max(0, depth_);
}

}  // namespace gpushape::calibrate::logs
