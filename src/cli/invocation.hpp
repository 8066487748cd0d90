// What a command line asked for, before anything is looked up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "catalog/modality.hpp"
#include "cli/sweep_lists.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "domain/solution.hpp"
#include "domain/telemetry.hpp"
#include "domain/workload.hpp"
#include "emit/targets.hpp"

namespace gpushape::cli {

/// catalog list: which models.
struct CatalogFilter {
  std::vector<std::string> families;
  std::optional<ParameterRange> size;
  std::optional<catalog::Modality> modality;
};

/// catalog import: what a file does not say of itself.
struct CatalogImport {
  std::string id;
  std::vector<std::string> aliases;
  std::string source;
};

/// review: what of the findings counts, and what is done about them.
struct ReviewFlags {
  std::string workload_file;
  std::string baseline_file;
  std::string fail_on = "warning";
  std::vector<std::string> only;
  std::vector<std::string> skipped;
  bool wants_fix = false;
  bool is_dry_run = false;
  bool wants_checklist = false;
};

struct Invocation {
  std::vector<std::string> arguments;    ///< as given, for the last comment of a manifest
  std::vector<std::string> positionals;  ///< after the command
  std::vector<std::string> files;        ///< -f
  domain::Workload workload;

  // Hardware that is no fact of the workload.
  std::optional<std::string> profile;
  std::optional<Bytes> visible_bytes;  ///< --memory-mib
  std::string hardware_label;
  std::string host;

  // A sweep.
  SweepLists lists;
  std::optional<Shard> shard;
  std::optional<std::int64_t> threads;
  bool wants_count = false;

  // Placement.
  std::vector<std::string> clusters;
  std::vector<std::string> policies;
  std::string trace;
  std::string import_source;  ///< --from
  std::vector<std::string> usage_files;
  std::int64_t reserve_failover = 0;
  std::int64_t seed = 1;
  double arrivals_percent = 100;

  // Answer.
  std::vector<std::string> outputs;
  std::string output_file;
  std::string output_folder;
  std::optional<std::int64_t> pick;
  std::vector<std::string> compare;  ///< two shapes, by place or name
  std::string prices_file;
  std::string name;
  std::string name_space;
  bool has_comments = true;
  std::vector<emit::Label> labels;             ///< of the documents
  std::optional<std::chrono::sys_days> as_of;  ///< the day that dates are counted from
  std::string nic_class;                       ///< DeviceClass of cards beside the GPUs of claims
  std::string diff_file;                       ///< manifests to compare with in place of writing
  std::string template_file;                   ///< a target of the user's own
  ColorChoice color = ColorChoice::Auto;
  int verbosity = 0;

  // Configuration.
  std::optional<std::string> catalog_folder;
  std::optional<std::string> profiles_folder;
  std::vector<std::string> rules_files;  ///< --rules
  std::string kubernetes;
  std::string vm_operator;

  std::optional<domain::SolveFor> solve;
  std::optional<domain::EngineVersion> compare_version;  ///< estimate: the version after an upgrade
  std::string evidence_file;                             ///< calibrate: where evidence is written
  std::vector<std::string> evidence_files;               ///< measured starts to take
  std::optional<domain::EngineTelemetry> telemetry;      ///< what they tell of an engine over time
  std::string measured_on;                               ///< --measured-on
  bool wants_quantizations = false;                      ///< catalog list --quantizations
  ReviewFlags review;
  CatalogFilter catalog_filter;
  CatalogImport catalog_import;
};

}  // namespace gpushape::cli
