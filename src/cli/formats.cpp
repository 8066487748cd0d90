#include "cli/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.hpp"

namespace gpushape::cli {
namespace {

Diagnostics unknown_format(const std::string& output) {
  std::vector<std::string> names;
  for (const render::FormatRow& known : render::formats()) names.emplace_back(known.name);
  return {complaint(
      fmt::format("--output: '{}' is no format", output),
      suggestion(output, names, fmt::format("expected one of {}", fmt::join(names, ", "))))};
}

}  // namespace

Diagnostics print_document(
    const std::string& name, const Invocation& invocation, const Terminal& terminal,
    const std::function<std::string(const render::FormatRow&, const render::Style&)>& write) {
  std::vector<std::string> outputs = invocation.outputs;
  if (outputs.empty()) outputs.emplace_back("text");
  std::vector<const render::FormatRow*> rows;
  std::vector<std::string> extensions;
  for (const std::string& output : outputs) {
    const auto formats = render::formats();
    const auto row = std::ranges::find(formats, output, &render::FormatRow::name);
    if (row == formats.end()) return unknown_format(output);
    rows.push_back(&*row);
    extensions.emplace_back(output == "text" ? "txt" : output);
  }
  if (Diagnostics faults = check_destination(invocation, extensions); !faults.empty())
    return faults;
  render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  if (!invocation.output_file.empty() || !invocation.output_folder.empty())
    style.has_color = invocation.color == ColorChoice::Always;
  std::vector<Piece> pieces;
  pieces.reserve(rows.size());
  for (std::size_t index = 0; index < rows.size(); ++index)
    pieces.push_back({name, extensions[index], write(*rows[index], style)});
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return written.error();
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  return {};
}

}  // namespace gpushape::cli
