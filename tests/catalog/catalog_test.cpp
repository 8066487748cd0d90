#include "catalog/catalog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "catalog/catalog_check.hpp"
#include "catalog/nearest_models.hpp"
#include "domain/tensors.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::Catalog;
using gpushape::domain::Model;
using gpushape::domain::Quantization;

namespace {

Catalog catalog() { return Catalog::open().value(); }

Model found(std::string_view name) {
  const auto model = catalog().find(name);
  if (!model) FAIL(messages(model.error()));
  return *model;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("every built-in entry reads, and answers to its id and each of its aliases") {
    const Catalog built_in = catalog();
    CHECK(built_in.models().size() > 90);
    for (const std::string& id : built_in.models()) {
      CAPTURE(id);
      const auto model = built_in.find(id);
      if (!model) FAIL(messages(model.error()));
      CHECK(model->id == id);
      CHECK(model->origin == "catalog");
      CHECK(model->parameters.total == gpushape::domain::count_parameters(*model) +
                                           model->parameters.scales +
                                           model->parameters.multi_token_prediction.value_or(0));
      for (const auto& row : model->sources) CHECK_FALSE(row.source.empty());
      for (const std::string& alias : model->aliases) {
        CAPTURE(alias);
        CHECK(built_in.find(alias)->id == id);
      }
    }
  }

  TEST_CASE("no two entries share a name, and each stands in the file of its name") {
    std::set<std::string> names;
    for (const auto& file : gpushape::catalog::embedded_catalog()) {
      if (!file.path.starts_with("models/")) continue;
      std::string stem(file.id);
      CAPTURE(stem);
      std::string path = stem;
      path.replace(path.find('/'), 1, "--");
      CHECK(file.path == "models/" + path + ".yaml");
      std::string all = stem + "\n" + std::string(file.aliases) + "\n";
      std::ranges::transform(all, all.begin(), [](unsigned char c) { return std::tolower(c); });
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = all.find('\n', at);
        const std::string name = all.substr(at, end - at);
        at = end + 1;
        if (name.empty()) continue;
        CAPTURE(name);
        CHECK(names.insert(name).second);
      }
    }
  }

  TEST_CASE("the built-in catalog proves itself") {
    const auto report = gpushape::catalog::check_catalog(catalog());
    for (const auto& fault : report.faults) FAIL_CHECK(fault.model, ": ", fault.says);
    CHECK(report.models > 500);
    CHECK(report.names > report.models);
    CHECK(report.facts > 10 * report.models);
  }

  TEST_CASE("parameter totals are the published ones") {
    struct Row {
      const char* id;
      std::int64_t total;
    };
    // Hugging Face Hub, safetensors metadata, except where said otherwise.
    const std::vector<Row> rows = {
        {"meta-llama/Llama-3.1-8B-Instruct", 8'030'261'248},
        {"meta-llama/Llama-3.1-70B-Instruct", 70'553'706'496},
        {"meta-llama/Llama-3.1-405B-Instruct", 405'853'388'800},
        {"meta-llama/Llama-3.2-1B-Instruct", 1'235'814'400},
        {"codellama/CodeLlama-7b-hf", 6'738'546'688},
        {"mistralai/Mistral-7B-v0.1", 7'241'732'096},
        {"mistralai/Mistral-7B-Instruct-v0.3", 7'248'023'552},
        {"Qwen/Qwen1.5-32B", 32'512'218'112},
        {"Qwen/Qwen2-0.5B-Instruct", 494'032'768},
        {"Qwen/Qwen2.5-72B-Instruct", 72'706'203'648},
        {"Qwen/Qwen3-4B", 4'022'468'096},
        {"Qwen/Qwen3-8B", 8'190'735'360},
        {"Qwen/Qwen3-Embedding-8B", 7'567'295'488},
        {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", 1'100'048'384},
        {"01-ai/Yi-34B", 34'388'917'248},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1'777'088'000},
        // 23'575'680'000 of the FP8-dynamic repository, less 40 x 81'920 row scales
        {"mistralai/Mistral-Small-24B-Instruct-2501", 23'572'403'200},
        // the total without the stored copy of the tied head
        {"Qwen/Qwen3-1.7B", 2'031'739'904 - 151'936 * 2'048},
    };
    for (const Row& row : rows) {
      CAPTURE(row.id);
      CHECK(found(row.id).parameters.total == row.total);
    }
    CHECK(found("Qwen/Qwen3-1.7B").parameters.stored == 2'031'739'904);
  }

  TEST_CASE("names are found whatever their letter case, by id, short name and alias") {
    CHECK(found("META-LLAMA/llama-3.1-8b-instruct").id == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(found("llama-3.1-8b-instruct").id == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(found("meta-llama/Meta-Llama-3.1-8B-Instruct").id == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(found("llama-3.1-8b").id == "meta-llama/Meta-Llama-3.1-8B");
    CHECK(found("qwen2.5-7b").id == "Qwen/Qwen2.5-7B");
    CHECK(found("Kimi-Dev-72B").id == "moonshotai/Kimi-Dev-72B");
  }

  TEST_CASE("an unknown name is answered with the nearest names") {
    const auto model = catalog().find("meta-llama/Llama-3.1-8B-Instrct");
    REQUIRE_FALSE(model);
    CHECK(model.error().front().message ==
          "model 'meta-llama/Llama-3.1-8B-Instrct' is not in the catalog");
    CHECK(
        model.error().front().help.starts_with("did you mean 'meta-llama/Llama-3.1-8B-Instruct'"));
    const auto far = catalog().find("zzzzzzzzzz");
    REQUIRE_FALSE(far);
    CHECK(mentions(far.error(), "catalog list"));
    CHECK_FALSE(catalog().find(""));
    CHECK_FALSE(catalog().find(std::string(1'000'000, 'a')));
    CHECK_FALSE(catalog().find(std::string("a\0b", 3)));
  }

  TEST_CASE("a quantized repository is its base model in the precision of its name") {
    const Model w4 = found("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16");
    CHECK(w4.id == "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16");
    CHECK(w4.weights.linear == Quantization::GptqInt4);
    CHECK(w4.weights.other == Quantization::Bf16);
    CHECK(w4.parameters.total == 8'030'261'248);
    REQUIRE_FALSE(w4.notes.empty());
    CHECK(w4.notes.back().find("meta-llama/Llama-3.1-8B-Instruct") != std::string::npos);
    CHECK(found("RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic").weights.linear ==
          Quantization::Fp8Channel);
    CHECK(found("redhatai/Llama-3.3-70B-Instruct-quantized.w8a8").weights.linear ==
          Quantization::Int8);
    // The entry's own facts win over the name.
    const Model own = found("nvidia/Llama-3.1-70B-Instruct-FP8");
    CHECK(own.weights.linear == Quantization::Fp8);
    CHECK(own.notes.empty());
    CHECK_FALSE(catalog().find("someone/Unheard-Of-7B-AWQ"));
    CHECK_FALSE(catalog().find("Qwen/Qwen3-32B-FP8-AWQ"));  // quantized twice
  }

  // As https://huggingface.co/Qwen and https://huggingface.co/mistralai list them: of the first
  // three one month came out under the name, of Devstral-Small three, of Mistral-Large two.
  TEST_CASE("a name without its month is that of the one month there is") {
    CHECK(found("Qwen3-4B-Thinking").id == "Qwen/Qwen3-4B-Thinking-2507");
    CHECK(found("qwen3-30b-a3b-thinking").id == "Qwen/Qwen3-30B-A3B-Thinking-2507");
    CHECK(found("Ministral-8B").id == "mistralai/Ministral-8B-Instruct-2410");
    CHECK(found("Qwen3-30B-A3B").id == "Qwen/Qwen3-30B-A3B");  // it has no month
    CHECK_FALSE(catalog().find("Devstral-Small"));
    CHECK_FALSE(catalog().find("Mistral-Large-Instruct"));
  }

  TEST_CASE("a mirror of a repository is its model, and the note says so") {
    for (const char* name : {"unsloth/Llama-3.2-3B-Instruct", "NousResearch/Meta-Llama-3.1-8B",
                             "meta-llama/llama_3.1-8b-instruct"}) {
      CAPTURE(name);
      const Model model = found(name);
      CHECK(model.id == name);
      REQUIRE_FALSE(model.notes.empty());
      CHECK(model.notes.back().find("whose name it bears") != std::string::npos);
    }
    CHECK(found("NousResearch/Meta-Llama-3.1-8B").parameters.total == 8'030'261'248);
    CHECK(found("llama_3.1_8b_instruct").id == "meta-llama/Llama-3.1-8B-Instruct");
    // Ollama's tags: https://ollama.com/library.
    CHECK(found("gemma3:27b").id == "google/gemma-3-27b-it");
    CHECK(found("llama3.1:8b").parameters.total == 8'030'261'248);
    const Model tagged = found("qwen2.5-coder:32b-instruct-q4_K_M");
    CHECK(tagged.weights.linear == Quantization::MixQ4KM);
    CHECK(tagged.layers == found("Qwen/Qwen2.5-Coder-32B-Instruct").layers);
    // Of a repository with files of many types llama.cpp takes Q4_K_M, unless one is named.
    CHECK(found("unsloth/Qwen3-8B-GGUF").weights.linear == Quantization::MixQ4KM);
    CHECK(found("unsloth/Qwen3-8B-GGUF:Q8_0").weights.linear == Quantization::Q8_0);
    CHECK(found("unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL").weights.linear == Quantization::UdQ4KXl);
    CHECK(found("unsloth/Qwen3-8B-GGUF:Q3_K_XL").weights.linear == Quantization::UdQ3KXl);
    CHECK(found("bartowski/Qwen3-8B-GGUF:Q3_K_XL").weights.linear == Quantization::MixQ3KXl);
    CHECK(found("bartowski/Qwen3-8B-GGUF:Q4_K_L").weights.linear == Quantization::MixQ4KL);
    CHECK(found("mradermacher/Qwen3-8B-i1-GGUF:IQ3_M").weights.linear == Quantization::MixIq3M);
    CHECK(found("mradermacher/Qwen3-8B-i1-GGUF").parameters.total ==
          found("Qwen/Qwen3-8B").parameters.total);
    CHECK(found("hf.co/bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q5_K_M").weights.linear ==
          Quantization::MixQ5KM);
    CHECK(found("google/gemma-3-27b-it-qat-q4_0-gguf").weights.linear == Quantization::Q4_0);
    const Model quantized = found("unsloth/Llama-3.2-3B-Instruct-bnb-4bit");
    CHECK(quantized.weights.linear == Quantization::BnbNf4Double);
    CHECK(quantized.layers.size() == 1);
  }

  TEST_CASE("names without any marks are found, and fine-tunes by the name that they bear") {
    CHECK(found("qwen25-vl-7b-instruct").id == "Qwen/Qwen2.5-VL-7B-Instruct");
    CHECK(found("llama31-8b-instruct").id == "meta-llama/Llama-3.1-8B-Instruct");
    const Model tuned = found("someone/Llama-3.1-Support-8B-Instruct");
    CHECK(tuned.id == "someone/Llama-3.1-Support-8B-Instruct");
    CHECK(tuned.parameters.total == 8'030'261'248);
    REQUIRE_FALSE(tuned.notes.empty());
    CHECK(tuned.notes.back().contains("fine-tune of meta-llama/Llama-3.1-8B-Instruct"));
    const Model quantized = found("someone/Llama-3.1-Support-8B-Instruct-AWQ");
    CHECK(quantized.id == "someone/Llama-3.1-Support-8B-Instruct-AWQ");
    CHECK(quantized.weights.linear == Quantization::Awq);
    CHECK(quantized.layers == tuned.layers);
    CHECK_FALSE(catalog().find("someone/Llama-3.1-Support-9B-AWQ"));
  }

  TEST_CASE("suggestions keep to the size and the family that was asked for") {
    const std::vector<std::string> names = {"a/Llama-3.1-70B", "a/Llama-3.1-8B", "b/Gemma-3.1-8B",
                                            "a/Llama-3.2-1B", "llama-3.1-8b"};
    const auto nearest = [&](const char* wanted) {
      return gpushape::catalog::nearest_models(wanted, names);
    };
    CHECK(nearest("a/Lama-3.1-8B").front() == "a/Llama-3.1-8B");
    CHECK(nearest("a/Llama-3.3-8B").front() == "a/Llama-3.1-8B");
    CHECK(nearest("a/Llama-3.3-70B").front() == "a/Llama-3.1-70B");
    CHECK(nearest("a/Llama-3.2-1.5B").front() == "a/Llama-3.2-1B");
    CHECK(nearest("lama-3.1-8b").front() == "llama-3.1-8b");
    // Words that were left out: no letter of "Instruct" makes up for a family.
    CHECK(gpushape::catalog::nearest_models(
              "qwen3-next-instruct", std::vector<std::string>{"Qwen/Qwen3-VL-2B-Instruct",
                                                              "Qwen/Qwen3-Next-80B-A3B-Instruct"})
              .front() == "Qwen/Qwen3-Next-80B-A3B-Instruct");
    CHECK(nearest("zzz").empty());
    CHECK(nearest("").empty());
  }
}
