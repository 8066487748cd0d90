#include "cli/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "advise/capability.hpp"
#include "base/calendar.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/review.hpp"
#include "inventory/import.hpp"
#include "inventory/seen.hpp"
#include "place/decide.hpp"
#include "schema/token_figures.hpp"

namespace gpushape::cli {
namespace {

using domain::Fact;
using domain::Origin;

// ---- setting a field from a parsed value
// -------------------------------------------------------------------------

template <class T>
void put(Fact<T>& target, T value, const Given& given) {
  target = {std::move(value), Origin::Flag, std::string(given.flag)};
}
template <class T>
void put(std::optional<Fact<T>>& target, T value, const Given& given) {
  target = Fact<T>{std::move(value), Origin::Flag, std::string(given.flag)};
}
template <class T>
void put(std::optional<T>& target, T value, const Given&) {
  target = std::move(value);
}
inline void put(std::string& target, std::string value, const Given&) { target = std::move(value); }

template <class Target, class T>
Diagnostics set(Target& target, Result<T> value, const Given& given) {
  if (!value) return value.error();
  put(target, std::move(*value), given);
  return {};
}

template <class E, class Target>
Diagnostics set_choice(Target& target, const Given& given) {
  return set(target, parse_choice<E>(given), given);
}

Result<std::string> text_of(const Given& given) {
  if (given.text.empty()) return failure(fmt::format("{}: the value is empty", given.flag));
  return given.text;
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char letter : text + ",") {
    if (letter != ',') {
      part += letter;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

/// A flag that repeats.
Diagnostics add_list(std::vector<std::string>& target, const Given& given) {
  const std::vector<std::string> parts = split_commas(given.text);
  if (parts.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  std::ranges::copy(parts, std::back_inserter(target));
  return {};
}

Diagnostics set_list(std::vector<std::string>& target, const Given& given) {
  const std::vector<std::string> parts = split_commas(given.text);
  if (parts.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  target = parts;
  return {};
}

// Bounds that keep arithmetic far from overflow; nothing real comes near them.
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr std::int64_t kMostGpus = 4096;
constexpr std::int64_t kMostTokens = 1LL << 40;
constexpr std::int64_t kMostDrafts = 1024;
constexpr std::int64_t kMostFailures = 4;
constexpr std::int64_t kMostGpuLayers = 10'001;  // layers of any model, and the head
constexpr std::int64_t kMostBlock = 1LL << 20;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostMib = 1LL << 40;
constexpr double kMostSpread = 1000;
constexpr std::int64_t kMostStage = 3;
constexpr std::int64_t kMostImages = 10'000;
constexpr double kMostRate = 1e6;
constexpr double kMostTokenSeconds = 3600;

Diagnostics set_requirements(std::vector<std::string>& target, const Given& given) {
  std::vector<std::string> known;
  for (const advise::CapabilityRow& row : advise::capabilities()) known.emplace_back(row.name);
  for (const std::string& word : split_commas(given.text)) {
    if (!advise::is_capability(word)) {
      return {complaint(fmt::format("{}: '{}' is not known", given.flag, word),
                        suggestion(word, known,
                                   fmt::format("expected some of {}, or a memory as 80gb",
                                               fmt::join(known, ", "))))};
    }
  }
  return set_list(target, given);
}

Diagnostics set_most_per_host(Invocation& in, const Given& given) {
  const Result<std::int64_t> count = parse_count(given, 1, kMostSequences);
  if (!count) return count.error();
  in.workload.placement.most_per_host = *count;
  return {};
}

/// In the one form that inventories keep addresses in, whichever the user's tool prints.
Diagnostics set_addresses(Invocation& in, const Given& given) {
  std::vector<std::string> addresses = split_commas(given.text);
  if (addresses.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  for (std::string& text : addresses) {
    std::string address = inventory::pci_address_of(text);
    if (address.empty()) {
      return {complaint(fmt::format("{}: '{}' is no PCI address", given.flag, text),
                        "write domain, bus, device and function: 0000:3b:00.0")};
    }
    text = std::move(address);
  }
  for (auto address = addresses.begin(); address != addresses.end(); ++address) {
    if (std::find(addresses.begin(), address, *address) == address) continue;
    return {complaint(fmt::format("{}: {} is named twice", given.flag, *address))};
  }
  in.workload.placement.pci_addresses = std::move(addresses);
  return {};
}

Diagnostics set_adapters(Invocation& in, const Given& given) {
  Result<domain::Adapters> adapters = parse_adapters(given);
  if (!adapters) return adapters.error();
  in.workload.adapters = *std::move(adapters);
  return {};
}

Diagnostics set_flash_attention(Invocation& in, const Given& g) {
  if (g.text == "on" || g.text == "off") {
    put(in.workload.engine.flash_attention, g.text == "on", g);
    return {};
  }
  return {complaint(fmt::format("{}: '{}' is neither on nor off", g.flag, g.text))};
}

Diagnostics set_draft(Invocation& in, const Given& given) {
  Result<std::string> name = text_of(given);
  if (!name) return name.error();
  in.workload.engine.draft_model = domain::DraftModel{
      .name = {*std::move(name), Origin::Flag, std::string(given.flag)}, .model = nullptr};
  return {};
}

Diagnostics set_ceiling(Invocation& in, const Given& given) {
  const Result<Bytes> bytes = parse_bytes(given);
  if (!bytes) return bytes.error();
  if (bytes->count() == 0) return {complaint(fmt::format("{}: 0 bytes hold nothing", given.flag))};
  if (!in.workload.demand) in.workload.demand.emplace();
  in.workload.demand->ceiling_bytes = *bytes;
  in.workload.demand->from = std::string(given.flag);
  return {};
}

std::vector<std::string> kubernetes_versions() { return {"1.32", "1.33", "1.34", "1.35", "1.36"}; }
std::vector<std::string> vm_operator_releases() { return {"8.0.3", "9.0.0", "9.0.1", "9.1.0"}; }
std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const place::PolicyRow& row : place::policies()) names.emplace_back(row.name);
  names.emplace_back(place::kExactPolicy);
  return names;
}
std::vector<std::string> import_source_names() {
  std::vector<std::string> names;
  for (const inventory::ImportRow& row : inventory::import_sources()) names.emplace_back(row.name);
  return names;
}
std::vector<std::string> color_choices() { return {"auto", "always", "never"}; }

Diagnostics set_word(std::string& target, const Given& given,
                     const std::vector<std::string>& known) {
  if (std::ranges::find(known, given.text) == known.end()) {
    return {complaint(
        fmt::format("{}: '{}' is not known", given.flag, given.text),
        suggestion(given.text, known, fmt::format("expected one of {}", fmt::join(known, ", "))))};
  }
  target = given.text;
  return {};
}

Diagnostics add_label(Invocation& in, const Given& given) {
  const std::size_t equals = given.text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return {complaint(fmt::format("{}: '{}' is no KEY=VALUE", given.flag, given.text))};
  }
  in.labels.push_back({given.text.substr(0, equals), given.text.substr(equals + 1)});
  return {};
}

Diagnostics set_lifetime(Invocation& in, const Given& given) {
  const std::optional<std::int64_t> seconds = parse_duration(given.text);
  if (!seconds) {
    return {complaint(fmt::format("{}: '{}' is no duration", given.flag, given.text),
                      "write a number and s, m, h or d: 8h, 90m, 14d")};
  }
  put(in.workload.lifetime_seconds, *seconds, given);
  return {};
}

Diagnostics set_today(Invocation& in, const Given& given) {
  in.as_of = parse_date(given.text);
  if (in.as_of) return {};
  return {complaint(fmt::format("{}: '{}' is no day", given.flag, given.text),
                    "write it as 2026-11-28")};
}

Diagnostics set_quantization(Invocation& in, const Given& given) {
  if (!catalog::is_as_stored(given.text))
    return set(in.workload.quantization, catalog::parse_quantization(given.text), given);
  in.workload.quantization.reset();
  return {};
}

Diagnostics set_color(Invocation& in, const Given& given) {
  std::string word;
  Diagnostics faults = set_word(word, given, color_choices());
  if (faults.empty()) {
    in.color = ColorChoice::Auto;
    if (word == "always") in.color = ColorChoice::Always;
    if (word == "never") in.color = ColorChoice::Never;
  }
  return faults;
}

// ---- the table
// ---------------------------------------------------------------------------------------------------

using enum FlagGroup;

constexpr auto kFlagRows = std::to_array<FlagRow>({
    {"--file", "-f", "FILE", Workload, kSizing | kSweep | kPlace | kInventory | kPlan | kProfiles,
     "a workload document (place: a contract), a folder of them, or - for standard input; a flag wins over the file",
     nullptr, [](Invocation& in, const Given& g) { in.files.push_back(g.text); return Diagnostics{}; }},
    {"--model", "", "MODEL", Workload, kCalibrate,
     "where the log does not say it: a catalog name, a Hugging Face id or a path", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.model, text_of(g), g); }},
    {"--quant", "", "NAME", Workload, kSizing | kCatalog | kCalibrate,
     "precision of the weights; default: as stored in the checkpoint", nullptr, set_quantization},
    {"--quant", "", "LIST", Workload, kSweep, "precisions of the weights: fp8,int4; stored: as in the checkpoint", nullptr,
     [](Invocation& in, const Given& g) { return add_quantizations(in.lists.quantizations, g); }},
    {"--kv-cache-dtype", "", "TYPE", Workload, kSizing | kCalibrate,
     "type of the KV cache; default: auto, as the engine means it", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.kv_cache_type, catalog::parse_kv_cache_type(g.text), g); }},
    {"--kv-cache-dtype", "", "LIST", Workload, kSweep, "types of the KV cache: auto,fp8", nullptr,
     [](Invocation& in, const Given& g) { return add_kv_cache_types(in.lists.kv_cache_types, g); }},
    {"--context", "", "TOKENS", Workload, kSizing | kCalibrate,
     "longest sequence, prompt and answer together (32k = 32768)", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.context_tokens, parse_tokens(g), g); }},
    {"--context", "", "LIST", Workload, kSweep, "longest sequences: 4k,32k; 2k..128k doubles, 8k..64k+8k counts in steps", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.contexts, g, parse_tokens); }},
    {"--concurrency", "", "N", Workload, kSizing, "sequences in flight at the same time", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.concurrency, parse_count(g, 1, kMostSequences), g); }},
    {"--concurrency", "", "LIST", Workload, kSweep, "sequences in flight: 1..256 or 8..64+8", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.concurrencies, g, [](const Given& one) { return parse_count(one, 1, kMostSequences); }); }},
    {"--images", "", "N", Workload, kSizing | kSweep,
     "largest images of one request; their tokens are added to --context; 0: started for text alone", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.images, parse_count(g, 0, kMostImages), g); }},
    {"--input-tokens", "", "FIGURES", Workload, kSizing | kSweep,
     "length of prompts: a number, p50=900,p95=3200, mean=1100,sd=1000 …", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.input_tokens, schema::parse_token_figures(g.text, g.flag), g); }},
    {"--output-tokens", "", "FIGURES", Workload, kSizing | kSweep, "length of answers, in the same form", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.output_tokens, schema::parse_token_figures(g.text, g.flag), g); }},
    {"--token-trace", "", "FILE", Workload, kSizing | kSweep,
     "recorded requests (CSV or JSON lines); with times they are played back", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.trace_file, text_of(g), g); }},
    {"--request-rate", "", "R", Workload, kSizing | kSweep, "requests a second; with --request-seconds in place of --concurrency", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.request_rate, parse_number(g, 0, kMostRate), g); }},
    {"--request-seconds", "", "S", Workload, kSizing | kSweep, "how long a request stays in flight; default: answer x --token-seconds", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.request_seconds, parse_number(g, 0, kMostRate), g); }},
    {"--token-seconds", "", "S", Workload, kSizing | kSweep, "time between two tokens of an answer; default: 0.05", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.token_seconds, parse_number(g, 0, kMostTokenSeconds), g); }},
    {"--common-prefix", "", "TOKENS", Workload, kSizing | kSweep, "tokens that every prompt begins with: kept once", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.common_prefix_tokens, parse_tokens(g), g); }},
    {"--service-level", "", "LEVEL", Workload, kSizing | kSweep, "part of the time that the cache must do; default: p99", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.traffic.service_level, schema::parse_service_level(g.text, g.flag), g); }},
    {"--role", "", "ROLE", Workload, kSizing, "what the workload is; default: the model's own role",
     all_names<domain::Role>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Role>(in.workload.role, g); }},
    {"--replicas", "", "N", Workload, kSizing, "instances of the whole thing", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.replicas, parse_count(g, 1, kMostGpus), g); }},

    {"--lora", "", "SPEC", Workload, kSizing | kSweep,
     "adapters served, or trained: 4 (how many), or count=4,rank=64,modules=attention", nullptr,
     set_adapters},
    {"--draft-model", "", "MODEL", Workload, kSizing | kSweep,
     "a smaller model that proposes tokens (speculative decoding)", nullptr, set_draft},

    {"--method", "", "METHOD", Training, kSizing, "what is trained; default: lora",
     all_names<domain::TrainingMethod>,
     [](Invocation& in, const Given& g) { return set_choice<domain::TrainingMethod>(in.workload.training.method, g); }},
    {"--optimizer", "", "NAME", Training, kSizing, "what is kept for each trained weight; default: adamw",
     all_names<domain::Optimizer>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Optimizer>(in.workload.training.optimizer, g); }},
    {"--training-precision", "", "KIND", Training, kSizing,
     "types of weights, gradients and states; default: mixed", all_names<domain::TrainingPrecision>,
     [](Invocation& in, const Given& g) { return set_choice<domain::TrainingPrecision>(in.workload.training.precision, g); }},
    {"--checkpointing", "", "KIND", Training, kSizing, "activations kept for the backward pass; default: full",
     all_names<domain::Checkpointing>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Checkpointing>(in.workload.training.checkpointing, g); }},
    {"--loss", "", "KIND", Training, kSizing, "how logits become a loss; default: standard",
     all_names<domain::LossKernel>,
     [](Invocation& in, const Given& g) { return set_choice<domain::LossKernel>(in.workload.training.loss, g); }},
    {"--micro-batch", "", "N", Training, kSizing, "sequences of one pass of a GPU; default: 1", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.training.micro_batch, parse_count(g, 1, kMostSequences), g); }},
    {"--gradient-accumulation", "", "N", Training, kSizing, "passes of one step; default: 1", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.training.gradient_accumulation, parse_count(g, 1, kMostSequences), g); }},
    {"--zero-stage", "", "N", Training, kSizing,
     "what --dp GPUs share: 1 states, 2 gradients too, 3 weights too (FSDP); default: 3", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.training.zero_stage, parse_count(g, 0, kMostStage), g); }},
    {"--sequence-parallel", "", "", Training, kSizing, "tensor parallel GPUs share tokens between their layers", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.training.sequence_parallel, true, g); return Diagnostics{}; }},
    {"--no-flash-attention", "", "", Training, kSizing, "attention keeps its scores", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.training.flash_attention, false, g); return Diagnostics{}; }},
    {"--optimizer-offload", "", "", Training, kSizing, "the optimizer's states lie in host memory", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.training.optimizer_offload, true, g); return Diagnostics{}; }},
    {"--optimizer-in-backward", "", "", Training, kSizing, "weights are updated as soon as their gradient is there", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.training.optimizer_in_backward, true, g); return Diagnostics{}; }},

    {"--memory-ceiling", "", "BYTES", Demand, kAdvise,
     "demand without a model: it never takes more than this (8GiB)", nullptr, set_ceiling},

    {"--isolation", "", "LEVEL", Facts, kAdvise, "against other tenants",
     all_names<domain::Isolation>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Isolation>(in.workload.isolation, g); }},
    {"--tenants", "", "N", Facts, kAdvise, "parties on the device that do not trust each other", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.tenants, parse_count(g, 1, kMostSequences), g); }},
    {"--latency-slo", "", "LEVEL", Facts, kAdvise, "tail latency target",
     all_names<domain::LatencySlo>,
     [](Invocation& in, const Given& g) { return set_choice<domain::LatencySlo>(in.workload.latency_slo, g); }},
    {"--session", "", "KIND", Facts, kAdvise, "how long a session keeps its cache",
     all_names<domain::Session>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Session>(in.workload.session, g); }},
    {"--change-rate", "", "RATE", Facts, kAdvise, "how often model or parameters change",
     all_names<domain::ChangeRate>,
     [](Invocation& in, const Given& g) { return set_choice<domain::ChangeRate>(in.workload.change_rate, g); }},
    {"--needs-ha", "", "", Facts, kAdvise, "restarts elsewhere when a host fails", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.needs_ha, true, g); return Diagnostics{}; }},
    {"--needs-live-migration", "", "", Facts, kAdvise, "moves while it runs", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.needs_live_migration, true, g); return Diagnostics{}; }},
    {"--lifetime", "", "DURATION", Facts, kAdvise, "after which it ends: 8h, 90m, 14d", nullptr,
     [](Invocation& in, const Given& g) { return set_lifetime(in, g); }},
    {"--appliance", "", "", Facts, kAdvise,
     "needs bare-metal device behaviour, or brings a fixed GPU set-up", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.appliance, true, g); return Diagnostics{}; }},
    {"--mixture-of-experts", "", "", Facts, kAdvise,
     "the model routes tokens to experts (for a demand without a model)", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.mixture_of_experts, true, g); return Diagnostics{}; }},
    {"--no-mig-image", "", "", Facts, kAdvise, "the serving image does not support MIG", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.image_supports_mig, false, g); return Diagnostics{}; }},
    {"--evidence", "", "FILE", Facts, kSizing | kSweep | kReview,
     "measured starts, as calibrate writes them, in place of predictions; for advise Prometheus' answer for an engine's cache, too", nullptr,
     [](Invocation& in, const Given& g) { in.evidence_files.push_back(g.text); return Diagnostics{}; }},
    {"--measured-on", "", "PROFILE", Facts, kAdvise, "what the engine of --evidence ran on (40C); default: all of the first GPU", nullptr,
     [](Invocation& in, const Given& g) { return set(in.measured_on, text_of(g), g); }},
    {"--evidence-level", "", "LEVEL", Facts, kAdvise, "what is known of its behaviour",
     all_names<domain::Evidence>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Evidence>(in.workload.evidence, g); }},
    {"--spread", "", "RATIO", Facts, kAdvise, "dynamic memory, P99 over P50, of all sequences in flight",
     nullptr,
     [](Invocation& in, const Given& g) {
       if (g.text == "1") { put(in.workload.spread, 1.0, g); return Diagnostics{}; }
       Result<double> value = parse_number(g, 0, kMostSpread);
       if (value && *value < 1) {
         return Diagnostics{complaint(fmt::format("{}: {} is below 1, and P99 is never below P50", g.flag, g.text))};
       }
       return set(in.workload.spread, std::move(value), g);
     }},
    {"--consumption-model", "", "MODEL", Facts, kAdvise, "ask for one; the answer says what speaks against it",
     all_names<domain::ConsumptionModel>,
     [](Invocation& in, const Given& g) { return set_choice<domain::ConsumptionModel>(in.workload.consumption_model, g); }},
    {"--technology", "", "NAME", Facts, kAdvise, "ask for one; the answer says what speaks against it",
     all_names<domain::Technology>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Technology>(in.workload.technology, g); }},

    {"--engine", "", "NAME", Engine, kSizing, "serving engine (vllm, sglang, tensorrt-llm, transformers, llama.cpp, ollama); default: vllm", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.engine, text_of(g), g); }},
    {"--engine", "", "LIST", Engine, kSweep, "serving engines; default: vllm", nullptr,
     [](Invocation& in, const Given& g) { return add_words(in.lists.engines, g); }},
    {"--engine-version", "", "VERSION", Engine, kSizing | kCalibrate,
     "default: the newest that there are facts for", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.version, parse_version(g), g); }},
    {"--engine-version", "", "LIST", Engine, kSweep, "default: the newest that there are facts for", nullptr,
     [](Invocation& in, const Given& g) { return add_versions(in.lists.versions, g); }},
    {"--compare-engine-version", "", "VERSION", Engine, kEstimate,
     "shows what changes from --engine-version to this one", nullptr,
     [](Invocation& in, const Given& g) { return set(in.compare_version, parse_version(g), g); }},
    {"--tp", "", "N", Engine, kSizing | kCalibrate, "tensor parallel size", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.tensor, parse_count(g, 1, kMostGpus), g); }},
    {"--tp", "", "LIST", Engine, kSweep, "tensor parallel sizes: 1,2,4 or 1..8", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.tensor, g, [](const Given& one) { return parse_count(one, 1, kMostGpus); }); }},
    {"--pp", "", "N", Engine, kSizing | kCalibrate, "pipeline parallel size", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.pipeline, parse_count(g, 1, kMostGpus), g); }},
    {"--pp", "", "LIST", Engine, kSweep, "pipeline parallel sizes", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.pipeline, g, [](const Given& one) { return parse_count(one, 1, kMostGpus); }); }},
    {"--dp", "", "N", Engine, kSizing | kCalibrate, "data parallel size", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.data, parse_count(g, 1, kMostGpus), g); }},
    {"--dp", "", "LIST", Engine, kSweep, "data parallel sizes", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.data, g, [](const Given& one) { return parse_count(one, 1, kMostGpus); }); }},
    {"--ep", "", "N", Engine, kSizing | kCalibrate, "expert parallel size", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.expert, parse_count(g, 1, kMostGpus), g); }},
    {"--ep", "", "LIST", Engine, kSweep, "expert parallel sizes", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.expert, g, [](const Given& one) { return parse_count(one, 1, kMostGpus); }); }},
    {"--dcp", "", "N", Engine, kSizing | kSweep, "decode context parallel size, a part of --tp", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.context_parallel, parse_count(g, 1, kMostGpus), g); }},
    {"--draft-tokens", "", "N", Engine, kSizing | kSweep,
     "tokens that a step proposes with the model's own prediction layers", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.draft_tokens, parse_count(g, 1, kMostDrafts), g); }},
    {"--block-size", "", "N", Engine, kSizing | kSweep, "tokens of one block of the KV cache", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.block_tokens, parse_count(g, 1, kMostBlock), g); }},
    {"--prefix-caching", "", "", Engine, kSizing | kSweep,
     "the cache is kept for later requests where the engine leaves that off (vLLM's hybrids before 0.28)", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.engine.prefix_caching, true, g); return Diagnostics{}; }},
    {"--no-prefix-caching", "", "", Engine, kSizing | kSweep, "no cache is kept for later requests", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.engine.prefix_caching, false, g); return Diagnostics{}; }},
    {"--flash-attention", "", "on|off", Engine, kSizing | kSweep,
     "llama.cpp: with kernels that keep no scores, or without; default: as the build chooses", nullptr, set_flash_attention},
    {"--max-num-seqs", "", "N", Engine, kSizing | kCalibrate, "the engine's own limit of sequences", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.max_num_seqs, parse_engine_count(g, kMostSequences), g); }},
    {"--max-num-seqs", "", "LIST", Engine, kSweep, "the engine's own limits of sequences", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.max_num_seqs, g, [](const Given& one) { return parse_engine_count(one, kMostSequences); }); }},
    {"--max-num-batched-tokens", "", "N", Engine, kSizing | kCalibrate, "the engine's own limit of tokens a step", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.max_num_batched_tokens, parse_engine_count(g, kMostTokens), g); }},
    {"--max-num-batched-tokens", "", "LIST", Engine, kSweep, "the engine's own limits of tokens a step", nullptr,
     [](Invocation& in, const Given& g) { return add_counts(in.lists.max_num_batched_tokens, g, [](const Given& one) { return parse_engine_count(one, kMostTokens); }); }},
    {"--gpu-memory-utilization", "", "F", Engine, kSizing | kCalibrate, "the engine's own fraction, above 0 and at most 1", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.gpu_memory_utilization, parse_number(g, 0, 1), g); }},
    {"--gpu-memory-utilization", "", "LIST", Engine, kSweep, "the engine's own fractions, above 0 and at most 1", nullptr,
     [](Invocation& in, const Given& g) { return add_utilizations(in.lists.utilizations, g); }},
    {"--kv-cache-memory-bytes", "", "BYTES", Engine, kSizing | kSweep, "the KV pool of one GPU; replaces the fraction", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.kv_cache_memory_bytes, parse_engine_bytes(g), g); }},
    {"--gpu-layers", "", "N", Engine, kSizing | kSweep | kCalibrate,
     "llama.cpp: layers on GPUs, the head counted as one; 0 for none, default: all", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.engine.gpu_layers, parse_count(g, 0, kMostGpuLayers), g); }},
    {"--enforce-eager", "", "", Engine, kSizing | kSweep | kCalibrate, "no CUDA graphs", nullptr,
     [](Invocation& in, const Given& g) { put(in.workload.engine.enforce_eager, true, g); return Diagnostics{}; }},

    {"--gpu", "", "NAME", Hardware, kCalibrate, "the GPU of the start, where the log does not name it: h100-sxm-80", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.gpus, g); }},
    {"--gpu", "", "LIST", Hardware, kSizing,
     "ordered wishes, earlier is preferred: h100-sxm-80,4xl40s,any; default: any", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.gpus, g); }},
    {"--gpu", "", "LIST", Hardware, kReview, "what the nodes have, where the manifests do not say it", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.gpus, g); }},
    {"--workload", "", "FILE", Hardware, kReview, "a Workload that fills what the manifests leave open", nullptr,
     [](Invocation& in, const Given& g) { return set(in.review.workload_file, text_of(g), g); }},
    {"--gpu", "", "LIST", Hardware, kProfiles | kPlan, "plan: the GPUs to plan for; import: the GPU of a listing that does not name it", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.gpus, g); }},
    {"--gpu", "", "LIST", Hardware, kSweep, "GPUs by name; any: every one; none: no capacity; default: any", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.gpus, g); }},
    {"--profile", "", "NAME", Hardware, kSizing | kSweep | kCalibrate, "only this profile: 40C, 3g.40gb or a full type name", nullptr,
     [](Invocation& in, const Given& g) { return set(in.profile, text_of(g), g); }},
    {"--memory-mib", "", "N", Hardware, kSizing | kSweep | kCalibrate, "the total that the CUDA runtime reports in the guest", nullptr,
     [](Invocation& in, const Given& g) {
       const Result<std::int64_t> value = parse_count(g, 1, kMostMib);
       if (!value) return value.error();
       in.visible_bytes = mib(*value);
       return Diagnostics{};
     }},
    {"--require", "", "LIST", Hardware, kAdvise, "what the device must have: fp8,nvlink,mig …", nullptr,
     [](Invocation& in, const Given& g) { return set_requirements(in.workload.requires_, g); }},
    {"--host", "", "NAME|FILE", Hardware, kAdvise | kPlan, "a server of the table (dgx-h100) or a host profile; default: the usual server of the GPU's board", nullptr,
     [](Invocation& in, const Given& g) { return set(in.host, text_of(g), g); }},
    {"--cluster", "", "INVENTORY", Hardware, kOnClusters | kAdvise | kPlan | kReview, "an inventory, or a folder of them; repeats", nullptr,
     [](Invocation& in, const Given& g) { in.clusters.push_back(g.text); return Diagnostics{}; }},
    {"--policy", "", "NAME", Hardware, kOnClusters, "placement policy; simulate takes several, separated by commas",
     policy_names,
     [](Invocation& in, const Given& g) { return set_list(in.policies, g); }},
    {"--trace", "", "FILE", Hardware, kSimulate, "arrivals and departures as CSV: lifecycle, services, openb tasks", nullptr,
     [](Invocation& in, const Given& g) { return set(in.trace, text_of(g), g); }},
    {"--from", "", "SOURCE", Hardware, kInventory, "import: what the files are; default: by their content",
     import_source_names,
     [](Invocation& in, const Given& g) { return set_word(in.import_source, g, import_source_names()); }},
    {"--usage", "", "FILE", Hardware, kInventory | kAdvise | kReview,
     "Prometheus' answer to a query for the metrics of the DCGM exporter, as JSON; repeats", nullptr,
     [](Invocation& in, const Given& g) { in.usage_files.push_back(g.text); return Diagnostics{}; }},
    {"--reserve-failover", "", "N", Hardware, kPlace,
     "takes back what leaves a failure of N hosts uncovered that was covered before", nullptr,
     [](Invocation& in, const Given& g) {
       const Result<std::int64_t> value = parse_count(g, 1, kMostFailures);
       if (!value) return value.error();
       in.reserve_failover = *value;
       return Diagnostics{};
     }},
    {"--seed", "", "N", Hardware, kSimulate, "of the order of tasks without times; default: 1", nullptr,
     [](Invocation& in, const Given& g) {
       const Result<std::int64_t> value = parse_count(g, 0, kMostSequences);
       if (!value) return value.error();
       in.seed = *value;
       return Diagnostics{};
     }},
    {"--arrivals", "", "PERCENT", Hardware, kSimulate, "GPU demand to let arrive, of the cluster's GPUs; default: 100", nullptr,
     [](Invocation& in, const Given& g) {
       const Result<double> value = parse_number(g, 0, kMostSpread);
       if (!value) return value.error();
       in.arrivals_percent = *value;
       return Diagnostics{};
     }},
    {"--hardware-label", "", "LABEL", Hardware, kAdvise, "for dynamic passthrough", nullptr,
     [](Invocation& in, const Given& g) { return set(in.hardware_label, text_of(g), g); }},
    {"--datastore", "", "LIST", Hardware, kAdvise | kPlace, "datastores that the host must reach", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.placement.datastores, g); }},
    {"--network", "", "LIST", Hardware, kAdvise | kPlace, "networks that the host must reach", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.workload.placement.networks, g); }},
    {"--tenant-name", "", "NAME", Hardware, kAdvise | kPlace, "whom it belongs to, for hosts that are kept for some", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.placement.tenant, text_of(g), g); }},
    {"--most-per-host", "", "N", Hardware, kAdvise | kPlace, "replicas that one host may hold; default: any number", nullptr, set_most_per_host},
    {"--pci-address", "", "LIST", Hardware, kAdvise | kPlace,
     "passthrough bound to these devices, one for each: 0000:3b:00.0", nullptr, set_addresses},
    {"--platform", "", "NAME", Hardware, kAdvise | kProfiles | kPlan, "default: what the targets imply, else vsphere",
     all_names<domain::Platform>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Platform>(in.workload.platform, g); }},

    {"--tier", "", "TIER", Contract, kAdvise, "how generous the VM is; default: recommended",
     all_names<domain::Tier>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Tier>(in.workload.contract.tier, g); }},
    {"--qos", "", "CLASS", Contract, kAdvise, "what CPU is reserved; default: engine", all_names<domain::Qos>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Qos>(in.workload.contract.qos, g); }},
    {"--loader", "", "KIND", Contract, kAdvise, "how weights are read; default: mmap", all_names<domain::Loader>,
     [](Invocation& in, const Given& g) { return set_choice<domain::Loader>(in.workload.contract.loader, g); }},
    {"--api-servers", "", "N", Contract, kAdvise, "API server processes; default: 1", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.contract.api_servers, parse_count(g, 1, 256), g); }},
    {"--workers", "", "N", Contract, kAdvise, "data-loader workers per GPU (fine-tune)", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.contract.workers, parse_count(g, 0, 256), g); }},
    {"--kv-offload", "", "BYTES", Contract, kSizing, "KV cache tier in host memory", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.contract.kv_offload_bytes, parse_bytes(g), g); }},
    {"--cpu-offload", "", "BYTES", Contract, kSizing | kSweep, "weights or optimizer states in host memory", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.contract.cpu_offload_bytes, parse_bytes(g), g); }},
    {"--tolerated-pause", "", "SECONDS", Contract, kAdvise, "longest pause of a live migration", nullptr,
     [](Invocation& in, const Given& g) { return set(in.workload.contract.tolerated_pause_seconds, parse_number(g, 0, 86400), g); }},

    {"--output", "-o", "FORMAT", Output, kSizing | kLookup | kOnClusters | kCalibrate | kPlan,
     "text, json, yaml; for advise each manifest target too (-o list shows them); repeats", nullptr,
     [](Invocation& in, const Given& g) {
       for (std::string& part : split_commas(g.text)) in.outputs.push_back(std::move(part));
       return Diagnostics{};
     }},
    {"--output", "-o", "FORMAT", Output, kReview, "text, json, yaml, sarif, junit, github, markdown; contract: what is asked for; repeats", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.outputs, g); }},
    {"--fail-on", "", "SEVERITY", Output, kReview, "what makes the answer no: error, warning, note; default: warning", all_names<domain::Severity>,
     [](Invocation& in, const Given& g) { return set_word(in.review.fail_on, g, all_names<domain::Severity>()); }},
    {"--baseline", "", "FILE", Output, kReview, "an earlier review as JSON: only what is new is shown", nullptr,
     [](Invocation& in, const Given& g) { return set(in.review.baseline_file, text_of(g), g); }},
    {"--rule", "", "ID", Output, kReview, "only this rule, or group of rules (VC); repeats", nullptr,
     [](Invocation& in, const Given& g) { return add_list(in.review.only, g); }},
    {"--skip", "", "ID", Output, kReview, "not this rule, or group of rules; repeats", nullptr,
     [](Invocation& in, const Given& g) { return add_list(in.review.skipped, g); }},
    {"--fix", "", "", Output, kReview, "makes the fixes that are certain, in the files", nullptr,
     [](Invocation& in, const Given&) { in.review.wants_fix = true; return Diagnostics{}; }},
    {"--dry-run", "", "", Output, kReview, "with --fix: shows the changes and writes nothing", nullptr,
     [](Invocation& in, const Given&) { in.review.is_dry_run = true; return Diagnostics{}; }},
    {"--checklist", "", "", Output, kReview, "answers the buyer's nineteen questions, too", nullptr,
     [](Invocation& in, const Given&) { in.review.wants_checklist = true; return Diagnostics{}; }},
    {"--output", "-o", "FORMAT", Output, kRules | kExplain, "text, json, yaml; of rules markdown, too; default: text", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.outputs, g); }},
    {"--output", "-o", "FORMAT", Output, kSweep, "csv or jsonl; default: csv", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.outputs, g); }},
    {"--shard", "", "I/N", Output, kSweep, "only the Ith of N equal parts, counted from 1; all parts one after another are the whole", nullptr,
     [](Invocation& in, const Given& g) { return set(in.shard, parse_shard(g), g); }},
    {"--threads", "", "N", Output, kSweep, "default: every core", nullptr,
     [](Invocation& in, const Given& g) { return set(in.threads, parse_count(g, 1, kMostThreads), g); }},
    {"--count", "", "", Output, kSweep, "only how many rows there are", nullptr,
     [](Invocation& in, const Given&) { in.wants_count = true; return Diagnostics{}; }},
    {"--output-file", "", "FILE", Output, kSizing | kSweep | kLookup | kOnClusters | kCalibrate | kPlan | kReview | kRules | kExplain, "where the one document goes instead of standard output", nullptr,
     [](Invocation& in, const Given& g) { return set(in.output_file, text_of(g), g); }},
    {"--output-dir", "", "FOLDER", Output, kSizing | kReview | kOnClusters | kCalibrate, "a folder for the documents, one file each", nullptr,
     [](Invocation& in, const Given& g) { return set(in.output_folder, text_of(g), g); }},
    {"--solve", "", "VARIABLE", Output, kSizing,
     "the other way round: the last value with which it fits, and what binds", all_names<domain::SolveFor>,
     [](Invocation& in, const Given& g) { return set_choice<domain::SolveFor>(in.solve, g); }},
    {"--pick", "", "N", Output, kAdvise, "write the Nth shape instead of the first", nullptr,
     [](Invocation& in, const Given& g) { return set(in.pick, parse_count(g, 1, kMostSequences), g); }},
    {"--compare", "", "A,B", Output, kAdvise, "two shapes side by side: their places (1,2), or names (40C,80C)", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.compare, g); }},
    {"--prices", "", "FILE", Output, kAdvise, "what GPUs or instances cost by the hour: adds cost to every shape", nullptr,
     [](Invocation& in, const Given& g) { return set(in.prices_file, text_of(g), g); }},
    {"--name", "", "NAME", Output, kAdvise | kInventory, "metadata.name of the documents; default: from model and shape (import: of the host or cluster)", nullptr,
     [](Invocation& in, const Given& g) { return set(in.name, text_of(g), g); }},
    {"--namespace", "", "NAME", Output, kAdvise, "metadata.namespace of the documents", nullptr,
     [](Invocation& in, const Given& g) { return set(in.name_space, text_of(g), g); }},
    {"--label", "", "KEY=VALUE", Output, kAdvise, "metadata.labels of the documents; repeats", nullptr,
     [](Invocation& in, const Given& g) { return add_label(in, g); }},
    {"--as-of", "", "DATE", Output, kAdvise | kReview, "the day to count from (2026-11-28): dates in place of \"after 14 days\", and what is past its review", nullptr,
     [](Invocation& in, const Given& g) { return set_today(in, g); }},
    {"--diff", "", "FILE", Output, kAdvise, "what the targets would change against these manifests; exit 1 where anything", nullptr,
     [](Invocation& in, const Given& g) { return set(in.diff_file, text_of(g), g); }},
    {"--template", "", "FILE", Output, kAdvise, "a mustache template over the answer's JSON, for a target of your own", nullptr,
     [](Invocation& in, const Given& g) { return set(in.template_file, text_of(g), g); }},
    {"--nic-class", "", "CLASS", Output, kAdvise, "claims: a card of this DeviceClass beside every GPU, on its PCIe root", nullptr,
     [](Invocation& in, const Given& g) { return set(in.nic_class, text_of(g), g); }},
    {"--no-comments", "", "", Output, kAdvise, "manifests without comments", nullptr,
     [](Invocation& in, const Given&) { in.has_comments = false; return Diagnostics{}; }},
    {"--family", "", "LIST", Output, kCatalog, "list: models of these families", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.catalog_filter.families, g); }},
    {"--size", "", "RANGE", Output, kCatalog, "list: by parameters: 8B, 1B-10B, -3B, 70B-", nullptr,
     [](Invocation& in, const Given& g) { return set(in.catalog_filter.size, parse_parameter_range(g), g); }},
    {"--modality", "", "NAME", Output, kCatalog, "list: models that do this", all_names<catalog::Modality>,
     [](Invocation& in, const Given& g) { return set_choice<catalog::Modality>(in.catalog_filter.modality, g); }},
    {"--id", "", "ID", Output, kCatalog, "import: OWNER/NAME of the entry; default: from the path", nullptr,
     [](Invocation& in, const Given& g) { return set(in.catalog_import.id, text_of(g), g); }},
    {"--alias", "", "LIST", Output, kCatalog, "import: further names of the entry", nullptr,
     [](Invocation& in, const Given& g) { return set_list(in.catalog_import.aliases, g); }},
    {"--source", "", "TEXT", Output, kCatalog, "import: where the file is from; default: config.json", nullptr,
     [](Invocation& in, const Given& g) { return set(in.catalog_import.source, text_of(g), g); }},
    {"--write-evidence", "", "FILE", Output, kCalibrate,
     "the measured values, for --evidence of advise and estimate", nullptr,
     [](Invocation& in, const Given& g) { return set(in.evidence_file, text_of(g), g); }},
    {"--quantizations", "", "", Output, kCatalog, "the words that --quant takes", nullptr,
     [](Invocation& in, const Given&) { in.wants_quantizations = true; return Diagnostics{}; }},
    {"--color", "", "WHEN", Output, kAll, "auto, always or never", color_choices, set_color},
    {"--quiet", "-q", "", Output, kAll, "the verdict only", nullptr,
     [](Invocation& in, const Given&) { in.verbosity = -1; return Diagnostics{}; }},
    {"--verbose", "-v", "", Output, kAll, "every term with formula, inputs and source", nullptr,
     [](Invocation& in, const Given&) { in.verbosity = 1; return Diagnostics{}; }},

    {"--rules", "", "FILE", Configuration, kAdvise | kReview | kRules | kExplain, "thresholds, constants of the VM contract and severities; repeats, a later file wins", nullptr,
     [](Invocation& in, const Given& g) { in.rules_files.push_back(g.text); return Diagnostics{}; }},
    {"--catalog-dir", "", "FOLDER", Configuration, kSizing | kSweep | kCatalog | kReview | kCalibrate, "your own models and engines, over the built-in ones", nullptr,
     [](Invocation& in, const Given& g) { return set(in.catalog_folder, text_of(g), g); }},
    {"--profiles-dir", "", "FOLDER", Configuration, kSizing | kSweep | kProfiles | kReview | kOnClusters | kCalibrate | kPlan, "your own GPUs, over the built-in ones", nullptr,
     [](Invocation& in, const Given& g) { return set(in.profiles_folder, text_of(g), g); }},
    {"--k8s", "", "VERSION", Configuration, kAdvise | kReview, "Kubernetes of the target; default: 1.36", kubernetes_versions,
     [](Invocation& in, const Given& g) { return set_word(in.kubernetes, g, kubernetes_versions()); }},
    {"--vm-operator-release", "", "RELEASE", Configuration, kAdvise | kReview,
     "vCenter release that serves the VM classes", vm_operator_releases,
     [](Invocation& in, const Given& g) { return set_word(in.vm_operator, g, vm_operator_releases()); }},
});

}  // namespace

std::span<const FlagRow> flags() { return kFlagRows; }

}  // namespace gpushape::cli
