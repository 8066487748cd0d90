// Lines as llama.cpp and Ollama print them; figures of the starts published in
// github.com/madcamp-2025w-week4/FSD (logs/llama-server.log) and ggml-org/llama.cpp issue 8117.
#include <doctest/doctest.h>

#include <string>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/planned_start.hpp"
#include "catalog/catalog.hpp"

using namespace gpushape;
using calibrate::EngineLog;

namespace {

constexpr const char* kServerLog = R"log(
build: 7900 (0123abcd) with GNU 13.3.0 for Linux x86_64
ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
print_info: file format = GGUF V3 (latest)
print_info: file type   = Q4_K - Medium
print_info: file size   = 8.37 GiB (4.87 BPW)
print_info: general.name     = Qwen2.5 14B Instruct
load_tensors: offloading 48 repeating layers to GPU
load_tensors: offloaded 49/49 layers to GPU
load_tensors:   CPU_Mapped model buffer size =   417.66 MiB
load_tensors:        CUDA0 model buffer size =  8148.38 MiB
llama_context: n_seq_max     = 1
llama_context: n_ctx         = 32768
llama_context: n_ctx_seq     = 32768
llama_context: n_batch       = 2048
llama_context: n_ubatch      = 512
llama_context: kv_unified    = false
llama_context:  CUDA_Host  output buffer size =     0.58 MiB
llama_kv_cache:      CUDA0 KV buffer size =  6144.00 MiB
llama_kv_cache: size = 6144.00 MiB ( 32768 cells,  48 layers,  1/1 seqs), K (f16): 3072.00 MiB, V (f16): 3072.00 MiB
llama_context:      CUDA0 compute buffer size =   307.00 MiB
llama_context:  CUDA_Host compute buffer size =    84.01 MiB
)log";

constexpr const char* kOldLog = R"log(
main: build = 3200 (abcdef01)
llm_load_print_meta: model ftype      = Q4_K - Medium
llm_load_print_meta: model size       = 39.59 GiB (4.82 BPW)
llm_load_print_meta: general.name     = Meta-Llama-3-70B-Instruct
llm_load_tensors: offloaded 81/81 layers to GPU
llm_load_tensors:        CPU buffer size =   563.62 MiB
llm_load_tensors:      CUDA0 buffer size = 20038.81 MiB
llm_load_tensors:      CUDA1 buffer size = 19940.67 MiB
llama_new_context_with_model: n_ctx      = 8192
llama_new_context_with_model: n_batch    = 2048
llama_new_context_with_model: n_ubatch   = 512
llama_kv_cache_init:      CUDA0 KV buffer size =  1312.00 MiB
llama_kv_cache_init:      CUDA1 KV buffer size =  1248.00 MiB
llama_new_context_with_model: KV self size  = 2560.00 MiB, K (f16): 1280.00 MiB, V (f16): 1280.00 MiB
llama_new_context_with_model:      CUDA0 compute buffer size =  1216.01 MiB
llama_new_context_with_model:      CUDA1 compute buffer size =  1216.02 MiB
)log";

constexpr const char* kBreakdown = R"log(
load_tensors: offloaded 33/33 layers to GPU
llama_memory_breakdown_print: | memory breakdown [MiB] | total    free     self   model   context   compute    unaccounted |
llama_memory_breakdown_print: |   - CUDA0 (RTX 4090)   | 24080 = 9436 + (14193 = 13169 +      38 +     985) +         451 |
llama_memory_breakdown_print: |   - Host               |                    72 =     0 +      57 +      15                |
)log";

// Lines of a public start of Qwen3.8-27B on P104-100 cards: fitted before it is loaded, with drafts
// by the model's own prediction layer.
constexpr const char* kFittedLog = R"log(
common_params_fit_impl: getting device memory data for initial parameters:
common_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
common_memory_breakdown_print: |   - CUDA0 (P104-100)   |  8116 = 7856 + (7413 =  4039 +    3302 +      71) +       -7152 |
common_memory_breakdown_print: |   - CUDA4 (P104-100)   |  8116 = 8032 + (   0 =     0 +       0 +       0) +          84 |
load_tensors: offloaded 66/66 layers to GPU
load_tensors:        CUDA0 model buffer size =  4039.38 MiB
llama_context: n_ctx                 = 200192
llama_context: n_rs_seq              = 3
llama_kv_cache:      CUDA0 KV buffer size =  3128.00 MiB
llama_memory_recurrent:      CUDA0 RS buffer size =   174.56 MiB
sched_reserve:      CUDA0 compute buffer size =    71.11 MiB
common_speculative_init_result: creating MTP draft context against the target model 'Qwen3.8-27B-Q4_K_M.gguf'
llama_context: n_ctx                 = 100096
llama_kv_cache:      CUDA0 KV buffer size =   782.00 MiB
sched_reserve:      CUDA0 compute buffer size =    61.50 MiB
)log";

constexpr const char* kOllamaLog = R"log(
time=2026-01-02T10:00:00Z level=INFO source=routes.go:1500 msg="Listening on 127.0.0.1:11434 (version 0.12.6)"
time=2026-01-02T10:00:05Z level=INFO source=device.go:212 msg="model weights" device=CUDA0 size="18.5 GiB"
time=2026-01-02T10:00:05Z level=INFO source=device.go:217 msg="model weights" device=CPU size="11.7 GiB"
time=2026-01-02T10:00:05Z level=INFO source=device.go:223 msg="kv cache" device=CUDA0 size="1.9 GiB"
time=2026-01-02T10:00:05Z level=INFO source=device.go:234 msg="compute graph" device=CUDA0 size="190.5 MiB"
)log";

EngineLog log_of(const char* text) {
  const Result<EngineLog> log = calibrate::read_engine_log(text, "start.log");
  REQUIRE(log.has_value());
  return *log;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a log of llama-server says what was loaded and where") {
    const EngineLog log = log_of(kServerLog);
    CHECK(log.start.engine == "llama.cpp");
    CHECK(log.start.engine_version == "b7900");
    CHECK(log.start.model == "Qwen2.5-14B-Instruct");
    CHECK(log.start.quantization == "Q4_K - Medium");
    CHECK(log.start.kv_cache_type == "f16");
    CHECK(log.start.context_tokens == 32768);
    CHECK(log.start.gpu_layers == 49);
    CHECK(log.device_name == "NVIDIA GeForce RTX 3090");
    CHECK(log.start.weights_gib.value_or(0) == doctest::Approx(8148.38 / 1024));
    CHECK(log.start.cache_gib.value_or(0) == doctest::Approx(6.0));
    CHECK(log.start.compute_gib.value_or(0) == doctest::Approx(307.0 / 1024));
    CHECK(log.ranks.size() == 1);
  }

  TEST_CASE("a publisher's recipe is told by the name of the file") {
    const auto quantization_of = [](const char* file) {
      const std::string text =
          std::string(
              "llama_model_loader: loaded meta data with 49 key-value pairs and 851 "
              "tensors from /root/") +
          file +
          " (version GGUF V3 (latest))\n"
          "print_info: file type   = IQ3_XXS - 3.0625 bpw\n"
          "load_tensors:        CUDA0 model buffer size = 10441.97 MiB\n";
      return log_of(text.c_str()).start.quantization;
    };
    CHECK(quantization_of("unsloth_Qwen3.5-27B-UD-IQ3_XXS.gguf") == "UD-IQ3_XXS");
    CHECK(quantization_of("Qwen3.5-27B-IQ3_XXS.gguf") == "IQ3_XXS");
    CHECK(quantization_of("Qwen3.5-27B-UD-whatever.gguf") == "IQ3_XXS");
  }

  TEST_CASE("what was planned before loading, and a draft's context, do not count again") {
    const EngineLog log = log_of(kFittedLog);
    CHECK(log.ranks.size() == 1);
    CHECK(log.start.weights_gib.value_or(0) == doctest::Approx(4039.38 / 1024));
    CHECK(log.start.cache_gib.value_or(0) == doctest::Approx(3128.0 / 1024));
    CHECK(log.start.compute_gib.value_or(0) == doctest::Approx(71.11 / 1024));
    CHECK(log.start.gpu_total_gib.value_or(0) == doctest::Approx(8116.0 / 1024));
    CHECK(log.start.context_tokens == 200192);
    CHECK(log.has_drafts);
    // Four states a sequence: not what one of them takes.
    CHECK_FALSE(log.start.state_gib);
  }

  TEST_CASE("the estimate for that log agrees with every figure") {
    const catalog::Catalog catalog = *catalog::Catalog::open();
    const EngineLog log = log_of(kServerLog);
    const auto calibration = calibrate::calibrate(log, {.model = *catalog.find(log.start.model),
                                                        .engine = *catalog.engine("llama.cpp"),
                                                        .gpu = std::nullopt});
    REQUIRE(calibration.has_value());
    CHECK(calibration->agrees());
    CHECK(calibration->terms.size() == 3);
    CHECK(calibration->verdict == "every measured figure lies in its predicted range (3 compared)");
  }

  TEST_CASE("devices of an old build are summed") {
    const EngineLog log = log_of(kOldLog);
    CHECK(log.start.engine_version == "b3200");
    CHECK(log.ranks.size() == 2);
    CHECK(log.start.weights_gib.value_or(0) == doctest::Approx((20038.81 + 19940.67) / 1024));
    CHECK(log.start.cache_gib.value_or(0) == doctest::Approx(2560.0 / 1024));
    CHECK_FALSE(log.start.compute_gib.has_value());
    CHECK(log.start.file_gib.value_or(0) == doctest::Approx(39.59));
  }

  TEST_CASE("the breakdown at the end stands in for lines that were not printed") {
    const EngineLog log = log_of(kBreakdown);
    REQUIRE(log.ranks.size() == 1);
    const calibrate::RankReading& rank = log.ranks.front();
    CHECK(rank.total_gib.value_or(0) == doctest::Approx(24080.0 / 1024));
    CHECK(rank.free_gib.value_or(0) == doctest::Approx(9436.0 / 1024));
    CHECK(rank.weights_gib.value_or(0) == doctest::Approx(13169.0 / 1024));
    CHECK(rank.cache_gib.value_or(0) == doctest::Approx(38.0 / 1024));
    CHECK(rank.compute_gib.value_or(0) == doctest::Approx(985.0 / 1024));
    CHECK(log.version_from == "the words of the log");
  }

  TEST_CASE("Ollama's own lines name device and size") {
    const EngineLog log = log_of(kOllamaLog);
    CHECK(log.start.engine == "ollama");
    CHECK(log.start.engine_version == "0.12.6");
    CHECK(log.start.weights_gib.value_or(0) == doctest::Approx(18.5));
    CHECK(log.start.cache_gib.value_or(0) == doctest::Approx(1.9));
    CHECK(log.start.compute_gib.value_or(0) == doctest::Approx(190.5 / 1024));
  }

  TEST_CASE("words of a file's type lose what is beside them") {
    CHECK(calibrate::file_type_words("Q4_K_M (58.45 GiB, 4.30 BPW)") == "Q4_K_M");
    CHECK(calibrate::file_type_words("GGUF Q8_0") == "Q8_0");
    CHECK(calibrate::file_type_words("IQ4_XS - 4.25 bpw") == "IQ4_XS");
    CHECK(calibrate::file_type_words("Q4_K - Medium") == "Q4_K - Medium");
  }
}
