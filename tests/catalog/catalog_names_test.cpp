// Names of repositories that have no entry of their own, as people meet them on the Hub: what each
// is read as, and which are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "catalog/catalog.hpp"
#include "catalog/format_words.hpp"
#include "catalog/hub_address.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;
using gpushape::catalog::Catalog;
using gpushape::domain::Model;
using gpushape::domain::Quantization;

namespace {

Model read_as(std::string_view name) {
  const auto model = Catalog::open().value().find(name);
  if (!model) FAIL(messages(model.error()));
  return *model;
}

/// The built-in entries and an overlay of one file, whose text is `entry`.
class Overlaid {
 public:
  explicit Overlaid(const std::string& entry) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gpushape-names-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "entry.yaml") << entry;
  }
  ~Overlaid() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Overlaid(const Overlaid&) = delete;
  Overlaid& operator=(const Overlaid&) = delete;

  [[nodiscard]] Catalog catalog() const { return Catalog::open(folder_.string()).value(); }

 private:
  std::filesystem::path folder_;
};

constexpr const char* kTwoLayers = R"(id: meta-llama/Llama-3.1-8B-Instruct
family: llama
architecture: LlamaForCausalLM
facts:
- source: hand
  layers: 2
  hiddenSize: 64
  attentionHeads: 4
  kvHeads: 2
  headDim: 16
  qkvBias: false
  feedForwardWidth: 128
  vocabulary: 100
  contextTokens: 4096
  tiedEmbeddings: false
  rope: {theta: 10000}
  dtype: bf16
)";

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a name with a format that no rule sizes is refused, and the way out is told") {
    // Repositories of mobiuslabsgmbh, ISTA-DASLab, VPTQ-community and their like.
    for (const char* name :
         {"ISTA-DASLab/Meta-Llama-3.1-8B-Instruct-AQLM-PV-2Bit-1x16-hf",
          "VPTQ-community/Meta-Llama-3.1-8B-Instruct-v8-k65536-256-woft-vptq",
          "foo/Qwen3-8B-vptq-v8-k65536", "foo/Qwen3-8B-QuIP", "foo/Qwen3-8B-SINQ",
          "foo/Qwen3-8B-int3", "foo/Llama-3.1-8B-Instruct-HIGGS", "foo/Qwen3-8B-4-bit",
          "foo/Llama-2-7b-chat-hf-2bit_g16-HQQ", "foo/Qwen3-8B-Q4-chat", "foo/Qwen3-8B-3.5bpw",
          "foo/Qwen3-8B-SpQR"}) {
      CAPTURE(name);
      const auto model = Catalog::open().value().find(name);
      REQUIRE_FALSE(model);
      CHECK(mentions(model.error(), "config.json"));
    }
    const auto model = Catalog::open().value().find("foo/Qwen3-8B-SINQ");
    CHECK(mentions(model.error(), "'SINQ'"));
    CHECK(mentions(model.error(), "'Qwen/Qwen3-8B' with --quant"));
    // Of a format that is read, it is the base model that is not known.
    CHECK_FALSE(mentions(Catalog::open().value().find("RedHatAI/Qwen3-9B-quantized.w4a16").error(),
                         "speaks of a format"));
    // Fine-tunes whose names only look like formats.
    CHECK(read_as("someone/Orbit-Qwen3-8B").weights.linear == Quantization::Bf16);
    CHECK(read_as("bosonai/Higgs-Llama-3-70B").base == "meta-llama/Meta-Llama-3-70B");
  }

  TEST_CASE("formats and base models that published names tell") {
    struct Row {
      const char* repository;
      const char* base;
      Quantization linear;
      int group = 0;
    };
    for (const Row& row : {
             Row{"mobiuslabsgmbh/Llama-2-7b-chat-hf-4bit_g64-HQQ", "meta-llama/Llama-2-7b-chat-hf",
                 Quantization::Awq, 64},
             Row{"foo/Qwen2.5-7B-Instruct-HQQ", "Qwen/Qwen2.5-7B-Instruct", Quantization::Awq, 64},
             Row{"foo/Qwen3-8B-EETQ", "Qwen/Qwen3-8B", Quantization::Int8Weight},
             Row{"RedHatAI/Llama-3.1-8B-Instruct-NVFP4A16", "meta-llama/Llama-3.1-8B-Instruct",
                 Quantization::Nvfp4},
             Row{"hugging-quants/Meta-Llama-3.1-8B-BNB-NF4-BF16", "meta-llama/Meta-Llama-3.1-8B",
                 Quantization::BnbNf4Double},
             Row{"CohereForAI/c4ai-command-r-v01-4bit", "CohereLabs/c4ai-command-r-v01",
                 Quantization::BnbNf4},
             Row{"CohereForAI/c4ai-command-r-plus-4bit", "CohereLabs/c4ai-command-r-plus",
                 Quantization::BnbNf4},
             Row{"ISTA-DASLab/gemma-3-27b-it-GPTQ-4b-128g", "google/gemma-3-27b-it",
                 Quantization::GptqInt4, 128},
             Row{"neuralmagic/Mixtral-8x22B-Instruct-v0.1-AutoFP8",
                 "mistralai/Mixtral-8x22B-Instruct-v0.1", Quantization::Fp8},
             Row{"OPEA/DeepSeek-V3-int4-sym-gptq-inc", "deepseek-ai/DeepSeek-V3",
                 Quantization::GptqInt4},
             Row{"amd/Llama-3.1-405B-Instruct-MXFP4-Preview", "meta-llama/Llama-3.1-405B-Instruct",
                 Quantization::Mxfp4},
             Row{"mlx-community/Qwen3-8B-4bit-DWQ", "Qwen/Qwen3-8B", Quantization::Int4, 32},
             Row{"mlx-community/Qwen3-8B-4bit-mlx", "Qwen/Qwen3-8B", Quantization::Int4, 32},
             Row{"casperhansen/mixtral-instruct-awq", "mistralai/Mixtral-8x7B-Instruct-v0.1",
                 Quantization::Awq, 128},
             // github.com/alint77/jupiter-glm52-vllm-worklog: folders named for a commit
             Row{"GLM-5.2-AutoRound-W4G64-MTP-e1ba887", "zai-org/GLM-5.2", Quantization::GptqInt4,
                 64},
             Row{"GLM-5.2-W4A16-55c92ae", "zai-org/GLM-5.2", Quantization::Int4},
             Row{"kaitchup/Qwen3.5-9B-autoround-NVFP4", "Qwen/Qwen3.5-9B", Quantization::Nvfp4},
             Row{"Llama-3_3-Nemotron-Super-49B-v1-4bit-GPTQ",
                 "nvidia/Llama-3_3-Nemotron-Super-49B-v1", Quantization::GptqInt4},
             Row{"foo/Qwen3-8B-W8A8-INT8", "Qwen/Qwen3-8B", Quantization::Int8},
             Row{"zai-org/GLM-4.5-FP8", "zai-org/GLM-4.5", Quantization::Fp8Channel},
             Row{"zai-org/GLM-4.6V-FP8", "zai-org/GLM-4.6V", Quantization::Fp8Channel},
             Row{"unsloth/Qwen3-8B-128K-GGUF", "Qwen/Qwen3-8B", Quantization::MixQ4KM},
         }) {
      CAPTURE(row.repository);
      const Model model = read_as(row.repository);
      CHECK(model.id == row.repository);
      CHECK(model.base == row.base);
      CHECK(model.weights.linear == row.linear);
      CHECK(model.weights.group == row.group);
    }
    CHECK(read_as("unsloth/Qwen3-8B-128K-GGUF").max_context_tokens == 131'072);
    CHECK(read_as("nvidia/DeepSeek-R1-FP4-v2").weights ==
          read_as("nvidia/DeepSeek-R1-0528-FP4-v2").weights);
  }

  TEST_CASE("a name without an entry of its own tells which entry it was read as") {
    CHECK_FALSE(read_as("meta-llama/Llama-3.1-8B-Instruct").base);
    CHECK_FALSE(read_as("llama-3.1-8b-instruct").base);
    for (const char* name :
         {"meta-lama/Llama-3.1-8B-Instruct", "someone/Llama-3.1-Support-8B-Instruct",
          "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16",
          "someone/Llama-3.1-Support-8B-Instruct-AWQ",
          "huihui-ai/Llama-3.1-8B-Instruct-abliterated"}) {
      CAPTURE(name);
      CHECK(read_as(name).id == name);
      CHECK(read_as(name).base == "meta-llama/Llama-3.1-8B-Instruct");
    }
  }

  TEST_CASE("the address of a model's page is its id") {
    using gpushape::catalog::hub_repository;
    for (const char* address :
         {"https://huggingface.co/Qwen/Qwen3-8B", "https://huggingface.co/Qwen/Qwen3-8B/",
          "http://www.huggingface.co/Qwen/Qwen3-8B/tree/main", "hf.co/Qwen/Qwen3-8B",
          "https://huggingface.co/Qwen/Qwen3-8B/blob/main/config.json",
          "https://huggingface.co/Qwen/Qwen3-8B?library=vllm"}) {
      CAPTURE(address);
      CHECK(hub_repository(address) == "Qwen/Qwen3-8B");
      CHECK(read_as(address).id == "Qwen/Qwen3-8B");
    }
    CHECK(hub_repository("https://huggingface.co/unsloth/Qwen3-8B-GGUF/blob/main/"
                         "Qwen3-8B-Q6_K.gguf") == "unsloth/Qwen3-8B-Q6_K");
    for (const char* other : {"Qwen/Qwen3-8B", "https://huggingface.co/Qwen", "hf.co/", "",
                              "https://example.com/a/b", "./hf.co/a/b"}) {
      CAPTURE(other);
      CHECK_FALSE(hub_repository(other));
    }
  }

  TEST_CASE("every name of an entry that an overlay replaces leads to the overlay's") {
    const Overlaid overlaid(kTwoLayers);
    const Catalog catalog = overlaid.catalog();
    for (const char* name :
         {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct",
          "meta-llama/Meta-Llama-3.1-8B-Instruct", "unsloth/Llama-3.1-8B-Instruct",
          "RedHatAI/Llama-3.1-8B-Instruct-FP8", "someone/Llama-3.1-Support-8B-Instruct"}) {
      CAPTURE(name);
      const auto model = catalog.find(name);
      REQUIRE(model);
      CHECK(model->origin == "overlay");
      CHECK(model->layers.front().count == 2);
    }
    const Overlaid engine("id: vllm\nknownVersions: [\"1\"]\nfacts: []\n");
    CHECK(engine.catalog().engine("VLLM")->known_versions.size() == 1);
  }

  TEST_CASE("words of names that tell of a format") {
    using gpushape::catalog::format_word;
    CHECK(format_word("a-4bit/Qwen3-8B") == std::nullopt);
    CHECK(format_word("foo/Qwen3-8B-4bit_g64") == "4bit");
    CHECK(format_word("foo/Llama-3.1-8B-Instruct-AQLM-2Bit") == "AQLM");
    CHECK(format_word("HIGGS-8B-W4A16") == "W4A16");
    for (const char* name : {"Orbit-8B", "Hint-8B", "Equip-8B", "Wa4-8B", "qwq-32b", "", "/"}) {
      CAPTURE(name);
      CHECK_FALSE(format_word(name));
    }
  }
}
