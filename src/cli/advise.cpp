// gpushape advise: from a workload to ranked shapes and the manifests that deploy them.
#include "advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/edit_distance.hpp"
#include "catalog/catalog.hpp"
#include "cli/advise_cluster.hpp"
#include "cli/commands.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "cli/output.hpp"
#include "cli/target_help.hpp"
#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "emit/difference.hpp"
#include "emit/targets.hpp"
#include "emit/template.hpp"
#include "estimate/solve/solve.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {
namespace {

const render::FormatRow* find_format(std::string_view name) {
  for (const render::FormatRow& row : render::formats()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Diagnostics check_outputs(const std::vector<std::string>& outputs) {
  Diagnostics faults;
  for (const std::string& output : outputs) {
    if (find_format(output) != nullptr || emit::find_target(output) != nullptr) continue;
    std::vector<std::string> names;
    for (const render::FormatRow& row : render::formats()) names.emplace_back(row.name);
    for (const emit::TargetRow& row : emit::targets()) names.emplace_back(row.name);
    faults.push_back(complaint(fmt::format("--output: '{}' is no format and no target", output),
                               suggestion(output, names, "'-o list' shows them all")));
  }
  return faults;
}

std::string extension_of(const std::string& output) {
  if (output == "text") return "txt";
  if (const emit::TargetRow* row = emit::find_target(output)) return std::string(row->extension);
  return output == "json" ? "json" : "yaml";
}

/// What the targets imply where nobody named a platform: a claim beside a VM class is for a pod in
/// that class's guest.
std::optional<domain::Fact<domain::Platform>> implied_platform(
    const std::vector<std::string>& outputs) {
  bool has_vm = false;
  bool has_pod = false;
  std::string names;
  for (const std::string& output : outputs) {
    const emit::TargetRow* row = emit::find_target(output);
    if (row == nullptr || !row->platform) continue;
    if (*row->platform == domain::Platform::Vks) has_vm = has_pod = true;
    if (*row->platform == domain::Platform::Vsphere) has_vm = true;
    if (*row->platform == domain::Platform::Kubernetes) has_pod = true;
    names += (names.empty() ? "-o " : " -o ") + output;
  }
  if (!has_vm && !has_pod) return std::nullopt;
  domain::Platform platform = domain::Platform::Vsphere;
  if (has_pod) platform = has_vm ? domain::Platform::Vks : domain::Platform::Kubernetes;
  return domain::Fact<domain::Platform>{platform, domain::Origin::Computed, "implied by " + names};
}

/// The shapes that manifests are written for: the Nth where --pick says so, else the best of every
/// wish, in their order.
std::vector<const domain::RankedShape*> pick_shapes(const domain::Advice& advice,
                                                    const std::optional<std::int64_t>& pick) {
  if (pick) return {&advice.shapes[static_cast<std::size_t>(*pick - 1)]};
  std::vector<const domain::RankedShape*> picked;
  for (const domain::RankedShape& shape : advice.shapes) {
    const bool has_wish = std::ranges::any_of(
        picked, [&](const domain::RankedShape* other) { return other->wish == shape.wish; });
    if (!has_wish && shape.fits_at != domain::FitsAt::None) picked.push_back(&shape);
  }
  std::ranges::stable_sort(picked, {},
                           [](const domain::RankedShape* shape) { return shape->wish; });
  return picked;
}

std::string quoted(const std::string& argument) {
  const bool is_plain =
      !argument.empty() && argument.find_first_not_of(
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_./:,=+@%") == std::string::npos;
  if (is_plain) return argument;
  std::string text = "'";
  for (const char letter : argument)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string text = "gpushape";
  for (const std::string& argument : arguments) text += " " + quoted(argument);
  return text;
}

/// What applying the documents would change against those of --diff.
int show_difference(const std::vector<document::Node>& documents, const Invocation& invocation,
                    const Terminal& terminal) {
  if (documents.empty()) {
    return refuse({complaint("--diff compares manifests, and no target is asked for",
                             "add -o TARGET ('-o list' shows them)")},
                  terminal);
  }
  const Result<std::vector<document::Document>> read = read_documents(invocation.diff_file);
  if (!read) return refuse(read.error(), terminal);
  std::vector<document::Node> existing;
  for (const document::Document& document : *read) existing.push_back(document.root);
  const std::vector<std::string> lines = emit::differences(existing, documents);
  for (const std::string& line : lines) terminal.out << line << "\n";
  return lines.empty() ? kDone : kAnswerIsNo;
}

/// A shape needs a load; what is asked for begins with the least there can be.
void begin_with_least(domain::SolveFor variable, domain::Workload& workload) {
  const auto least = domain::defaulted<std::int64_t>(
      1, fmt::format("to begin with: --solve {} says the most", name_of(variable)));
  if (variable == domain::SolveFor::Context && !workload.context_tokens)
    workload.context_tokens = least;
  if (variable == domain::SolveFor::Concurrency && !workload.concurrency)
    workload.concurrency = least;
}

/// The question of the first shape, under the settings that were chosen for it.
Diagnostics solve_on_first(domain::SolveFor variable, const advise::AdviceRequest& request,
                           domain::Advice& advice) {
  if (advice.shapes.empty() || !request.model || !request.engine || !advice.estimate) return {};
  const domain::RankedShape& first = advice.shapes.front();
  const auto wish = std::ranges::find(request.wishes, first.shape.device,
                                      [](const advise::Wish& each) { return each.device.id; });
  if (wish == request.wishes.end() || !first.estimate) return {};
  domain::Workload workload = request.workload;
  const auto chosen = [](auto value) {
    return domain::Fact<decltype(value)>{value, domain::Origin::Computed, "the first shape"};
  };
  domain::EngineSettings& engine = workload.engine;
  engine.tensor = chosen(first.shape.parallelism.tensor);
  engine.pipeline = chosen(first.shape.parallelism.pipeline);
  if (first.max_num_batched_tokens)
    engine.max_num_batched_tokens = chosen(*first.max_num_batched_tokens);
  if (first.gpu_memory_utilization)
    engine.gpu_memory_utilization = chosen(*first.gpu_memory_utilization);
  switch (variable) {
    case domain::SolveFor::Context:
      workload.context_tokens.reset();
      break;
    case domain::SolveFor::Concurrency:
      workload.concurrency.reset();
      break;
    case domain::SolveFor::Quant:
      workload.quantization.reset();
      break;
    case domain::SolveFor::Gpus:
      engine.tensor.reset();
      engine.pipeline.reset();
      break;
    case domain::SolveFor::Utilization:
      engine.gpu_memory_utilization.reset();
      break;
  }
  if (variable != domain::SolveFor::Concurrency && first.max_num_seqs)
    engine.max_num_seqs = chosen(*first.max_num_seqs);
  if (variable != domain::SolveFor::Concurrency && first.concurrency)
    workload.concurrency = chosen(*first.concurrency);
  const domain::Profile* profile = nullptr;
  for (const domain::Profile& row : wish->device.profiles) {
    if (!first.shape.profile.empty() && row.name == first.shape.profile) profile = &row;
  }
  const Result<domain::Estimate> solved =
      estimate::solve_estimate(variable, {.model = &*request.model,
                                          .workload = std::move(workload),
                                          .engine = &*request.engine,
                                          .gpu = domain::visible_memory(wish->device, profile)});
  if (!solved) return solved.error();
  advice.estimate->solution = solved->solution;
  return {};
}

}  // namespace

int run_advise(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  Invocation outputs_only;
  if (apply(parsed, outputs_only).empty() &&
      std::ranges::find(outputs_only.outputs, "list") != outputs_only.outputs.end()) {
    terminal.out << output_list();
    return kDone;
  }
  Result<Gathered> gathered = gather(parsed, invocation);
  if (!gathered) return refuse(gathered.error(), terminal);
  std::vector<std::string> outputs = invocation.outputs;
  const bool is_template = !invocation.template_file.empty();
  if (outputs.empty() && !is_template) outputs.emplace_back("text");
  if (const Diagnostics faults = check_outputs(outputs); !faults.empty())
    return refuse(faults, terminal);
  std::vector<std::string> extensions;
  std::ranges::transform(outputs, std::back_inserter(extensions), extension_of);
  if (is_template) extensions.emplace_back("txt");
  if (const Diagnostics faults = check_destination(invocation, extensions); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (!gathered->workload.platform) gathered->workload.platform = implied_platform(outputs);

  advise::AdviceRequest request;
  request.workload = gathered->workload;
  request.model = gathered->model;
  request.engine = gathered->engine;
  request.wishes = gathered->wishes;
  request.profile = invocation.profile;
  if (invocation.solve) begin_with_least(*invocation.solve, request.workload);
  Result<domain::Advice> advice = advise::advise(request);
  if (!advice) return refuse(advice.error(), terminal);
  if (gathered->clusters) {
    rank_by_cluster(*advice, *gathered->clusters);
    terminal.err << to_text(gathered->clusters->notes);
  }
  if (invocation.solve) {
    if (const Diagnostics faults = solve_on_first(*invocation.solve, request, *advice);
        !faults.empty())
      return refuse(faults, terminal);
  }
  const bool is_yes = std::ranges::any_of(advice->shapes, &domain::RankedShape::fits);
  if (invocation.pick && *invocation.pick > static_cast<std::int64_t>(advice->shapes.size())) {
    return refuse({complaint(fmt::format("--pick {}: the answer has {} shapes", *invocation.pick,
                                         advice->shapes.size()))},
                  terminal);
  }

  const bool has_target =
      is_template || std::ranges::any_of(outputs, [](const std::string& output) {
        return emit::find_target(output) != nullptr;
      });
  render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  style.command = command_line(invocation.arguments);
  render::Style error_style = style;
  error_style.has_color = false;

  emit::EmitRequest emit_request;
  std::optional<domain::EngineCommand> engine_command;
  if (has_target) {
    emit_request.picked = pick_shapes(*advice, invocation.pick);
    if (emit_request.picked.empty()) {
      terminal.err << render::verdict(*advice, error_style);
      return kAnswerIsNo;
    }
    emit_request.advice = &*advice;
    for (const advise::Wish& wish : request.wishes) emit_request.devices.push_back(wish.device);
    emit_request.name = invocation.name;
    emit_request.name_space = invocation.name_space;
    if (!invocation.kubernetes.empty()) emit_request.kubernetes = invocation.kubernetes;
    emit_request.vm_operator = invocation.vm_operator;
    emit_request.has_comments = invocation.has_comments;
    emit_request.command = command_line(invocation.arguments);
    emit_request.workload = &request.workload;
    emit_request.targets = outputs;
    emit_request.labels = invocation.labels;
    emit_request.lifetime_seconds = invocation.lifetime_seconds;
    engine_command = catalog::Catalog::engine_command(request.workload.engine.engine.value);
    if (engine_command) emit_request.engine_command = &*engine_command;
  }

  std::vector<Piece> pieces;
  std::vector<document::Node> documents;
  std::vector<std::string> notes;
  Diagnostics faults;
  for (const std::string& output : outputs) {
    if (const render::FormatRow* format = find_format(output)) {
      const bool is_file = !invocation.output_file.empty() || !invocation.output_folder.empty();
      render::Style piece_style = style;
      if (is_file && invocation.color != ColorChoice::Always) piece_style.has_color = false;
      pieces.push_back({"advice", extension_of(output), format->advice(*advice, piece_style)});
      continue;
    }
    Result<emit::Emitted> emitted = emit::find_target(output)->emit(emit_request);
    if (!emitted) {
      std::ranges::move(emitted.error(), std::back_inserter(faults));
      continue;
    }
    std::ranges::move(emitted->notes, std::back_inserter(notes));
    std::ranges::copy(emitted->documents, std::back_inserter(documents));
    pieces.push_back({output, extension_of(output),
                      emitted->text.empty() ? document::write_yaml(emitted->documents)
                                            : std::move(emitted->text)});
  }
  if (!faults.empty()) {
    // The answer is no for this target; nothing is written, not even what the others could say.
    terminal.err << to_text(faults);
    return kAnswerIsNo;
  }
  if (is_template) {
    const Result<std::string> text = document::read_file(invocation.template_file);
    if (!text) return refuse(text.error(), terminal);
    Result<std::string> filled = emit::fill_template(emit_request, *text, invocation.template_file);
    if (!filled) return refuse(filled.error(), terminal);
    pieces.push_back({"template", "txt", std::move(*filled)});
  }
  if (!invocation.diff_file.empty()) return show_difference(documents, invocation, terminal);
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  if (has_target || !written->empty()) terminal.err << render::verdict(*advice, error_style);
  for (const std::string& note : notes) terminal.err << "note: " << note << "\n";
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  return is_yes ? kDone : kAnswerIsNo;
}

}  // namespace gpushape::cli
