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
        "\n"
        R"x({"model": "m", "engine": "vllm", "gpu": "gfx1151 (ROCm 7.14)"})x"
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
    CHECK(starts->at(5).vendor == "amd");
  }

  // From 0.27 on the printed peak holds the estimate of the graphs: 1.40 GiB, 0.38 of them, of
  // Qwen2.5-7B by 0.29.0 (https://github.com/wrbooth/vllm-serve-bench raw/engine-logs).
  TEST_CASE("what a record says in fewer words than the engine is read all the same") {
    const auto starts = read_engine_starts(
        R"({"model": "m", "engine": "vllm", "engine_version": "0.29.0", "activation_peak_gib": 1.4,)"
        R"( "engine_extra": {"estimated_cuda_graph_gib": 0.38}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_version": "0.29.0", "activation_peak_gib": 1.4})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_version": "0.9.2", "activation_peak_gib": 1.4, )"
        R"("engine_extra": {"chunked_prefill": false, "lora_slots": 64, "lora_rank": 16}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_extra": {"lora": true}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_extra": {"lora_rank": 16}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_extra": {"kv_cache_memory_gib": 24}})"
        "\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->at(5).told_pool_bytes == gib(24).count());
    CHECK(starts->at(0).activation_gib.value_or(0) == doctest::Approx(1.02));
    CHECK_FALSE(starts->at(0).peak_holds_graphs);
    CHECK(starts->at(1).activation_gib.value_or(0) == doctest::Approx(1.4));
    CHECK(starts->at(1).peak_holds_graphs);
    const EngineStart& served = starts->at(2);
    CHECK_FALSE(served.peak_holds_graphs);
    CHECK(served.chunks_prompts == false);
    CHECK(served.has_adapters);
    CHECK(served.adapters == 64);
    CHECK(served.adapter_rank == 16);
    CHECK(starts->at(3).has_adapters);
    CHECK_FALSE(starts->at(4).has_adapters);
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

  // Copied off a Namespace or a command line; a rank stands there whether adapters are served or
  // not.
  TEST_CASE("settings of a record may be words for numbers, and for what is on") {
    const auto starts = read_engine_starts(
        R"({"model": "m", "engine": "vllm", "engine_extra": {"max_lora_rank": "64", )"
        R"("enable_prefix_caching": "True", "enable_chunked_prefill": "False"}})"
        "\n"
        R"({"model": "m", "engine": "vllm", "engine_extra": {"max_lora_rank": "64", )"
        R"("max_loras": 2, "enable_lora": "True"}})"
        "\n"
        R"({"model": "m", "engine": "sglang", "engine_extra": {"mem_fraction_static": "0.88", )"
        R"("chunked_prefill_size": "4096"}})"
        "\n"
        R"({"model": "m", "engine": "sglang", "engine_extra": {"mem_fraction_static": ".inf"}})"
        "\n",
        "starts.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->at(0).prefix_caching == true);
    CHECK(starts->at(0).chunks_prompts == false);
    CHECK_FALSE(starts->at(0).has_adapters);
    CHECK_FALSE(starts->at(0).adapter_rank);
    CHECK(starts->at(1).has_adapters);
    CHECK(starts->at(1).adapter_rank == 64);
    CHECK(starts->at(1).adapters == 2);
    CHECK(starts->at(2).utilization == 0.88);
    CHECK(starts->at(2).max_num_batched_tokens == 4096);
    CHECK_FALSE(starts->at(3).utilization);
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

  // Lines of https://github.com/ggml-org/llama.cpp/issues/14430 and /7450: a program that keeps
  // windows whole, and a build that no field names.
  TEST_CASE("llama.cpp's settings are read in the lines that a record quotes") {
    const auto read = [](const std::string& quotes) {
      const auto starts = read_engine_starts(
          R"({"model": "m", "engine": "llama.cpp", "quotes": [)" + quotes + "]}", "r.jsonl");
      REQUIRE(starts.has_value());
      return starts->front();
    };
    const std::string buffer = R"("load_tensors:        CUDA0 model buffer size =  4612.03 MiB", )";
    const std::string cells = R"("llama_kv_cache_unified_iswa: creating non-SWA KV cache, size = )";
    const EngineStart whole = read(
        buffer + R"("llama_context: n_ctx         = 8192", "llama_context: flash_attn    = 1", )" +
        cells + R"(8192 cells", "creating     SWA KV cache, size = 8192 cells")");
    CHECK(whole.has_whole_windows);
    CHECK(whole.flash_attention == true);
    CHECK(whole.context_tokens == 8192);
    CHECK(whole.max_num_seqs == 1);
    CHECK_FALSE(
        read(buffer + cells + R"(65536 cells", "creating     SWA KV cache, size = 1024 cells")")
            .has_whole_windows);
    const EngineStart built = read(
        R"q("main: build = 2961 (201cc11a)", "llm_load_tensors: offloaded 20/33 layers to GPU", )q"
        R"q("llm_load_tensors:      CUDA0 buffer size =  2898.55 MiB")q");
    CHECK(built.engine_version == "b2961");
    CHECK(built.gpu_layers == 20);
    // issues/12946, with -nkvo: attention and its scores are where the cache is.
    const std::string compute = R"(], "device_buffers_mib": {"compute": {"CUDA0": 312.0}}, "l": [)";
    CHECK(read(buffer + R"("init:       CUDA0 KV buffer size =  1250.00 MiB")" + compute)
              .compute_gib.has_value());
    CHECK_FALSE(read(buffer + R"("init:        CPU KV buffer size =  1250.00 MiB")" + compute)
                    .compute_gib.has_value());
  }

  // unsloth_zoo/vllm_utils.py, load_vllm: bitsandbytes, and a cache of prefixes, which the first
  // generation keeps only where it is asked for.
  TEST_CASE("a record may be of a start by Unsloth that it does not name") {
    const auto may_be = [](const std::string& fields) {
      const auto starts = read_engine_starts(R"({"engine": "vllm", )" + fields + "}", "r.jsonl");
      REQUIRE(starts.has_value());
      return starts->front().may_be_by_unsloth;
    };
    const std::string copy = R"("model": "unsloth/Qwen2.5-3B-Instruct-unsloth-bnb-4bit")";
    const std::string caches = R"("engine_extra": {"enable_prefix_caching": "True"})";
    CHECK(may_be(copy));
    CHECK_FALSE(may_be(copy + R"(, "notes": "V1 engine")"));
    CHECK_FALSE(may_be(R"("model": "unsloth/Llama-3.2-3B-Instruct")"));
    CHECK(may_be(R"("model": "Phi-4", "quantization": "bitsandbytes", )" + caches));
    CHECK_FALSE(may_be(R"("model": "Phi-4", "quantization": "bitsandbytes")"));
    CHECK_FALSE(may_be(R"("model": "Phi-4", "quantization": "awq", )" + caches));
  }

  TEST_CASE("SGLang's settings are read in the command that a record has") {
    const auto starts = read_engine_starts(
        R"({"model": "m", "engine": "sglang", "engine_extra": {"arguments": )"
        R"("--mem-fraction-static 0.80 --max-running-requests 32 --disable-radix-cache"}}
{"model": "m", "engine": "sglang", "engine_extra": {"max_mamba_cache_size": 64}}
)",
        "r.jsonl");
    REQUIRE(starts.has_value());
    CHECK(starts->front().utilization == 0.8);
    CHECK(starts->front().max_num_seqs == 32);
    CHECK(starts->front().prefix_caching == false);
    CHECK(starts->back().state_slots == 64);
    CHECK_FALSE(starts->back().prefix_caching);
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
