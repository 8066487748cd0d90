#include "review/understanding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "catalog/quantization_names.hpp"
#include "schema/token_count.hpp"

namespace gpushape::review {

using domain::Fact;
using domain::Origin;

namespace {

constexpr std::int64_t kMostRanks = 4096;
constexpr std::int64_t kMostCount = std::int64_t{1} << 40;

std::string from_place(const PodRequest& pod, int line, std::string_view what) {
  return fmt::format("{} ({}:{})", what, pod.document->source->file, line);
}

/// Values of --quantization by which checkpoints of 16 bits are converted as they load. Source:
/// vLLM docs/features/quantization/online.md (0.20 on), docs/features/quantization/bnb.md.
bool converts_while_loading(std::string_view value) {
  constexpr auto kValues = std::to_array<std::string_view>(
      {"fp8", "fp8_per_tensor", "fp8_per_block", "mxfp8", "bitsandbytes"});
  return std::ranges::find(kValues, value) != kValues.end();
}

class WorkloadReader {
 public:
  WorkloadReader(const PodRequest& pod, const EngineCall* call, domain::Workload workload)
      : pod_(pod), call_(call), workload_(std::move(workload)) {}

  domain::Workload read() {
    read_annotations();
    if (call_ != nullptr) read_call();
    return std::move(workload_);
  }

 private:
  [[nodiscard]] std::string from(const EngineSetting& setting) const {
    return from_place(pod_, setting.position.line,
                      setting.flag.empty() ? "argument" : setting.flag);
  }

  template <class T>
  [[nodiscard]] Fact<T> fact(T value, const EngineSetting& setting) const {
    return {std::move(value), Origin::File, from(setting)};
  }

  [[nodiscard]] const NamedText* annotation(std::string_view name) const {
    return pod_.annotation("gpushape.dev/" + std::string(name));
  }

  [[nodiscard]] std::string from(const NamedText& row) const {
    const int line = row.node == nullptr ? 0 : row.node->position().line;
    return from_place(pod_, line, "annotation " + row.name);
  }

  void read_annotations() {
    if (const NamedText* row = annotation("model")) {
      workload_.model = Fact<std::string>{row->value, Origin::File, from(*row)};
    }
    if (const NamedText* row = annotation("quantization")) {
      if (const auto value = catalog::parse_quantization(row->value)) {
        workload_.quantization = Fact<domain::Quantization>{*value, Origin::File, from(*row)};
      }
    }
    if (const NamedText* row = annotation("kv-cache-dtype")) {
      if (const auto value = catalog::parse_kv_cache_type(row->value)) {
        workload_.kv_cache_type = {*value, Origin::File, from(*row)};
      }
    }
    if (const NamedText* row = annotation("context")) {
      if (const auto value = schema::token_count(row->value)) {
        workload_.context_tokens = Fact<std::int64_t>{*value, Origin::File, from(*row)};
      }
    }
    if (const NamedText* row = annotation("concurrency")) {
      if (const auto value = engine_integer(row->value); value && *value > 0) {
        workload_.concurrency = Fact<std::int64_t>{*value, Origin::File, from(*row)};
      }
    }
  }

  /// The last of that setting, where it is a number within bounds.
  [[nodiscard]] std::optional<Fact<std::int64_t>> integer(std::string_view name,
                                                          std::int64_t most) const {
    const EngineSetting* setting = call_->find(name);
    if (setting == nullptr) return std::nullopt;
    const auto value = engine_integer(setting->value);
    if (!value || *value < 1 || *value > most) return std::nullopt;
    return fact(*value, *setting);
  }

  template <class Target>
  void take(std::string_view name, std::int64_t most, Target& target) const {
    if (const auto value = integer(name, most)) target = *value;
  }

  void read_call() {
    domain::EngineSettings& engine = workload_.engine;
    engine.engine = {call_->engine, Origin::File,
                     from_place(pod_, call_->position.line, "the command")};
    if (call_->version) {
      engine.version = Fact<domain::EngineVersion>{*call_->version, Origin::File,
                                                   from_place(pod_, call_->position.line, "image")};
    }
    read_model();
    read_types();
    take("contextTokens", kMostCount, workload_.context_tokens);
    take("tensor", kMostRanks, engine.tensor);
    take("pipeline", kMostRanks, engine.pipeline);
    take("data", kMostRanks, engine.data);
    take("expert", kMostRanks, engine.expert);
    take("contextParallel", kMostRanks, engine.context_parallel);
    take("maxNumSeqs", kMostCount, engine.max_num_seqs);
    take("maxNumBatchedTokens", kMostCount, engine.max_num_batched_tokens);
    take("blockTokens", kMostRanks, engine.block_tokens);
    if (const EngineSetting* setting = call_->find("layersOnGpu")) {
      const auto layers = engine_integer(setting->value);  // -1, "all" and "auto": as many as fit
      if (layers && *layers >= 0 && *layers <= kMostRanks)
        engine.gpu_layers = fact(*layers, *setting);
    }
    read_memory();
    read_switches();
    read_shared_context();
  }

  void read_model() {
    const EngineSetting* setting = nullptr;
    for (const std::string_view name : {"model", "repository", "file"}) {
      if (setting == nullptr) setting = call_->find(name);
    }
    if (setting != nullptr && is_catalog_name(setting->value)) {
      workload_.model = fact(setting->value, *setting);
    } else if (!workload_.model && is_catalog_name(call_->model)) {
      workload_.model = Fact<std::string>{
          call_->model, Origin::File, from_place(pod_, call_->model_position.line, "the command")};
    }
  }

  /// text-generation-inference, docs/source/reference/launcher.md: what QUANTIZE converts into.
  [[nodiscard]] static std::optional<domain::Quantization> launcher_quantization(
      std::string_view word) {
    if (word == "eetq") return domain::Quantization::Int8Weight;
    if (word == "bitsandbytes") return domain::Quantization::BnbInt8;
    if (word.starts_with("bitsandbytes-")) return domain::Quantization::BnbNf4;
    if (word == "fp8") return domain::Quantization::Fp8;
    return std::nullopt;
  }

  void read_types() {
    const bool is_launcher = call_->engine == "text-generation-inference";
    const EngineSetting* setting = call_->find("quantization");
    if (setting != nullptr && is_launcher) {
      if (const auto value = launcher_quantization(setting->value)) {
        workload_.quantization = fact(*value, *setting);
      }
    } else if (setting != nullptr) {
      // What a checkpoint is stored in anyway; only what converts while loading says more.
      if (const auto value = catalog::parse_quantization(setting->value);
          value && converts_while_loading(setting->value)) {
        workload_.quantization = fact(*value, *setting);
      }
    }
    if (const EngineSetting* cache = call_->find("kvCacheType")) {
      const bool is_fp8 = is_launcher && cache->value.starts_with("fp8_");
      const std::string_view word = is_fp8 ? std::string_view("fp8") : cache->value;
      if (const auto value = catalog::parse_kv_cache_type(word)) {
        workload_.kv_cache_type = fact(*value, *cache);
      }
    }
    if (call_->engine == "llama.cpp") read_sides_of_cache();
  }

  /// Keys and values have a flag each, and what has none is kept in 16 bits.
  void read_sides_of_cache() {
    const EngineSetting* keys = nullptr;
    const EngineSetting* values = nullptr;
    for (const EngineSetting& setting : call_->settings) {
      if (setting.setting != "kvCacheType") continue;
      const bool is_of_values = setting.flag == "--cache-type-v" || setting.flag == "-ctv";
      (is_of_values ? values : keys) = &setting;
    }
    const auto type_of = [](const EngineSetting* setting) {
      return setting == nullptr
                 ? domain::KvCacheType::Fp16
                 : catalog::parse_kv_cache_type(setting->value).value_or(domain::KvCacheType::Fp16);
    };
    if ((keys == nullptr && values == nullptr) || type_of(keys) == type_of(values)) return;
    const EngineSetting& given = keys == nullptr ? *values : *keys;
    workload_.kv_cache_type = fact(type_of(keys), given);
    workload_.engine.value_cache_type = fact(type_of(values), values == nullptr ? given : *values);
  }

  void read_memory() {
    domain::EngineSettings& engine = workload_.engine;
    if (const EngineSetting* setting = call_->find("utilization")) {
      double value = 0;
      const char* const end = setting->value.data() + setting->value.size();
      const auto [rest, error] = std::from_chars(setting->value.data(), end, value);
      if (error == std::errc() && rest == end && value > 0 && value <= 1) {
        engine.gpu_memory_utilization = fact(value, *setting);
      }
    }
    if (const EngineSetting* setting = call_->find("kvCacheBytes")) {
      if (const auto value = engine_integer(setting->value); value && *value > 0) {
        engine.kv_cache_memory_bytes = fact(Bytes(*value), *setting);
      }
    }
    const auto gib_of_setting = [&](std::string_view name) -> std::optional<Fact<Bytes>> {
      const EngineSetting* setting = call_->find(name);
      const auto value = setting == nullptr ? std::nullopt : engine_integer(setting->value);
      if (!value || *value < 0 || *value > 1'000'000) return std::nullopt;
      return fact(gib(*value), *setting);
    };
    if (const auto bytes = gib_of_setting("kvOffloadGib")) {
      workload_.contract.kv_offload_bytes = *bytes;
    }
    if (const auto bytes = gib_of_setting("cpuOffloadGib")) {
      workload_.contract.cpu_offload_bytes = *bytes;
    }
  }

  void read_switches() {
    domain::EngineSettings& engine = workload_.engine;
    if (const EngineSetting* setting = call_->find("enforceEager")) {
      engine.enforce_eager = fact(setting->value != "false", *setting);
    }
    if (const EngineSetting* setting = call_->find("flashAttention");
        setting != nullptr && setting->value != "auto") {
      constexpr std::array<std::string_view, 3> kOff = {"0", "false", "off"};
      engine.flash_attention =
          fact(std::ranges::find(kOff, setting->value) == kOff.end(), *setting);
    }
    if (const EngineSetting* setting = call_->find("attentionBackend");
        setting != nullptr && call_->engine == "vllm" && !setting->value.empty())
      engine.attention_backend = fact(setting->value, *setting);
    if (const EngineSetting* setting = call_->find("latentsOff"))
      engine.unfolds_latents = fact(setting->value != "0", *setting);
    if (const EngineSetting* setting = call_->find("wholeWindows"))
      engine.whole_windows = fact(true, *setting);
    if (const EngineSetting* setting = call_->find("hasExpertParallel")) {
      const std::int64_t ranks = std::min(engine.tensor ? engine.tensor->value : 1, kMostRanks) *
                                 std::min(engine.data ? engine.data->value : 1, kMostRanks);
      engine.expert = fact(ranks, *setting);
    }
    if (const EngineSetting* setting = call_->find("performanceMode")) {
      engine.throughput_mode = fact(setting->value == "throughput", *setting);
    }
    if (const EngineSetting* setting = call_->find("prefixCachingOff")) {
      engine.prefix_caching = fact(false, *setting);
    } else if (const EngineSetting* on = call_->find("prefixCachingOn")) {
      engine.prefix_caching = fact(true, *on);
    }
  }

  /// llama.cpp: one context is divided among the slots.
  void read_shared_context() {
    const auto shared = integer("sharedContextTokens", kMostCount);
    if (!shared) return;
    const std::int64_t slots =
        workload_.engine.max_num_seqs ? workload_.engine.max_num_seqs->value : 1;
    workload_.context_tokens = Fact<std::int64_t>{
        std::max<std::int64_t>(shared->value / std::max<std::int64_t>(slots, 1), 1), Origin::File,
        fmt::format("{} over {} slots", shared->from, slots)};
  }

  const PodRequest& pod_;
  const EngineCall* call_;
  domain::Workload workload_;
};

}  // namespace

bool is_catalog_name(std::string_view model) {
  if (model.empty() || std::string_view("/.~$").contains(model.front())) return false;
  return !model.contains("://") && !model.contains("$(") && !model.contains("{{") &&
         !model.contains("..") && std::ranges::count(model, '/') <= 1;
}

std::optional<std::int64_t> engine_integer(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  struct Factor {
    std::string_view suffix;
    double factor;
  };
  constexpr auto kFactors = std::to_array<Factor>({{"", 1},
                                                   {"k", 1e3},
                                                   {"m", 1e6},
                                                   {"g", 1e9},
                                                   {"t", 1e12},
                                                   {"K", 1024.0},
                                                   {"M", 1048576.0},
                                                   {"G", 1073741824.0},
                                                   {"T", 1099511627776.0}});
  for (const Factor& row : kFactors) {
    if (row.suffix != suffix) continue;
    const double product = value * row.factor;
    if (std::abs(product) > static_cast<double>(kMostCount) * 1024 * 1024) return std::nullopt;
    return static_cast<std::int64_t>(product);
  }
  return std::nullopt;
}

domain::Workload workload_of(const PodRequest& pod, const Container* container,
                             const ReviewRequest& request) {
  domain::Workload base;
  if (request.workload != nullptr) base = *request.workload;
  base.name = pod.name;
  const EngineCall* call =
      container == nullptr || !container->engine ? nullptr : &*container->engine;
  return WorkloadReader(pod, call, std::move(base)).read();
}

}  // namespace gpushape::review
