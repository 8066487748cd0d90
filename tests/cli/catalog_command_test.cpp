// The words of gpushape catalog, as a user runs them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>

#include "cli/program.hpp"
#include "document/text_format.hpp"

using gpushape::test::run_line;
using gpushape::test::run_program;
using gpushape::test::TemporaryFolder;

namespace {

const std::string kConfig = R"({"model_type": "llama", "hidden_size": 64,
  "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
  "num_hidden_layers": 2, "vocab_size": 1000, "max_position_embeddings": 512,
  "tie_word_embeddings": true, "torch_dtype": "float16"})";

std::size_t models_in(const std::string& line) {
  const auto outcome = run_line("catalog list -o json " + line);
  REQUIRE(outcome.status == 0);
  const auto document = gpushape::document::read_json(outcome.out, "list.json");
  REQUIRE(document);
  CHECK(document->root.find("kind")->text() == "Catalog");
  return document->root.find("models")->items().size();
}

}  // namespace

TEST_SUITE("cli") {
  // ollama.com/library/gemma3:27b: 17 GB in Q4_K_M.
  TEST_CASE("names of Ollama's library are its files, and elsewhere the models behind them") {
    const auto of_ollama = run_line("estimate gemma3:27b --engine ollama --gpu l40s --context 4k");
    CHECK(of_ollama.out.starts_with("google/gemma-3-27b-it"));
    CHECK(of_ollama.out.contains("q4_k_m"));
    CHECK(of_ollama.out.contains("what Ollama serves as 'gemma3:27b'"));
    const auto of_vllm = run_line("estimate llama3.1:8b --gpu l40s --context 4k");
    CHECK(of_vllm.out.starts_with("meta-llama/Llama-3.1-8B-Instruct"));
    CHECK(of_vllm.out.contains("bf16"));
  }

  TEST_CASE("a precision that only a name tells is not said to be the checkpoint's") {
    const auto named = run_line("estimate RedHatAI/Qwen3-30B-A3B-FP8 --gpu l40s --context 4k");
    CHECK(named.out.contains("from the repository's name"));
    // Nor does the name of a repository with files of many types tell one.
    const auto usual = run_line("estimate unsloth/Qwen3-30B-A3B-GGUF --gpu l40s --context 4k");
    CHECK(usual.out.contains("default: what llama.cpp takes of several"));
    CHECK(usual.out.contains("(--quant)"));
  }

  TEST_CASE("the built-in catalog passes its own check") {
    const auto outcome = run_line("catalog check");
    CHECK(outcome.status == 0);
    CAPTURE(outcome.out);
    CHECK(outcome.out.contains("every entry holds"));
    CHECK(run_line("catalog check -o json").out.contains("\"faults\": []"));
  }

  TEST_CASE("filters of the list narrow it, and a family that nobody has is refused") {
    const std::size_t all = models_in("");
    const std::size_t qwen = models_in("--family qwen3");
    CHECK(qwen > 5);
    CHECK(qwen < all);
    CHECK(models_in("--family qwen3,llama") > qwen);
    CHECK(models_in("--size 70B") >= 2);
    CHECK(models_in("--size 1B-2B") + models_in("--size 3B-") < all);
    CHECK(models_in("--modality embedding") >= 2);
    CHECK(models_in("--modality embedding") < all / 4);
    CHECK(models_in("--quant fp8-block") >= 1);
    CHECK(models_in("--size -0.001B") == 0);
    const auto unknown = run_line("catalog list --family qwen33");
    CHECK(unknown.status == 2);
    CHECK(unknown.err.contains("did you mean 'qwen3'"));
    for (const char* size : {"8X", "", "-", "10B-1B", "nan", "1e99B", "--5"}) {
      CAPTURE(size);
      CHECK(run_program({"catalog", "list", "--size", size}).status == 2);
    }
    CHECK(run_line("catalog list --modality smell").err.contains("text, vision, audio"));
  }

  TEST_CASE("flags that would change nothing are refused, and a list without rows says so") {
    const auto shown = run_line("catalog show Qwen/Qwen3-8B --quant awq");
    CHECK(shown.status == 2);
    CHECK(shown.err.contains("without --quant"));
    const auto listed = run_line("catalog list --family qwen3 --quant gptq");
    CHECK(listed.status == 0);
    CHECK(listed.err.contains("no entry is so"));
    CHECK(models_in("--family qwen3 --quant gptq") == 0);
  }

  TEST_CASE("a revision behind a name is passed over") {
    const auto pinned = run_line("estimate Qwen/Qwen3-8B@main --gpu l40s --context 4k");
    CHECK(pinned.status == run_line("estimate Qwen/Qwen3-8B --gpu l40s --context 4k").status);
    CHECK(pinned.out.contains("read as Qwen/Qwen3-8B"));
    CHECK(run_line("estimate @main --context 4k").status == 2);
  }

  TEST_CASE("a model is shown with every source, as text and as a document") {
    const auto text = run_line("catalog show qwen3-0.6b");
    CHECK(text.status == 0);
    // 28 layers of 16 x 128 query values from 1024: 28 x 2'097'152 each for q_proj and o_proj.
    CHECK(text.out.contains("596,049,920"));
    CHECK(text.out.contains("self_attn.q_norm"));
    CHECK(text.out.contains("a copy of the tied"));
    const auto document =
        gpushape::document::read_json(run_line("catalog show qwen3-0.6b -o json").out, "show");
    REQUIRE(document);
    CHECK(document->root.find("kind")->text() == "Model");
    std::int64_t sum = 0;
    for (const auto& part : document->root.find("parameters")->find("parts")->items())
      sum += part.find("parameters")->integer();
    CHECK(sum == 596'049'920);
    const auto unknown = run_line("catalog show qwen3-0.7b");
    CHECK(unknown.status == 2);
    CHECK(unknown.err.contains("did you mean 'qwen3-0.6b'"));
  }

  // Shares are of all that is shown: they make a hundred, but for what each is rounded by.
  TEST_CASE("the shares of a model's parts make a hundred") {
    for (const char* model : {"qwen/qwen3-8b", "zai-org/GLM-OCR", "deepseek-ai/DeepSeek-V3"}) {
      CAPTURE(model);
      const auto outcome = run_line(std::string("catalog show ") + model);
      REQUIRE(outcome.status == 0);
      std::istringstream lines(outcome.out.substr(outcome.out.find("Where the parameters are")));
      double sum = 0;
      std::size_t rows = 0;
      for (std::string line; std::getline(lines, line) && line != "Layers";) {
        if (!line.ends_with(" %")) continue;
        const std::string share = line.substr(0, line.size() - 2);
        sum += std::stod(share.substr(share.rfind(' ')));
        ++rows;
      }
      CHECK(rows >= 5);
      CHECK(std::abs(sum - 100) <= 0.05 * static_cast<double>(rows) + 1e-9);
    }
  }

  TEST_CASE("an imported config is an overlay entry that answers to its names") {
    const TemporaryFolder folder;
    const std::string config = folder.file("config.json", kConfig);
    const std::string entry = (folder.path() / "overlay.yaml").string();
    const auto outcome =
        run_program({"catalog", "import", config, "--id", "me/Mine", "--alias", "mine,my-model",
                     "--source", "my own head", "--output-file", entry});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out.empty());
    const std::string text = gpushape::test::read_text(entry);
    CHECK(text.starts_with("id: me/Mine\n"));
    CHECK(text.contains("source: my own head"));
    CHECK_FALSE(text.contains(folder.path().string()));
    const auto show = run_program(
        {"catalog", "show", "my-model", "--catalog-dir", folder.path().string(), "-o", "json"});
    REQUIRE(show.status == 0);
    // Embedding 64'000; a layer: 64 x (64 + 2 x 32) + 64 x 64 + 3 x 64 x 128 + 2 x 64 = 36'992;
    // norm 64.
    CHECK(show.out.contains("\"total\": 138048"));
    CHECK(run_program({"catalog", "check", "--catalog-dir", folder.path().string()}).status == 0);
  }

  TEST_CASE("what cannot be imported is refused with its name") {
    const TemporaryFolder folder;
    CHECK(run_line("catalog import nowhere/config.json").err.contains("nowhere/config.json"));
    CHECK(run_line("catalog import").err.contains("needs a PATH"));
    CHECK(run_line("catalog list x").err.contains("takes no 'x'"));
    CHECK(run_line("catalog").err.contains("list, show, check, import"));
    const std::string broken = folder.file("config.json", "{\"model_type\": ");
    CHECK(run_program({"catalog", "import", broken}).status == 2);
    CHECK(run_program({"catalog", "import", folder.path().string(), "-o", "xml"}).status == 2);
  }

  TEST_CASE("the documents tell what a checkpoint holds, and what a name was read as") {
    const auto model = [](const std::string& name) {
      const auto outcome = run_line("estimate " + name + " -o json");
      REQUIRE(outcome.status == 0);
      return *gpushape::document::read_json(outcome.out, "estimate.json")->root.find("model");
    };
    // https://huggingface.co/api/models/meta-llama/Llama-3.1-8B-Instruct, safetensors.total.
    const auto own = model("meta-llama/Llama-3.1-8B-Instruct");
    CHECK(own.find("parameters")->find("stored")->integer() == 8'030'261'248);
    CHECK(own.find("base") == nullptr);
    const auto quantized = model("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16");
    CHECK(quantized.find("id")->text() == "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16");
    CHECK(quantized.find("base")->text() == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(quantized.find("parameters")->find("stored") == nullptr);
    CHECK(run_line("estimate meta-lama/Llama-3.1-8B-Instruct")
              .out.contains("No entry of its own: read as meta-llama/Llama-3.1-8B-Instruct"));
    CHECK(run_line("catalog show meta-lama/Llama-3.1-8B-Instruct -o json")
              .out.contains("\"base\": \"meta-llama/Llama-3.1-8B-Instruct\""));
  }

  // 684'531'386'000 published values of DeepSeek-V3 are 671'026'419'200 of the model, an extra
  // layer with copies of embedding and head, and 41'540'496 scales of fp8 blocks.
  TEST_CASE("the parameters of a quantized model say whether its scales are among them") {
    CHECK(run_line("catalog show deepseek-ai/DeepSeek-V3")
              .out.contains("41,540,496 of the parameters"));
    CHECK(run_line("catalog show RedHatAI/Qwen3-32B-FP8-dynamic")
              .out.contains("scales          beside the parameters"));
    CHECK_FALSE(run_line("catalog show Qwen/Qwen3-32B").out.contains("beside the parameters"));
  }
}
