#include "advise/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/words.hpp"

namespace gpushape::advise {

using domain::Parallelism;

namespace {

/// Layers are shared within a link domain where there is a choice (MG-04), and by a number that
/// divides the heads; what is left of the GPUs are stages that follow one another.
Parallelism tensor_layout(const DeviceCase& device_case, std::int64_t gpus) {
  const AdviceRequest& request = device_case.request;
  Parallelism parallelism = asked_parallelism(request);
  parallelism.tensor = gpus;
  if (!request.model || !has_stages(request)) return parallelism;
  const Facts& facts = device_case.facts;
  const std::int64_t heads = facts.attention_heads;
  const auto halve = [&] {
    parallelism.tensor /= 2;
    parallelism.pipeline *= 2;
  };
  while (!has_hypervisor(facts.platform) && parallelism.tensor > 1 &&
         parallelism.tensor > facts.link_domain_size) {
    halve();
  }
  while (heads > 0 && parallelism.tensor % 2 == 0 && heads % parallelism.tensor != 0) halve();
  return parallelism;
}

/// Attention on groups of GPUs that are no more than there are heads of the cache, each with
/// sequences of its own, and the experts dealt out over all. `tensor` 0 where nothing is gained: no
/// experts, no copies of the cache, no links that the exchange of tokens could take, or another
/// engine. SGLang counts the same ranks as tensor parallel and is left to its flags.
Parallelism replicated_attention(const DeviceCase& device_case, std::int64_t gpus) {
  const Facts& facts = device_case.facts;
  const AdviceRequest& request = device_case.request;
  Parallelism none;
  none.tensor = 0;
  const bool is_open = !request.workload.engine.expert && request.model && !is_training(request) &&
                       request.workload.engine.engine.value == "vllm";
  if (!is_open || facts.experts < gpus || facts.cache_heads < 1) return none;
  if (gpus <= facts.cache_heads || gpus > facts.link_domain_size) return none;
  Parallelism parallelism;
  while (parallelism.tensor * 2 <= facts.cache_heads) parallelism.tensor *= 2;
  if (facts.attention_heads % parallelism.tensor != 0) return none;
  parallelism.data = gpus / parallelism.tensor;
  parallelism.expert = gpus;
  return parallelism;
}

std::string layout_words(const Parallelism& parallelism) {
  return parallelism.tensor > 1
             ? fmt::format("data {} x tensor {}", parallelism.data, parallelism.tensor)
             : fmt::format("data {}", parallelism.data);
}

std::string heads_text(const Facts& facts) {
  return facts.cache_heads == 1 ? std::string("its latent cache is one for all heads")
                                : fmt::format("its cache has {} heads", facts.cache_heads);
}

/// "32 sequences in flight are 4 for each GPU, below threshold …".
std::string load_text(const DeviceCase& device_case, std::int64_t gpus, bool is_enough) {
  const std::int64_t sequences = device_case.request.workload.concurrency->value;
  return fmt::format("{} are {:.3g} for each GPU, {} {}", counted(sequences, "sequence"),
                     static_cast<double>(sequences) / static_cast<double>(gpus),
                     is_enough ? "no less than" : "below",
                     to_text(device_case.request.thresholds.replicated_attention));
}

}  // namespace

bool asks_for_layout(const AdviceRequest& request) {
  const domain::EngineSettings& engine = request.workload.engine;
  return engine.tensor || engine.pipeline || engine.data;
}

Parallelism asked_parallelism(const AdviceRequest& request) {
  const auto value = [](const std::optional<domain::Fact<std::int64_t>>& fact) {
    return fact ? fact->value : 1;
  };
  const domain::EngineSettings& engine = request.workload.engine;
  return {.tensor = value(engine.tensor),
          .pipeline = value(engine.pipeline),
          .data = value(engine.data),
          .expert = value(engine.expert)};
}

std::int64_t gpus_of(const Parallelism& parallelism) {
  return parallelism.tensor * parallelism.pipeline * parallelism.data;
}

bool is_training(const AdviceRequest& request) {
  const auto& role = request.workload.role;
  return role && role->value == domain::Role::FineTune;
}

bool has_stages(const AdviceRequest& request) {
  const std::string& engine = request.workload.engine.engine.value;
  return engine == "vllm" || engine == "sglang" || engine == "tensorrt-llm";
}

std::vector<LayoutChoice> layouts_on_host(const DeviceCase& device_case, std::int64_t gpus) {
  const AdviceRequest& request = device_case.request;
  if (asks_for_layout(request)) return {{asked_parallelism(request), {}}};
  // A trainer deals weights and states out to data parallel GPUs (ZeRO, FSDP) before it splits
  // layers.
  if (is_training(request)) {
    Parallelism parallelism = asked_parallelism(request);
    parallelism.data = gpus;
    return {{parallelism, {}}};
  }
  const Facts& facts = device_case.facts;
  std::vector<LayoutChoice> layouts = {{tensor_layout(device_case, gpus), {}}};
  const Parallelism replicated = replicated_attention(device_case, gpus);
  if (replicated.tensor > 0) {
    const std::string gain = fmt::format(
        "attention on each {} and {} experts over all {} ({}, expert {}): {}, and "
        "tensor {} would keep {} copies of it",
        replicated.tensor > 1 ? fmt::format("{} GPUs", replicated.tensor) : "GPU", facts.experts,
        gpus, layout_words(replicated), replicated.expert, heads_text(facts), gpus,
        gpus / replicated.tensor);
    const auto& concurrency = request.workload.concurrency;
    const double sequences = concurrency ? static_cast<double>(concurrency->value) : 0;
    const bool is_enough =
        sequences >= request.thresholds.replicated_attention.value * static_cast<double>(gpus);
    if (is_enough) {
      layouts.insert(
          layouts.begin(),
          {replicated, fmt::format("{}; {}", gain, load_text(device_case, gpus, is_enough))});
    } else {
      if (concurrency)
        layouts.front().why = fmt::format(
            "tensor parallel answers each sequence soonest, and {}; from there on "
            "{} with expert {} holds more of them",
            load_text(device_case, gpus, is_enough), layout_words(replicated), replicated.expert);
      layouts.push_back({replicated, fmt::format("{}, which leaves too little for these", gain)});
    }
  }
  // Experts that do not divide are dealt out whole.
  const bool has_open_experts = facts.experts >= gpus && !request.workload.engine.expert &&
                                has_stages(request) && gpus <= facts.link_domain_size;
  const Parallelism& shared = tensor_layout(device_case, gpus);
  if (has_open_experts && shared.pipeline == 1) {
    Parallelism dealt = shared;
    dealt.expert = gpus;
    layouts.push_back({dealt, fmt::format("{} experts are dealt out whole to {} GPUs (expert {}): "
                                          "shared by all, each would be cut",
                                          facts.experts, gpus, gpus)});
  }
  return layouts;
}

}  // namespace gpushape::advise
