#include "schema/stated_facts.hpp"

#include <fmt/format.h>

#include <string>

namespace gpushape::schema {

namespace {

template <class T>
void add(std::vector<domain::Assumption>& facts, std::string name, std::string value,
         const domain::Fact<T>& fact, std::string flag) {
  facts.push_back({std::move(name), std::move(value), fact.origin, fact.from, std::move(flag)});
}

}  // namespace

std::vector<domain::Assumption> stated_facts(const domain::Estimate& estimate) {
  std::vector<domain::Assumption> facts;
  const auto count = [](std::int64_t value) { return fmt::format("{}", value); };
  const auto& settings = estimate.settings;
  const bool has_model = !estimate.model_id.empty();
  if (has_model) {
    add(facts, "quantization", std::string(name_of(estimate.quantization.value)),
        estimate.quantization, "--quant");
    if (!domain::is_training(estimate))
      add(facts, "kvCacheType", std::string(name_of(estimate.kv_cache_type.value)),
          estimate.kv_cache_type, "--kv-cache-dtype");
  }
  if (const auto& context = estimate.context_tokens) {
    add(facts, "contextTokens", count(context->value), *context, "--context");
  }
  if (const auto& concurrency = estimate.concurrency) {
    add(facts, "concurrency", count(concurrency->value), *concurrency, "--concurrency");
  }
  if (const auto& traffic = estimate.traffic) {
    if (!traffic->from.empty())
      facts.push_back({"sequenceLengths", std::string(name_of(traffic->basis)),
                       domain::Origin::Computed, traffic->from, "--input-tokens, --output-tokens"});
    if (traffic->stated_level)
      add(facts, "serviceLevel", fmt::format("P{:g}", traffic->stated_level->value * 100),
          *traffic->stated_level, "--service-level");
    if (traffic->stated_token_seconds)
      add(facts, "tokenSeconds", fmt::format("{:g}", traffic->stated_token_seconds->value),
          *traffic->stated_token_seconds, "--token-seconds");
    if (traffic->stated_prefix_tokens)
      add(facts, "commonPrefixTokens", count(traffic->stated_prefix_tokens->value),
          *traffic->stated_prefix_tokens, "--common-prefix");
  }
  if (!has_model) return facts;
  add(facts, "engine", estimate.engine.value, estimate.engine, "--engine");
  add(facts, "engineVersion", to_text(settings.version.value), settings.version,
      "--engine-version");
  if (estimate.training) {
    for (const domain::TrainingFact& fact : domain::facts_of(*estimate.training, estimate.adapters))
      facts.push_back({fact.name, fact.value, fact.origin, fact.from, fact.flag});
    return facts;
  }
  if (estimate.adapters) {
    add(facts, "adapters", count(estimate.adapters->count.value), estimate.adapters->count,
        "--lora");
    add(facts, "adapterRank", count(estimate.adapters->rank.value), estimate.adapters->rank,
        "--lora rank=");
  }
  add(facts, "maxNumSeqs", count(settings.max_num_seqs.value), settings.max_num_seqs,
      "--max-num-seqs");
  add(facts, "maxNumBatchedTokens", count(settings.max_num_batched_tokens.value),
      settings.max_num_batched_tokens, "--max-num-batched-tokens");
  if (settings.gpu_memory_utilization.value <= 0) return facts;  // the engine has no such setting
  add(facts, "gpuMemoryUtilization", fmt::format("{}", settings.gpu_memory_utilization.value),
      settings.gpu_memory_utilization, "--gpu-memory-utilization");
  return facts;
}

}  // namespace gpushape::schema
