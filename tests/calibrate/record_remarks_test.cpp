// What a record's remarks say, in the words that people and engines use.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/engine_start.hpp"

using namespace gpushape;
using calibrate::EngineStart;
using calibrate::read_engine_starts;

namespace {

/// Of a record of vLLM with these fields beside its model's name.
EngineStart start_with(const std::string& fields) {
  const auto starts =
      read_engine_starts(R"({"engine": "vllm", "model": "m", )" + fields + "}", "records");
  REQUIRE(starts);
  return starts->front();
}

EngineStart start_noted(const std::string& notes) {
  return start_with(R"("notes": ")" + notes + "\"");
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("limits of no images, and adapters, are read from what an engine was told besides") {
    const auto starts = read_engine_starts(
        "{\"model\": \"m\", \"engine_extra\": {\"limit_mm_per_prompt\": {\"image\": 0, \"video\": "
        "0}, "
        "\"enable_lora\": true, \"max_lora_rank\": 64}}\n"
        "{\"model\": \"m\", \"engine_extra\": {\"limit_mm_per_prompt\": {\"image\": 1, \"video\": "
        "0}, "
        "\"max_lora_rank\": 64}}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->front().takes_no_images);
    CHECK(starts->front().has_adapters);
    CHECK(starts->front().adapter_rank == 64);
    CHECK_FALSE(starts->back().takes_no_images);
    CHECK_FALSE(starts->back().adapter_rank.has_value());
  }

  // https://github.com/sostrowsk/dgx-spark-local-llm, vllm.log and qwen36.log, and
  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1: settings under names of their
  // own
  TEST_CASE("settings that a record lists by name are read as those of a log") {
    const auto start_of = [](const std::string& engine, const std::string& extra) {
      const auto starts =
          read_engine_starts(R"({"engine": ")" + engine +
                                 R"(", "model": "m", "tp": 8, "engine_extra": )" + extra + "}",
                             "records");
      REQUIRE(starts);
      return starts->front();
    };
    const EngineStart drafts = start_of(
        "vllm",
        R"({"enable_prefix_caching": "False", "speculative_config": )"
        R"({"model": "poolside/Laguna-S-2.1-DFlash-NVFP4", "num_speculative_tokens": 15}})");
    REQUIRE(drafts.draft_model);
    CHECK(drafts.draft_model->name.value == "poolside/Laguna-S-2.1-DFlash-NVFP4");
    CHECK(drafts.draft_tokens == 15);
    CHECK(drafts.prefix_caching == false);
    const EngineStart own = start_of(
        "vllm", R"({"speculative_config": {"method": "mtp", "num_speculative_tokens": 3}})");
    CHECK(own.draft_tokens == 3);
    CHECK_FALSE(own.draft_model);
    CHECK(start_of("vllm", R"({"decode_context_parallel_size": 8})").context_parallel == 8);
    CHECK_FALSE(start_of("vllm", R"({"page_size": 1})").draft_tokens.has_value());
    // https://github.com/djangodevreng/dgx-spark-benchmarks, _bootlog.txt of Qwen3.6-35B-A3B, and
    // https://github.com/alint77/jupiter-glm52-vllm-worklog: names and values in a row.
    const EngineStart text_alone = start_of(
        "vllm",
        R"({"flags": "trust_remote_code, language_model_only True, reasoning_parser qwen3"})");
    CHECK(text_alone.takes_no_images);
    CHECK(text_alone.takes_no_videos);
    const EngineStart offloads = start_of(
        "vllm", R"({"flags": "offload_backend uva, cpu_offload_gb 40.0, enable_lora True"})");
    CHECK(offloads.offload_gib == 40);
    CHECK(offloads.has_adapters);
    CHECK_FALSE(start_of("vllm", R"({"flags": "enable_lora False, page one"})").has_adapters);
    const EngineStart sglang =
        start_of("sglang", R"({"swa_full_tokens_ratio": "0.03", "chunked_prefill_size": "4096", )"
                           R"("max_total_tokens": "10240", "avail_mem_before_load_gb": 44.01})");
    CHECK(sglang.window_share == 0.03);
    CHECK(sglang.max_num_batched_tokens == 4096);
    CHECK(sglang.most_tokens == 10240);
    CHECK(sglang.free_gib == 44.01);
  }

  // https://github.com/sgl-project/sglang/issues/4257: the rank with least decides
  TEST_CASE("what SGLang found free is read from the lines that a record quotes") {
    const auto starts =
        read_engine_starts(R"({"engine": "sglang", "model": "m", "ep": true, "tp": 2, "quotes": [)"
                           R"("[2025-03-10 16:19:37 TP0] Load weight begin. avail mem=38.91 GB", )"
                           R"("[2025-03-10 16:19:37 TP1] Load weight begin. avail mem=38.71 GB"]})",
                           "records");
    REQUIRE(starts);
    CHECK(starts->front().free_gib == 38.71);
    // https://github.com/sgl-project/sglang/issues/7495: what is left and what was taken
    const auto end = read_engine_starts(
        R"({"engine": "sglang", "model": "m", "quotes": ["[2025-06-24 08:54:27] Load weight end. )"
        R"(type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=74.28 GB, mem usage=0.74 GB."]})",
        "records");
    REQUIRE(end);
    CHECK(end->front().free_gib == doctest::Approx(75.02));
    // Of FP4, sizes without their scales.
    const auto scales = read_engine_starts(
        R"({"engine": "sglang", "model": "m", "kv_cache_dtype": "fp4_e2m1", "kv_cache_gib": 36.98, )"
        R"("quotes": ["KV Cache is allocated. #tokens: 5539718, K size: 18.49 GB, V size: 18.49 )"
        R"(GB"]})",
        "records");
    REQUIRE(scales);
    CHECK(scales->front().pool_gib == doctest::Approx(41.6025));
    CHECK(starts->front().expert_parallel == 2);
  }

  // https://github.com/unslothai/notebooks, AMD-Mistral_v0.3_(7B)-GRPO.ipynb: 4.0423 GiB of
  // weights, 3.87 of which are the model's.
  TEST_CASE("Unsloth starts vLLM with adapters, and with as many sequences as it thinks fit") {
    const auto start_of = [](const std::string& source, const std::string& notes) {
      const auto starts = read_engine_starts(R"({"engine": "vllm", "model": "m", "source_url": ")" +
                                                 source + R"(", "notes": ")" + notes + "\"}",
                                             "records");
      REQUIRE(starts);
      return starts->front();
    };
    const std::string notebooks = "https://github.com/unslothai/notebooks/blob/main/a.ipynb";
    const std::string other = "https://github.com/a/b";
    CHECK(start_of(notebooks, "").is_by_unsloth);
    CHECK(start_of(notebooks, "").has_adapters);
    CHECK(start_of(other, "started by Unsloth (fast_inference)").has_adapters);
    CHECK_FALSE(start_of(other, "weights of Unsloth").has_adapters);
    // nb/Meta_Synthetic_Data_Llama3_2_(3B).ipynb, whose arguments say so: 6.016 GiB, the model's.
    CHECK_FALSE(start_of(notebooks, "enable_prefix_caching=True, enable_lora=False").has_adapters);
    CHECK(start_of(other, "weights of Unsloth").is_by_unsloth);
    CHECK_FALSE(start_of(other, "patched").is_by_unsloth);
  }

  // Remarks as people word them; the tokens are what each says.
  TEST_CASE("a draft is named by the settings that people quote") {
    const auto draft_of = [](const std::string& notes) {
      const auto starts = read_engine_starts(
          R"q({"engine": "vllm", "model": "m", "kv_cache_dtype": "fp8 (float8_e4m3fn)", )q"
          R"q("notes": ")q" +
              notes + "\"}",
          "records");
      REQUIRE(starts);
      const EngineStart& start = starts->front();
      CHECK(start.kv_cache_type == "fp8");
      return std::pair(start.draft_model ? start.draft_model->name.value : std::string(),
                       start.draft_tokens.value_or(0));
    };
    CHECK(draft_of(R"(--speculative-config {\"method\": \"eagle3\", \"model\": \"d/e\", )"
                   R"(\"num_speculative_tokens\": 5})") == std::pair(std::string("d/e"), 5L));
    CHECK(draft_of("--spec-method mtp --spec-model d/assistant --spec-tokens 2") ==
          std::pair(std::string("d/assistant"), 2L));
    CHECK(draft_of("speculative_config=None, model='other'") == std::pair(std::string(), 0L));
    CHECK(draft_of(R"(--speculative-config '{\"method\": \"ngram\"}')").first.empty());
  }

  // https://github.com/kjelloe/llm-test-bench (Qwen3.5-9B on an RTX 5060 Ti), and two further
  // records of Qwen3.8-27B in four bits.
  TEST_CASE("what is started for text alone is read in the words that people leave of it") {
    const auto takes_nothing = [](const std::string& notes) {
      const EngineStart start = start_noted(notes);
      return start.takes_no_images && start.takes_no_videos;
    };
    CHECK(takes_nothing(
        R"(vllm serve m --limit-mm-per-prompt '{\"image\":0,\"video\":0}' --port 8000)"));
    CHECK_FALSE(takes_nothing(R"(vllm serve m --limit-mm-per-prompt '{\"image\":0,\"video\":1}')"));
    CHECK(takes_nothing("--limit-mm-per-prompt image 0 video 0, MTP off"));
    CHECK_FALSE(takes_nothing("--limit-mm-per-prompt image 4 video 0"));
    CHECK(takes_nothing("--language-model-only [--async-scheduling only later]"));
    CHECK(takes_nothing("scripts/serve_vllm.py; text-only mode; Marlin"));
    CHECK_FALSE(takes_nothing("--language-model-only False"));
  }

  // https://github.com/sostrowsk/dgx-spark-local-llm and spped2000/thaillm-nvfp4-dgx-spark.
  TEST_CASE("adapters are read where a remark has them, and not where it denies them") {
    const auto has_adapters = [](const std::string& notes) {
      const auto starts =
          read_engine_starts(R"({"model": "m", "notes": ")" + notes + "\"}", "records");
      REQUIRE(starts);
      return starts->front().has_adapters;
    };
    CHECK(has_adapters("V0 engine; LoRA enabled"));
    CHECK(has_adapters("LoRA through PunicaWrapperGPU"));
    CHECK(has_adapters("no LoRA at first; then LoRA enabled"));
    CHECK_FALSE(has_adapters("unquantized; no LoRA; no draft"));
    CHECK_FALSE(has_adapters("FLASHINFER attention; LoRA not in args"));
    CHECK_FALSE(has_adapters("a merge of a QLoRA run"));
  }

  TEST_CASE(
      "what vLLM prints of its sampler, its drafts and its generation is read from a remark") {
    const auto read = start_noted;
    CHECK(read("Using FlashInfer for top-p & top-k sampling.").samples_with_flashinfer == true);
    CHECK(read("FlashInfer is not available. Falling back to the PyTorch-native implementation of "
               "top-p & top-k sampling.")
              .samples_with_flashinfer == false);
    CHECK_FALSE(read("FLASHINFER attention").samples_with_flashinfer.has_value());
    CHECK(read("SpeculativeConfig(method='mtp', model='d/e', num_spec_tokens=3)").draft_tokens ==
          3);
    CHECK(read("language_model_only=True; attention backend FLASH_ATTN").takes_no_videos);
    CHECK(read("container of July; VLLM_USE_V1=0, ROCm").is_first_generation);
  }

  TEST_CASE("a start without latents says it by the variable, or by the engine's own words") {
    const auto unfolds = [](const std::string& fields) {
      return start_with(fields).unfolds_latents;
    };
    CHECK(unfolds(R"("notes": "two nodes; VLLM_MLA_DISABLE=1")"));
    CHECK(unfolds(R"("engine_extra": {"env": {"VLLM_MLA_DISABLE": "1"}})"));
    CHECK_FALSE(unfolds(R"("notes": "VLLM_MLA_DISABLE=0")"));
    CHECK_FALSE(unfolds(R"("notes": "MLA")"));
    // vLLM 0.7.2 config.py, use_mla.
    CHECK(unfolds(R"("quotes": ["WARNING 02-09 10:00:00 config.py:993] MLA is not supported with )"
                  R"(awq_marlin quantization. Disabling MLA."])"));
  }

  // 0.7.3 and 0.8.3; DeepSeek-R1 on eight H200 of 15 March 2025 has 18,418 blocks in 21.43 GiB, of
  // 61 x 1,280 bytes a token, as 0.7.2 and 0.7.3 align them.
  TEST_CASE("lines that name their file without a bracket are of releases to 0.7.3") {
    const auto is_early = [](const std::string& line) {
      return start_with(R"("quotes": [")" + line + "\"]").prints_early_lines;
    };
    CHECK(is_early("INFO 03-15 20:36:48 worker.py:267] model weights take 83.88GiB"));
    CHECK(
        is_early("(VllmWorkerProcess pid=6499) INFO 07-24 14:07:31 model_runner.py:692] 57.7 GB"));
    CHECK_FALSE(is_early("INFO 04-20 17:00:56 [worker.py:267] model weights take 27.63GiB"));
    CHECK_FALSE(is_early("INFO [gpu_worker.py:456] Available KV cache memory: 57.09 GiB"));
    CHECK_FALSE(is_early(".py:"));
  }

  TEST_CASE("the kernels of attention are those that the engine says it uses, or was told to") {
    const auto backend = [](const std::string& fields) {
      return start_with(fields).attention_backend;
    };
    CHECK(backend(R"("quotes": ["Using FLASHINFER attention backend out of potential backends: )"
                  R"(['FLASHINFER', 'TRITON_ATTN']."])") == "FLASHINFER");
    CHECK(backend(R"("quotes": ["Using AttentionBackendEnum.FLASHINFER backend."])") ==
          "FLASHINFER");
    CHECK(backend(R"("quotes": ["Using AttentionBackendEnum.FLASH_ATTN for MMEncoderAttention."])")
              .empty());
    CHECK(backend(R"("notes": "--attention-backend FLASHINFER --port 8000")") == "FLASHINFER");
    CHECK(backend(R"("notes": "Using Triton backend for linear layers")").empty());
    CHECK(backend(R"("notes": "no draft; TRITON_ATTN attention; no LoRA")") == "TRITON_ATTN");
    CHECK(backend(R"("notes": "cold; attention backend FLASH_ATTN; FlashAttention 2")") ==
          "FLASH_ATTN");
    CHECK(backend(R"("notes": "FLASHINFER_CUTLASS NvFp4 MoE; FLASH_ATTN for vit")").empty());
  }

  TEST_CASE("what a remark says of drafted tokens is read, and what it denies is not") {
    struct Row {
      std::string notes;
      bool speaks_of_drafts;
      std::optional<std::int64_t> tokens;
    };
    const std::vector<Row> rows = {
        {"MTP n=4", true, 4},
        {"FP8 KV; MTP, 3 speculative tokens", true, 3},
        {"DFlash of its own, num_speculative_tokens=7", false, 7},
        // How many is not told: the number belongs to another clause, or is none of tokens.
        {"MTP; 2 users", true, std::nullopt},
        {"MTP drafter Qwen3_5MTP with num_speculative_tokens 8", true, 8},
        {"MTP on, measured at 131072 of context", true, std::nullopt},
        {"non-MTP 4", false, std::nullopt},
        {"without MTP 2", false, std::nullopt},
        {"no MTP", false, std::nullopt},
        // A checkpoint's name, and then a remark.
        {"checkpoint Some-MTP-4bit", false, std::nullopt},
        {"checkpoint Some-MTP-4bit, MTP k=2", true, 2},
        {"2 users", false, std::nullopt},
    };
    for (const Row& row : rows) {
      CAPTURE(row.notes);
      const auto starts =
          read_engine_starts(R"({"model": "m", "notes": ")" + row.notes + "\"}\n", "starts.jsonl");
      REQUIRE(starts.has_value());
      CHECK(starts->front().speaks_of_drafts == row.speaks_of_drafts);
      CHECK(starts->front().draft_tokens == row.tokens);
    }
  }

  // A table lies elsewhere where a remark names both the table and another place.
  TEST_CASE("a table of n-grams outside of the GPU is read from a remark that names both") {
    const auto is_elsewhere = [](const std::string& notes) {
      return start_noted(notes).has_tables_elsewhere;
    };
    CHECK(is_elsewhere("n-gram table in host memory") == true);
    CHECK(is_elsewhere("PLE offloaded") == true);
    CHECK(is_elsewhere("n-gram table on the GPU") == false);
    CHECK(is_elsewhere("n-gram (PLE) table resident") == false);
    CHECK_FALSE(is_elsewhere("n-gram table of 51.8 B").has_value());
    CHECK_FALSE(is_elsewhere("2 GiB of weights offloaded").has_value());
  }

  TEST_CASE("whether graphs were compiled is read from remarks that say one or the other") {
    const auto compiles = [](const std::string& notes) { return start_noted(notes).compiles; };
    CHECK(compiles("Cold compile cache, torch.compile took 38.96 s") == true);
    CHECK(compiles("prefix caching; compile cache: cold in the log") == true);
    CHECK(compiles("Directly load the compiled graph, warm compile cache") == false);
    CHECK_FALSE(compiles("first a cold compile, then a warm compile cache").has_value());
    CHECK(compiles("WARM torch.compile cache (compilation: 0.84 s)") == false);
    CHECK_FALSE(compiles("a cold start of the machine").has_value());
  }

  // vLLM v1/worker/gpu/model_runner.py and v1/worker/gpu_model_runner.py; before 0.22 the first
  // generation's file is called model_runner.py, too.
  TEST_CASE("the runner of vLLM is read from its lines and from remarks") {
    const auto runner = [](const std::string& version, const std::string& rest) {
      const auto starts = read_engine_starts(R"({"model": "m", "engine": "vllm", )"
                                             R"("engine_version": ")" +
                                                 version + "\", " + rest + "}\n",
                                             "starts.jsonl");
      REQUIRE(starts.has_value());
      return starts->front().has_second_runner;
    };
    const std::string second =
        R"("quotes": ["[model_runner.py:329] Model loading took 15.27 GiB"])";
    const std::string first =
        R"("quotes": ["[gpu_model_runner.py:5515] Model loading took 1 GiB"])";
    CHECK(runner("0.27.1", second) == true);
    CHECK(runner("0.27.1", first) == false);
    CHECK_FALSE(runner("0.7.3", second).has_value());
    CHECK(runner("0.28.0", R"("notes": "V2 Model Runner, FLASH_ATTN")") == true);
    CHECK(runner("0.28.0", R"("notes": "VLLM_USE_V2_MODEL_RUNNER=0")") == false);
    CHECK(runner("0.26.0",
                 R"("engine_extra": {"flags": "VLLM_USE_V2_MODEL_RUNNER=0; --dtype a"})") == false);
    CHECK_FALSE(runner("0.28.0", R"("notes": "eager")").has_value());
  }

  TEST_CASE("remarks name the repository of a draft") {
    const auto draft = [](const std::string& notes) {
      const EngineStart start = start_noted(notes);
      return start.draft_model ? start.draft_model->name.value : std::string();
    };
    CHECK(draft("DFlash drafter z-lab/gemma-4-26B-A4B-it-DFlash, 7 tokens") ==
          "z-lab/gemma-4-26B-A4B-it-DFlash");
    CHECK(draft("draft RedHatAI/Qwen3-8B-speculator.eagle3; one GPU") ==
          "RedHatAI/Qwen3-8B-speculator.eagle3");
    CHECK(draft("from results/x/gemma_dflash_server.log and https://a.b/eagle3").empty());
    CHECK(draft("speculative_config: null").empty());
    CHECK_FALSE(start_noted("speculative_config: null").speaks_of_drafts);
  }
}
