// Text files of comma-separated columns under one line of heads, as traces and node lists come.
// Quoted cells ("a,b", with "" for a quote) are read; a cell does not span lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace gpushape::inventory {

class CsvTable {
 public:
  /// Rows with another number of cells than there are heads are complaints.
  static Result<CsvTable> read(std::string_view text, std::string file);

  [[nodiscard]] bool has(std::string_view head) const { return column(head).has_value(); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  /// Empty where there is no such column.
  [[nodiscard]] const std::string& cell(std::size_t row, std::string_view head) const;

  /// Numbers within bounds; a complaint, collected, where the cell is none. Absent: an empty cell.
  std::optional<double> number(std::size_t row, std::string_view head, double least, double most);
  std::int64_t integer(std::size_t row, std::string_view head, std::int64_t least,
                       std::int64_t most);
  void complain(std::size_t row, std::string_view head, std::string message, std::string help = {});

  [[nodiscard]] const std::string& file() const { return file_; }
  /// The first complaints, and how many more there are.
  [[nodiscard]] Diagnostics take_diagnostics();

 private:
  struct Line {
    int number = 0;
    std::vector<std::string> cells;
  };
  void keep(int line, std::string message, std::string help);
  [[nodiscard]] std::optional<std::size_t> column(std::string_view head) const;

  std::string file_;
  std::vector<std::string> heads_;
  std::vector<Line> rows_;
  Diagnostics diagnostics_;
  std::size_t complaints_ = 0;  ///< of which the first ones are kept
};

}  // namespace gpushape::inventory
