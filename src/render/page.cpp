#include "render/page.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "render/text_width.hpp"

namespace gpushape::render {

namespace {

constexpr std::size_t kLeastWidth = 40;  // ours: below this, columns of figures cannot stand
constexpr std::size_t kLeastColumn = 4;  // ours: of a table column that wraps
constexpr std::size_t kGap = 2;          // columns between two columns of a table

std::string_view color_of(Tone tone) {
  switch (tone) {
    case Tone::Strong:
      return "\x1b[1m";
    case Tone::Good:
      return "\x1b[32m";
    case Tone::Bad:
      return "\x1b[31m";
    case Tone::Faint:
      return "\x1b[2m";
    case Tone::Weights:
      return "\x1b[34m";
    case Tone::KvCache:
      return "\x1b[36m";
    case Tone::Activation:
      return "\x1b[33m";
    case Tone::Runtime:
      return "\x1b[35m";
    case Tone::Plain:
      break;
  }
  return {};
}

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);  // npos + 1 is 0
}

}  // namespace

Page::Page(Style style) : style_(std::move(style)) {}

std::size_t Page::width() const {
  return std::max(kLeastWidth, static_cast<std::size_t>(std::max(style_.width, 0)));
}

std::string Page::clean(std::string_view text) const { return printable(text, style_.has_unicode); }

std::string Page::paint(std::string_view text, Tone tone) const {
  const std::string_view color = color_of(tone);
  if (!style_.has_color || color.empty() || text.empty()) return std::string(text);
  return std::string(color) + std::string(text) + "\x1b[0m";
}

void Page::blank() {
  if (text_.empty() || text_.ends_with("\n\n")) return;
  text_ += '\n';
}

void Page::raw(std::string_view line) {
  std::string trimmed(line);
  trim_right(trimmed);
  text_ += trimmed;
  text_ += '\n';
}

void Page::heading(std::string_view text) {
  blank();
  paragraph(text, 0, Tone::Strong);
}

void Page::paragraph(std::string_view text, std::size_t indent, Tone tone) {
  for (const std::string& line : wrap(clean(text), width() - indent)) {
    raw(std::string(indent, ' ') + paint(line, tone));
  }
}

void Page::labelled(std::string_view label, std::size_t label_width, std::string_view text,
                    std::size_t indent, Tone tone) {
  std::string shown = clean(label);
  const std::size_t start = indent + label_width + kGap;
  if (display_width(shown) > label_width) {  // a label of its own line
    for (const std::string& line : wrap(shown, width() - indent)) {
      raw(std::string(indent, ' ') + line);
    }
    shown.clear();
    if (text.empty()) return;
  }
  bool is_first = true;
  for (const std::string& line : wrap(clean(text), width() - start)) {
    const std::string left = pad_right(is_first ? shown : std::string(), label_width);
    raw(std::string(indent, ' ') + left + std::string(kGap, ' ') + paint(line, tone));
    is_first = false;
  }
}

std::vector<std::size_t> Page::column_widths(const Table& table, std::size_t available) const {
  std::vector<std::size_t> widths;
  for (std::size_t index = 0; index < table.columns.size(); ++index) {
    std::size_t widest = display_width(clean(table.columns[index].head));
    for (const auto& row : table.rows) {
      if (index < row.size()) widest = std::max(widest, display_width(clean(row[index])));
    }
    widths.push_back(widest);
  }
  const auto used = [&] {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           kGap * (widths.size() - 1);
  };
  // Figures are broken only when all text columns are as narrow as can be.
  const auto shrink_widest = [&](bool shrinks_figures) {
    std::size_t* widest = nullptr;
    for (std::size_t index = 0; index < widths.size(); ++index) {
      if (!shrinks_figures && table.columns[index].align == Align::Right) continue;
      if (widths[index] <= kLeastColumn) continue;
      if (widest == nullptr || widths[index] > *widest) widest = &widths[index];
    }
    if (widest != nullptr) --*widest;
    return widest != nullptr;
  };
  while (used() > available && (shrink_widest(false) || shrink_widest(true))) {
  }
  return widths;
}

void Page::table_row(const Table& table, const std::vector<std::size_t>& widths,
                     const std::vector<std::string>& cells, std::size_t indent, Tone tone) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 1;
  for (std::size_t index = 0; index < widths.size(); ++index) {
    columns.push_back(
        wrap(index < cells.size() ? clean(cells[index]) : std::string(), widths[index]));
    height = std::max(height, columns.back().size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t index = 0; index < widths.size(); ++index) {
      if (index > 0) line.append(kGap, ' ');
      const std::string cell = row < columns[index].size() ? columns[index][row] : std::string();
      line += table.columns[index].align == Align::Right ? pad_left(cell, widths[index])
                                                         : pad_right(cell, widths[index]);
    }
    trim_right(line);
    raw(std::string(indent, ' ') + paint(line, tone));
  }
}

void Page::table(const Table& table, std::size_t indent) {
  if (table.columns.empty()) return;
  const std::vector<std::size_t> widths = column_widths(table, width() - indent);
  const std::size_t line =
      std::min(width() - indent, std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
                                     kGap * (widths.size() - 1));
  std::vector<std::string> heads;
  heads.reserve(table.columns.size());
  for (const Column& column : table.columns) heads.push_back(column.head);
  if (std::ranges::any_of(heads, [](const std::string& head) { return !head.empty(); })) {
    table_row(table, widths, heads, indent, Tone::Faint);
  }
  for (std::size_t index = 0; index < table.rows.size(); ++index) {
    if (std::ranges::find(table.ruled, index) != table.ruled.end()) {
      raw(std::string(indent, ' ') + paint(std::string(line, '-'), Tone::Faint));
    }
    table_row(table, widths, table.rows[index], indent, Tone::Plain);
  }
}

}  // namespace gpushape::render
