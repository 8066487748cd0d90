// gpushape review: the rule book held against manifests that exist already.
#include "review/review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/edit_distance.hpp"
#include "catalog/catalog.hpp"
#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/document_files.hpp"
#include "cli/inventory_questions.hpp"
#include "cli/measured_starts.hpp"
#include "cli/output.hpp"
#include "cli/review_contracts.hpp"
#include "cli/review_files.hpp"
#include "cli/rule_book.hpp"
#include "document/text_format.hpp"
#include "inventory/engine_telemetry.hpp"
#include "profiles/profiles.hpp"
#include "render/review_formats.hpp"
#include "review/baseline.hpp"
#include "review/edits.hpp"
#include "review/read_input.hpp"
#include "review/rules.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

void append_review_faults(Diagnostics& all, Diagnostics more) {
  std::ranges::move(more, std::back_inserter(all));
}

/// What a review looks things up in; lives as long as the review.
/// How grave a rule's findings are, by its id; without a value they are left out.
using Severities = std::map<std::string, std::optional<domain::Severity>>;

struct ReviewTables {
  profiles::Profiles profiles;
  std::vector<domain::Device> devices;
  catalog::Catalog catalog;
  std::optional<domain::Workload> workload = {};
  std::optional<LoadedCluster> cluster = {};
  std::vector<domain::Finding> baseline = {};
  Severities severities = {};          ///< --rules
  advise::Thresholds thresholds = {};  ///< as --rules sets them
  std::vector<domain::UsageSeries> usage = {};
};

const render::ReviewFormatRow* find_review_format(std::string_view name) {
  const auto rows = render::review_formats();
  const auto row = std::ranges::find(rows, name, &render::ReviewFormatRow::name);
  return row == rows.end() ? nullptr : &*row;
}

/// Beside the formats: what the manifests ask for, in place of what is wrong with them.
constexpr std::string_view kContracts = "contract";

Diagnostics check_formats(const std::vector<std::string>& outputs) {
  Diagnostics faults;
  for (const std::string& output : outputs) {
    if (output == kContracts || find_review_format(output) != nullptr) continue;
    std::vector<std::string> names;
    for (const render::ReviewFormatRow& row : render::review_formats()) {
      names.emplace_back(row.name);
    }
    names.emplace_back(kContracts);
    faults.push_back(
        complaint(fmt::format("--output: '{}' is no format of a review", output),
                  suggestion(output, names, fmt::format("one of {}", fmt::join(names, ", ")))));
  }
  return faults;
}

/// Ids of rules, or the letters in front of their numbers.
Diagnostics check_rule_names(std::string_view flag, const std::vector<std::string>& given) {
  Diagnostics faults;
  std::vector<std::string> names;
  for (const review::RuleRow& row : review::rules()) {
    names.emplace_back(row.id);
    std::string group(row.id.substr(0, row.id.rfind('-')));
    if (std::ranges::find(names, group) == names.end()) names.push_back(std::move(group));
  }
  for (const std::string& name : given) {
    if (std::ranges::find(names, name) != names.end()) continue;
    faults.push_back(complaint(fmt::format("{}: '{}' is no review rule", flag, name),
                               suggestion(name, names, "rules are named VC-03, groups VC")));
  }
  return faults;
}

Result<domain::Workload> workload_of_file(const std::string& file) {
  const Result<std::vector<document::Document>> documents = read_documents(file);
  if (!documents) return std::unexpected(documents.error());
  return schema::read_workload(documents->front());
}

Result<std::vector<domain::Finding>> baseline_of_file(const std::string& file) {
  const Result<std::vector<document::Document>> documents = read_documents(file);
  if (!documents) return std::unexpected(documents.error());
  return review::read_baseline(documents->front());
}

/// The last word on a rule wins.
Severities severities_of(const LoadedRules& rules) {
  Severities severities;
  for (const domain::SetSeverity& set : rules.severities) severities[set.rule] = set.severity;
  return severities;
}

/// Measured starts of all files, in their order.
Result<std::vector<domain::Measurement>> measured_starts(const std::vector<std::string>& files,
                                                         const catalog::Catalog& catalog,
                                                         const profiles::Profiles& profiles) {
  std::vector<domain::Measurement> all;
  Diagnostics faults;
  for (const std::string& file : files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      append_review_faults(faults, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      if (inventory::is_prometheus_answer(document)) {
        faults.push_back(document.source->diagnostic(
            document.root.position(), "telemetry, and a review takes measured starts as evidence",
            "name metrics of the DCGM exporter with --usage; 'gpushape advise --evidence' weighs "
            "those of an engine"));
        continue;
      }
      auto read = read_measured_starts(document, catalog, profiles);
      if (read) {
        std::ranges::move(*read, std::back_inserter(all));
      } else {
        append_review_faults(faults, std::move(read.error()));
      }
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  return all;
}

Result<ReviewTables> open_tables(Invocation& invocation) {
  Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return std::unexpected(profiles.error());
  Result<std::vector<domain::Device>> devices = profiles->all();
  if (!devices) return std::unexpected(devices.error());
  Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return std::unexpected(catalog.error());
  ReviewTables tables{std::move(*profiles), std::move(*devices), std::move(*catalog)};
  Diagnostics faults;
  const auto keep = [&faults](auto read, auto& target) {
    if (read) {
      target = std::move(*read);
    } else {
      append_review_faults(faults, std::move(read.error()));
    }
  };
  const ReviewFlags& flags = invocation.review;
  if (!flags.workload_file.empty()) keep(workload_of_file(flags.workload_file), tables.workload);
  if (!flags.baseline_file.empty()) keep(baseline_of_file(flags.baseline_file), tables.baseline);
  if (!invocation.clusters.empty()) {
    keep(load_cluster(invocation.clusters, tables.profiles), tables.cluster);
  }
  for (std::string& name : invocation.workload.gpus) {
    const Result<domain::Device> device = tables.profiles.find(name);
    if (device) {
      name = device->id;
    } else {
      append_review_faults(faults, device.error());
    }
  }
  if (const Result<LoadedRules> rules = load_rules(invocation.rules_files)) {
    tables.severities = severities_of(*rules);
    tables.thresholds = rules->thresholds;
  } else {
    append_review_faults(faults, rules.error());
  }
  if (!invocation.usage_files.empty())
    keep(read_usage_series(invocation.usage_files), tables.usage);
  if (!invocation.evidence_files.empty()) {
    if (!tables.workload) tables.workload.emplace();
    keep(measured_starts(invocation.evidence_files, tables.catalog, tables.profiles),
         tables.workload->measurements);
  }
  if (!faults.empty()) return failure(std::move(faults));
  return tables;
}

review::ReviewRequest request_of(const ReviewFiles& files, const ReviewTables& tables,
                                 const Invocation& invocation) {
  review::ReviewRequest request;
  request.documents = files.documents;
  request.devices = tables.devices;
  request.catalog = &tables.catalog;
  if (tables.workload) request.workload = &*tables.workload;
  if (tables.cluster) request.cluster = &tables.cluster->cluster;
  request.gpus = invocation.workload.gpus;
  request.kubernetes = invocation.kubernetes;
  request.vm_operator = invocation.vm_operator;
  request.only = invocation.review.only;
  request.skipped = invocation.review.skipped;
  request.wants_checklist = invocation.review.wants_checklist;
  request.as_of = invocation.as_of;
  request.usage = tables.usage;
  request.thresholds = tables.thresholds;
  for (const auto& [rule, severity] : tables.severities) {
    if (!severity) request.skipped.push_back(rule);
  }
  return request;
}

domain::Review review_of(const ReviewFiles& files, const ReviewTables& tables,
                         const Invocation& invocation) {
  domain::Review review = review::review_documents(request_of(files, tables, invocation));
  for (domain::Finding& finding : review.findings) {
    const auto set = tables.severities.find(finding.rule);
    if (set != tables.severities.end() && set->second) finding.severity = *set->second;
  }
  review.files = files.files;
  review.faults.insert(review.faults.begin(), files.faults.begin(), files.faults.end());
  if (!invocation.review.baseline_file.empty()) review::take_known(tables.baseline, review);
  return review;
}

struct FixedFile {
  std::string file;
  std::string before;
  std::string after;
  std::int64_t fixes = 0;
};

/// The texts of the files with every certain fix made.
std::vector<FixedFile> fixed_files(const ReviewFiles& files, const domain::Review& review) {
  std::map<std::string_view, std::vector<const domain::Finding*>> certain;
  for (const domain::Finding& finding : review.findings) {
    if (!finding.edits.empty()) certain[finding.place.file].push_back(&finding);
  }
  std::vector<FixedFile> fixed;
  for (const std::string& file : files.files) {
    const auto own = certain.find(file);
    if (own == certain.end()) continue;
    const auto document = std::ranges::find(
        files.documents, file,
        [](const document::Document& each) -> const std::string& { return each.source->file; });
    if (document == files.documents.end()) continue;
    FixedFile one{file, document->source->text, {}, 0};
    review::Edits edits;
    for (const domain::Finding* finding : own->second) {
      ++one.fixes;
      std::ranges::copy(finding->edits, std::back_inserter(edits));
    }
    one.after = review::apply_edits(one.before, std::move(edits));
    if (one.after != one.before) fixed.push_back(std::move(one));
  }
  return fixed;
}

/// Writes what was fixed, and reads it again in place of what it was.
Diagnostics write_fixes(const std::vector<FixedFile>& fixed, ReviewFiles& files,
                        const Invocation& invocation, const Terminal& terminal) {
  for (const FixedFile& one : fixed) {
    Invocation own = invocation;
    own.output_file = one.file;
    own.output_folder.clear();
    const auto written = write_pieces({{"review", "yaml", one.after}}, own, terminal);
    if (!written) return written.error();
    auto read = review::read_what_can_be(one.after, one.file);
    const auto is_old = [&one](const document::Document& each) {
      return each.source->file == one.file;
    };
    const auto first = std::ranges::find_if(files.documents, is_old) - files.documents.begin();
    std::erase_if(files.documents, is_old);
    files.documents.insert(files.documents.begin() + first,
                           std::make_move_iterator(read.documents.begin()),
                           std::make_move_iterator(read.documents.end()));
    terminal.err << fmt::format("{}: {} fixed\n", one.file, one.fixes);
  }
  return {};
}

bool fails(const domain::Review& review, std::string_view fail_on) {
  const auto limit = value_of<domain::Severity>(fail_on).value_or(domain::Severity::Warning);
  return std::ranges::any_of(review.findings, [limit](const domain::Finding& finding) {
    return finding.severity <= limit;  // Error comes first
  });
}

/// The contracts alone: nothing is reviewed.
int show_contracts(const ReviewFiles& files, const ReviewTables& tables,
                   const Invocation& invocation, const Terminal& terminal) {
  const ContractsOfFiles made = contracts_of_files(request_of(files, tables, invocation));
  for (const std::string& note : made.notes) terminal.err << note << "\n";
  if (!files.faults.empty()) return refuse(files.faults, terminal);
  if (made.text.empty()) {
    terminal.err << "nothing in these files asks for a GPU that is known\n";
    return kAnswerIsNo;
  }
  const auto written =
      write_pieces({{std::string(kContracts), "yaml", made.text}}, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  return made.notes.empty() ? kDone : kAnswerIsNo;
}

int show(const domain::Review& review, const Invocation& invocation, const Terminal& terminal) {
  const std::vector<std::string> outputs =
      invocation.outputs.empty() ? std::vector<std::string>{"text"} : invocation.outputs;
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  std::vector<Piece> pieces;
  bool has_text = false;
  for (const std::string& output : outputs) {
    const render::ReviewFormatRow& row = *find_review_format(output);
    has_text |= output == "text";
    const std::string name = output == "github" ? "annotations" : "review";
    pieces.push_back({name, std::string(row.extension), row.write(review, style)});
  }
  const auto written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  if (!has_text || !invocation.output_file.empty() || !invocation.output_folder.empty()) {
    terminal.err << render::count_text(review.findings) << "\n";
  }
  if (!review.faults.empty()) return refuse(review.faults, terminal);
  return fails(review, invocation.review.fail_on) ? kAnswerIsNo : kDone;
}

Diagnostics check_review(const ParsedFlags& parsed, const Invocation& invocation) {
  Diagnostics faults;
  if (parsed.positionals.empty()) {
    faults.push_back(complaint("review needs a FILE",
                               "name manifests, folders of them, or - for standard input"));
  }
  append_review_faults(faults, check_formats(invocation.outputs));
  const bool has_contracts =
      std::ranges::find(invocation.outputs, kContracts) != invocation.outputs.end();
  if (has_contracts && invocation.outputs.size() > 1) {
    faults.push_back(complaint("--output: contract stands alone: it reviews nothing",
                               "review FILE… -o contract"));
  } else if (invocation.outputs.size() > 1 && invocation.output_folder.empty()) {
    faults.push_back(complaint("--output: several formats do not go together in one place",
                               "add --output-dir FOLDER"));
  }
  append_review_faults(faults, check_rule_names("--rule", invocation.review.only));
  append_review_faults(faults, check_rule_names("--skip", invocation.review.skipped));
  const bool has_input = std::ranges::find(parsed.positionals, "-") != parsed.positionals.end();
  if (invocation.review.wants_fix && !invocation.review.is_dry_run && has_input) {
    faults.push_back(complaint("--fix: standard input is no file to write to",
                               "add --dry-run to see the changes, or name the files"));
  }
  if (invocation.review.is_dry_run && !invocation.review.wants_fix) {
    faults.push_back(complaint("--dry-run goes with --fix", "review FILE… --fix --dry-run"));
  }
  return faults;
}

}  // namespace

int run_review(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  Diagnostics faults = apply(parsed, invocation);
  if (faults.empty()) faults = check_review(parsed, invocation);
  if (!faults.empty()) return refuse(faults, terminal);
  Result<ReviewFiles> files = read_review_files(parsed.positionals);
  if (!files) return refuse(files.error(), terminal);
  const Result<ReviewTables> tables = open_tables(invocation);
  if (!tables) return refuse(tables.error(), terminal);
  for (const std::string& note : files->notes) terminal.err << note << "\n";

  if (std::ranges::find(invocation.outputs, kContracts) != invocation.outputs.end()) {
    return show_contracts(*files, *tables, invocation, terminal);
  }
  domain::Review review = review_of(*files, *tables, invocation);
  if (invocation.review.wants_fix) {
    const std::vector<FixedFile> fixed = fixed_files(*files, review);
    if (invocation.review.is_dry_run) {
      for (const FixedFile& one : fixed) {
        terminal.out << review::unified_diff(one.before, one.after, one.file);
      }
      terminal.err << (fixed.empty() ? "nothing to fix with certainty\n" : "");
      if (!review.faults.empty()) return refuse(review.faults, terminal);
      return fixed.empty() ? kDone : kAnswerIsNo;
    }
    if (const Diagnostics unwritten = write_fixes(fixed, *files, invocation, terminal);
        !unwritten.empty()) {
      return refuse(unwritten, terminal);
    }
    if (!fixed.empty()) review = review_of(*files, *tables, invocation);
  }
  return show(review, invocation, terminal);
}

}  // namespace gpushape::cli
