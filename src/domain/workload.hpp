// What the user wants to run, and every declared fact that decides the shape.
//
// Made by cli from flags and `-f` files (schema reads the document form). A fact nobody gave keeps
// Origin::Default and is listed as an assumption; an optional that is empty means "not known", and
// has no default.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/adapter.hpp"
#include "domain/device.hpp"
#include "domain/engine.hpp"
#include "domain/fact.hpp"
#include "domain/measurement.hpp"
#include "domain/model.hpp"
#include "domain/placement_terms.hpp"
#include "domain/quantization.hpp"
#include "domain/traffic.hpp"
#include "domain/training.hpp"

namespace gpushape::domain {

enum class ConsumptionModel { Fractional, Full, Passthrough, MultiGpu };
enum class Isolation { None, Soft, Hard };
enum class LatencySlo { None, Soft, Strict };
enum class Session { Stateless, Durable };
enum class ChangeRate { Low, High };
enum class Evidence { E0, E1, E2 };
enum class Tier { Minimum, Recommended, Performance };
enum class Qos { Guaranteed, Engine, BestEffort };
enum class Loader { Mmap, Eager, Build };
enum class Platform { Vsphere, Vks, Kubernetes, BareMetal };

/// How many GPUs share one instance of the model, along each axis.
struct Parallelism {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t context = 1;  ///< ranks of one tensor parallel group that share a request's KV cache

  bool operator==(const Parallelism&) const = default;
};

/// A smaller model that proposes tokens for the large one to check (speculative decoding). Its
/// facts are filled in by whoever looks models up.
struct DraftModel {
  Fact<std::string> name;              ///< as the user named it
  std::shared_ptr<const Model> model;  ///< nullptr while it has not been looked up

  bool operator==(const DraftModel& other) const {
    const bool has_same = model == other.model || (model && other.model && *model == *other.model);
    return name == other.name && has_same;
  }
};

/// The engine's own settings. What is empty takes the engine's default for the GPU and version.
struct EngineSettings {
  Fact<std::string> engine = defaulted<std::string>("vllm");
  std::optional<Fact<EngineVersion>> version;
  std::optional<Fact<std::int64_t>> tensor;
  std::optional<Fact<std::int64_t>> pipeline;
  std::optional<Fact<std::int64_t>> data;
  std::optional<Fact<std::int64_t>> expert;
  std::optional<Fact<std::int64_t>> max_num_seqs;
  std::optional<Fact<std::int64_t>> max_num_batched_tokens;
  std::optional<Fact<double>> gpu_memory_utilization;  ///< the engine's own fraction, in (0, 1]
  std::optional<Fact<Bytes>>
      kv_cache_memory_bytes;  ///< pool of one GPU; utilization is ignored then
  Fact<bool> enforce_eager = defaulted(false);
  std::optional<Fact<std::int64_t>> context_parallel;  ///< "decode context parallel" of vLLM
  /// Tokens that a step proposes with the model's own layers for predicting more than one; with
  /// them those layers are loaded and cached, too.
  std::optional<Fact<std::int64_t>> draft_tokens;
  std::optional<DraftModel> draft_model;
  std::optional<Fact<bool>> prefix_caching;
  std::optional<Fact<std::int64_t>> block_tokens;  ///< of the KV cache
  /// vLLM's first engine (VLLM_USE_V1=0), which 0.8 to 0.10 carry beside the second.
  Fact<bool> first_generation = defaulted(false);
  /// vLLM's second model runner (VLLM_USE_V2_MODEL_RUNNER); empty: as the version chooses.
  std::optional<Fact<bool>> second_runner;
  /// vLLM samples with FlashInfer's kernels (VLLM_USE_FLASHINFER_SAMPLER), or knows that it cannot;
  /// empty: not told.
  std::optional<Fact<bool>> flashinfer_sampler;
  /// vLLM's kernels of attention by its own name ("FLASHINFER", in any case); empty: as the version
  /// chooses.
  std::optional<Fact<std::string>> attention_backend;
  /// vLLM keeps what latents unfold to, of every head (VLLM_MLA_DISABLE).
  Fact<bool> unfolds_latents = defaulted(false);
  /// The start compiles its graphs: no earlier one left them in a cache. Empty: not told.
  std::optional<Fact<bool>> compiles;
  /// Batches that vLLM captures as graphs (cudagraph_capture_sizes), ascending, each above 0;
  /// empty: as the version chooses.
  std::optional<Fact<std::vector<std::int64_t>>> graph_batches;
  Fact<bool> throughput_mode = defaulted(false);  ///< vLLM: twice what it takes by default
  Fact<bool> library = defaulted(false);  ///< started from a program, which has its own defaults
  /// Layers that llama.cpp puts on GPUs, the head counted as one; empty: all.
  std::optional<Fact<std::int64_t>> gpu_layers;
  /// llama.cpp runs as its own server, which asks for less than what it could be asked for.
  Fact<bool> server = defaulted(false);
  std::optional<Fact<bool>> flash_attention;  ///< of llama.cpp; empty: as the build chooses
  /// Of llama.cpp: layers with a window keep every token of the context (--swa-full).
  Fact<bool> whole_windows = defaulted(false);
  /// Of llama.cpp, whose values may be kept otherwise than keys; empty: as these.
  std::optional<Fact<KvCacheType>> value_cache_type;

  bool operator==(const EngineSettings&) const = default;
};

/// Memory demand stated without a model (notebooks, CI, cases); fields as in the document form.
struct Demand {
  std::optional<Bytes> static_bytes;
  std::optional<Bytes> dynamic_p50_bytes;
  std::optional<Bytes> dynamic_p99_bytes;
  std::optional<Bytes> ceiling_bytes;
  std::string from;

  bool operator==(const Demand&) const = default;
};

/// What decides the VM contract beside the shape (vm-contract.md, section 1).
struct ContractWishes {
  Fact<Tier> tier = defaulted(Tier::Recommended);
  Fact<Qos> qos = defaulted(Qos::Engine);
  Fact<Loader> loader = defaulted(Loader::Mmap);
  Fact<std::int64_t> api_servers = defaulted<std::int64_t>(1);
  Fact<std::int64_t> workers =
      defaulted<std::int64_t>(0);  ///< data-loader workers per GPU (training)
  Fact<Bytes> kv_offload_bytes = defaulted(Bytes(0));
  Fact<Bytes> cpu_offload_bytes = defaulted(Bytes(0));
  std::optional<Fact<double>> tolerated_pause_seconds;

  bool operator==(const ContractWishes&) const = default;
};

struct Workload {
  std::string name;                        ///< for manifests; empty: derived from model and shape
  std::optional<Fact<std::string>> model;  ///< as the user named it
  std::optional<Fact<Quantization>> quantization;  ///< empty: as stored in the checkpoint
  Fact<KvCacheType> kv_cache_type = defaulted(KvCacheType::Auto);
  std::optional<Fact<std::int64_t>> context_tokens;
  std::optional<Fact<std::int64_t>> concurrency;
  /// Largest images (or clips) of one request; their tokens come on top of the context's. 0: the
  /// engine is started for text alone.
  std::optional<Fact<std::int64_t>> images;
  Traffic traffic;
  std::shared_ptr<const InFlight> in_flight;  ///< what follows from the traffic; may be nullptr
  EngineSettings engine;
  std::optional<Adapters> adapters;  ///< served beside the model, or trained
  Training training;                 ///< of the role fine-tune

  std::optional<Fact<Role>> role;  ///< empty: the model's own
  Fact<Isolation> isolation = defaulted(Isolation::None);
  Fact<std::int64_t> tenants = defaulted<std::int64_t>(1);
  Fact<LatencySlo> latency_slo = defaulted(LatencySlo::None);
  Fact<Session> session = defaulted(Session::Stateless);
  std::optional<Fact<ChangeRate>> change_rate;  ///< default depends on what is asked for
  Fact<bool> needs_ha = defaulted(false);
  Fact<bool> needs_live_migration = defaulted(false);
  Fact<bool> appliance = defaulted(false);  ///< bare-metal device behaviour, or a fixed GPU set-up
  Fact<bool> mixture_of_experts = defaulted(false);
  Fact<bool> image_supports_mig = defaulted(true);
  Fact<std::int64_t> replicas = defaulted<std::int64_t>(1);
  Fact<Evidence> evidence = defaulted(Evidence::E0);
  std::optional<Fact<double>> spread;  ///< dynamic P99 / P50 of the joint in-flight set
  std::optional<Demand> demand;
  std::optional<Fact<double>> compute_share;                ///< measured compute use, 0..1
  std::optional<Fact<ConsumptionModel>> consumption_model;  ///< one is asked for
  std::optional<Fact<Technology>> technology;
  std::optional<Fact<Platform>> platform;
  ContractWishes contract;
  PlacementTerms placement;            ///< what a host must offer beside the amounts
  std::vector<std::string> gpus;       ///< ordered wish list as written ("4xl40s"); empty: any
  std::vector<std::string> requires_;  ///< capabilities: "fp8", "nvlink", "mig"

  std::optional<Fact<std::string>> hardware_label;     ///< for dynamic passthrough
  std::optional<Fact<std::int64_t>> lifetime_seconds;  ///< after which it ends
  std::vector<Measurement> measurements;  ///< stand in place of predictions where the same is asked

  bool operator==(const Workload&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::ConsumptionModel> =
    std::to_array<NameRow<domain::ConsumptionModel>>({
        {domain::ConsumptionModel::Fractional, "fractional", "a part of one GPU"},
        {domain::ConsumptionModel::Full, "full", "one GPU through vGPU, or whole in a pod"},
        {domain::ConsumptionModel::Passthrough, "passthrough", "one GPU as it is"},
        {domain::ConsumptionModel::MultiGpu, "multi-gpu", "several GPUs for one instance"},
    });
template <>
inline constexpr auto kNames<domain::Isolation> = std::to_array<NameRow<domain::Isolation>>({
    {domain::Isolation::None, "none", "no other tenant matters"},
    {domain::Isolation::Soft, "soft", "own memory, shared cores"},
    {domain::Isolation::Hard, "hard", "another tenant must not be able to affect or observe it"},
});
template <>
inline constexpr auto kNames<domain::LatencySlo> = std::to_array<NameRow<domain::LatencySlo>>({
    {domain::LatencySlo::None, "none", "no tail target"},
    {domain::LatencySlo::Soft, "soft", "a target with slack"},
    {domain::LatencySlo::Strict, "strict", "a tail target close to the token time"},
});
template <>
inline constexpr auto kNames<domain::Session> = std::to_array<NameRow<domain::Session>>({
    {domain::Session::Stateless, "stateless", "cache is freed after every answer"},
    {domain::Session::Durable, "durable", "cache is held for the life of a task (agents)"},
});
template <>
inline constexpr auto kNames<domain::ChangeRate> = std::to_array<NameRow<domain::ChangeRate>>({
    {domain::ChangeRate::Low, "low", "model and serving parameters are stable"},
    {domain::ChangeRate::High, "high", "model, precision or parameters change often"},
});
template <>
inline constexpr auto kNames<domain::Evidence> = std::to_array<NameRow<domain::Evidence>>({
    {domain::Evidence::E0, "E0", "declared only"},
    {domain::Evidence::E1, "E1", "measured under load with the real prompt mix"},
    {domain::Evidence::E2, "E2", "at least 14 days of production telemetry"},
});
template <>
inline constexpr auto kNames<domain::Tier> = std::to_array<NameRow<domain::Tier>>({
    {domain::Tier::Minimum, "minimum", "the least that works"},
    {domain::Tier::Recommended, "recommended", "the usual choice"},
    {domain::Tier::Performance, "performance", "half as many vCPU again"},
});
template <>
inline constexpr auto kNames<domain::Qos> = std::to_array<NameRow<domain::Qos>>({
    {domain::Qos::Guaranteed, "guaranteed", "every vCPU reserved, one to a core"},
    {domain::Qos::Engine, "engine", "the engine's processes reserved, two vCPU to a core"},
    {domain::Qos::BestEffort, "best-effort", "nothing reserved, four vCPU to a core"},
});
template <>
inline constexpr auto kNames<domain::Loader> = std::to_array<NameRow<domain::Loader>>({
    {domain::Loader::Mmap, "mmap", "weights are mapped; RAM serves as page cache"},
    {domain::Loader::Eager, "eager", "each worker reads its shard into RAM"},
    {domain::Loader::Build, "build", "the engine is built in host memory"},
});
template <>
inline constexpr auto kNames<domain::Platform> = std::to_array<NameRow<domain::Platform>>({
    {domain::Platform::Vsphere, "vsphere", "virtual machines on vSphere"},
    {domain::Platform::Vks, "vks", "Kubernetes on vSphere (VKS)"},
    {domain::Platform::Kubernetes, "kubernetes", "Kubernetes on physical nodes"},
    {domain::Platform::BareMetal, "bare-metal", "a server without a hypervisor"},
});
}  // namespace gpushape
