// Evidence from a log to an estimate, and files of it that were written by hand.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/program.hpp"

using gpushape::test::Outcome;
using gpushape::test::run_line;

namespace {

/// A file in a folder of its own, gone with the test.
class Written {
 public:
  explicit Written(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("gpushape-evidence-" + std::to_string(getpid()) + ".yaml"))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  ~Written() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool says(const std::string& text, const char* words) {
  // Notes are broken into lines.
  std::string joined;
  for (const char letter : text) {
    const bool is_blank = letter == ' ' || letter == '\n';
    if (!is_blank || joined.empty() || joined.back() != ' ') joined += is_blank ? ' ' : letter;
  }
  return joined.find(words) != std::string::npos;
}

const std::string kHead = "apiVersion: gpushape.dev/v1\nkind: Evidence\nstarts:\n";

std::string start_of(const std::string& model, const std::string& fields,
                     const std::string& gib_bytes) {
  return "- model: " + model + "\n  engine: vllm\n  engineVersion: \"0.19\"\n" + fields +
         "  terms:\n  - name: weights\n    measuredBytes: {low: " + gib_bytes +
         ", expected: " + gib_bytes + ", high: " + gib_bytes + "}\n";
}

const std::string kMoe = "estimate Qwen/Qwen1.5-MoE-A2.7B --gpu h100-sxm-80 --engine-version 0.19 ";
const std::string kLlama =
    "estimate llama-3.1-8b-instruct --gpu h100-sxm-80 --engine-version 0.19 ";

}  // namespace

TEST_SUITE("cli") {
  // Experts of Qwen1.5-MoE, 24 layers of 60 with three matrices of 2,048 x 1,408 in 16 bits, and a
  // shared one of four times that width: 24 x 64 x 3 x 2,048 x 1,408 x 2 bytes = 24.75 GiB
  // of 26.67. Two ranks deal out the 60 that are routed, 23.20 GiB: half of them is 11.60 less on
  // each, and 26.67 - 11.60 = 15.07, beside what padding adds.
  TEST_CASE("ranks of data and experts share them: a measurement of one GPU is not used") {
    // 28,636,692,316 bytes are 26.67 GiB.
    const Written file(kHead +
                       start_of("qwen/qwen1.5-moe-a2.7b", "  gpu: h100-sxm-80\n", "28636692316"));
    const std::string with = kMoe + "--evidence " + file.path();
    CHECK(says(run_line(with).out, "weights 26.67 26.67 26.67"));
    const Outcome data = run_line(with + " --dp 2");
    CHECK(says(data.out, " 15.09 "));
    CHECK(says(data.out, "is not used: it is of data parallel 1, not 2"));
    const Outcome expert = run_line(with + " --dp 2 --ep 2");
    CHECK(says(expert.out, " 15.09 "));
    CHECK(says(expert.out, "data parallel 1, not 2, expert parallel 1, not 2"));
  }

  // 16,106,127,360 bytes are 15 GiB; the engine offloads 10 of them.
  TEST_CASE("weights in host memory stay there") {
    const Written file(kHead + start_of("llama-3.1-8b-instruct", "", "16106127360"));
    CHECK(says(run_line(kLlama + "--evidence " + file.path()).out, "weights 15.00 15.00 15.00"));
    const Outcome away = run_line(kLlama + "--cpu-offload 10GiB --evidence " + file.path());
    CHECK_FALSE(says(away.out, "weights 15.00"));
    CHECK(says(away.out, " 4.99 "));
    CHECK(says(away.out, "weights: it had 0.00 GiB of weights in host memory, not 10.00"));
  }

  TEST_CASE("names of the catalog and of GPUs are those of the flags") {
    const Written file(
        kHead + start_of("llama-3.1-8b-instruct", "  gpu: NVIDIA H100-SXM-80\n", "16106127360"));
    CHECK(says(run_line(kLlama + "--evidence " + file.path()).out, "weights 15.00 15.00 15.00"));
    const Written none(kHead + start_of("llama-3.1-8b-instruct", "", "16106127360"));
    CHECK(says(run_line(kLlama + "--evidence " + none.path()).out, "weights 15.00 15.00 15.00"));
  }

  TEST_CASE("a name that is not known is refused at its place, with the nearest") {
    const Written model(kHead + start_of("lama-3.1-8b-instruct", "", "16106127360"));
    const Outcome unknown = run_line(kLlama + "--evidence " + model.path());
    CHECK(unknown.status == 2);
    CHECK(says(unknown.err, "model 'lama-3.1-8b-instruct' is not in the catalog"));
    CHECK(says(unknown.err, (model.path() + ":4:10").c_str()));  // behind "- model: "
    CHECK(says(unknown.err, "'llama-3.1-8b-instruct'"));
    const Written gpu(kHead +
                      start_of("llama-3.1-8b-instruct", "  gpu: h100-sxm-8\n", "16106127360"));
    const Outcome other = run_line(kLlama + "--evidence " + gpu.path());
    CHECK(other.status == 2);
    CHECK(says(other.err, (gpu.path() + ":7:8").c_str()));
    CHECK(says(other.err, "h100-sxm-80"));
    const Written nothing(kHead + start_of("llama-3.1-8b-instruct", "", "0"));
    const Outcome refused = run_line(kLlama + "--evidence " + nothing.path());
    CHECK(refused.status == 2);
    CHECK(says(refused.err, (nothing.path() + ":9:39").c_str()));
  }

  // The log's GPU has 79.19 GiB, an L4 22; its cache is of 16 bits, 476,016 tokens, and no count of
  // 8 bits for the same pool.
  TEST_CASE("a GPU that the log rules out is refused, and what it leaves open is told by flag") {
    const std::string log = "calibrate examples/logs/vllm-0.19-llama-8b.log ";
    const Outcome small = run_line(log + "--gpu l4");
    CHECK(small.status == 2);
    CHECK(says(small.err, "the log's GPU has 79.19 GiB, and l4 has 2"));
    const Outcome other = run_line(log + "--gpu h100-sxm-80 --kv-cache-dtype fp8");
    CHECK(other.status == 1);
    CHECK(says(other.out, "kvCacheType fp8 (--kv-cache-dtype)"));
    CHECK(says(other.out, "476,016 printed, 9"));
  }

  TEST_CASE("what calibrate writes, estimate takes; a neighbour's memory is not in it") {
    std::ifstream log("examples/logs/vllm-0.19-llama-8b.log");
    std::string text((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
    const auto put = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = text.find(from); at != std::string::npos;
           at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    put("free_memory=78.68GiB", "free_memory=70.00GiB");
    put("Initial free memory: 78.68 GiB", "Initial free memory: 70.00 GiB");
    put("non-torch forward increase memory: 0.25GiB", "non-torch forward increase memory: 5.25GiB");
    const Written shared(text);
    const std::string evidence = shared.path() + ".evidence";
    const Outcome calibrated =
        run_line("calibrate " + shared.path() + " --gpu h100-sxm-80 --write-evidence " + evidence);
    CHECK(says(calibrated.err, "nonTorch, 5.25 GiB, is left out: another process held"));
    const Outcome estimate =
        run_line(kLlama + "--context 8k --concurrency 8 --evidence " + evidence);
    CHECK(says(estimate.out, "): weights, activation, graphs"));
    CHECK(says(estimate.out, "CUDA context and buffers 0.72 0.76 0.83"));
    std::filesystem::remove(evidence);
  }
}
