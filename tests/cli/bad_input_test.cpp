// What a user gets wrong is answered once, clearly, with status 2, and leaves nothing behind.
#include <doctest/doctest.h>

#include "cli/program.hpp"

using gpushape::test::Outcome;
using gpushape::test::run_line;
using gpushape::test::TemporaryFolder;

namespace {

constexpr const char* kModel = "llama-3.1-8b-instruct";
constexpr const char* kModelId = "meta-llama/Llama-3.1-8B-Instruct";

struct Fault {
  std::string line;
  std::string says;  ///< stands in the message
};

void check_all(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    CAPTURE(fault.line);
    const Outcome outcome = run_line(fault.line);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CAPTURE(outcome.err);
    CHECK(outcome.err.starts_with("error: "));
    CHECK(outcome.err.contains(fault.says));
  }
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("unknown names are answered with the nearest ones") {
    const std::string model = kModel;
    check_all({
        {"advize", "did you mean 'advise'?"},
        {"--versoin", "unknown flag '--versoin'"},
        {"advise " + model + " --contxt 8k", "did you mean '--context'?"},
        {"advise " + model + " --gpu h100-smx-80", "'h100-sxm-80'"},
        {"advise meta-llama/Llama-3.1-8B-Instrukt", "'meta-llama/Llama-3.1-8B-Instruct'"},
        {"advise " + model + " -o vm-clas", "did you mean 'vm-class'"},
        {"advise " + model + " --isolation hrad", "did you mean 'hard'?"},
        {"advise " + model + " --quant fp9", "fp8"},
        {"advise " + model + " --engine vlm", "vllm"},
        {"estimate " + model + " --quant gptq_marlin_24", "keeps two of four weights"},
        {"estimate " + model + " --engine ollama --kv-cache-dtype q4_1", "auto, fp16, q8_0, q4_0"},
        {"estimate " + model + " --engine vllm --kv-cache-dtype q8_0", "no KV cache type q8_0"},
        {"estimate " + model + " --gpu l40s --profile 23C", "23C"},
        {"schema Advise", "did you mean 'Advice'?"},
    });
  }

  // What is put right is said in every answer that rests on it.
  TEST_CASE("a slip in a short name is put right, and said") {
    for (const char* line :
         {"estimate lama-3.1-8b-instruct", "catalog show lama-3.1-8b-instruct",
          "advise lama-3.1-8b-instruct --gpu l40s --context 8k --concurrency 4",
          "estimate lama-3.1-8b-instruct --engine-version 0.16 --compare-engine-version 0.19"}) {
      CAPTURE(line);
      const Outcome outcome = run_line(line);
      CHECK(outcome.status == 0);
      CHECK(outcome.out.contains("No model is named 'lama-3.1-8b-instruct'"));
      CHECK(outcome.out.contains(kModelId));
    }
  }

  TEST_CASE("absurd numbers are refused") {
    const std::string model = std::string("advise ") + kModel + " --gpu l40s ";
    check_all({
        {model + "--context 0 --concurrency 1", "--context"},
        {model + "--context -5 --concurrency 1", "--context"},
        {model + "--context 1e30 --concurrency 1", "--context"},
        {model + "--context 1000000000000000000000000000000 --concurrency 1", "--context"},
        {model + "--context nan --concurrency 1", "--context"},
        {model + "--context 8k --concurrency 0", "--concurrency"},
        {model + "--context 8k --concurrency 1.5", "--concurrency"},
        {model + "--context 8k --concurrency NaN", "--concurrency"},
        {model + "--gpu-memory-utilization 0", "--gpu-memory-utilization"},
        {model + "--gpu-memory-utilization 1.5", "--gpu-memory-utilization"},
        {model + "--gpu-memory-utilization nan", "--gpu-memory-utilization"},
        {model + "--kv-cache-memory-bytes -1", "--kv-cache-memory-bytes"},
        {model + "--tp 0", "--tp"},
        {model + "--spread 0.5 --context 8k --concurrency 1", "--spread"},
        {model + "--gpu 0xl40s", "0"},
    });
  }

  TEST_CASE("a total without a GPU's name is looked for among GPUs that report about so much") {
    // 40 GB of an A100: 39.4 GiB in the guest; MIG's least part of it has 4.75 GiB.
    const Outcome outcome =
        run_line(std::string("advise ") + kModel + " --quant fp8 --context 8k --memory-mib 40346");
    CAPTURE(outcome.err);
    CHECK(outcome.status != 2);
    CHECK(outcome.out.contains("a100-sxm4-40"));
    CHECK_FALSE(outcome.out.contains("h100-sxm-80"));
    check_all({{std::string("estimate ") + kModel + " --memory-mib 4864",
                "no GPU of the table reports 4.8 GiB"},
               {std::string("estimate ") + kModel + " --gpu l4 --memory-mib 40346",
                "39.4 GiB is more than the 22."}});
  }

  TEST_CASE("a context above the model's maximum names both numbers") {
    // Llama-3.1-8B: max_position_embeddings 131072.
    check_all(
        {{std::string("advise ") + kModel + " --context 200k --concurrency 1 --gpu l40s", "131"}});
  }

  TEST_CASE("flags without a value, switches with one, and words too many are refused") {
    const std::string model = std::string("advise ") + kModel + " ";
    check_all({
        {model + "--context", "--context"},
        {model + "--needs-ha=maybe", "--needs-ha"},
        {model + "another-model", "one MODEL is expected"},
        {"advise", "no MODEL"},
        {"advise " + std::string(kModel) + " --profile", "--profile"},
    });
  }

  TEST_CASE("files that are missing, empty, folders or broken are refused with their place") {
    const TemporaryFolder folder;
    const std::string empty = folder.file("empty.json", "");
    const std::string broken = folder.file("broken.json", R"({"model_type": "llama",,})");
    const std::string binary = folder.file("binary.json", std::string_view("\0\1\2\xff", 4));
    const std::string list = folder.file("list.json", "[1, 2]");
    const std::string wrong =
        folder.file("wrong.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
 "hidden_size": "big", "num_hidden_layers": 32})");
    const std::string unknown = folder.file(
        "unknown.json", R"({"architectures": ["QuuxForCausalLM"], "model_type": "quux"})");
    const std::string workload = folder.file(
        "workload.yaml",
        "apiVersion: gpushape.dev/v1\nkind: Workload\nmodel: llama-3.1-8b-instruct\ncontxt: 5\n");
    check_all({
        {"advise /does/not/exist/config.json", "/does/not/exist"},
        {"advise " + folder.path().string(), "config.json"},
        {"advise " + empty, "empty"},
        {"advise " + broken, "broken.json:1:24"},
        {"advise " + binary, "binary.json"},
        {"advise " + list, "list.json"},
        {"advise " + wrong, "wrong.json:2"},
        {"advise " + unknown, "quux"},
        {"advise -f " + workload, "workload.yaml:4:1"},
        {"advise " + std::string(kModel) + " --host /does/not/exist.yaml", "/does/not/exist.yaml"},
        {"advise " + std::string(kModel) + " --catalog-dir /does/not/exist", "/does/not/exist"},
    });
  }

  TEST_CASE("nothing is written when anything is wrong") {
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "out").string();
    const std::string base = std::string("advise ") + kModel +
                             " --context 8k --concurrency 8 --gpu l40s --output-dir " + out + " ";
    check_all({{base + "-o vm-class -o nonsense", "nonsense"}});
    CHECK_FALSE(std::filesystem::exists(out));
    // A file stands where the folder should be.
    const std::string file = folder.file("file", "x");
    const Outcome outcome = run_line(std::string("advise ") + kModel +
                                     " --context 8k --concurrency 8 --gpu l40s -o vm-class "
                                     "--output-dir " +
                                     file);
    CHECK(outcome.status == 2);
    CHECK(gpushape::test::read_text(file) == "x");
  }

  TEST_CASE("text and JSON are not joined with YAML on one stream") {
    check_all({{std::string("advise ") + kModel +
                    " --context 8k --concurrency 8 --gpu l40s -o json -o vm-class",
                "--output-dir"}});
  }
}
