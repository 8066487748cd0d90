#include "cli/target_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emit/targets.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {
namespace {

/// Flags that every manifest target heeds.
constexpr std::array<std::string_view, 9> kCommon = {
    "--name", "--namespace", "--label",      "--pick",       "--no-comments",
    "--diff", "--platform",  "--output-dir", "--output-file"};

std::string flag_line(std::string_view name) {
  for (const FlagRow& row : flags()) {
    if (row.name != name) continue;
    const std::string head =
        row.value.empty() ? std::string(name) : fmt::format("{} {}", name, row.value);
    return fmt::format("  {:<32} {}\n", head, row.description);
  }
  return {};
}

std::string help_on(const emit::TargetRow& row) {
  std::string text = fmt::format("{}: {}\n\nExamples:\n", row.name, row.description);
  text += fmt::format("  gpushape advise MODEL --context 8k --concurrency 32 -o {}\n", row.name);
  text +=
      fmt::format("  gpushape advise -f workload.yaml -o {} --name llm --namespace ai\n", row.name);
  text += fmt::format("  gpushape advise -f workload.yaml -o {} --diff running.yaml\n\n", row.name);
  if (row.platform) {
    text += fmt::format("Implies --platform {} where none is given.\n", name_of(*row.platform));
  }
  if (row.holds_engine)
    text += "Starts the engine of the first wish; a claim written beside it delivers its GPUs.\n";
  text += fmt::format("Files of --output-dir: {}.{}\n\nOptions:\n", row.name, row.extension);
  for (std::size_t start = 0; start < row.options.size();) {
    const std::size_t end = std::min(row.options.find(' ', start), row.options.size());
    text += flag_line(row.options.substr(start, end - start));
    start = end + 1;
  }
  for (const std::string_view name : kCommon) text += flag_line(name);
  return text;
}

}  // namespace

std::string output_list() {
  std::string text = "Formats:\n";
  for (const render::FormatRow& row : render::formats()) {
    text += fmt::format("  {:<16} {}\n", row.name, row.description);
  }
  text += "\nManifest targets (-o NAME --help tells more of one):\n";
  for (const emit::TargetRow& row : emit::targets()) {
    text += fmt::format("  {:<28} {}\n", row.name, row.description);
  }
  return text;
}

std::optional<std::string> target_help(const ParsedFlags& parsed) {
  for (const auto& [row, value] : parsed.given) {
    if (row->name != "--output") continue;
    if (const emit::TargetRow* target = emit::find_target(value)) return help_on(*target);
  }
  return std::nullopt;
}

}  // namespace gpushape::cli
