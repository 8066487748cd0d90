// gpushape calibrate: start-up logs of real engines beside the estimates for them.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/started_draft.hpp"
#include "calibrate/started_model.hpp"
#include "catalog/catalog.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/named_gpu.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using calibrate::EngineLog;
using calibrate::EngineStart;
using calibrate::Surroundings;

/// What the flags say wins over the log. The settings that they gave, each with its flag.
std::map<std::string, std::string, std::less<>> take_flags(const Invocation& invocation,
                                                           EngineLog& log) {
  const domain::EngineSettings& asked = invocation.workload.engine;
  calibrate::EngineStart& start = log.start;
  std::map<std::string, std::string, std::less<>> given;
  const auto take = [&](auto& target, const auto& value, const char* setting, const char* flag) {
    if (!value) return;
    target = value->value;
    given.emplace(setting, flag);
  };
  const auto& type = invocation.workload.kv_cache_type;
  if (type.origin == domain::Origin::Flag) {
    start.kv_cache_type = std::string(name_of(type.value));
    given.emplace("kvCacheType", "--kv-cache-dtype");
  }
  if (asked.version) {
    start.engine_version = to_text(asked.version->value);
    given.emplace("engine", "--engine-version");
  }
  if (const auto& format = invocation.workload.quantization) {
    start.quantization = std::string(name_of(format->value));
    given.emplace("quantization", "--quant");
  }
  take(start.tensor_parallel, asked.tensor, "tensorParallel", "--tp");
  take(start.pipeline_parallel, asked.pipeline, "pipelineParallel", "--pp");
  take(start.data_parallel, asked.data, "dataParallel", "--dp");
  take(start.expert_parallel, asked.expert, "expertParallel", "--ep");
  take(start.max_num_seqs, asked.max_num_seqs, "maxNumSeqs", "--max-num-seqs");
  take(start.max_num_batched_tokens, asked.max_num_batched_tokens, "maxNumBatchedTokens",
       "--max-num-batched-tokens");
  take(start.utilization, asked.gpu_memory_utilization, "gpuMemoryUtilization",
       "--gpu-memory-utilization");
  take(start.context_tokens, invocation.workload.context_tokens, "contextTokens", "--context");
  if (asked.enforce_eager.origin == domain::Origin::Flag) {
    start.enforce_eager = true;
    given.emplace("enforceEager", "--enforce-eager");
  }
  return given;
}

/// By the name in the log, or by what clients call the model: a path or a name in a file says
/// nothing at times.
Result<domain::Model> find_named_model(const EngineStart& start, const catalog::Catalog& catalog) {
  if (start.model.empty()) return calibrate::find_started_model(start.served_name, catalog);
  Result<domain::Model> model =
      calibrate::find_started_model(start.model, catalog, start.quantization);
  if (!model && !start.served_name.empty() && start.served_name != start.model) {
    if (auto served = calibrate::find_started_model(start.served_name, catalog)) return served;
  }
  return model;
}

/// `from` is told where no name told it.
Result<domain::Model> find_model(const EngineLog& log, const Invocation& invocation,
                                 const catalog::Catalog& catalog, std::string& from) {
  if (invocation.workload.model) {
    from = "--model";
    return catalog.find_typed(invocation.workload.model->value);
  }
  if (log.start.model.empty() && log.start.served_name.empty())
    return failure(fmt::format("{}: the log does not name the model", log.start.id),
                   "name it with --model");
  Result<domain::Model> model = find_named_model(log.start, catalog);
  if (model) return model;
  if (auto alike = calibrate::find_model_of_sizes(log.model_sizes, catalog)) {
    const std::string& name = log.start.model.empty() ? log.start.served_name : log.start.model;
    from = fmt::format("the sizes that the file of '{}' states", name);
    return *std::move(alike);
  }
  constexpr std::string_view kHelp = "--model NAME or a path to its config.json says what it is";
  if (log.start.model.starts_with('/') || log.start.model.starts_with('.'))
    return failure(fmt::format("{}: the log names its model by a path, '{}', whose parts are no "
                               "name in the catalog",
                               log.start.id, log.start.model),
                   std::string(kHelp));
  for (Diagnostic& diagnostic : model.error()) {
    diagnostic.help += diagnostic.help.empty() ? "" : "; ";
    diagnostic.help += kHelp;
  }
  return model;
}

/// A log that prints the GPU's total says which GPUs it cannot have been.
std::string fault_of_gpu(const EngineLog& log, const domain::VisibleMemory& gpu) {
  // Drivers keep 0.3 to 1 GiB more or less of one GPU (totals of profiles/ and of printed logs),
  // the next larger or smaller GPU is 20 % away or more.
  constexpr double kMost = 1.05;
  constexpr double kLeast = 0.8;
  if (!log.start.gpu_total_gib || *log.start.gpu_total_gib <= 0) return {};
  const double share = *log.start.gpu_total_gib / gpu.bytes.expected.gib();
  if (share <= kMost && share >= kLeast) return {};
  return fmt::format("{}: the log's GPU has {:.2f} GiB, and {} has {:.2f}", log.start.id,
                     *log.start.gpu_total_gib, gpu.device, gpu.bytes.expected.gib());
}

/// The GPU of the flags, else the one that the log names; its total as the log prints it.
Result<std::optional<domain::VisibleMemory>> find_gpu(const EngineLog& log,
                                                      const Invocation& invocation,
                                                      const profiles::Profiles& profiles,
                                                      std::string& from) {
  std::optional<domain::VisibleMemory> gpu;
  if (!invocation.workload.gpus.empty()) {
    const Result<domain::Device> device = profiles.find(invocation.workload.gpus.front());
    if (!device) return std::unexpected(device.error());
    const Result<domain::VisibleMemory> memory = memory_of(*device, invocation);
    if (!memory) return std::unexpected(memory.error());
    gpu = *memory;
    from = "--gpu";
    if (const std::string fault = fault_of_gpu(log, *gpu); !fault.empty())
      return failure(fault, "give --gpu as it ran, with --profile where it is a slice");
  } else if (!log.device_name.empty()) {
    std::string name = log.device_name;
    std::ranges::replace(name, '_', ' ');
    // A text of several starts may name the GPU of another.
    if (const Result<domain::Device> device = profiles.find(name))
      gpu = *memory_of(*device, Invocation{});
    if (gpu && !fault_of_gpu(log, *gpu).empty()) gpu.reset();
  }
  const std::optional<Bytes> total = invocation.visible_bytes ? invocation.visible_bytes
                                     : log.start.gpu_total_gib
                                         ? std::optional(gib_of(*log.start.gpu_total_gib))
                                         : std::nullopt;
  if (!total) return gpu;
  if (!gpu) {
    gpu = stated_memory(*total);
    if (!log.start.vendor.empty()) gpu->vendor = log.start.vendor;
    gpu->compute_capability = log.start.compute_capability;
  }
  constexpr double kHalfOfLastDecimal = 0.005;  // GiB; the log prints two
  gpu->bytes = {.low = *total - gib_of(kHalfOfLastDecimal),
                .expected = *total,
                .high = *total + gib_of(kHalfOfLastDecimal)};
  gpu->under_linux.reset();
  return gpu;
}

Result<domain::Calibration> calibrate_one(const std::string& file, const Invocation& invocation,
                                          const catalog::Catalog& catalog,
                                          const profiles::Profiles& profiles) {
  const Result<std::string> text = document::read_log_file(file);
  if (!text) return std::unexpected(text.error());
  Result<EngineLog> log = calibrate::read_engine_log(*text, file == "-" ? "standard input" : file);
  if (!log) return std::unexpected(log.error());
  Surroundings surroundings;
  surroundings.of_flags = take_flags(invocation, *log);
  Diagnostics faults;
  Result<domain::Model> model = find_model(*log, invocation, catalog, surroundings.model_from);
  if (model && calibrate::is_format_unstated(log->start, *model)) {
    faults.push_back(complaint(
        fmt::format("{}: the log says '{}', which does not tell the format of the weights",
                    log->start.id, log->start.quantization),
        "name it with --quant, or the quantized repository with --model"));
  } else if (model) {
    calibrate::find_draft(log->start, catalog, *model);
    surroundings.model = *std::move(model);
  } else {
    std::ranges::move(model.error(), std::back_inserter(faults));
  }
  Result<domain::Engine> engine = catalog.engine(log->start.engine);
  if (engine) {
    surroundings.engine = *std::move(engine);
  } else {
    std::ranges::move(engine.error(), std::back_inserter(faults));
  }
  auto gpu = find_gpu(*log, invocation, profiles, surroundings.gpu_from);
  if (gpu) {
    surroundings.gpu = *std::move(gpu);
  } else {
    std::ranges::move(gpu.error(), std::back_inserter(faults));
  }
  if (!faults.empty()) return failure(std::move(faults));
  return calibrate::calibrate(*log, surroundings);
}

Diagnostics write_evidence(const std::vector<domain::Calibration>& calibrations,
                           const std::string& path, const Terminal& terminal) {
  std::vector<domain::Measurement> measurements;
  for (const domain::Calibration& calibration : calibrations) {
    const domain::Measurement& measurement = calibration.measurement;
    for (const std::string& note : measurement.notes)
      terminal.err << fmt::format("--write-evidence: {}: {}\n", calibration.log, note);
    if (!measurement.terms.empty()) measurements.push_back(measurement);
  }
  if (measurements.empty())
    return {complaint("--write-evidence: the logs hold no measured term to write")};
  std::ofstream file(path, std::ios::binary);
  file << document::write_yaml(schema::evidence_node(measurements));
  file.close();
  if (!file) return {complaint(fmt::format("--write-evidence: '{}' could not be written", path))};
  terminal.err << "wrote " << path << "\n";
  return {};
}

}  // namespace

int run_calibrate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty())
    return refuse(faults, terminal);
  if (parsed.positionals.empty()) {
    return refuse(
        {complaint("calibrate needs a LOG",
                   "name start-up logs (plain, gzip or inside JSON), or - for standard input")},
        terminal);
  }
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return refuse(catalog.error(), terminal);
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);

  // A broken log never hides the answers about the others.
  std::vector<domain::Calibration> calibrations;
  Diagnostics faults;
  for (const std::string& file : parsed.positionals) {
    Result<domain::Calibration> one = calibrate_one(file, invocation, *catalog, *profiles);
    if (one) {
      calibrations.push_back(*std::move(one));
    } else {
      std::ranges::move(one.error(), std::back_inserter(faults));
    }
  }
  if (calibrations.empty()) return refuse(faults, terminal);
  const Diagnostics unwritten =
      print_document("calibration", invocation, terminal,
                     [&](const render::FormatRow& row, const render::Style& style) {
                       return row.calibration(calibrations, style);
                     });
  std::ranges::copy(unwritten, std::back_inserter(faults));
  if (!invocation.evidence_file.empty() && unwritten.empty()) {
    std::ranges::move(write_evidence(calibrations, invocation.evidence_file, terminal),
                      std::back_inserter(faults));
  }
  if (!faults.empty()) return refuse(faults, terminal);
  const bool agrees = std::ranges::all_of(calibrations, &domain::Calibration::agrees);
  return agrees ? kDone : kAnswerIsNo;
}

}  // namespace gpushape::cli
