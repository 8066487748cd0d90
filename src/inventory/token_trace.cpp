#include "inventory/token_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "document/text_format.hpp"
#include "inventory/time_text.hpp"

namespace gpushape::inventory {

using domain::TokenRequest;
using domain::TokenTrace;

namespace {

constexpr std::size_t kMostTraceComplaints = 8;      // ours: the first ones tell what is wrong
constexpr std::int64_t kMostTokens = 1'000'000'000;  // ours: of one request
constexpr std::size_t kMostRequests = 10'000'000;    // ours: 240 MB

// Letters and digits only, in lower case.
constexpr auto kInputHeads = std::to_array<std::string_view>(
    {"contexttokens", "inputtokens", "inputlength", "prompttokens", "promptlength", "requesttokens",
     "numprefilltokens", "numprompttokens", "inputlen", "promptlen", "prefilltokens",
     "numinputtokens", "inputtokencount", "prompttokencount", "isl"});
constexpr auto kOutputHeads = std::to_array<std::string_view>(
    {"generatedtokens", "outputtokens", "outputlength", "completiontokens", "responsetokens",
     "numdecodetokens", "numgeneratedtokens", "outputlen", "decodetokens", "responselength",
     "completionlength", "numoutputtokens", "generationtokens", "outputtokencount",
     "candidatestokencount", "osl"});
constexpr auto kTimeHeads = std::to_array<std::string_view>(
    {"timestamp", "time", "arrivaltime", "arrivedat", "arrivaltimestamp", "arrival", "starttime",
     "createdat", "requesttime", "datetime", "created", "seconds"});
constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>(
    {{"milliseconds", 1e-3}, {"seconds", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}});

std::string plain(std::string_view head) {
  std::string letters;
  for (const char letter : head) {
    if (letter >= 'A' && letter <= 'Z') letters += static_cast<char>(letter - 'A' + 'a');
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) letters += letter;
  }
  return letters;
}

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"' || cell.back() == '\r'))
    cell.remove_suffix(1);
  return cell;
}

/// Which of a row's cells mean what.
struct Columns {
  std::optional<std::size_t> input;
  std::optional<std::size_t> output;
  std::optional<std::size_t> time;
  double time_unit = 0;  ///< seconds; 0 where the head does not say
  std::string input_head;
  std::string output_head;
  std::string time_head;
};

std::optional<double> unit_of_time_head(const std::string& head) {
  if (std::ranges::find(kTimeHeads, head) != kTimeHeads.end()) return head == "seconds" ? 1 : 0;
  for (const auto& [suffix, unit] : kUnits) {
    if (!head.ends_with(suffix)) continue;
    const std::string_view stem(head.data(), head.size() - suffix.size());
    if (std::ranges::find(kTimeHeads, stem) != kTimeHeads.end()) return unit;
  }
  return std::nullopt;
}

Columns columns_of(const std::vector<std::string>& heads) {
  Columns columns;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string head = plain(heads[i]);
    if (!columns.input && std::ranges::find(kInputHeads, head) != kInputHeads.end()) {
      columns.input = i;
      columns.input_head = heads[i];
      // Mooncake's times are milliseconds, and nothing but its names says so.
      if (head == "inputlength" && columns.time_unit == 0) columns.time_unit = 1e-3;
    } else if (!columns.output && std::ranges::find(kOutputHeads, head) != kOutputHeads.end()) {
      columns.output = i;
      columns.output_head = heads[i];
    } else if (const auto unit = unit_of_time_head(head); unit && !columns.time) {
      columns.time = i;
      columns.time_head = heads[i];
      if (*unit > 0) columns.time_unit = *unit;
    }
  }
  return columns;
}

class TraceReader {
 public:
  explicit TraceReader(std::string file) : file_(std::move(file)) {}

  Result<TokenTrace> read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && complaints_ < kMostTraceComplaints) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_;
      if (trimmed(line).empty()) continue;
      if (trimmed(line).starts_with('{')) {
        read_object(line);
      } else if (!has_columns_) {
        read_heads(line);
      } else {
        read_cells(line);
      }
    }
    if (diagnostics_.empty() && trace_.requests.empty()) {
      complain(1, fmt::format("{} holds no request", file_),
               "one line a request, under a line of heads");
    }
    if (!diagnostics_.empty()) return failure(std::move(diagnostics_));
    finish();
    return std::move(trace_);
  }

 private:
  void complain(std::size_t column, std::string message, std::string help = {}) {
    ++complaints_;
    Diagnostic diagnostic = complaint(std::move(message), std::move(help));
    diagnostic.span = {
        .file = file_, .line = line_, .column = static_cast<int>(column), .length = 1};
    diagnostics_.push_back(std::move(diagnostic));
  }

  bool take_columns(const std::vector<std::string>& heads) {
    columns_ = columns_of(heads);
    has_columns_ = true;
    if (columns_.input && columns_.output) return true;
    complain(1,
             fmt::format("no column of {} tokens: the heads are {}",
                         columns_.input ? "answer" : "prompt", fmt::join(heads, ", ")),
             "expected ContextTokens and GeneratedTokens, input_tokens and output_tokens, "
             "input_length and output_length, or prompt_tokens and completion_tokens");
    complaints_ = kMostTraceComplaints;  // nothing behind it can be read
    return false;
  }

  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> cells;
    bool is_quoted = false;
    std::size_t start = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') is_quoted = !is_quoted;
      if (line[i] != ',' || is_quoted) continue;
      cells.push_back(line.substr(start, i - start));
      start = i + 1;
    }
    cells.push_back(line.substr(start));
    return cells;
  }

  void read_heads(std::string_view line) {
    std::vector<std::string> heads;
    for (const std::string_view cell : split(line)) heads.emplace_back(trimmed(cell));
    take_columns(heads);
    cells_of_a_row_ = heads.size();
  }

  void read_cells(std::string_view line) {
    const std::vector<std::string_view> cells = split(line);
    if (cells.size() != cells_of_a_row_) {
      complain(
          1, fmt::format("{} cells, and {} heads stand above them", cells.size(), cells_of_a_row_));
      return;
    }
    const auto column = [&](std::size_t index) {
      return static_cast<std::size_t>(cells[index].data() - line.data()) + 1;
    };
    TokenRequest request;
    request.input_tokens =
        tokens(trimmed(cells[*columns_.input]), columns_.input_head, column(*columns_.input));
    request.output_tokens =
        tokens(trimmed(cells[*columns_.output]), columns_.output_head, column(*columns_.output));
    if (columns_.time)
      request.seconds = seconds(trimmed(cells[*columns_.time]), column(*columns_.time));
    add(request);
  }

  void read_object(std::string_view line) {
    const Result<document::Document> read = document::read_json(line, file_);
    if (!read) {
      for (Diagnostic diagnostic : read.error()) {
        diagnostic.span.line = line_;
        diagnostics_.push_back(std::move(diagnostic));
        ++complaints_;
      }
      return;
    }
    std::vector<std::string> heads;
    for (const document::Node::Entry& entry : read->root.entries()) heads.push_back(entry.name);
    if (!has_columns_ && !take_columns(heads)) return;
    TokenRequest request;
    request.input_tokens = tokens_of(read->root, columns_.input_head);
    request.output_tokens = tokens_of(read->root, columns_.output_head);
    if (columns_.time) {
      const document::Node* const node = read->root.find(columns_.time_head);
      if (node == nullptr) {
        complain(1, fmt::format("{} is missing", columns_.time_head));
      } else {
        request.seconds =
            seconds(text_of(*node), static_cast<std::size_t>(node->position().column));
      }
    }
    add(request);
  }

  std::int64_t tokens_of(const document::Node& object, const std::string& head) {
    const document::Node* const node = object.find(head);
    if (node != nullptr)
      return tokens(text_of(*node), head, static_cast<std::size_t>(node->position().column));
    complain(1, fmt::format("{} is missing", head));
    return 0;
  }

  static std::string text_of(const document::Node& node) {
    using Kind = document::Node::Kind;
    if (node.is(Kind::String)) return node.text();
    if (node.is(Kind::Integer)) return std::to_string(node.integer());
    if (node.is(Kind::Number)) return fmt::format("{}", node.number());
    return {};
  }

  std::int64_t tokens(std::string_view text, const std::string& head, std::size_t column) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_count = error == std::errc() && end == text.data() + text.size() &&
                          std::isfinite(value) && value >= 0 &&
                          value <= static_cast<double>(kMostTokens) && value == std::floor(value);
    if (is_count) return static_cast<std::int64_t>(value);
    complain(column,
             fmt::format("{}: '{}' is no whole number from 0 to {}", head, text, kMostTokens));
    return 0;
  }

  double seconds(std::string_view text, std::size_t column) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) {
      is_number_ = true;
      return value;
    }
    if (const std::optional<double> date = seconds_of_date(text)) return *date;
    complain(column, fmt::format("{}: '{}' is no time", columns_.time_head, text),
             "expected a number, or a date such as 2024-05-10 00:00:00.123");
    return 0;
  }

  void add(const TokenRequest& request) {
    if (trace_.requests.size() == kMostRequests) {
      complain(1, fmt::format("more than {} requests", kMostRequests), "take a part of the trace");
      complaints_ = kMostTraceComplaints;
      return;
    }
    trace_.requests.push_back(request);
  }

  /// Numbers that nothing gives a unit: by what they would be as a date.
  [[nodiscard]] double unit_of_times() const {
    if (columns_.time_unit > 0) return columns_.time_unit;
    double largest = 0;
    for (const TokenRequest& request : trace_.requests)
      largest = std::max(largest, std::abs(request.seconds));
    constexpr double kDate = 1e11;  // as seconds: the year 5138; as milliseconds: 1973
    if (largest < kDate) return 1;
    if (largest < kDate * 1e3) return 1e-3;
    return largest < kDate * 1e6 ? 1e-6 : 1e-9;
  }

  void finish() {
    trace_.source = file_;
    std::vector<TokenRequest>& requests = trace_.requests;
    const double unit = is_number_ ? unit_of_times() : 1;
    double first = requests.front().seconds;
    for (const TokenRequest& request : requests) first = std::min(first, request.seconds);
    double last = 0;
    for (TokenRequest& request : requests) {
      request.seconds = (request.seconds - first) * unit;
      last = std::max(last, request.seconds);
    }
    trace_.has_times = columns_.time.has_value() && last > 0;
    std::ranges::stable_sort(requests, {}, &TokenRequest::seconds);
  }

  std::string file_;
  TokenTrace trace_;
  Columns columns_;
  bool has_columns_ = false;
  bool is_number_ = false;
  std::size_t cells_of_a_row_ = 0;
  int line_ = 0;
  std::size_t complaints_ = 0;
  Diagnostics diagnostics_;
};

}  // namespace

Result<TokenTrace> read_token_trace(std::string_view text, std::string file) {
  return TraceReader(std::move(file)).read(text);
}

}  // namespace gpushape::inventory
