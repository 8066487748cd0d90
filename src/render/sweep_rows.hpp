// The rows of a sweep as text for programs: CSV with a head line, or one JSON document a line. The
// table of columns is what both formats, the schema's test and the documentation read; names are
// those of an Estimate document.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/sweep.hpp"

namespace gpushape::render {

enum class SweepFormat { Csv, JsonLines };

/// A column of text is the same in every row of a setting on one GPU.
struct SweepTextColumn {
  std::string_view name;
  std::string_view description;
  bool is_number;
  /// Empty: not known.
  std::string (*text)(const estimate::SweepRow&, const estimate::SweepGrid&);
};

/// A number, or a word, that every row has its own of.
struct SweepFigureColumn {
  std::string_view name;
  std::string_view description;
  /// Writes it at `at`, which has room for 32 characters, and gives the end; nothing where it is
  /// not known.
  char* (*write)(const estimate::SweepRow&, char* at);
};

std::span<const SweepTextColumn> sweep_text_columns();
/// Behind the columns of text, and followed by `reason`.
std::span<const SweepFigureColumn> sweep_figure_columns();

class SweepText {
 public:
  /// Keeps a reference to the grid.
  SweepText(const estimate::SweepGrid& grid, SweepFormat format);

  /// The head line of CSV; JSON lines have none.
  [[nodiscard]] std::string head() const;
  /// One line, with its end.
  void append(const estimate::SweepRow& row, std::string& out);

 private:
  struct OnGpu {
    std::int64_t setting = -1;
    bool is_resolved = false;
    std::string text;  ///< the columns of text, up to the first figure
  };
  void append_texts(const estimate::SweepRow& row, std::string& out) const;

  const estimate::SweepGrid& grid_;
  SweepFormat format_;
  std::vector<std::string> figure_heads_;  ///< `"weightsBytes":` in JSON lines
  std::vector<OnGpu> gpus_;
};

}  // namespace gpushape::render
