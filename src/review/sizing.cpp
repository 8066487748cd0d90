#include "review/sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "catalog/ollama_library.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "review/granted_gpus.hpp"
#include "review/model_names.hpp"
#include "review/understanding.hpp"

namespace gpushape::review {

using domain::Origin;

struct Sizings::Impl {
  const ReviewRequest& request;
  std::shared_ptr<PublishedTable> published;
  std::map<const PodRequest*, Sizing> sizings = {};
  std::map<const VmClass*, Sizing> vm_sizings = {};
  std::map<std::string, Result<domain::Model>, std::less<>> models = {};
  std::map<std::string, Result<domain::Engine>, std::less<>> engines = {};

  const Result<domain::Model>& model(const std::string& name) {
    const auto found = models.find(name);
    if (found != models.end()) return found->second;
    return models.emplace(name, request.catalog->find_name(name)).first->second;
  }

  const Result<domain::Engine>& engine(const std::string& name) {
    const auto found = engines.find(name);
    if (found != engines.end()) return found->second;
    return engines.emplace(name, request.catalog->engine(name)).first->second;
  }

  Sizing size(const PodRequest& pod);
  Sizing size(const VmClass& vm);
  /// Model, engine and estimate of a sizing whose workload and GPUs are known.
  void complete(Sizing& sizing);
};

namespace {

/// What the engine finds on that GPU: inside a share that a library keeps, the share.
domain::VisibleMemory memory_on(const GrantedGpu& gpu) {
  domain::VisibleMemory memory = domain::visible_memory(*gpu.device, gpu.profile);
  if (gpu.limit && *gpu.limit < memory.bytes.expected) {
    memory.bytes = domain::exactly(*gpu.limit);
    memory.source = gpu.from;
  }
  return memory;
}

/// The first complaint, without its help.
std::string first_message(const Diagnostics& faults) {
  return faults.empty() ? std::string("it cannot be sized") : faults.front().message;
}

void assume(Sizing& sizing, std::string fact, std::string value, std::string from,
            std::string flag) {
  sizing.assumptions.push_back(
      {std::move(fact), std::move(value), Origin::Default, std::move(from), std::move(flag)});
}

/// Ours: what Ollama's oldest releases with the variable took, and what its newest take on a small
/// GPU (docs.ollama.com/faq, "context window").
constexpr std::int64_t kOllamaContext = 4096;
/// The longest request of text-generation-inference by default, before it took what fits
/// (launcher/src/main.rs of 1.x: max_total_tokens 2048).
constexpr std::int64_t kLauncherContext = 2048;
/// Its prefill by default (launcher/src/main.rs: max_batch_prefill_tokens 4096).
constexpr std::int64_t kLauncherPrefill = 4096;
constexpr double kMostSpreadGpus = 64;

bool is_launcher(const Sizing& sizing) {
  return sizing.container != nullptr && sizing.container->engine &&
         sizing.container->engine->engine == "text-generation-inference";
}

void assume_context(Sizing& sizing, std::int64_t tokens, std::string from, std::string flag) {
  const std::int64_t most = sizing.model->max_context_tokens;
  if (most > 0) tokens = std::min(tokens, most);
  sizing.workload.context_tokens = domain::defaulted(tokens, from);
  assume(sizing, "context", std::to_string(tokens), std::move(from), std::move(flag));
}

/// Nothing describes the memory of text-generation-inference: the weights and one request, as
/// transformers holds them, are what it cannot do without either.
void stand_in_for_launcher(Sizing& sizing) {
  domain::Workload& workload = sizing.workload;
  workload.engine.engine = domain::defaulted<std::string>(
      "transformers", "text-generation-inference has no facts of its own");
  workload.engine.version.reset();
  assume(sizing, "engine", "transformers",
         "text-generation-inference has no facts of its own: weights and one request, as "
         "transformers holds them",
         "an engine that is described");
}

/// What the launcher warms up with.
void fill_prefill(Sizing& sizing) {
  domain::EngineSettings& engine = sizing.workload.engine;
  if (engine.max_num_batched_tokens || !sizing.workload.context_tokens) return;
  engine.max_num_batched_tokens = domain::defaulted(
      std::min(sizing.workload.context_tokens->value, kLauncherPrefill), "the launcher's own");
}

/// llama.cpp lays its layers over the GPUs that it sees, Ollama as well where one is too small, and
/// the launcher of text-generation-inference shards over them.
void spread_over_gpus(Sizing& sizing) {
  const EngineCall* call = sizing.container == nullptr || !sizing.container->engine
                               ? nullptr
                               : &*sizing.container->engine;
  const bool is_spread = call != nullptr && (call->runs_llama_cpp() ||
                                             (is_launcher(sizing) && call->is_split_elsewhere));
  if (!is_spread || sizing.workload.engine.tensor || sizing.gpu_count < 2) return;
  const EngineSetting* mode = call->find("layersOverGpus");
  if (mode != nullptr && mode->value == "none") return;
  sizing.workload.engine.tensor =
      domain::defaulted(static_cast<std::int64_t>(std::min(sizing.gpu_count, kMostSpreadGpus)),
                        "over all GPUs that it sees");
}

/// The engine's own defaults for what nobody says, as far as they decide whether it starts.
void fill_gaps(Sizing& sizing) {
  domain::Workload& workload = sizing.workload;
  spread_over_gpus(sizing);
  if (!workload.context_tokens && workload.engine.engine.value == "ollama") {
    assume_context(sizing, kOllamaContext, "OLLAMA_CONTEXT_LENGTH is not set: its default",
                   "OLLAMA_CONTEXT_LENGTH");
  }
  if (!workload.context_tokens && is_launcher(sizing)) {
    assume_context(sizing, kLauncherContext, "no --max-total-tokens: its oldest default, the least",
                   "--max-total-tokens");
  }
  if (is_launcher(sizing)) fill_prefill(sizing);
  if (!workload.context_tokens && sizing.model->max_context_tokens > 0) {
    workload.context_tokens =
        domain::defaulted(sizing.model->max_context_tokens, "the longest that the model takes");
    assume(sizing, "context", std::to_string(sizing.model->max_context_tokens),
           "no flag limits it: the longest that the model takes", "gpushape.dev/context");
  }
  if (!workload.concurrency) {
    workload.concurrency = domain::defaulted<std::int64_t>(1, "one sequence, the least");
    assume(sizing, "concurrency", "1", "not said: what the engine refuses to start without",
           "gpushape.dev/concurrency");
  }
  if (!workload.engine.version && !is_launcher(sizing)) {
    assume(sizing, "engine version", "newest known", "the image names none",
           "a tag of the image that is a version");
  }
  if (!workload.quantization) {
    assume(sizing, "quantization", std::string("as stored"), "the checkpoint's own",
           "gpushape.dev/quantization");
  }
}

/// Who the model is by the rows of Ollama's library.
void settle_library_model(const EngineCall& call, Sizing& sizing) {
  const auto found = catalog::ollama_model(call.model);
  if (!found) {
    sizing.gap = fmt::format("'{}' is not among the known names of Ollama's library", call.model);
    return;
  }
  const std::string from = fmt::format("what Ollama serves as '{}'", call.model);
  sizing.workload.model = domain::Fact<std::string>{found->name, Origin::Default, from};
  if (found->name != call.model) {
    assume(sizing, "model", found->name, from, "gpushape.dev/model");
  }
  if (!found->quantization || sizing.workload.quantization) return;
  sizing.workload.quantization =
      domain::Fact<domain::Quantization>{*found->quantization, Origin::Default, from};
  if (!found->is_stated) {
    assume(sizing, "quantization", std::string(name_of(*found->quantization)),
           "the tag says none: the library's default", "a tag like 8b-instruct-q4_K_M");
  }
}

/// A model that is no name of a catalog: who it is by its path, or by what clients call it.
void settle_path_model(const EngineCall& call, const catalog::Catalog& catalog, Sizing& sizing) {
  const auto found = model_behind(call, catalog);
  if (!found) {
    if (!call.model.empty()) {
      sizing.gap = fmt::format("'{}' names no one model of the catalog", call.model);
    }
    return;
  }
  sizing.workload.model = domain::Fact<std::string>{
      found->name, found->is_stated ? Origin::File : Origin::Default, found->from};
  if (!found->is_stated) {
    assume(sizing, "model", found->name, fmt::format("the name in {}", found->from),
           "gpushape.dev/model");
  }
}

/// A name on the command line, an annotation or the user's own Workload stay as they are.
void settle_model(const EngineCall& call, const catalog::Catalog& catalog, Sizing& sizing) {
  const auto& named = sizing.workload.model;
  const bool is_stated = named && named->value != call.model;
  if (is_stated) return;
  if (call.engine == "ollama" && !call.model.empty()) {
    settle_library_model(call, sizing);
  } else if (!named) {
    settle_path_model(call, catalog, sizing);
  }
}

/// A value that a shell, a template or the engine itself fills in: "$(TP)", "{{ .tp }}", "auto".
bool is_filled_in(const EngineSetting& setting) {
  return setting.value == "auto" || setting.value.find_first_of("$<{") != std::string::npos;
}

/// What decides the size stands where no document shows it.
std::string gap_of_call(const Sizing& sizing) {
  if (sizing.container == nullptr || !sizing.container->engine) return {};
  const EngineCall& call = *sizing.container->engine;
  const bool is_open = call.is_split_elsewhere || !sizing.workload.context_tokens;
  if (!call.settings_file.empty() && is_open) {
    return fmt::format("further settings stand in the file that {} names", call.settings_file);
  }
  for (const std::string_view name :
       {"tensor", "pipeline", "contextTokens", "sharedContextTokens", "kvCacheBytes"}) {
    const EngineSetting* setting = call.find(name);
    if (setting != nullptr && is_filled_in(*setting)) {
      return fmt::format("{} '{}' is filled in later", setting->flag, setting->value);
    }
  }
  for (const std::string_view name : {"tensorsElsewhere", "cacheElsewhere"}) {
    const EngineSetting* setting = call.find(name);
    if (setting != nullptr && setting->value != "0") {
      return fmt::format("{} leaves a part of it in host memory", setting->flag);
    }
  }
  if (call.engine == "triton" || call.engine == "nim") {
    return fmt::format("what {} loads, and how, stands in files of its own", call.engine);
  }
  return {};
}

}  // namespace

Sizing Sizings::Impl::size(const PodRequest& pod) {
  Sizing sizing;
  sizing.container = pod.engine_container();
  sizing.gpu_count = pod.gpu_count();
  sizing.gpus = granted_gpus(pod, request, *published);
  if (sizing.container == nullptr && pod.annotation("gpushape.dev/model") == nullptr) {
    sizing.gap = "no container starts an engine that is known";
    return sizing;
  }
  sizing.workload = workload_of(pod, sizing.container, request);
  complete(sizing);
  return sizing;
}

Sizing Sizings::Impl::size(const VmClass& vm) {
  Sizing sizing;
  sizing.gpu_count = static_cast<double>(vm.devices.size());
  if (request.workload == nullptr || vm.devices.empty()) {
    sizing.gap = "nothing says what the VM is for";
    return sizing;
  }
  sizing.workload = *request.workload;
  const VmDevice& device = vm.devices.front();
  const domain::Profile* profile = profile_of_device(device);
  if (device.product != nullptr && (profile != nullptr || device.is_passthrough())) {
    sizing.gpus.push_back({device.product, profile, {}, "its devices"});
  }
  complete(sizing);
  return sizing;
}

void Sizings::Impl::complete(Sizing& sizing) {
  if (request.catalog == nullptr) {
    sizing.gap = "no model is named that the catalog could know";
    return;
  }
  if (sizing.container != nullptr && sizing.container->engine) {
    settle_model(*sizing.container->engine, *request.catalog, sizing);
  }
  if (!sizing.gap.empty()) return;
  if (!sizing.workload.model) {
    sizing.gap = gap_of_call(sizing);
    if (sizing.gap.empty()) sizing.gap = "no model is named that the catalog could know";
    return;
  }
  if (!is_catalog_name(sizing.workload.model->value)) {
    sizing.gap = fmt::format("'{}' is no name of the catalog", sizing.workload.model->value);
    return;
  }
  if (is_launcher(sizing)) stand_in_for_launcher(sizing);
  const Result<domain::Model>& model_found = model(sizing.workload.model->value);
  sizing.gap = gap_of_call(sizing);
  if (!sizing.gap.empty()) {
    if (model_found) sizing.model = *model_found;
    return;
  }
  const Result<domain::Engine>& engine_found = engine(sizing.workload.engine.engine.value);
  if (!model_found || !engine_found) {
    sizing.gap = first_message(model_found ? engine_found.error() : model_found.error());
    return;
  }
  sizing.model = *model_found;
  sizing.engine = *engine_found;
  fill_gaps(sizing);
  std::optional<domain::VisibleMemory> memory;
  if (!sizing.gpus.empty()) memory = memory_on(sizing.gpus.front());
  Result<domain::Estimate> estimate =
      estimate::estimate_memory(*sizing.model, sizing.workload, *sizing.engine, memory);
  if (estimate) {
    sizing.estimate = std::move(*estimate);
  } else {
    sizing.gap = first_message(estimate.error());
  }
}

Sizings::Sizings(const ReviewRequest& request, std::shared_ptr<PublishedTable> published)
    : impl_(std::make_unique<Impl>(request, std::move(published))) {}
Sizings::~Sizings() = default;

const Sizing& Sizings::of(const PodRequest& pod) {
  const auto found = impl_->sizings.find(&pod);
  if (found != impl_->sizings.end()) return found->second;
  return impl_->sizings.emplace(&pod, impl_->size(pod)).first->second;
}

const Sizing& Sizings::of(const VmClass& vm) {
  const auto found = impl_->vm_sizings.find(&vm);
  if (found != impl_->vm_sizings.end()) return found->second;
  return impl_->vm_sizings.emplace(&vm, impl_->size(vm)).first->second;
}

std::optional<domain::Estimate> estimate_on(const Sizing& sizing, const GrantedGpu& gpu) {
  if (!sizing.model || !sizing.engine || gpu.device == nullptr) return std::nullopt;
  Result<domain::Estimate> estimate =
      estimate::estimate_memory(*sizing.model, sizing.workload, *sizing.engine, memory_on(gpu));
  if (!estimate) return std::nullopt;
  return std::move(*estimate);
}

std::optional<domain::Estimate> estimate_with(const Sizing& sizing,
                                              const domain::Workload& workload) {
  if (!sizing.model || !sizing.engine || sizing.gpus.empty()) return std::nullopt;
  Result<domain::Estimate> estimate = estimate::estimate_memory(
      *sizing.model, workload, *sizing.engine, memory_on(sizing.gpus.front()));
  if (!estimate) return std::nullopt;
  return std::move(*estimate);
}

}  // namespace gpushape::review
