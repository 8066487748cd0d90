#include "emit/engine_args.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "domain/engine_command.hpp"
#include "emit/labels.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

using domain::EngineCommand;
using domain::EngineFlagName;
using domain::RankedShape;

namespace {

/// What a setting is set to and why; no value where the flag is left out.
struct Setting {
  std::string value;
  std::string why;
};

struct Sized {
  const EmitRequest& request;
  const RankedShape& picked;
  const EngineCommand& command;
};

std::optional<Setting> when(bool is_set, std::string value, std::string why) {
  if (!is_set) return std::nullopt;
  return Setting{std::move(value), std::move(why)};
}

std::string model_argument(const Sized& sized) {
  const std::string& model = sized.picked.contract.model;
  if (!is_local_model(model)) return model;
  return fmt::format("{}/{}", kModelFolder, model_label(model));
}

/// The reason that advise gave for its own settings: "max-num-seqs 16 (the sequences in flight), …"
std::string reason_of(const RankedShape& picked, std::string_view setting) {
  for (const domain::Reason& reason : picked.reasons) {
    if (reason.rule != "settings") continue;
    const std::size_t start = reason.says.find(setting);
    const std::size_t open = reason.says.find('(', start);
    const std::size_t close = reason.says.find(')', open);
    if (start != std::string::npos && close != std::string::npos)
      return reason.says.substr(open + 1, close - open - 1);
  }
  return {};
}

std::string why_or(const RankedShape& picked, std::string_view setting, std::string otherwise) {
  std::string why = reason_of(picked, setting);
  return why.empty() ? std::move(otherwise) : "settings: " + std::move(why);
}

std::optional<Setting> memory_setting(const Sized& sized, bool is_pool) {
  const RankedShape& picked = sized.picked;
  if (is_pool) {
    if (!picked.kv_cache_memory_bytes) return std::nullopt;
    return Setting{std::to_string(picked.kv_cache_memory_bytes->count()),
                   "the pool of one GPU as asked for; the fraction is ignored beside it"};
  }
  if (picked.kv_cache_memory_bytes || !picked.gpu_memory_utilization) return std::nullopt;
  return Setting{fmt::format("{}", *picked.gpu_memory_utilization),
                 why_or(picked, "gpu-memory-utilization", "the engine's own fraction as sized")};
}

std::optional<Setting> parallel_setting(const Sized& sized, std::string_view setting) {
  const domain::Parallelism& layout = sized.picked.shape.parallelism;
  const auto above_one = [](std::int64_t ranks, std::string why) {
    return when(ranks > 1, std::to_string(ranks), std::move(why));
  };
  if (setting == "tensor")
    return above_one(layout.tensor, "MG-01: tensor parallel over the GPUs of one instance");
  if (setting == "pipeline") return above_one(layout.pipeline, "stages of the layers");
  if (setting == "data") return above_one(layout.data, "copies of the engine in one instance");
  if (setting == "expert") return above_one(layout.expert, "experts spread over the ranks");
  if (setting == "hasExpertParallel")
    return when(layout.expert > 1, "", "experts spread over the ranks");
  if (setting == "contextParallel")
    return above_one(layout.context, "ranks that share a request's cache");
  if (setting == "layersOverGpus")
    return when(sized.picked.shape.count > 1, "layer", "each GPU holds whole layers");
  return std::nullopt;
}

std::optional<Setting> model_setting(const Sized& sized, std::string_view setting) {
  const std::string& model = sized.picked.contract.model;
  const bool is_file = is_local_model(model);
  if (setting == "model") return Setting{model_argument(sized), "what was sized"};
  if (setting == "file")
    return when(is_file, fmt::format("{}/{}.gguf", kModelFolder, model_label(model)),
                "the GGUF file on the weights volume");
  if (setting == "repository")
    return when(!is_file, fmt::format("{}:{}", model, sized.picked.contract.quantization),
                "a repository with GGUF files of that type");
  return std::nullopt;
}

std::optional<Setting> load_setting(const Sized& sized, std::string_view setting) {
  const RankedShape& picked = sized.picked;
  const domain::ResourceContract& contract = picked.contract;
  const std::int64_t sequences = picked.max_num_seqs.value_or(contract.concurrency.value_or(0));
  if (setting == "contextTokens")
    return when(contract.context_tokens.has_value(),
                std::to_string(contract.context_tokens.value_or(0)),
                "the context that was sized; without it the engine takes the model's longest");
  if (setting == "sharedContextTokens")
    return when(
        contract.context_tokens && sequences > 0,
        std::to_string(contract.context_tokens.value_or(0) * std::max<std::int64_t>(sequences, 1)),
        fmt::format("{} tokens for each of {} slots", contract.context_tokens.value_or(0),
                    sequences));
  if (setting == "maxNumSeqs")
    return when(sequences > 0, std::to_string(sequences),
                why_or(picked, "max-num-seqs", "the sequences in flight that were sized"));
  if (setting == "maxNumBatchedTokens")
    return when(picked.max_num_batched_tokens.has_value(),
                std::to_string(picked.max_num_batched_tokens.value_or(0)),
                why_or(picked, "max-num-batched-tokens", "tokens of one step as sized"));
  return std::nullopt;
}

std::int64_t whole_gib(Bytes bytes) { return round_up(bytes, gib(1)) / gib(1); }

/// Settings that only the user gives.
std::optional<Setting> stated_setting(const Sized& sized, std::string_view setting) {
  if (sized.request.workload == nullptr) return std::nullopt;
  const domain::Workload& workload = *sized.request.workload;
  const domain::EngineSettings& engine = workload.engine;
  const std::string as_asked = "as asked for";
  if (setting == "enforceEager")
    return when(engine.enforce_eager.value, "", "no graphs were sized");
  if (setting == "blockTokens")
    return when(engine.block_tokens.has_value(),
                engine.block_tokens ? std::to_string(engine.block_tokens->value) : "", as_asked);
  if (setting == "prefixCachingOn")
    return when(engine.prefix_caching && engine.prefix_caching->value, "", as_asked);
  if (setting == "prefixCachingOff")
    return when(engine.prefix_caching && !engine.prefix_caching->value, "", as_asked);
  if (setting == "draft")
    return when(engine.draft_tokens && engine.draft_tokens->value > 0,
                engine.draft_tokens
                    ? fmt::format(R"({{"method":"mtp","num_speculative_tokens":{}}})",
                                  engine.draft_tokens->value)
                    : "",
                "the model's own layers that predict more than one token");
  if (setting == "apiServers")
    return when(workload.contract.api_servers.value > 1,
                std::to_string(workload.contract.api_servers.value), as_asked);
  if (setting == "kvOffloadGib")
    return when(workload.contract.kv_offload_bytes.value > Bytes(0),
                std::to_string(workload.contract.kv_offload_bytes.value / gib(1)),
                "host memory of the contract, rounded down");
  if (setting == "cpuOffloadGib")
    return when(workload.contract.cpu_offload_bytes.value > Bytes(0),
                std::to_string(whole_gib(workload.contract.cpu_offload_bytes.value) /
                               std::max<std::int64_t>(1, sized.picked.shape.count)),
                "host memory of the contract, of each GPU");
  return std::nullopt;
}

std::optional<Setting> fixed_setting(std::string_view setting) {
  if (setting == "anyHost") return Setting{"0.0.0.0", "reachable from outside the container"};
  if (setting == "allLayers") return Setting{"999", "every layer on the GPU, as sized"};
  return std::nullopt;
}

/// Our word where the engine has to be told: what a checkpoint or a default says by itself is not.
std::optional<std::string> word_of(const Sized& sized, std::string_view setting) {
  if (sized.request.workload == nullptr) return std::nullopt;
  const domain::Workload& workload = *sized.request.workload;
  if (setting == "kvCacheType") {
    if (workload.kv_cache_type.value == domain::KvCacheType::Auto) return std::nullopt;
    return std::string(name_of(workload.kv_cache_type.value));
  }
  if (setting != "quantization" || !workload.quantization) return std::nullopt;
  const auto& estimate = sized.picked.estimate;
  const bool is_converted =
      estimate && std::ranges::any_of(estimate->notes, [](const std::string& note) {
        return note.starts_with("the engine turns the 16-bit weights into");
      });
  if (!is_converted) return std::nullopt;
  return std::string(name_of(workload.quantization->value));
}

bool takes_words(std::string_view setting) {
  return setting == "kvCacheType" || setting == "quantization";
}

std::optional<Setting> plain_setting(const Sized& sized, std::string_view setting) {
  if (setting == "kvCacheBytes") return memory_setting(sized, true);
  if (setting == "utilization") return memory_setting(sized, false);
  for (const auto& found :
       {model_setting(sized, setting), load_setting(sized, setting),
        parallel_setting(sized, setting), stated_setting(sized, setting), fixed_setting(setting)}) {
    if (found) return found;
  }
  return std::nullopt;
}

bool is_known_to(const EngineFlagName& flag, const std::optional<domain::EngineVersion>& version) {
  if (!version) return true;
  return (!flag.since || *flag.since <= *version) && (!flag.before || *version < *flag.before);
}

/// "v{version}" with three parts: "v0.26.0".
std::string tag_of(const EngineCommand& command, const std::string& version) {
  const auto parsed = domain::engine_version(version);
  const std::string whole =
      parsed ? fmt::format("{}.{}.{}", parsed->major, parsed->minor, parsed->patch) : version;
  std::string tag = command.tag;
  if (const std::size_t at = tag.find("{version}"); at != std::string::npos)
    tag.replace(at, std::string_view("{version}").size(), whole);
  return tag;
}

Result<std::optional<Setting>> setting_of(const Sized& sized, const EngineFlagName& flag) {
  if (!takes_words(flag.setting)) return plain_setting(sized, flag.setting);
  const std::optional<std::string> ours = word_of(sized, flag.setting);
  if (!ours) return std::optional<Setting>{};
  const auto word = std::ranges::find(flag.words, *ours, &domain::EngineWord::ours);
  if (word != flag.words.end()) {
    return std::optional<Setting>(
        Setting{word->theirs, flag.setting == "quantization"
                                  ? "the checkpoint's 16 bits are converted while loading"
                                  : "the cache type that was sized"});
  }
  // What the model's dtype is already needs no flag.
  if (*ours == "bf16" || *ours == "fp16") return std::optional<Setting>{};
  return failure(
      fmt::format("{} has no flag for {} {}", sized.command.engine,
                  flag.setting == "quantization" ? "converting to" : "a cache of", *ours),
      "ask for another type, or leave it to the engine");
}

}  // namespace

bool is_local_model(std::string_view model) {
  return model.starts_with('/') || model.starts_with('.') || model.starts_with('~') ||
         model.ends_with(".json") || model.ends_with(".gguf") || model.ends_with(".safetensors") ||
         std::ranges::count(model, '/') != 1;
}

Result<EngineStart> engine_start(const EmitRequest& request, const RankedShape& picked) {
  EngineStart start;
  const domain::ResourceContract& contract = picked.contract;
  if (contract.model.empty()) return start;
  if (request.engine_command == nullptr || request.engine_command->engine != contract.engine) {
    return failure(fmt::format("no list of the flags of engine {} is kept", contract.engine),
                   "`-o contract` and `-o resource-claim` can, or ask for --engine vllm");
  }
  const Sized sized{request, picked, *request.engine_command};
  const EngineCommand& command = *request.engine_command;
  start.engine = command.engine;
  start.image = fmt::format("{}:{}", command.image, tag_of(command, contract.engine_version));
  start.command = command.command;
  start.port = command.port;
  start.health_path = command.health_path;
  const auto version = domain::engine_version(contract.engine_version);
  for (const EngineFlagName& flag : command.flags) {
    Result<std::optional<Setting>> setting = setting_of(sized, flag);
    if (!setting) return failure(std::move(setting.error()));
    if (!*setting) continue;
    if (!is_known_to(flag, version)) {
      start.notes.push_back(fmt::format("{} {} does not know {}; {} is not told to it",
                                        command.engine, contract.engine_version, flag.flag,
                                        flag.setting));
      continue;
    }
    start.flags.push_back({flag.setting, flag.flag, (*setting)->value, (*setting)->why});
  }
  return start;
}

std::vector<std::string> arguments_without(const EngineStart& start,
                                           std::initializer_list<std::string_view> settings) {
  const bool has_equals = start.engine != "llama.cpp";  // its parser reads words only
  std::vector<std::string> words;
  for (const EngineFlag& flag : start.flags) {
    if (std::ranges::find(settings, flag.setting) != settings.end()) continue;
    if (flag.name.empty()) {
      words.push_back(flag.value);
    } else if (flag.value.empty()) {
      words.push_back(flag.name);
    } else if (has_equals) {
      words.push_back(flag.name + "=" + flag.value);
    } else {
      words.push_back(flag.name);
      words.push_back(flag.value);
    }
  }
  return words;
}

std::vector<std::string> arguments_of(const EngineStart& start) {
  return arguments_without(start, {});
}

}  // namespace gpushape::emit
