#include "cli/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/edit_distance.hpp"
#include "catalog/ollama_library.hpp"
#include "catalog/quantization_names.hpp"
#include "cli/document_files.hpp"
#include "cli/measured_starts.hpp"
#include "cli/named_host.hpp"
#include "cli/wishes.hpp"
#include "document/text_format.hpp"
#include "estimate/images.hpp"
#include "estimate/traffic/with_traffic.hpp"
#include "inventory/engine_telemetry.hpp"
#include "inventory/sources.hpp"
#include "inventory/token_trace.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

void append(Diagnostics& all, Diagnostics more) {
  std::ranges::move(more, std::back_inserter(all));
}

Result<domain::Workload> read_workload_files(const std::vector<std::string>& given) {
  const Result<std::vector<std::string>> files = document_files(given);
  if (!files) return std::unexpected(files.error());
  std::optional<domain::Workload> workload;
  for (const std::string& file : *files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) return std::unexpected(documents.error());
    for (const document::Document& document : *documents) {
      if (workload) {
        return failure(document.source->diagnostic(
            document.root.position(), "a second workload, and one is answered at a time",
            "name one file with -f, or run once for each"));
      }
      Result<domain::Workload> read = schema::read_workload(document);
      if (!read) return read;
      workload = std::move(*read);
    }
  }
  return workload ? *workload : domain::Workload{};
}

/// Measured starts, in the order of their files, and telemetry; with any, the workload is known at
/// E1.
Diagnostics take_evidence(Invocation& invocation, domain::Workload& workload) {
  if (invocation.evidence_files.empty()) return {};
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return catalog.error();
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return profiles.error();
  Diagnostics faults;
  std::vector<document::Document> answers;
  for (const std::string& file : invocation.evidence_files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      append(faults, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      if (inventory::is_prometheus_answer(document)) {
        answers.push_back(document);
        continue;
      }
      Result<std::vector<domain::Measurement>> read =
          read_measured_starts(document, *catalog, *profiles);
      if (!read) {
        append(faults, read.error());
        continue;
      }
      std::ranges::move(*read, std::back_inserter(workload.measurements));
      if (workload.evidence.origin == domain::Origin::Default)
        workload.evidence = {domain::Evidence::E1, domain::Origin::Measured, file};
    }
  }
  if (answers.empty()) return faults;
  Result<domain::EngineTelemetry> telemetry = inventory::read_engine_telemetry(answers);
  if (!telemetry) {
    append(faults, telemetry.error());
    return faults;
  }
  if (const auto type = catalog::parse_kv_cache_type(telemetry->cache_type))
    telemetry->kv_cache_type = *type;
  invocation.telemetry = *std::move(telemetry);
  return faults;
}

constexpr std::string_view kTrainer = "pytorch";

/// The role, the engine and the facts of training go together: one of them brings the others.
Diagnostics choose_trainer(domain::Workload& workload) {
  domain::Fact<std::string>& engine = workload.engine.engine;
  const bool is_engine_open = engine.origin == domain::Origin::Default;
  std::string stated;  // what says that something is trained
  for (const domain::TrainingFact& fact : domain::facts_of(workload.training, {})) {
    if (fact.origin != domain::Origin::Default) stated = fact.from;
  }
  if (!is_engine_open && engine.value == kTrainer) stated = engine.from;
  if (!workload.role && !stated.empty())
    workload.role = {domain::Role::FineTune, domain::Origin::Computed, stated};
  const bool is_training = workload.role && workload.role->value == domain::Role::FineTune;
  if (!is_training) {
    if (stated.empty()) return {};
    return {complaint(fmt::format("{} speaks of training, and the role is {}", stated,
                                  name_of(workload.role->value)),
                      "leave it out, or ask for --role fine-tune")};
  }
  if (is_engine_open)
    engine = {std::string(kTrainer), domain::Origin::Computed, "the role fine-tune"};
  if (engine.value == kTrainer) return {};
  return {complaint(fmt::format("{} serves models, it does not train them", engine.value),
                    "leave --engine out for --role fine-tune, or name pytorch")};
}

constexpr std::string_view kOllama = "ollama";

/// "gemma3:27b" is a file of Ollama's library, whose tag decides the model and how it is quantized.
std::optional<Result<domain::Model>> find_library_model(const catalog::Catalog& catalog,
                                                        domain::Workload& workload) {
  const std::string name = workload.model->value;
  const auto engine = catalog.engine(workload.engine.engine.value);
  const bool is_ollama = engine && engine->name == kOllama;
  const bool is_tag = name.contains(':') && !name.contains('/');
  if (!is_ollama && !is_tag) return std::nullopt;
  const auto found = catalog::ollama_model(name);
  if (!found || found->name == name) return std::nullopt;
  Result<domain::Model> model = catalog.find(found->name);
  if (!model) return model;
  const std::string from = fmt::format("what Ollama serves as '{}'", name);
  model->notes.push_back(fmt::format("'{}' is read as {}: {}", name, model->id, from));
  const bool decides = is_ollama || found->is_stated;
  if (found->quantization && decides && !workload.quantization)
    workload.quantization = {*found->quantization, domain::Origin::Computed, from};
  return model;
}

/// The model, its draft and the engine of the workload, by their names in the catalog.
Diagnostics look_up_model(const catalog::Catalog& catalog, domain::Workload& workload,
                          Gathered& gathered) {
  Diagnostics faults;
  const std::string& name = workload.model->value;
  const auto by = workload.quantization ? catalog::FormatBy::Asker : catalog::FormatBy::Checkpoint;
  auto of_library = find_library_model(catalog, workload);
  Result<domain::Model> model = of_library ? *std::move(of_library)
                                : workload.model->origin == domain::Origin::Flag
                                    ? catalog.find_typed(name, by)
                                    : catalog.find(name, by);
  if (model) {
    append(faults, estimate::add_images(workload, *model));
    gathered.model = std::move(*model);
  } else {
    append(faults, model.error());
  }
  append(faults, take_draft(workload, catalog));
  append(faults, choose_trainer(workload));
  Result<domain::Engine> engine = catalog.engine(workload.engine.engine.value);
  if (engine) {
    workload.engine.engine.value = engine->name;  // in the one spelling of it
    gathered.engine = std::move(*engine);
  } else {
    append(faults, engine.error());
  }
  return faults;
}

/// A VM that is bound to devices has them passed through, and its GPU set-up is fixed: nobody needs
/// to say so beside it.
void ask_for_bound_devices(domain::Workload& workload) {
  if (workload.placement.pci_addresses.empty()) return;
  constexpr const char* kFrom = "the addresses of devices";
  if (workload.appliance.origin == domain::Origin::Default) {
    workload.appliance = {true, domain::Origin::Computed, kFrom};
  }
  if (workload.technology || workload.consumption_model) return;
  workload.technology = domain::Fact<domain::Technology>{domain::Technology::Passthrough,
                                                         domain::Origin::Computed, kFrom};
}

}  // namespace

Result<domain::Workload> gather_workload(const ParsedFlags& parsed, Invocation& invocation) {
  // -f and the folders must be known before the files are read; the rest of the flags wins over
  // them.
  Invocation first_pass;
  if (Diagnostics faults = apply(parsed, first_pass); !faults.empty()) {
    return failure(std::move(faults));
  }
  Result<domain::Workload> from_files = read_workload_files(first_pass.files);
  if (!from_files) return std::unexpected(from_files.error());
  invocation.workload = std::move(*from_files);
  apply(parsed, invocation);
  invocation.positionals = parsed.positionals;
  if (Diagnostics unread = take_evidence(invocation, invocation.workload); !unread.empty()) {
    return failure(std::move(unread));
  }
  return invocation.workload;
}

Diagnostics take_draft(domain::Workload& workload, const catalog::Catalog& catalog) {
  auto& draft = workload.engine.draft_model;
  if (!draft) return {};
  Result<domain::Model> found = catalog.find(draft->name.value);
  if (!found) return std::move(found.error());
  draft->model = std::make_shared<const domain::Model>(std::move(*found));
  return {};
}

Result<domain::Workload> take_traffic(const domain::Workload& workload,
                                      const domain::Model* model) {
  const auto& file = workload.traffic.trace_file;
  if (!file) return estimate::with_traffic(workload, nullptr, model);
  const Result<std::string> text = document::read_log_file(file->value);
  if (!text) return std::unexpected(text.error());
  const Result<domain::TokenTrace> trace = inventory::read_token_trace(*text, file->value);
  if (!trace) return std::unexpected(trace.error());
  return estimate::with_traffic(workload, &*trace, model);
}

Result<Gathered> gather(const ParsedFlags& parsed, Invocation& invocation) {
  if (const Result<domain::Workload> read = gather_workload(parsed, invocation); !read)
    return std::unexpected(read.error());
  if (parsed.positionals.size() > 1) {
    return failure(fmt::format("one MODEL is expected, found {}: {}", parsed.positionals.size(),
                               fmt::join(parsed.positionals, " ")),
                   "put a name that holds blanks in quotes");
  }
  if (!parsed.positionals.empty()) {
    invocation.workload.model = domain::Fact<std::string>{parsed.positionals.front(),
                                                          domain::Origin::Flag, "the command line"};
  }
  return gather_for(invocation);
}

Result<Gathered> gather_for(Invocation& invocation) {
  domain::Workload& workload = invocation.workload;
  if (!invocation.hardware_label.empty()) {
    workload.hardware_label = domain::Fact<std::string>{invocation.hardware_label,
                                                        domain::Origin::Flag, "--hardware-label"};
  }
  ask_for_bound_devices(workload);

  Gathered gathered;
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return std::unexpected(catalog.error());
  Diagnostics faults;
  if (workload.model) {
    append(faults, look_up_model(*catalog, workload, gathered));
  } else if (!workload.demand && invocation.usage_files.empty()) {
    faults.push_back(
        complaint("no MODEL, and no demand either",
                  "name a model (a catalog name, a Hugging Face id or a path), or give "
                  "-f WORKLOAD or --memory-ceiling BYTES"));
  }
  std::optional<domain::Host> host;
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return std::unexpected(profiles.error());
  if (!invocation.host.empty()) {
    Result<domain::Host> named = named_host(
        invocation.host, *profiles, workload.gpus.empty() ? std::string() : workload.gpus.front());
    if (named) {
      host = *std::move(named);
    } else {
      append(faults, named.error());
    }
  }
  if (!invocation.clusters.empty()) {
    Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
    if (!loaded) {
      append(faults, loaded.error());
      return failure(std::move(faults));
    }
    gathered.clusters = std::move(*loaded);
  }
  Result<std::vector<advise::Wish>> wishes =
      gather_wishes(workload, *profiles, host, gathered.clusters, invocation);
  if (wishes) {
    gathered.wishes = std::move(*wishes);
  } else {
    append(faults, wishes.error());
  }
  if (!faults.empty()) return failure(std::move(faults));
  Result<domain::Workload> with_traffic =
      take_traffic(workload, gathered.model ? &*gathered.model : nullptr);
  if (!with_traffic) return std::unexpected(with_traffic.error());
  gathered.workload = *std::move(with_traffic);
  return gathered;
}

advise::AdviceRequest advice_request(const Gathered& gathered) {
  advise::AdviceRequest request;
  request.workload = gathered.workload;
  request.model = gathered.model;
  request.engine = gathered.engine;
  request.wishes = gathered.wishes;
  return request;
}

}  // namespace gpushape::cli
