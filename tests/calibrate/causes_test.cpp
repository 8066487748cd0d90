// What explains a term that is off: logs of vLLM with one figure changed, as each cause changes it.
#include "calibrate/causes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calibrate/calibration.hpp"
#include "calibrate/engine_log.hpp"
#include "support/engine_logs.hpp"

using namespace gpushape;
using calibrate::EngineLog;
using calibrate::read_engine_log;
using example::calibrated;
using example::calibrated_term;
using example::recorded_log;

TEST_SUITE("calibrate") {
  TEST_CASE("the term that is off is named with what explains it") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    // As if the torch sort had sampled: 36 bytes a logit beside the logits of 1,024 x 128,256
    // instead of 12 and a row a multiprocessor: 24 x 131,334,144 bytes = 2.94 GiB more, less 0.06.
    log.start.activation_gib = 1.89 + 2.94;
    log.start.pool_gib = 58.11 - 2.94;
    const domain::Calibration sorted = calibrated(log, "h100-sxm-80");
    CHECK_FALSE(sorted.agrees());
    REQUIRE(calibrated_term(sorted, "activation").is_off);
    REQUIRE_FALSE(calibrated_term(sorted, "activation").causes.empty());
    CHECK(calibrated_term(sorted, "activation").causes.front().contains("torch sort"));
    CHECK(sorted.verdict.contains("activation is off"));
    REQUIRE_FALSE(calibrated_term(sorted, "kvPool").causes.empty());
    CHECK(
        calibrated_term(sorted, "kvPool").causes.front().contains("follows from the other terms"));
  }

  // 14.99 GiB of weights, 1.89 of activation and 58.11 of pool are 74.99, 0.95 of 78.9.
  TEST_CASE("a GPU that is too small for what the log counts is noticed") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.gpu_total_gib.reset();  // a log that does not print the total
    log.ranks.clear();
    const domain::Calibration small = calibrated(log, "l40s");
    REQUIRE_FALSE(calibrated_term(small, "kvPool").causes.empty());
    CHECK(calibrated_term(small, "kvPool")
              .causes.front()
              .contains("0.95 of a GPU of at least 78.9 GiB, and l40s has 44."));
  }

  // The pool of 58.11 GiB is 0.95 of 79.18 less what the terms take: 0.95 of the 139.8 of an H200
  // would leave 57.6 more.
  TEST_CASE("a GPU and a share that were told are named where others would leave the pool") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.gpu_total_gib.reset();
    log.ranks.clear();
    const auto cause_of = [](const domain::Calibration& calibration) {
      const domain::CalibratedTerm& pool = calibrated_term(calibration, "kvPool");
      return pool.causes.empty() ? std::string() : pool.causes.front();
    };
    const std::string cause = cause_of(calibrated(log, "h200-sxm-141"));
    CHECK(cause.contains("a GPU of 79."));
    CHECK(cause.contains("--gpu may be another than ran"));
    CHECK(calibrated_term(calibrated(log, "h100-sxm-80"), "kvPool").causes.empty());
  }

  TEST_CASE("a model that the log does not name is noticed, however its folder is called") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.weights_gib = 12.56;  // CodeLlama-7b-hf in the same series
    const std::string own = log.start.model;
    const auto causes = [&](const std::string& in_log) {
      domain::Calibration calibration = calibrated(log, "h100-sxm-80");
      domain::Estimate estimate;
      estimate.model_id = own;
      EngineLog named = log;
      named.start.model = in_log;
      std::vector<std::string> said;
      for (const calibrate::CauseRow& row : calibrate::causes()) {
        const calibrate::Difference difference{.log = &named,
                                               .estimate = &estimate,
                                               .calibration = &calibration,
                                               .term = &calibration.terms.front()};
        if (row.name != std::string_view("another-model")) continue;
        if (const auto words = row.explain(difference)) said.push_back(*words);
      }
      return said;
    };
    REQUIRE(causes("codellama/CodeLlama-7b-hf").size() == 1);
    CHECK(causes("codellama/CodeLlama-7b-hf").front().contains("give the --model that ran"));
    CHECK(causes(own).empty());
    CHECK(causes("/models/" + own).empty());
    CHECK(causes("").empty());
  }

  // RadixArk/Qwen3.8-27B-NVFP4 loads 20.75 GiB where its layers draft: 424,699,392 values, 0.79 GiB
  // in 16 bits, on top.
  TEST_CASE("the model's own layers that draft are noticed by their size") {
    const EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    domain::CalibratedTerm weights = calibrated_term(calibration, "weights");
    weights.predicted = domain::exactly(gib_of(19.95));
    weights.measured = domain::exactly(gib_of(20.75));
    domain::Estimate estimate;
    estimate.model_id = log.start.model;
    estimate.parameters.multi_token_prediction = 424'699'392;
    const calibrate::Difference difference{
        .log = &log, .estimate = &estimate, .calibration = &calibration, .term = &weights};
    const auto row = std::ranges::find(calibrate::causes(), std::string_view("own-drafts"),
                                       &calibrate::CauseRow::name);
    REQUIRE(row != calibrate::causes().end());
    REQUIRE(row->explain(difference));
    CHECK(row->explain(difference)->contains("0.79 GiB"));
    weights.measured = domain::exactly(gib_of(22.0));
    CHECK_FALSE(row->explain(difference));
  }

  // https://github.com/local-inference-lab/rtx6kpro, models/glm5.1: 1.22 GiB of graphs where the
  // release that it is nearest to has 0.4.
  TEST_CASE("a build of somebody's own explains what is no release's") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.graphs_gib = 9.0;
    log.start.engine_version = "0.19.0+glmkimirebase20260514";
    const auto said = [&] {
      const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
      return std::ranges::any_of(
          calibrated_term(calibration, "graphs").causes,
          [](const std::string& cause) { return cause.contains("somebody's own"); });
    };
    CHECK(said());
    log.start.engine_version = "0.19.0+cu129";
    CHECK_FALSE(said());
  }

  TEST_CASE("another tenant is noticed by the memory that is not free at the start") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.ranks.front().free_gib = 70.0;
    log.start.non_torch_gib = 1.5;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    REQUIRE_FALSE(calibrated_term(calibration, "nonTorch").causes.empty());
    CHECK(calibrated_term(calibration, "nonTorch")
              .causes.front()
              .contains("another process held 8.7 GiB"));
  }

  // Qwen3.5-27B in NVFP4 by a build of 0.20.2 on GB10 prints a pool of 50.57 GiB once and 81.82
  // another time.
  TEST_CASE("memory that GPU and host share is named before another GPU is") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.pool_gib = 40;
    const auto& causes = calibrated_term(calibrated(log, "gb10"), "kvPool").causes;
    REQUIRE_FALSE(causes.empty());
    CHECK(std::ranges::any_of(causes, [](const std::string& cause) {
      return cause.contains("GPU and host share one memory");
    }));
    CHECK(std::ranges::none_of(causes, [](const std::string& cause) {
      return cause.contains("may be another than ran");
    }));
  }

  // Notebooks that train before they serve: Nemotron-3-Nano-30B-A3B by 0.17.1 on an RTX PRO 6000
  // prints graphs of -3.62 GiB, and a pool of 11.94 where 17.98 should be left.
  TEST_CASE("graphs below zero tell a tenant that left") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    const auto told = [&](double graphs_gib, double pool_gib) {
      log.start.graphs_gib = graphs_gib;
      log.start.pool_gib = pool_gib;
      const auto& causes = calibrated_term(calibrated(log, "h100-sxm-80"), "kvPool").causes;
      return std::ranges::any_of(causes, [](const std::string& cause) {
        return cause.contains("another process freed at least 3.6 GiB");
      });
    };
    CHECK(told(-3.62, 58.11 - 6));
    CHECK_FALSE(told(-0.1, 58.11 - 6));
    CHECK_FALSE(told(-3.62, 58.11 + 6));
  }

  // https://github.com/vllm-project/vllm/pull/10927: 34.44 GiB are used behind 29.30 of weights on
  // a GPU that nobody else would leave 0.45 to, the context.
  TEST_CASE("of a GPU alone, what is used behind the weights tells another tenant, too") {
    const auto started = [](const std::string& parallel, const std::string& used) {
      const auto log = read_engine_log(
          "INFO 12-06 07:42:30 llm_engine.py:249] Initializing an LLM engine (v0.6.4) with config: "
          "model='deepseek-ai/DeepSeek-V2-Lite-Chat', dtype=torch.float16, max_seq_len=8192, " +
              parallel +
              "quantization=None, enforce_eager=True, kv_cache_dtype=auto\n"
              "INFO 12-06 07:43:15 model_runner.py:1105] Loading model weights took 29.3010 GB\n"
              "INFO 12-06 07:43:16 worker.py:235] Memory profiling results: duration=1.09 seconds, "
              "total_gpu_memory=79.10GiB, initial_memory_usage=" +
              used +
              "GiB, peak_torch_memory=30.56GiB, memory_usage_post_profile=34.81GiB, "
              "non_torch_memory=5.21GiB, kv_cache_size=35.42GiB, gpu_memory_utilization=0.90.\n",
          "a log");
      REQUIRE(log);
      const domain::Calibration calibration = calibrated(*log, "h100-sxm-80");
      const auto& causes = calibrated_term(calibration, "nonTorch").causes;
      return std::ranges::any_of(causes, [](const std::string& cause) {
        return cause.contains("another process held 4.7 GiB");
      });
    };
    CHECK(started("tensor_parallel_size=1, ", "34.44"));
    CHECK_FALSE(started("tensor_parallel_size=1, ", "30.10"));  // the context, and little more
    CHECK_FALSE(started("tensor_parallel_size=2, ", "34.44"));  // what two GPUs talk through
  }

  TEST_CASE("batch sizes that are not the defaults are recognised by the peak") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.max_num_seqs.reset();
    // 256 sequences: 256 x 128,256 x 14 bytes + 132 rows x 128,256 x 4 + (8,192 + 512) x 8,192 B +
    // 32 MiB = 0.59 GiB; the forward pass needs more: 8,192 x (3 x 14,336 + 3.75 x 4,096) x 2 B.
    log.start.activation_gib = 0.92;
    log.start.pool_gib = 59.08;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    REQUIRE(calibrated_term(calibration, "activation").is_off);
    REQUIRE_FALSE(calibrated_term(calibration, "activation").causes.empty());
    CHECK(calibrated_term(calibration, "activation").causes.front().contains("fewer sequences"));
  }

  // Llama 3.1 8B takes 14.99 GiB in 16 bits; 5.35 are 16 x 5.35 / 14.99 = 5.7 bits a parameter.
  TEST_CASE("weights that are far too small for the model are another copy's") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.weights_gib = 5.35;
    for (calibrate::RankReading& rank : log.ranks) rank.weights_gib = 5.35;
    const domain::CalibratedTerm weights =
        calibrated_term(calibrated(log, "h100-sxm-80"), "weights");
    REQUIRE_FALSE(weights.causes.empty());
    CHECK(weights.causes.front().contains("about 5.7 bits a parameter"));
  }

  // The line as vLLM platforms/interface.py logs it; 1.66 GiB as a public log of 0.6.4 has it, and
  // graphs of 4.06 as one of 0.10.2 has them on an RTX 4080.
  TEST_CASE("under WSL ranges hold what Windows takes, and more is put down to it") {
    const std::string line =
        "WARNING [interface.py:221] Using 'pin_memory=False' as WSL is detected. This may slow "
        "down "
        "the performance.\n";
    const std::string plain = example::log_text("examples/logs/vllm-0.19-llama-8b.log");
    CHECK_FALSE(recorded_log("vllm-0.19-llama-8b.log").start.is_under_wsl);
    EngineLog log = *read_engine_log(line + plain, "wsl.log");
    CHECK(log.start.is_under_wsl);
    log.start.non_torch_gib = 1.66;
    log.start.graphs_gib = 4.06;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    CHECK_FALSE(calibrated_term(calibration, "nonTorch").is_off);
    CHECK_FALSE(calibrated_term(calibration, "graphs").is_off);
    CHECK(std::ranges::any_of(calibration.notes,
                              [](const std::string& note) { return note.contains("Windows"); }));
    log.start.non_torch_gib = 3.2;
    const domain::Calibration more = calibrated(log, "h100-sxm-80");
    REQUIRE_FALSE(calibrated_term(more, "nonTorch").causes.empty());
    CHECK(calibrated_term(more, "nonTorch").causes.front().contains("Windows"));
  }

  // vLLM 0.26.0 on GB10: "Estimated CUDA graph memory: -20.50 GiB total", and 90.6 GiB for the
  // cache where the share leaves 73 (https://github.com/vllm-project/vllm/issues/44740).
  TEST_CASE("an estimate of graphs below zero explains a pool that is too large") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.graph_estimate_gib = -20.5;
    log.start.pool_gib = *log.start.pool_gib + 17.4;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    const auto& causes = calibrated_term(calibration, "kvPool").causes;
    CHECK(std::ranges::any_of(
        causes, [](const std::string& cause) { return cause.contains("-20.50 GiB"); }));
  }

  // Two of the largest images in place of one: twice the encoder's pass.
  TEST_CASE("an encoder that ran on more inputs is recognised by the peak") {
    EngineLog log = recorded_log("vllm-0.19-llama-8b.log");
    log.start.model = "Qwen/Qwen3-VL-8B-Instruct";
    log.start.max_num_seqs = 8;
    log.start.max_num_batched_tokens = 8192;
    log.start.weights_gib.reset();
    log.start.pool_gib.reset();
    const domain::Calibration predicted = calibrated(log, "h100-sxm-80");
    const double pass = calibrated_term(predicted, "activation").predicted.expected.gib() - 0.03125;
    log.start.activation_gib = 2 * pass + 0.03125;
    const domain::Calibration calibration = calibrated(log, "h100-sxm-80");
    const auto& causes = calibrated_term(calibration, "activation").causes;
    CHECK(std::ranges::any_of(causes, [](const std::string& cause) {
      return cause.contains("ran on 2 of the largest inputs");
    }));
  }
}
