// A page of text for people: headings, paragraphs, labelled lines and tables that never exceed the
// width, with colour only where the style has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "render/formats.hpp"

namespace gpushape::render {

enum class Tone { Plain, Strong, Good, Bad, Faint, Weights, KvCache, Activation, Runtime };

enum class Align { Left, Right };

struct Column {
  std::string head;
  Align align = Align::Left;
};

/// Rows of cells under heads. Where the rows are too wide, left-aligned columns wrap, widest first.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> ruled;  ///< rows with a line above them
};

class Page {
 public:
  explicit Page(Style style);

  void blank();  ///< at most one in a row, none at the top
  void heading(std::string_view text);
  void paragraph(std::string_view text, std::size_t indent = 0, Tone tone = Tone::Plain);
  /// `label` in a column of `label_width`, `text` wrapped beside it.
  void labelled(std::string_view label, std::size_t label_width, std::string_view text,
                std::size_t indent = 2, Tone tone = Tone::Plain);
  void table(const Table& table, std::size_t indent = 2);
  /// A line that is laid out already and may hold colour; the caller keeps it within the width.
  void raw(std::string_view line);

  [[nodiscard]] std::string clean(std::string_view text) const;
  [[nodiscard]] std::string paint(std::string_view text, Tone tone) const;
  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths(const Table& table,
                                                       std::size_t available) const;
  void table_row(const Table& table, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells, std::size_t indent, Tone tone);

  Style style_;
  std::string text_;
};

}  // namespace gpushape::render
