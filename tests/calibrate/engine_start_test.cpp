#include "calibrate/engine_start.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace gpushape;
using calibrate::EngineStart;
using calibrate::read_engine_starts;
using calibrate::release_of;

TEST_SUITE("calibrate") {
  TEST_CASE("a record keeps what it states and nothing else") {
    const auto starts = read_engine_starts(
        "{\"id\": \"a\", \"engine\": \"vllm\", \"engine_version\": \"0.19.0\", \"model\": \"m\", "
        "\"gpu\": \"H100 80GB (SXM)\", \"gpu_class\": null, \"tp\": 2, \"weights_gib\": 7, "
        "\"gpu_memory_utilization\": 0.95, \"kv_cache_tokens\": 16, \"extra\": [1]}\n"
        "\n{\"model\": \"n\", \"status\": \"failed\"}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    REQUIRE(starts->size() == 2);
    const EngineStart& first = starts->front();
    CHECK(first.gpu == "H100 80GB (SXM)");
    CHECK(first.tensor_parallel == 2);
    CHECK(first.pipeline_parallel == 1);
    CHECK(first.is_parallelism_stated);
    CHECK_FALSE(starts->back().is_parallelism_stated);
    CHECK(first.weights_gib == 7.0);
    CHECK(first.pool_tokens == 16);
    CHECK_FALSE(first.pool_gib.has_value());
    CHECK(first.is_complete);
    CHECK_FALSE(starts->back().is_complete);
  }

  // vLLM config/lora.py: max_lora_rank is 16 where it is not among the arguments.
  TEST_CASE("arguments in a remark are read, and what a whole list leaves out is the default") {
    const auto starts = read_engine_starts(
        "{\"model\": \"m\", \"engine\": \"vllm\", \"notes\": \"non-default args: "
        "{'enable_lora': True, 'max_loras': 16, 'language_model_only': True}\"}\n"
        "{\"model\": \"m\", \"engine\": \"vllm\", \"notes\": \"non-default args: "
        "{'enable_lora': True, ... (cut)\"}\n"
        "{\"model\": \"m\", \"engine\": \"sglang\", \"notes\": \"cpu_offload_gb=48, tp_size=2\"}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    const EngineStart& whole = starts->front();
    CHECK(whole.adapters == 16);
    CHECK(whole.adapter_rank == 16);
    CHECK(whole.takes_no_images);
    CHECK(starts->at(1).has_adapters);
    CHECK_FALSE(starts->at(1).adapter_rank.has_value());
    CHECK(starts->at(2).offload_gib == 48);
  }

  // A server of llama.cpp with -c 32768 and four slots has cells for 32,768 tokens in all.
  TEST_CASE("the context of llama.cpp's records is that of all slots") {
    const auto starts = read_engine_starts(
        "{\"model\": \"m\", \"engine\": \"llama.cpp\", \"max_model_len\": 32768, "
        "\"max_num_seqs\": 4}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->front().context_tokens == 8192);
  }

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
      const auto starts = read_engine_starts(
          R"({"engine": "vllm", "model": "m", "notes": ")" + notes + "\"}", "records");
      REQUIRE(starts);
      return starts->front().takes_no_images && starts->front().takes_no_videos;
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
    const auto read = [](const std::string& notes) {
      const auto starts = read_engine_starts(
          R"({"engine": "vllm", "model": "m", "notes": ")" + notes + "\"}", "records");
      REQUIRE(starts);
      return starts->front();
    };
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

  TEST_CASE("the kernels of attention are those that the engine says it uses, or was told to") {
    const auto backend = [](const std::string& record) {
      const auto starts =
          read_engine_starts(R"({"engine": "vllm", "model": "m", )" + record + "}", "records");
      REQUIRE(starts);
      return starts->front().attention_backend;
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
      const auto starts = read_engine_starts(
          R"({"engine": "vllm", "model": "m", "notes": ")" + notes + "\"}\n", "starts.jsonl");
      REQUIRE(starts.has_value());
      return starts->front().has_tables_elsewhere.value_or(false);
    };
    CHECK(is_elsewhere("n-gram table in host memory"));
    CHECK(is_elsewhere("PLE offloaded"));
    CHECK_FALSE(is_elsewhere("n-gram table on the GPU"));
    CHECK_FALSE(is_elsewhere("2 GiB of weights offloaded"));
  }

  TEST_CASE("settings under names of their own count as those that are quoted") {
    const auto starts = read_engine_starts(
        R"({"model": "m", "engine": "vllm", "engine_version": "0.29.0", "activation_peak_gib": 1.76,)"
        R"( "engine_extra": {"cuda_graph_estimate_gib": 0.47, "args": "{'max_model_len': 4096, )"
        R"('language_model_only': True, 'async_scheduling': False}"}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_version": "0.26.0", "activation_peak_gib": 0.26,)"
        R"( "engine_extra": {"cuda_graph_estimate_gib": 0.58, "args": "--max-num-seqs 16"}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "notes": "ROCm; the GPU is not named"})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_version": "0.26.1.dev229.rocm723"})"
        "\n"
        R"({"model": "m", "engine": "vllm", "gpu": "Aqua Vanjaram [Instinct MI300X VF]"})"
        "\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    const EngineStart& told = starts->at(0);
    CHECK(told.context_tokens == 4096);
    CHECK(told.takes_no_images);
    CHECK(told.is_synchronous);
    // 1.76 GiB of peak hold the 0.47 of graphs that were captured to see what they take.
    CHECK(told.activation_gib.value_or(0) == doctest::Approx(1.29));
    const EngineStart& before = starts->at(1);
    CHECK(before.max_num_seqs == 16);
    CHECK_FALSE(before.is_synchronous);
    CHECK(before.activation_gib.value_or(0) == doctest::Approx(0.26));
    CHECK(starts->at(2).vendor == "amd");
    CHECK(starts->at(3).vendor == "amd");
    CHECK(starts->at(4).vendor == "amd");
  }

  // Lines as vLLM 0.13 and Unsloth print them, and flags as people list them.
  TEST_CASE("what a record's fields leave out is read from the lines and flags that it quotes") {
    const auto starts = read_engine_starts(
        R"({"model": "m", "engine": "vllm", "max_model_len": 4096, "quotes": [)"
        R"("non-default args: {'max_model_len': 8192, 'enable_prefix_caching': True, )"
        R"('performance_mode': 'throughput'}",)"
        R"("Unsloth: Using conservativeness = 1.0. Chunked prefill tokens = 512. )"
        R"(Num Sequences = 320."]})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_extra": )"
        R"("--enable-lora --max-loras 4 --max-lora-rank 32, --max-num-seqs=16; V0 engine"})"
        "\n"
        R"({"model": "m", "engine": "vllm", "quotes": ["non-default args: {'seed': 1}"]})"
        "\n"
        R"({"model": "m", "engine": "vllm", "quotes": ["non-default args: {'seed': 1, ..."]})"
        "\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    const EngineStart& quoted = starts->at(0);
    CHECK(quoted.context_tokens == 4096);  // a field stands above what is quoted
    CHECK(quoted.prefix_caching == true);
    CHECK(quoted.has_throughput_mode);
    CHECK(quoted.max_num_seqs == 320);
    CHECK(quoted.max_num_batched_tokens == 512);
    CHECK_FALSE(quoted.has_default_sequences);
    const EngineStart& listed = starts->at(1);
    CHECK_FALSE(listed.has_throughput_mode);
    CHECK(listed.has_adapters);
    CHECK(listed.adapters == 4);
    CHECK(listed.adapter_rank == 32);
    CHECK(listed.max_num_seqs == 16);
    CHECK(listed.is_first_generation);
    // Everything that was not left as it is stands there, and the most sequences do not.
    CHECK(starts->at(2).has_default_sequences);
    CHECK_FALSE(starts->at(3).has_default_sequences);
  }

  // DeepSeek-R1 UD-Q2_K_XL with its experts on the CPU
  // (https://github.com/ggml-org/llama.cpp/issues/14201), and Jamba Mini 1.7 Q8_0 (issues/14625).
  TEST_CASE("a file whose layers are on GPUs and whose tensors are not lies partly with the host") {
    const std::string start = R"({"model": "m", "engine": "llama.cpp", "engine_extra": {)";
    const std::string deepseek =
        R"("model_buffer_mib": [["CPU_Mapped", 45875.33], ["CUDA0", 9686.98]], )"
        R"("layers_offloaded": "62/62", "file_size": "233.18 GiB"}})";
    const std::string jamba = R"("model_buffer_mib": {"CUDA0": 9161.62, "CPU_Mapped": 48645.07}, )"
                              R"("file_size": "51.05 GiB", "layers_offloaded": )";
    const auto starts = read_engine_starts(
        start + deepseek + "\n" + start + jamba + "\"33/33\"}}\n" + start + jamba + "\"5/33\"}}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(*starts->at(0).weights_gib == doctest::Approx(9.46));
    CHECK(*starts->at(0).offload_gib == doctest::Approx(223.72).epsilon(1e-4));
    CHECK(*starts->at(1).offload_gib == doctest::Approx(42.10).epsilon(1e-3));
    CHECK_FALSE(starts->at(2).offload_gib.has_value());  // as was asked for: --n-gpu-layers 5
  }

  // gpt-oss-120b by Ollama 0.30.2: 262,144 tokens of context, 131,072 cells for each of two slots
  // (https://github.com/ollama/ollama/issues/16480); one cache of two slots elsewhere.
  TEST_CASE("cells are those of all slots, or of each") {
    const auto context = [](const std::string& cells) {
      const auto starts =
          read_engine_starts(R"({"model": "m", "engine": "ollama", "max_num_seqs": 2, )"
                             R"("max_model_len": 262144, "kv_cache_tokens": )" +
                                 cells + "}\n",
                             "starts.jsonl");
      REQUIRE(starts.has_value());
      return starts->front().context_tokens;
    };
    CHECK(context("131072") == 131'072);
    CHECK(context("262144") == 131'072);
    CHECK(context("65536") == 32'768);
  }

  TEST_CASE("whether graphs were compiled is read from remarks that say one or the other") {
    const auto compiles = [](const std::string& notes) {
      const auto starts = read_engine_starts(
          R"({"engine": "vllm", "model": "m", "notes": ")" + notes + "\"}\n", "s");
      REQUIRE(starts.has_value());
      return starts->front().compiles;
    };
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
    CHECK_FALSE(runner("0.28.0", R"("notes": "eager")").has_value());
  }

  // A start that says so, or prints as the first generation alone does before 0.9.2.
  TEST_CASE("the generations of vLLM are told by what they print") {
    const std::string start = R"({"model": "m", "engine": "vllm", "engine_version": )";
    const auto starts = read_engine_starts(
        start + R"("0.8.3", "non_torch_gib": 0.2})" + "\n" + start +
            R"("0.9.2", "non_torch_gib": 0.2})" + "\n" + start + R"("0.8.3"})" + "\n" + start +
            R"("0.7.3", "notes": "Using Flash Attention backend on V1 engine"})" + "\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->at(0).is_first_generation);
    CHECK_FALSE(starts->at(1).is_first_generation);
    CHECK_FALSE(starts->at(2).is_first_generation);
    CHECK(starts->at(3).is_second_generation);
  }

  TEST_CASE("states in two parts are one, and a named model runner is kept") {
    const auto starts = read_engine_starts(
        "{\"model\": \"m\", \"engine\": \"sglang\", \"engine_extra\": {\"mamba_cache\": "
        "{\"conv_state_gb\": 0.1, \"ssm_state_gb\": 4.38}}}\n"
        "{\"model\": \"m\", \"engine\": \"vllm\", \"engine_extra\": {\"v2_model_runner\": "
        "true}}\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->front().state_gib == doctest::Approx(4.48));
    CHECK_FALSE(starts->front().has_second_runner.has_value());
    CHECK(starts->back().has_second_runner == true);
  }

  TEST_CASE("every line that is no record is complained of with its number") {
    const auto starts =
        read_engine_starts("{\"model\": \"m\"}\n[1]\n{\"model\"\n{\"model\": 3}\n", "starts.jsonl");
    REQUIRE_FALSE(starts.has_value());
    REQUIRE(starts.error().size() == 3);
    CHECK(starts.error()[0].span.line == 2);
    CHECK(starts.error()[1].span.line == 3);
    CHECK(starts.error()[2].span.line == 4);
    CHECK_FALSE(read_engine_starts("\n \n", "empty.jsonl").has_value());
  }

  TEST_CASE("a stated version belongs to a release, or to none") {
    using domain::EngineVersion;
    CHECK(release_of("0.19.0") == EngineVersion{0, 19, 0});
    CHECK(release_of("v0.10.1.1") == EngineVersion{0, 10, 1});
    CHECK(release_of("v0.8.5.post1") == EngineVersion{0, 8, 5});
    CHECK(release_of("v0.6.1.dev238+ge2c6e0a82") == EngineVersion{0, 6, 1});
    CHECK(release_of("v0.11.0+torch271") == EngineVersion{0, 11, 0});
    CHECK_FALSE(release_of("v0.1.dev18496+gd4e0675a7").has_value());
    CHECK_FALSE(
        release_of("0.0.0.dev11582+g4df60434d").has_value());  // SGLang from a bare checkout
    CHECK_FALSE(release_of("vdev").has_value());
    CHECK_FALSE(release_of("").has_value());
    CHECK_FALSE(release_of("5").has_value());
  }
}
