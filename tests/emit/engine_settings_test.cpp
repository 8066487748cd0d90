// What engines are told beyond the usual: adapters, drafts, offload, and what has no flag.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emit/emitted_documents.hpp"
#include "emit/engine_args.hpp"

using namespace gpushape;
using document::Node;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

Case sized_for(const std::string& engine, const std::string& version, RankedShape picked) {
  picked.contract.engine = engine;
  picked.contract.engine_version = version;
  Case made = make("x", "deployment", Platform::Kubernetes, {std::move(picked)});
  made.workload.emplace();
  return made;
}

RankedShape pair_of_gpus() { return cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000); }

std::vector<std::string> words_of(const Case& from) {
  const emit::EmitRequest request = from.request();
  const Result<emit::EngineStart> start = emit::engine_start(request, *request.picked.front());
  REQUIRE(start);
  return emit::arguments_of(*start);
}

std::vector<std::string> notes_of(const Case& from) {
  const emit::EmitRequest request = from.request();
  const Result<emit::EngineStart> start = emit::engine_start(request, *request.picked.front());
  REQUIRE(start);
  return start->notes;
}

std::string why_of(const Case& from, const std::string& setting) {
  const emit::EmitRequest request = from.request();
  const Result<emit::EngineStart> start = emit::engine_start(request, *request.picked.front());
  REQUIRE(start);
  for (const emit::EngineFlag& flag : start->flags) {
    if (flag.setting == setting) return flag.why;
  }
  return "no such flag";
}

template <class T>
Fact<T> asked(T value) {
  return {std::move(value), Origin::Flag, "a flag"};
}

}  // namespace

TEST_SUITE("emit") {
  // vLLM's slots are 8, 16, 32, 64, 128, 256, 320 or 512 wide: rank 24 stands in one of 32.
  TEST_CASE("adapters have slots of a width that the engine makes") {
    Case from = sized_for("vllm", "0.19", pair_of_gpus());
    from.workload->adapters = Adapters{asked<std::int64_t>(4), asked<std::int64_t>(24), {}};
    const auto words = words_of(from);
    CHECK(mentions(words, "--enable-lora"));
    CHECK(mentions(words, "--max-loras=4"));
    CHECK(mentions(words, "--max-lora-rank=32"));
    Case other = sized_for("sglang", "0.5", pair_of_gpus());
    other.workload->adapters = from.workload->adapters;
    CHECK(mentions(words_of(other), "--max-loras-per-batch=4"));
    CHECK(mentions(words_of(other), "--max-lora-rank=24"));
  }

  TEST_CASE("a draft model is named, and the model's own layers are switched on") {
    Case from = sized_for("vllm", "0.19", pair_of_gpus());
    from.workload->engine.draft_model = DraftModel{asked<std::string>("Qwen/Qwen3-0.6B"), nullptr};
    CHECK(
        mentions(words_of(from),
                 R"(--speculative-config={"model":"Qwen/Qwen3-0.6B","num_speculative_tokens":5})"));
    CHECK(why_of(from, "draft").find("--draft-tokens") != std::string::npos);
    from.workload->engine.draft_tokens = asked<std::int64_t>(3);
    CHECK(mentions(words_of(from), R"("num_speculative_tokens":3})"));
    from.workload->engine.draft_model.reset();
    CHECK(mentions(words_of(from),
                   R"(--speculative-config={"method":"mtp","num_speculative_tokens":3})"));
    // SGLang counts the token that is checked anyway: 3 steps are 4 tokens.
    Case other = sized_for("sglang", "0.5", pair_of_gpus());
    other.workload->engine.draft_tokens = asked<std::int64_t>(3);
    const auto words = words_of(other);
    CHECK(mentions(words, "--speculative-algorithm=NEXTN"));
    CHECK(mentions(words, "--speculative-num-steps=3"));
    CHECK(mentions(words, "--speculative-num-draft-tokens=4"));
  }

  // 64 GiB over two GPUs: vLLM counts GiB of all, SGLang 1e9 bytes of each (34.36 of them),
  // TensorRT-LLM bytes of each.
  TEST_CASE("a cache in host memory is given in each engine's own measure") {
    const auto with_offload = [](const char* engine, const char* version) {
      Case from = sized_for(engine, version, pair_of_gpus());
      from.workload->contract.kv_offload_bytes = asked(gib(64));
      return from;
    };
    CHECK(mentions(words_of(with_offload("vllm", "0.19")), "--kv-offloading-size=64"));
    const auto sglang = words_of(with_offload("sglang", "0.5"));
    CHECK(mentions(sglang, "--enable-hierarchical-cache"));
    CHECK(mentions(sglang, "--hicache-size=34"));
    const Case tensorrt = with_offload("tensorrt-llm", "1.1");
    CHECK(mentions(words_of(tensorrt), "--extra_llm_api_options=/etc/engine/engine.yaml"));
    const Result<emit::Emitted> made = emitted(tensorrt);
    REQUIRE(made);
    std::string content;
    for (const Node& root : made->documents) {
      if (at(root, "kind").text() == "ConfigMap")
        content = at(root, "data").entries().front().value.text();
    }
    CHECK(content.find("host_cache_size: 34359738368") != std::string::npos);
    CHECK(mentions(notes_of(with_offload("llama.cpp", "b6000")), "no flag for cache in host"));
  }

  // 10 GiB over four GPUs are 2.5 GiB of each: 2 would keep more on the GPU than was sized.
  TEST_CASE("weights in host memory are rounded to the safe side") {
    Case from =
        sized_for("vllm", "0.19", cases::served(cases::whole("h100-sxm-80", 4), 72'000'000'000));
    from.workload->contract.cpu_offload_bytes = asked(gib(10));
    CHECK(mentions(words_of(from), "--cpu-offload-gb=3"));
  }

  TEST_CASE("a pool of given size is given in bytes or in what it holds") {
    RankedShape picked = pair_of_gpus();
    picked.kv_cache_memory_bytes = gib(20);
    picked.estimate->capacity.emplace();
    picked.estimate->capacity->kv_pool_tokens = 163'840;
    const auto vllm = words_of(sized_for("vllm", "0.19", picked));
    CHECK(mentions(vllm, "--kv-cache-memory-bytes=21474836480"));  // 20 x 2^30
    CHECK_FALSE(mentions(vllm, "--gpu-memory-utilization"));
    CHECK(mentions(words_of(sized_for("sglang", "0.5", picked)), "--max-total-tokens=163840"));
    CHECK(mentions(notes_of(sized_for("llama.cpp", "b6000", picked)), "a pool of given size"));
  }

  TEST_CASE("the type of the cache reaches TensorRT-LLM through its file") {
    Case from = sized_for("tensorrt-llm", "1.1", pair_of_gpus());
    from.workload->kv_cache_type = asked(KvCacheType::Fp8);
    const emit::EmitRequest request = from.request();
    const Result<emit::EngineStart> start = emit::engine_start(request, *request.picked.front());
    REQUIRE(start);
    const Node content = emit::configuration_of(*start, emit::Commenter(request));
    CHECK(at(content, "kv_cache_config.dtype").text() == "fp8");
  }

  TEST_CASE("the reason of a setting is found under our name and under the engine's") {
    RankedShape picked = pair_of_gpus();
    picked.reasons = {{"settings",
                       "max-num-seqs 85, max-num-batched-tokens 8192 (the engine's "
                       "default (V1)), gpu-memory-utilization 0.9 (kept)"}};
    const Case vllm = sized_for("vllm", "0.19", picked);
    CHECK(why_of(vllm, "maxNumSeqs") == "the sequences in flight that were sized");  // none given
    CHECK(why_of(vllm, "maxNumBatchedTokens") == "settings: the engine's default (V1)");
    picked.reasons = {{"settings",
                       "max-running-requests 85 (in flight), mem-fraction-static 0.9 "
                       "(its default)"}};
    const Case sglang = sized_for("sglang", "0.5", picked);
    CHECK(why_of(sglang, "maxNumSeqs") == "settings: in flight");
    CHECK(why_of(sglang, "utilization") == "settings: its default");
  }
}
