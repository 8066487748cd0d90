#include "inventory/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace gpushape::inventory {

namespace {

constexpr std::size_t kMostComplaints = 8;  // ours: the first ones tell what is wrong
constexpr std::size_t kMostColumns = 256;   // ours
const std::string kNothing;

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '"') {
      if (is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[++i];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (letter == ',' && !is_quoted) {
      if (cells.size() == kMostColumns) break;
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

template <class T>
std::optional<T> parsed(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<CsvTable> CsvTable::read(std::string_view text, std::string file) {
  CsvTable table;
  table.file_ = std::move(file);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (line.empty()) continue;
    std::vector<std::string> cells = cells_of(line);
    if (table.heads_.empty()) {
      table.heads_ = std::move(cells);
      continue;
    }
    if (cells.size() != table.heads_.size()) {
      table.keep(
          number,
          fmt::format("{} cells, and {} heads stand above them", cells.size(), table.heads_.size()),
          {});
    }
    cells.resize(table.heads_.size());
    table.rows_.push_back({number, std::move(cells)});
  }
  if (table.complaints_ > 0) return failure(table.take_diagnostics());
  return table;
}

std::optional<std::size_t> CsvTable::column(std::string_view head) const {
  const auto found = std::ranges::find(heads_, head);
  if (found == heads_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - heads_.begin());
}

const std::string& CsvTable::cell(std::size_t row, std::string_view head) const {
  const auto index = column(head);
  return index ? rows_[row].cells[*index] : kNothing;
}

void CsvTable::keep(int line, std::string message, std::string help) {
  if (complaints_++ >= kMostComplaints) return;
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span = {.file = file_, .line = line, .column = 1, .length = 1};
  diagnostics_.push_back(std::move(diagnostic));
}

void CsvTable::complain(std::size_t row, std::string_view head, std::string message,
                        std::string help) {
  keep(rows_[row].number, fmt::format("{}: {}", head, std::move(message)), std::move(help));
}

Diagnostics CsvTable::take_diagnostics() {
  if (complaints_ > diagnostics_.size()) {
    diagnostics_.push_back(complaint(fmt::format("{}: {} more complaints like these", file_,
                                                 complaints_ - diagnostics_.size())));
  }
  complaints_ = 0;
  return std::exchange(diagnostics_, {});
}

std::optional<double> CsvTable::number(std::size_t row, std::string_view head, double least,
                                       double most) {
  const std::string& text = cell(row, head);
  if (text.empty()) return std::nullopt;
  const auto value = parsed<double>(text);
  if (value && std::isfinite(*value) && *value >= least && *value <= most) return value;
  complain(row, head, fmt::format("'{}' is no number from {} to {}", text, least, most));
  return std::nullopt;
}

std::int64_t CsvTable::integer(std::size_t row, std::string_view head, std::int64_t least,
                               std::int64_t most) {
  const std::string& text = cell(row, head);
  const auto value = parsed<std::int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  complain(row, head, fmt::format("'{}' is no whole number from {} to {}", text, least, most));
  return least;
}

}  // namespace gpushape::inventory
