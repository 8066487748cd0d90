// gpushape advise: from a workload to ranked shapes and the manifests that deploy them.
#include "advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/wish_documents.hpp"
#include "base/calendar.hpp"
#include "catalog/catalog.hpp"
#include "cli/advise_cluster.hpp"
#include "cli/advise_extras.hpp"
#include "cli/advise_outputs.hpp"
#include "cli/advise_solve.hpp"
#include "cli/commands.hpp"
#include "cli/document_files.hpp"
#include "cli/gather.hpp"
#include "cli/inventory_questions.hpp"
#include "cli/output.hpp"
#include "cli/rule_book.hpp"
#include "cli/target_help.hpp"
#include "document/text_format.hpp"
#include "emit/difference.hpp"
#include "emit/manifest.hpp"
#include "emit/targets.hpp"
#include "emit/template.hpp"
#include "inventory/engine_telemetry.hpp"
#include "render/formats.hpp"
#include "render/shape_comparison.hpp"

namespace gpushape::cli {
namespace {

/// Days after which to look again become days of the calendar.
void date_reviews(domain::Advice& advice, std::chrono::sys_days today) {
  const auto date_of = [today](const std::optional<std::int64_t>& days) {
    return days ? date_text(today + std::chrono::days(*days)) : std::string();
  };
  advice.review_date = date_of(advice.review_after_days);
  for (domain::RankedShape& ranked : advice.shapes)
    ranked.contract.review_date = date_of(ranked.contract.review_after_days);
  for (domain::WishDocument& document : advice.documents) {
    for (domain::RankedShape& ranked : document.shapes)
      ranked.contract.review_date = date_of(ranked.contract.review_after_days);
  }
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

/// What the targets are written from, beside the name of the shape: borrows its arguments.
emit::EmitRequest emit_request_of(const domain::Advice& advice,
                                  const advise::AdviceRequest& request,
                                  const Invocation& invocation,
                                  const std::vector<std::string>& outputs) {
  emit::EmitRequest emitted;
  emitted.picked = pick_shapes(advice, invocation.pick);
  emitted.advice = &advice;
  for (const advise::Wish& wish : request.wishes) emitted.devices.push_back(wish.device);
  emitted.name = invocation.name;
  emitted.name_space = invocation.name_space;
  if (!invocation.kubernetes.empty()) emitted.kubernetes = invocation.kubernetes;
  emitted.vm_operator = invocation.vm_operator;
  emitted.has_comments = invocation.has_comments;
  emitted.command = command_line(invocation.arguments);
  emitted.workload = &request.workload;
  emitted.targets = outputs;
  emitted.labels = invocation.labels;
  if (const auto& lifetime = request.workload.lifetime_seconds)
    emitted.lifetime_seconds = lifetime->value;
  emitted.as_of = invocation.as_of;
  emitted.nic_class = invocation.nic_class;
  return emitted;
}

/// The workload with the weights that the first picked shape takes, where these are others than
/// those asked for: the engine has to be told.
std::optional<domain::Workload> workload_in_weights_of(
    const std::vector<const domain::RankedShape*>& picked, const domain::Workload& workload) {
  if (picked.empty() || !picked.front()->quantization) return std::nullopt;
  domain::Workload narrowed = workload;
  narrowed.quantization = domain::Fact<domain::Quantization>{*picked.front()->quantization,
                                                             domain::Origin::Computed, "MG-03"};
  return narrowed;
}

Diagnostics check_request(const std::vector<std::string>& outputs, const Invocation& invocation) {
  if (Diagnostics faults = check_advice_outputs(outputs); !faults.empty()) return faults;
  std::vector<std::string> extensions;
  std::ranges::transform(outputs, std::back_inserter(extensions), extension_of);
  if (!invocation.template_file.empty()) extensions.emplace_back("txt");
  return check_destination(invocation, extensions);
}

/// The advice, ranked by the cluster and with its inverse question answered where they were asked.
Result<domain::Advice> advice_of(advise::AdviceRequest& request, const Gathered& gathered,
                                 const Invocation& invocation, const Terminal& terminal) {
  if (invocation.solve) begin_with_least(*invocation.solve, request.workload);
  Result<domain::Advice> advice = advise::advise(request);
  if (!advice) return advice;
  if (gathered.clusters) {
    rank_by_cluster(*advice, *gathered.clusters);
    terminal.err << to_text(gathered.clusters->notes);
  }
  Result<std::vector<domain::WishDocument>> documents = advise::join_wishes(request, *advice);
  if (!documents) return failure(std::move(documents.error()));
  advice->documents = *std::move(documents);
  if (invocation.as_of) date_reviews(*advice, *invocation.as_of);
  if (invocation.solve) {
    if (Diagnostics faults = solve_on_first(*invocation.solve, request, *advice); !faults.empty())
      return failure(std::move(faults));
  }
  if (invocation.pick && *invocation.pick > static_cast<std::int64_t>(advice->shapes.size())) {
    return failure(fmt::format("--pick {}: the answer has {} shapes", *invocation.pick,
                               advice->shapes.size()));
  }
  return advice;
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
  if (const Diagnostics faults = check_request(outputs, invocation); !faults.empty())
    return refuse(faults, terminal);
  if (!gathered->workload.platform) gathered->workload.platform = implied_platform(outputs);

  const Result<LoadedRules> rules = load_rules(invocation.rules_files);
  if (!rules) return refuse(rules.error(), terminal);
  advise::AdviceRequest request = advice_request(*gathered);
  request.thresholds = rules->thresholds;
  request.constants = rules->constants;
  request.profile = invocation.profile;
  request.telemetry = invocation.telemetry;
  request.measured_on = invocation.measured_on;
  if (!invocation.usage_files.empty()) {
    const auto series = read_usage_series(invocation.usage_files);
    if (!series) return refuse(series.error(), terminal);
    request.usage = inventory::device_telemetry(
        *series, fmt::format("{}", fmt::join(invocation.usage_files, ", ")));
  }
  Result<domain::Advice> advice = advice_of(request, *gathered, invocation, terminal);
  if (!advice) return refuse(advice.error(), terminal);
  if (const Diagnostics faults = take_prices(invocation, *advice); !faults.empty())
    return refuse(faults, terminal);
  if (!invocation.compare.empty()) {
    const auto places = compared(*advice, invocation.compare);
    if (!places) return refuse(places.error(), terminal);
    if (outputs.front() == "text") {
      const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
      terminal.out << render::compare_shapes(*advice, places->first, places->second, style);
      return kDone;
    }
    advice->shapes = {advice->shapes[places->first], advice->shapes[places->second]};
    advice->documents.clear();
  }

  render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  style.command = command_line(invocation.arguments);
  render::Style error_style = style;
  error_style.has_color = false;
  const bool is_file = !invocation.output_file.empty() || !invocation.output_folder.empty();
  if (is_file && invocation.color != ColorChoice::Always) style.has_color = false;

  const bool has_target =
      is_template || std::ranges::any_of(outputs, [](const std::string& output) {
        return emit::find_target(output) != nullptr;
      });
  emit::EmitRequest emit_request;
  std::optional<domain::EngineCommand> engine_command;
  std::optional<domain::Workload> narrowed;
  if (has_target) {
    emit_request = emit_request_of(*advice, request, invocation, outputs);
    if (const Diagnostics faults = emit::check_names(emit_request); !faults.empty())
      return refuse(faults, terminal);
    narrowed = workload_in_weights_of(emit_request.picked, request.workload);
    if (narrowed) emit_request.workload = &*narrowed;
    if (emit_request.picked.empty()) {
      terminal.err << render::verdict(*advice, error_style);
      return kAnswerIsNo;
    }
    engine_command = catalog::Catalog::engine_command(request.workload.engine.engine.value);
    if (engine_command) emit_request.engine_command = &*engine_command;
  }
  Result<Written> all =
      write_outputs(outputs, *advice, emit_request, style, !invocation.output_folder.empty());
  if (!all) {
    // Nothing is written, not even what the other targets could say.
    terminal.err << to_text(all.error());
    return kAnswerIsNo;
  }
  if (is_template) {
    const Result<std::string> text = document::read_file(invocation.template_file);
    if (!text) return refuse(text.error(), terminal);
    Result<std::string> filled = emit::fill_template(emit_request, *text, invocation.template_file);
    if (!filled) return refuse(filled.error(), terminal);
    all->pieces.push_back({"template", "txt", std::move(*filled)});
  }
  if (!invocation.diff_file.empty()) return show_difference(all->documents, invocation, terminal);
  const Result<std::vector<std::string>> paths = write_pieces(all->pieces, invocation, terminal);
  if (!paths) return refuse(paths.error(), terminal);
  if (has_target || !paths->empty()) terminal.err << render::verdict(*advice, error_style);
  for (const std::string& note : all->notes) terminal.err << "note: " << note << "\n";
  for (const std::string& path : *paths) terminal.err << "wrote " << path << "\n";
  const bool is_yes = std::ranges::any_of(advice->shapes, &domain::RankedShape::fits);
  return is_yes ? kDone : kAnswerIsNo;
}

}  // namespace gpushape::cli
