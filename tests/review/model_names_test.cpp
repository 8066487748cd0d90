// Models behind paths, addresses and names that clients see.
#include "review/model_names.hpp"

#include <string>

#include "support/reviewed.hpp"

using namespace gpushape;

namespace {

struct Behind {
  std::string name;
  bool is_stated = false;
};

Behind behind(const std::string& path, const std::string& served = {}) {
  review::EngineCall call;
  call.engine = "vllm";
  call.model = path;
  if (!served.empty()) {
    review::EngineSetting row;
    row.setting = "servedName";
    row.flag = "--served-model-name";
    row.value = served;
    call.settings.push_back(row);
  }
  const auto found = review::model_behind(call, example::built_in_catalog());
  if (!found) return {};
  return {example::built_in_catalog().find_name(found->name).value().id, found->is_stated};
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("the hub's own folders say owner and name") {
    const std::string llama = "meta-llama/Llama-3.1-8B-Instruct";
    for (const std::string path :
         {"/data/hub/models--meta-llama--Llama-3.1-8B-Instruct/snapshots/"
          "0e9e39f249a16976918f6564b8830bc894c89659",
          "/root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B-Instruct/",
          "hf://meta-llama/Llama-3.1-8B-Instruct", "hf://meta-llama/Llama-3.1-8B-Instruct:main"}) {
      CAPTURE(path);
      CHECK(behind(path).name == llama);
      CHECK(behind(path).is_stated);
    }
  }

  TEST_CASE("a path is a model where its last name is one of the catalog's") {
    struct Row {
      const char* path;
      const char* model;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"/models/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
             {"/models/meta-llama/Llama-3.1-8B-Instruct/", "meta-llama/Llama-3.1-8B-Instruct"},
             {"/mnt/pvc/qwen2.5-7b-instruct/1", "Qwen/Qwen2.5-7B-Instruct"},
             {"s3://bucket/models/Qwen3-8B/", "Qwen/Qwen3-8B"},
             {"pvc://claim/hf/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.3-70B-Instruct"},
             {"/models/gpt-oss-20b", "openai/gpt-oss-20b"},
             {"/models/DeepSeek-R1", "deepseek-ai/DeepSeek-R1"},
             {"oci://quay.io/org/modelcar-catalog:qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B-Instruct"},
         }) {
      CAPTURE(row.path);
      CHECK(behind(row.path).name == row.model);
      CHECK_FALSE(behind(row.path).is_stated);
    }
  }

  TEST_CASE("a path that may be many models, or somebody's own, is none") {
    for (const char* path :
         {"/models", "/mnt/models/", "/models/llama", "/models/deepseek-r1", "/models/my-llama-8b",
          "/models/Llama-3.1-8B-Instruct-finetuned", "/models/Llama-3.1-8B-Instruct/lora-7", "",
          "/", "s3://llama-3.1-8b-instruct", "$(MODEL_PATH)", "/models/$MODEL", "oci://", "///",
          "oci://r/qwen3-8b:qwen3-4b", "pvc://Qwen3-8B", "."}) {
      CAPTURE(path);
      CHECK(behind(path).name.empty());
    }
  }

  TEST_CASE("a name that clients see counts where the path says nothing") {
    CHECK(behind("/mnt/models", "llama-3.1-8b-instruct").name ==
          "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(behind("/models/x7", "meta-llama/Llama-3.1-8B-Instruct").name ==
          "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(behind("/models/my-own", "llama-3.1-8b-instruct").name.empty());
    CHECK(behind("/mnt/models", "deepseek-r1").name.empty());  // any of its distillations
    CHECK(behind("/mnt/models", "gpt-4").name.empty());
    // A copy of somebody's is the model whose name it bears, as everywhere else.
    CHECK_FALSE(behind("/mnt/models", "somebody/llama-3.1-8b-instruct").name.empty());
    CHECK(behind("/mnt/models", "somebody/their-own-8b").name.empty());
    CHECK(behind("/models/Qwen3-8B", "llama-3.1-8b-instruct").name == "Qwen/Qwen3-8B");
  }

  TEST_CASE("a file of llama.cpp is sized by the type in its name") {
    const example::Reviewed read(R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
    - name: s
      image: ghcr.io/ggml-org/llama.cpp:server-cuda
      args: [-m, /models/Meta-Llama-3.1-8B-Instruct-Q4_K_M-00001-of-00002.gguf, -c, "8192"]
)");
    REQUIRE(read.sizing().estimate);
    CHECK(name_of(read.sizing().estimate->quantization.value) == "q4_k_m");
    CHECK(read.assumes("model"));
  }

  TEST_CASE("a model that is ambiguous is listed as such") {
    const example::Reviewed read(R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
    - {name: v, image: "vllm/vllm-openai:v0.11.0", args: [--model, /models/llama]}
)");
    CHECK(read.sizing().gap == "'/models/llama' names no one model of the catalog");
  }
}
