// gpushape estimate: the memory of one GPU, term by term.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/gather.hpp"
#include "cli/output.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {
namespace {

/// The one GPU that was named, whole or by its profile. Several wishes, or none, give an estimate
/// without capacity.
Result<std::optional<domain::VisibleMemory>> named_gpu(const Gathered& gathered,
                                                       const Invocation& invocation) {
  const bool is_one = gathered.wishes.size() == 1 && !gathered.wishes.front().is_any;
  if (!is_one) {
    if (invocation.profile) {
      return failure("--profile needs one GPU", "name it with --gpu");
    }
    if (invocation.visible_bytes) {
      domain::VisibleMemory memory;
      memory.bytes = domain::exactly(*invocation.visible_bytes);
      memory.source = "--memory-mib";
      memory.parent_bytes = *invocation.visible_bytes;
      memory.vendor = "nvidia";
      return memory;
    }
    return std::nullopt;
  }
  const domain::Device& device = gathered.wishes.front().device;
  if (!invocation.profile) return domain::visible_memory(device, nullptr);
  const Result<const domain::Profile*> profile = domain::find_profile(device, *invocation.profile);
  if (!profile) return std::unexpected(profile.error());
  return domain::visible_memory(device, *profile);
}

}  // namespace

int run_estimate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  const Result<Gathered> gathered = gather(parsed, invocation);
  if (!gathered) return refuse(gathered.error(), terminal);
  if (!gathered->model || !gathered->engine) {
    return refuse({complaint("estimate needs a MODEL", "name a model, or use advise for a demand")},
                  terminal);
  }
  std::vector<std::string> outputs = invocation.outputs;
  if (outputs.empty()) outputs.emplace_back("text");
  std::vector<std::string> extensions;
  for (const std::string& output : outputs) {
    const auto formats = render::formats();
    const auto row = std::ranges::find(formats, output, &render::FormatRow::name);
    if (row == formats.end()) {
      std::vector<std::string> names;
      for (const render::FormatRow& known : formats) names.emplace_back(known.name);
      return refuse(
          {complaint(fmt::format("--output: '{}' is no format", output),
                     suggestion(output, names,
                                fmt::format("expected one of {}", fmt::join(names, ", "))))},
          terminal);
    }
    extensions.emplace_back(output == "text" ? "txt" : output);
  }
  if (const Diagnostics faults = check_destination(invocation, extensions); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const Result<std::optional<domain::VisibleMemory>> gpu = named_gpu(*gathered, invocation);
  if (!gpu) return refuse(gpu.error(), terminal);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*gathered->model, gathered->workload, *gathered->engine, *gpu);
  if (!estimate) return refuse(estimate.error(), terminal);

  render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  if (!invocation.output_file.empty() || !invocation.output_folder.empty()) {
    style.has_color = invocation.color == ColorChoice::Always;
  }
  std::vector<Piece> pieces;
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    const auto formats = render::formats();
    const auto row = std::ranges::find(formats, outputs[index], &render::FormatRow::name);
    pieces.push_back({"estimate", extensions[index], row->estimate(*estimate, style)});
  }
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  // The question is asked of a GPU only together with a load: memory alone has no "no".
  const bool is_asked = estimate->capacity && estimate->context_tokens;
  return is_asked && estimate->capacity->fits_at == domain::FitsAt::None ? kAnswerIsNo : kDone;
}

}  // namespace gpushape::cli
