// Telemetry flips an answer: from a whole device to a fraction, to a larger fraction, and back to
// E0.
#include <doctest/doctest.h>

#include "cli/program.hpp"

using gpushape::test::Outcome;
using gpushape::test::run_line;

namespace {

const std::string kChat =
    "advise llama-3.1-8b-instruct --quant fp8 --context 8k --gpu h100-sxm-80 ";

bool says(const Outcome& outcome, const char* text) {
  return outcome.out.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("without evidence a chat holds a whole device, with three weeks of it a fraction") {
    CHECK(says(run_line(kChat + "--concurrency 40 -q"), "80C of h100-sxm-80, full (CM-06)"));
    const Outcome quiet = run_line(kChat + "--evidence examples/evidence/quiet-chat.json");
    CHECK(quiet.status == 0);
    CHECK(says(quiet, "Verdict   40C of h100-sxm-80, fractional (CM-09)"));
    CHECK(says(quiet, "evidence          E2"));
    CHECK(says(quiet, "EV-01              21 days of telemetry (threshold evidenceDays 14)"));
    // P99 of the uses is 0.1439: of 30,518 blocks of 16 tokens 70,265 tokens.
    CHECK(says(quiet, "70,265 tokens at P99"));
  }

  TEST_CASE("a share that was full grows to the next one") {
    const Outcome full =
        run_line(kChat + "--evidence examples/evidence/full-chat.json --measured-on 20C");
    CHECK(says(full, "26 preemptions"));
    CHECK(says(full, "Verdict   40C of h100-sxm-80, fractional (CM-09)"));
    const Outcome half =
        run_line(kChat + "--evidence examples/evidence/full-chat.json --measured-on 40C");
    CHECK(says(half, "Verdict   80C of h100-sxm-80"));
    CHECK(
        run_line(kChat + "--evidence examples/evidence/full-chat.json --measured-on 41C").status ==
        2);
  }

  TEST_CASE("the pool that the engine told of names the share that was full") {
    const Outcome full =
        run_line(kChat + "--engine-version 0.22 --evidence examples/evidence/full-chat.json");
    CHECK(says(full, "EV-02"));
    CHECK(says(full, "what it ran on"));
    CHECK(says(full, "20C of h100-sxm-80"));
    CHECK(says(full, "Verdict   40C of h100-sxm-80, fractional (CM-09)"));
  }

  TEST_CASE("another type of cache is no longer what was measured") {
    const Outcome changed =
        run_line(kChat + "--kv-cache-dtype fp8 --evidence examples/evidence/quiet-chat.json");
    CHECK(says(changed, "EV-04"));
    CHECK(says(changed, "evidence E0"));
    CHECK(says(changed, "full (CM-06)"));
  }

  TEST_CASE("the telemetry of a device stands in for a demand") {
    const Outcome idle = run_line(
        "advise --role notebook --gpu h100-sxm-80 --usage examples/evidence/idle-gpu.json");
    CHECK(says(idle, "Verdict   10C of h100-sxm-80, fractional (CM-10)"));
    CHECK(says(idle, "EV-03"));
    CHECK(says(idle, "RV-01"));
  }

  TEST_CASE("estimate takes measured starts only") {
    const Outcome estimate =
        run_line("estimate llama-3.1-8b-instruct --evidence examples/evidence/quiet-chat.json");
    CHECK(estimate.status == 2);
    CHECK(estimate.err.find("give it to advise") != std::string::npos);
  }

  TEST_CASE("a log's settings say whether the log, a flag or the model gave them") {
    const Outcome outcome =
        run_line("calibrate examples/logs/vllm-0.19-llama-8b.log --gpu h100-sxm-80 "
                 "--max-num-seqs 64");
    CHECK(outcome.status == 1);  // 1024 ran: with 64 the terms are off
    CHECK(says(outcome, "maxNumSeqs            64 (--max-num-seqs)"));
    CHECK(says(outcome, "maxNumBatchedTokens   8192 (the log)"));
    CHECK(says(outcome, "quantization          bf16 (the log)"));
    const std::string other = "calibrate examples/logs/vllm-0.10-qwen2-7b-flashinfer.log ";
    CHECK(says(run_line(other + "--quant fp8"), "quantization          fp8 (--quant)"));
    CHECK(says(run_line("calibrate examples/logs/tensorrt-llm-1.2-llama-3-8b.log"), "(the model)"));
  }
}
