// concurrency FILE.csv: the largest number of sequences that TensorRT-LLM is said to admit, beside
// what it admitted.
//
// The columns are system, model, tensor_parallel, input_tokens, output_tokens,
// free_gpu_memory_fraction and max_concurrent_sequences. A start has max_seq_len = input + output +
// 1,000 and max_num_tokens = 2 x input, as in the integration tests of
// https://github.com/ai-dynamo/aiconfigurator. Exit status 1 where a row is off by more than 2 %
// and one sequence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "profiles/profiles.hpp"

namespace {

using gpushape::Result;
namespace domain = gpushape::domain;

constexpr std::size_t kColumns = 7;
constexpr std::int64_t kBeyondRequest = 1000;  // tokens of max_seq_len
constexpr double kAllowedShare = 0.02;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

template <class T>
T number_in(std::string_view cell) {
  T value{};
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

template <class T>
domain::Fact<T> stated(T value) {
  return {std::move(value), domain::Origin::File, "the table"};
}

std::string_view device_of(std::string_view system) {
  if (system == "h100_sxm") return "h100-sxm-80";
  return system;
}

/// What the estimate admits; nothing where there is none.
std::optional<double> admitted(std::span<const std::string_view> cells,
                               const gpushape::catalog::Catalog& catalog,
                               const gpushape::profiles::Profiles& profiles) {
  const auto model = catalog.find(cells[1]);
  const auto engine = catalog.engine("tensorrt-llm");
  const auto device = profiles.find(std::string(device_of(cells[0])));
  if (!model || !engine || !device) return std::nullopt;
  const auto input = number_in<std::int64_t>(cells[3]);
  domain::Workload workload;
  workload.engine.engine = stated(std::string("tensorrt-llm"));
  workload.kv_cache_type = stated(domain::KvCacheType::Bf16);
  workload.context_tokens = stated(input + number_in<std::int64_t>(cells[4]) + kBeyondRequest);
  workload.engine.tensor = stated(number_in<std::int64_t>(cells[2]));
  workload.engine.max_num_batched_tokens = stated(2 * input);
  workload.engine.gpu_memory_utilization = stated(number_in<double>(cells[5]));
  const auto estimate = gpushape::estimate::estimate_memory(
      *model, workload, *engine, domain::visible_memory(*device, nullptr));
  if (!estimate || !estimate->capacity) return std::nullopt;
  return std::floor(estimate->capacity->max_concurrency_at_context);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    fmt::print(stderr, "usage: concurrency FILE.csv\n");
    return 2;
  }
  const auto text = gpushape::document::read_log_file(words[1]);
  const auto catalog = gpushape::catalog::Catalog::open();
  const auto profiles = gpushape::profiles::Profiles::open();
  if (!text || !catalog || !profiles) {
    fmt::print(stderr, "{}",
               gpushape::to_text(!text      ? text.error()
                                 : !catalog ? catalog.error()
                                            : profiles.error()));
    return 2;
  }
  std::string_view rest = *text;
  int rows = 0;
  int held = 0;
  double worst = 0;
  fmt::print("{:<10} {:<32} {:>2} {:>6} {:>6} {:>8} {:>8} {:>8}\n", "system", "model", "tp",
             "input", "output", "fraction", "measured", "admitted");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != kColumns || cells[0] == "system") continue;
    const auto measured = number_in<double>(cells[6]);
    const std::optional<double> predicted = admitted(cells, *catalog, *profiles);
    ++rows;
    const double off = predicted ? std::abs(*predicted - measured) : measured;
    const bool holds = predicted && off <= std::max(1.0, kAllowedShare * measured);
    held += holds ? 1 : 0;
    worst = std::max(worst, off);
    fmt::print("{:<10} {:<32} {:>2} {:>6} {:>6} {:>8} {:>8} {:>8} {}\n", cells[0], cells[1],
               cells[2], cells[3], cells[4], cells[5], measured, predicted.value_or(0),
               holds ? "" : "off");
  }
  fmt::print("\n{} of {} rows within 2 % or one sequence; worst difference {}\n", held, rows,
             worst);
  return rows > 0 && held == rows ? 0 : 1;
}
