#include "emit/engine_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "domain/engine_command.hpp"
#include "emit/engine_args.hpp"
#include "emit/labels.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

using domain::EngineFlagName;
using domain::RankedShape;

namespace {

std::optional<Setting> when(bool is_set, std::string value, std::string why) {
  if (!is_set) return std::nullopt;
  return Setting{std::move(value), std::move(why)};
}

std::string model_argument(const Sized& sized) {
  const std::string& model = sized.picked.contract.model;
  if (!is_local_model(model)) return model;
  return fmt::format("{}/{}", kModelFolder, model_label(model));
}

/// What stands in brackets behind a setting: "max-num-seqs 16 (the sequences in flight), …".
std::string reason_in(std::string_view says, std::string_view name) {
  const std::size_t start = says.find(name);
  if (name.empty() || start == std::string_view::npos) return {};
  const std::size_t open = says.find('(', start);
  const std::size_t next = says.find(',', start + name.size());
  if (open == std::string_view::npos || open > next) return {};
  int depth = 0;
  for (std::size_t i = open; i < says.size(); ++i) {
    if (says[i] == '(') ++depth;
    if (says[i] == ')' && --depth == 0) return std::string(says.substr(open + 1, i - open - 1));
  }
  return {};
}

/// The reason that advise gave for a setting of its own choice, under our name for it (which is
/// vLLM's) or under the engine's.
std::string why_or(const Sized& sized, std::string_view name, std::string_view setting,
                   std::string otherwise) {
  std::string theirs;
  for (const EngineFlagName& flag : sized.command.flags) {
    if (flag.setting == setting)
      theirs = flag.flag.substr(std::min<std::size_t>(2, flag.flag.size()));
  }
  for (const domain::Reason& reason : sized.picked.reasons) {
    if (reason.rule != "settings") continue;
    for (const std::string_view spelled : {name, std::string_view(theirs)}) {
      const std::string why = reason_in(reason.says, spelled);
      if (!why.empty()) return "settings: " + why;
    }
  }
  return otherwise;
}

std::optional<Setting> memory_setting(const Sized& sized, bool is_pool) {
  const RankedShape& picked = sized.picked;
  if (is_pool) {
    if (!picked.kv_cache_memory_bytes) return std::nullopt;
    return Setting{std::to_string(picked.kv_cache_memory_bytes->count()),
                   "the pool of one GPU as asked for; the fraction is ignored beside it"};
  }
  if (picked.kv_cache_memory_bytes || !picked.gpu_memory_utilization) return std::nullopt;
  return Setting{
      fmt::format("{}", *picked.gpu_memory_utilization),
      why_or(sized, "gpu-memory-utilization", "utilization", "the engine's own fraction as sized")};
}

/// The pool that was asked for in bytes, for an engine that counts it in tokens.
std::optional<Setting> pool_tokens(const Sized& sized) {
  const RankedShape& picked = sized.picked;
  if (!picked.kv_cache_memory_bytes || !picked.estimate || !picked.estimate->capacity)
    return std::nullopt;
  const std::int64_t tokens = picked.estimate->capacity->kv_pool_tokens;
  return when(tokens > 0, std::to_string(tokens),
              fmt::format("what {} of cache hold, as asked for",
                          quantity_at_least(*picked.kv_cache_memory_bytes)));
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
    return when(
        sequences > 0, std::to_string(sequences),
        why_or(sized, "max-num-seqs", "maxNumSeqs", "the sequences in flight that were sized"));
  if (setting == "maxNumBatchedTokens")
    return when(picked.max_num_batched_tokens.has_value(),
                std::to_string(picked.max_num_batched_tokens.value_or(0)),
                why_or(sized, "max-num-batched-tokens", "maxNumBatchedTokens",
                       "tokens of one step as sized"));
  return std::nullopt;
}

/// Tokens that a draft model proposes in one step where nobody said: what vLLM's own example takes
/// (docs/features/spec_decode).
constexpr std::int64_t kDraftTokens = 5;

std::int64_t draft_tokens(const domain::EngineSettings& engine) {
  return engine.draft_tokens ? engine.draft_tokens->value : kDraftTokens;
}

/// As the hub knows it, where the catalog does.
std::string draft_name(const domain::DraftModel& draft) {
  const bool has_id = draft.model && !draft.model->id.empty();
  return has_id && !is_local_model(draft.model->id) ? draft.model->id : draft.name.value;
}

bool is_head(const domain::DraftModel& draft) { return draft.model && is_draft_head(*draft.model); }
bool proposes_blocks(const domain::DraftModel& draft) {
  return draft.model && domain::is_block_draft(draft.model->architecture);
}

/// As vLLM names it; a model of its own needs no name.
std::string_view method_in_json(const domain::DraftModel& draft) {
  if (proposes_blocks(draft)) return R"("method":"dflash",)";
  return is_head(draft) ? R"("method":"eagle3",)" : "";
}

bool has_draft(const domain::EngineSettings& engine) {
  return engine.draft_model || (engine.draft_tokens && engine.draft_tokens->value > 0);
}

/// Tokens that are proposed before they are checked: by a model of its own, or by the model's own
/// layers.
std::optional<Setting> draft_setting(const domain::EngineSettings& engine,
                                     std::string_view setting) {
  if (!has_draft(engine)) return std::nullopt;
  const std::string tokens = std::to_string(draft_tokens(engine));
  const std::string why = engine.draft_tokens ? "tokens proposed in one step, as asked for"
                                              : "--draft-tokens says another number";
  if (setting == "draft" && engine.draft_model)
    return Setting{
        fmt::format(R"({{{}"model":"{}","num_speculative_tokens":{}}})",
                    method_in_json(*engine.draft_model), draft_name(*engine.draft_model), tokens),
        "--draft-model: its weights and cache were sized beside the model's; " + why};
  if (setting == "draft")
    return Setting{fmt::format(R"({{"method":"mtp","num_speculative_tokens":{}}})", tokens),
                   "the model's own layers that predict more than one token"};
  if (setting == "draftModel" && engine.draft_model)
    return Setting{draft_name(*engine.draft_model), "sized beside the model"};
  if (setting == "draftLayers" && !engine.draft_model) return Setting{tokens, why};
  if (setting == "draftSteps") return Setting{tokens, why};
  if (setting == "draftBranches") return Setting{"1", "one chain of tokens was sized"};
  if (setting == "draftTokens")
    return Setting{std::to_string(draft_tokens(engine) + 1), "the steps, and the token itself"};
  return std::nullopt;
}

/// Widths of an adapter's slot (vLLM config/lora.py, possible ranks).
constexpr auto kSlotRanks = std::to_array<std::int64_t>({8, 16, 32, 64, 128, 256, 320, 512});

std::optional<Setting> adapter_setting(const Sized& sized,
                                       const std::optional<domain::Adapters>& adapters,
                                       std::string_view setting) {
  if (!adapters) return std::nullopt;
  const std::int64_t rank = adapters->rank.value;
  if (setting == "enableLora") return Setting{"", "--lora: slots for them were sized"};
  if (setting == "maxLoras")
    return Setting{std::to_string(adapters->count.value), "adapters on the GPU at the same time"};
  if (setting == "maxLoraRank" && sized.command.engine != "vllm")
    return Setting{std::to_string(rank), "the highest rank of them"};
  if (setting == "maxLoraRank") {
    const auto width = std::ranges::lower_bound(kSlotRanks, rank);
    return Setting{std::to_string(width == kSlotRanks.end() ? rank : *width),
                   fmt::format("the width of a slot for rank {}", rank)};
  }
  if (setting == "loraModules")
    return Setting{"all", "room beside every linear layer, whichever the adapters change"};
  return std::nullopt;
}

/// Host memory of the contract: what the engine keeps there of cache and weights.
std::optional<Setting> offload_setting(const Sized& sized, const domain::ContractWishes& wishes,
                                       std::string_view setting) {
  const Bytes cache = wishes.kv_offload_bytes.value;
  const std::int64_t gpus = std::max<std::int64_t>(1, sized.picked.shape.count);
  constexpr std::int64_t kGigabyte = 1'000'000'000;
  const std::string share = fmt::format("host memory of the contract, of each of {} GPUs", gpus);
  if (setting == "kvOffloadGib")
    return when(cache > Bytes(0), std::to_string(cache / gib(1)),
                "host memory of the contract, rounded down");
  if (setting == "hasKvOffload") return when(cache > Bytes(0), "", "cache in host memory");
  if (setting == "kvOffloadGbOfGpu")
    return when(cache > Bytes(0), std::to_string(cache.count() / gpus / kGigabyte), share);
  if (setting == "kvOffloadBytesOfGpu")
    return when(cache > Bytes(0), std::to_string(cache.count() / gpus), share);
  const Bytes weights = wishes.cpu_offload_bytes.value;
  if (setting == "cpuOffloadGib")
    return when(weights > Bytes(0), std::to_string(round_up(weights / gpus, gib(1)) / gib(1)),
                share + ", rounded up");
  return std::nullopt;
}

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
  if (setting == "flashAttention")
    return when(engine.flash_attention.has_value(),
                engine.flash_attention && engine.flash_attention->value ? "on" : "off", as_asked);
  if (setting == "wholeWindows") return when(engine.whole_windows.value, "", as_asked);
  if (setting == "apiServers")
    return when(workload.contract.api_servers.value > 1,
                std::to_string(workload.contract.api_servers.value), as_asked);
  if (auto draft = draft_setting(engine, setting)) return draft;
  if (auto adapter = adapter_setting(sized, workload.adapters, setting)) return adapter;
  return offload_setting(sized, workload.contract, setting);
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
  if (setting == "draftMethod") {
    if (!has_draft(workload.engine)) return std::nullopt;
    if (!workload.engine.draft_model) return "layers";
    if (proposes_blocks(*workload.engine.draft_model)) return "block";
    return is_head(*workload.engine.draft_model) ? "head" : "model";
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
  return setting == "kvCacheType" || setting == "quantization" || setting == "draftMethod";
}

std::optional<Setting> plain_setting(const Sized& sized, std::string_view setting) {
  if (setting == "kvCacheBytes") return memory_setting(sized, true);
  if (setting == "utilization") return memory_setting(sized, false);
  if (setting == "maxTotalTokens") return pool_tokens(sized);
  for (const auto& found :
       {model_setting(sized, setting), load_setting(sized, setting),
        parallel_setting(sized, setting), stated_setting(sized, setting), fixed_setting(setting)}) {
    if (found) return found;
  }
  return std::nullopt;
}

struct WordReason {
  std::string_view setting;
  std::string_view why;
  std::string_view subject;  ///< "no flag for … int4"
};
constexpr auto kWordReasons = std::to_array<WordReason>({
    {"quantization", "the checkpoint's 16 bits are converted while loading", "converting to"},
    {"kvCacheType", "the cache type that was sized", "a cache of"},
    {"draftMethod", "tokens are proposed before they are checked", "proposals by"},
});

/// What may be asked for and an engine may have no flag for: any of these settings says it.
struct Wanted {
  std::string_view says;
  std::array<std::string_view, 3> settings;
};
constexpr auto kWanted = std::to_array<Wanted>({
    {"a pool of given size", {"kvCacheBytes", "maxTotalTokens"}},
    {"the type of the cache", {"kvCacheType"}},
    {"the conversion of weights", {"quantization"}},
    {"the draft model", {"draft", "draftModel"}},
    {"drafts by the model's own layers", {"draft", "draftMethod"}},
    {"adapters", {"maxLoras"}},
    {"cache in host memory", {"kvOffloadGib", "kvOffloadGbOfGpu", "kvOffloadBytesOfGpu"}},
    {"weights in host memory", {"cpuOffloadGib"}},
    {"running without graphs", {"enforceEager"}},
    {"the size of cache blocks", {"blockTokens"}},
    {"no prefix caching", {"prefixCachingOff"}},
});

bool is_wanted(const Sized& sized, std::string_view setting) {
  if (setting.empty()) return false;
  return takes_words(setting) ? word_of(sized, setting).has_value()
                              : plain_setting(sized, setting).has_value();
}

}  // namespace

Result<std::optional<Setting>> setting_of(const Sized& sized, const EngineFlagName& flag) {
  if (!takes_words(flag.setting)) return plain_setting(sized, flag.setting);
  const std::optional<std::string> ours = word_of(sized, flag.setting);
  if (!ours) return std::optional<Setting>{};
  const auto reason = std::ranges::find(kWordReasons, flag.setting, &WordReason::setting);
  const auto word = std::ranges::find(flag.words, *ours, &domain::EngineWord::ours);
  if (word != flag.words.end())
    return std::optional<Setting>(Setting{word->theirs, std::string(reason->why)});
  // What the model's dtype is already needs no flag.
  if (*ours == "bf16" || *ours == "fp16") return std::optional<Setting>{};
  return failure(
      fmt::format("{} has no flag for {} {}", sized.command.engine, reason->subject, *ours),
      "ask for another type, or leave it to the engine");
}

std::vector<std::string> untold_settings(const Sized& sized) {
  std::vector<std::string> untold;
  for (const Wanted& row : kWanted) {
    const bool is_asked = std::ranges::any_of(
        row.settings, [&](std::string_view setting) { return is_wanted(sized, setting); });
    const auto says_it = [&row](const EngineFlagName& flag) {
      return std::ranges::find(row.settings, flag.setting) != row.settings.end();
    };
    const bool is_told = std::ranges::any_of(sized.command.flags, says_it) ||
                         std::ranges::any_of(sized.command.configuration, says_it);
    if (is_asked && !is_told)
      untold.push_back(fmt::format("{} has no flag for {}: it was sized, and has to be set by hand",
                                   sized.command.engine, row.says));
  }
  return untold;
}

}  // namespace gpushape::emit
