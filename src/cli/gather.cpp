#include "cli/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "cli/advise_cluster.hpp"
#include "cli/document_files.hpp"
#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/traffic/with_traffic.hpp"
#include "inventory/sources.hpp"
#include "inventory/token_trace.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

// "4x" in front of a device: more than a rack holds is a slip of the keyboard.
constexpr std::int64_t kMostCounted = 1024;

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

/// Measured starts, in the order of their files; with any, the workload is known at E1.
Diagnostics take_evidence(const std::vector<std::string>& files, domain::Workload& workload) {
  Diagnostics faults;
  for (const std::string& file : files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      append(faults, documents.error());
      continue;
    }
    for (const document::Document& document : *documents) {
      Result<std::vector<domain::Measurement>> read = schema::read_evidence(document);
      if (!read) {
        append(faults, read.error());
        continue;
      }
      std::ranges::move(*read, std::back_inserter(workload.measurements));
    }
    if (workload.evidence.origin == domain::Origin::Default)
      workload.evidence = {domain::Evidence::E1, domain::Origin::Measured, file};
  }
  return faults;
}

/// Adds the tokens of a request's images to its context.
Diagnostics take_images(domain::Workload& workload, const domain::Model& model) {
  if (!workload.images) return {};
  std::int64_t tokens = 0;
  for (const domain::Tower& tower : model.towers)
    if (tower.kind == domain::TowerKind::Vision) tokens = std::max(tokens, tower.output_tokens);
  if (tokens == 0) {
    return {complaint(
        fmt::format("--images: {} takes no images, or it is not known how many tokens one becomes",
                    model.id),
        "leave --images out, and count their tokens in --context")};
  }
  if (!workload.context_tokens) return {};
  domain::Fact<std::int64_t>& context = *workload.context_tokens;
  const std::int64_t text = context.value;
  context = {text + workload.images->value * tokens, domain::Origin::Computed,
             fmt::format("{} of text ({}) and {} images of {} tokens", text, context.from,
                         workload.images->value, tokens)};
  return {};
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

/// The trace is read, and what follows from the traffic is worked out once.
Result<domain::Workload> take_traffic(const domain::Workload& workload,
                                      const std::optional<domain::Model>& model) {
  const domain::Model* const known = model ? &*model : nullptr;
  const auto& file = workload.traffic.trace_file;
  if (!file) return estimate::with_traffic(workload, nullptr, known);
  const Result<std::string> text = document::read_log_file(file->value);
  if (!text) return std::unexpected(text.error());
  const Result<domain::TokenTrace> trace = inventory::read_token_trace(*text, file->value);
  if (!trace) return std::unexpected(trace.error());
  return estimate::with_traffic(workload, &*trace, known);
}

struct ParsedWish {
  std::string name;
  std::optional<std::int64_t> most;
};

/// "4xl40s" is up to four l40s.
Result<ParsedWish> parse_wish(const std::string& text) {
  const std::size_t cross = text.find('x');
  const bool is_counted =
      cross != std::string::npos && cross > 0 && cross + 1 < text.size() &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cross),
                  [](unsigned char letter) { return std::isdigit(letter) != 0; });
  if (!is_counted) return ParsedWish{text, std::nullopt};
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + cross, count);
  if (error != std::errc() || count < 1 || count > kMostCounted) {
    return failure(fmt::format("--gpu: '{}' asks for {} GPUs, expected 1 to {}", text,
                               text.substr(0, cross), kMostCounted));
  }
  return ParsedWish{text.substr(cross + 1), count};
}

bool has_capability(const domain::Device& device, const std::string& capability) {
  if (capability == "bf16") return device.supports_bf16;
  if (capability == "fp8") return device.supports_fp8;
  if (capability == "fp4") return device.supports_fp4;
  if (capability == "int8") return device.supports_int8;
  if (capability == "mig") return device.supports_mig;
  if (capability == "nvlink") return device.nvlink.max_domain > 1;
  return device.supports_time_sliced;  // "vgpu"
}

/// Host files may name GPUs by an alias; what is compared with them are ids.
Diagnostics resolve_gpus(domain::Host& host, const profiles::Profiles& profiles) {
  Diagnostics faults;
  std::string last_name;
  std::string last_id;
  for (domain::HostGpu& gpu : host.gpus) {
    if (gpu.device != last_name) {
      const Result<domain::Device> device = profiles.find(gpu.device);
      if (!device) {
        append(faults, device.error());
        break;
      }
      last_name = gpu.device;
      last_id = device->id;
    }
    gpu.device = last_id;
  }
  return faults;
}

/// The user's total for the device, or for the profile asked for, instead of the table's.
Diagnostics state_memory(domain::Device& device, const Invocation& invocation) {
  const Bytes total = *invocation.visible_bytes;
  if (total > device.visible_bytes.high + gib(1)) {
    return {complaint(fmt::format("--memory-mib: {:.1f} GiB is more than a {} has ({:.1f} GiB)",
                                  total.gib(), device.id, device.visible_bytes.high.gib()))};
  }
  if (!invocation.profile) {
    device.visible_bytes = domain::exactly(total);
    device.visible_source = "--memory-mib";
    return {};
  }
  for (domain::Profile& profile : device.profiles) {
    if (!domain::is_named(profile, *invocation.profile)) continue;
    profile.visible_bytes = domain::exactly(total);
    profile.usable_bytes = total;
    profile.usable_source = "--memory-mib";
  }
  return {};
}

Result<std::vector<advise::Wish>> gather_wishes(const domain::Workload& workload,
                                                const profiles::Profiles& profiles,
                                                const std::optional<domain::Host>& host,
                                                const std::optional<LoadedCluster>& clusters,
                                                const Invocation& invocation) {
  std::vector<std::string> words = workload.gpus;
  if (words.empty() && host) {
    for (const domain::HostGpu& gpu : host->gpus) {
      if (std::ranges::find(words, gpu.device) == words.end()) words.push_back(gpu.device);
    }
  }
  if (words.empty()) words.emplace_back("any");

  std::vector<advise::Wish> wishes;
  Diagnostics faults;
  for (const std::string& word : words) {
    const Result<ParsedWish> parsed = parse_wish(word);
    if (!parsed) {
      append(faults, parsed.error());
      continue;
    }
    const int rank = static_cast<int>(&word - words.data());
    std::vector<domain::Device> devices;
    const bool is_any = parsed->name == "any";
    if (is_any) {
      Result<std::vector<domain::Device>> all = profiles.all();
      if (!all) return std::unexpected(all.error());
      devices = std::move(*all);
    } else {
      Result<domain::Device> device = profiles.find(parsed->name);
      if (!device) {
        append(faults, device.error());
        continue;
      }
      devices.push_back(std::move(*device));
    }
    for (domain::Device& device : devices) {
      std::string lacking;
      for (const std::string& capability : workload.requires_) {
        if (!has_capability(device, capability)) lacking = capability;
      }
      const bool is_on_host =
          !host || std::ranges::any_of(host->gpus, [&](const domain::HostGpu& gpu) {
            return gpu.device == device.id;
          });
      // Cards that no server board carries (a workstation's, a preliminary one) are had by name.
      const bool is_in_servers = host || clusters || !device.boards.empty();
      const bool is_in_cluster =
          !clusters || std::ranges::find(clusters->devices, device.id, &domain::Device::id) !=
                           clusters->devices.end();
      const bool is_there = is_on_host && is_in_servers && is_in_cluster;
      if (is_any && (!lacking.empty() || !is_there)) continue;
      if (!lacking.empty()) {
        faults.push_back(complaint(fmt::format("--require {}: a {} has none", lacking, device.id)));
        continue;
      }
      if (!is_on_host) {
        faults.push_back(
            complaint(fmt::format("--host {}: the host has no {}", host->name, device.id),
                      "name a GPU of that host with --gpu, or leave --gpu out"));
        continue;
      }
      if (!is_in_cluster) {
        faults.push_back(
            complaint(fmt::format("--cluster: {} has no {}", clusters->cluster.source, device.id),
                      "name a GPU of the cluster with --gpu, or leave --gpu out"));
        continue;
      }
      advise::Wish wish;
      if (invocation.visible_bytes) append(faults, state_memory(device, invocation));
      const std::optional<domain::Host> server =
          host || !clusters ? host : server_with(*clusters, device.id);
      if (server) {
        wish.host = *server;
        wish.is_usual_host = false;
      } else {
        Result<domain::Host> usual = profiles.usual_server(device);
        if (!usual) return std::unexpected(usual.error());
        wish.host = std::move(*usual);
      }
      wish.is_counted = parsed->most.has_value();
      wish.most = parsed->most.value_or(wish.most);
      wish.rank = rank;
      wish.is_any = is_any;
      wish.device = std::move(device);
      wishes.push_back(std::move(wish));
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  if (wishes.empty()) {
    return failure("no GPU of the table has what --require asks for",
                   "drop a requirement, or name the GPUs with --gpu");
  }
  return wishes;
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
  if (Diagnostics unread = take_evidence(invocation.evidence_files, invocation.workload);
      !unread.empty()) {
    return failure(std::move(unread));
  }
  return invocation.workload;
}

Result<Gathered> gather(const ParsedFlags& parsed, Invocation& invocation) {
  if (const Result<domain::Workload> read = gather_workload(parsed, invocation); !read)
    return std::unexpected(read.error());
  if (parsed.positionals.size() > 1) {
    return failure(fmt::format("one MODEL is expected, found {}: {}", parsed.positionals.size(),
                               fmt::join(parsed.positionals, " ")),
                   "put a name that holds blanks in quotes");
  }
  domain::Workload& workload = invocation.workload;
  if (!parsed.positionals.empty()) {
    workload.model = domain::Fact<std::string>{parsed.positionals.front(), domain::Origin::Flag,
                                               "the command line"};
  }
  if (!invocation.hardware_label.empty()) {
    workload.hardware_label = domain::Fact<std::string>{invocation.hardware_label,
                                                        domain::Origin::Flag, "--hardware-label"};
  }

  Gathered gathered;
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return std::unexpected(catalog.error());
  Diagnostics faults;
  if (workload.model) {
    Result<domain::Model> model = catalog->find(workload.model->value);
    if (model) {
      append(faults, take_images(workload, *model));
      gathered.model = std::move(*model);
    } else {
      append(faults, model.error());
    }
    if (auto& draft = workload.engine.draft_model) {
      Result<domain::Model> found = catalog->find(draft->name.value);
      if (found) {
        draft->model = std::make_shared<const domain::Model>(std::move(*found));
      } else {
        append(faults, found.error());
      }
    }
    append(faults, choose_trainer(workload));
    Result<domain::Engine> engine = catalog->engine(workload.engine.engine.value);
    if (engine) {
      workload.engine.engine.value = engine->name;  // in the one spelling of it
      gathered.engine = std::move(*engine);
    } else {
      append(faults, engine.error());
    }
  } else if (!workload.demand) {
    faults.push_back(
        complaint("no MODEL, and no demand either",
                  "name a model (a catalog name, a Hugging Face id or a path), or give "
                  "-f WORKLOAD or --memory-ceiling BYTES"));
  }
  std::optional<domain::Host> host;
  if (!invocation.host.empty()) {
    const Result<std::vector<document::Document>> documents = read_documents(invocation.host);
    if (!documents) {
      append(faults, documents.error());
    } else {
      Result<domain::Host> read = inventory::read_server(documents->front());
      if (read) {
        host = std::move(*read);
      } else {
        append(faults, read.error());
      }
    }
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return std::unexpected(profiles.error());
  if (host) append(faults, resolve_gpus(*host, *profiles));
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
  Result<domain::Workload> with_traffic = take_traffic(workload, gathered.model);
  if (!with_traffic) return std::unexpected(with_traffic.error());
  gathered.workload = *std::move(with_traffic);
  return gathered;
}

}  // namespace gpushape::cli
