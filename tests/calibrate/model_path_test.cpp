#include "calibrate/model_path.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calibrate/started_model.hpp"
#include "support/built_in_catalog.hpp"

using gpushape::calibrate::names_in_path;

TEST_SUITE("calibrate") {
  // Paths of published starts.
  TEST_CASE("a path gives the name that its model was fetched or kept under") {
    struct Row {
      const char* path;
      const char* name;
    };
    const std::vector<Row> rows = {
        {"/root/autodl-tmp/models/qwen/Qwen2___5-3B", "Qwen2.5-3B"},
        {"/mnt/e/models/Qwen--Qwen2.5-7B-Instruct/snapshots/master/", "Qwen/Qwen2.5-7B-Instruct"},
        {"/kaggle/input/models/google/gemma-4/transformers/gemma-4-31b-it/1", "gemma-4-31b-it"},
        {"/kaggle/input/models/qwen-lm/qwen-3/transformers/8b/1", "qwen-3-8b"},
        {"/kaggle/input/gpt-oss-120b/transformers/default/1", "gpt-oss-120b"},
        {"/public_hw/HF/models/Qwen/Qwen3-30B-A3B/", "Qwen/Qwen3-30B-A3B"},
        {"/home2/ycj/Models/Qwen3-30B-A3B-Instruct-2507", "Qwen3-30B-A3B-Instruct-2507"},
        {"/data/models/Qwen2-7B-Instruct.Q4_K_M.gguf", "Qwen2-7B-Instruct.Q4_K_M"},
        {"DeepSeek-R1-UD-Q2_K_XL-00001-of-00006.gguf", "DeepSeek-R1-UD-Q2_K_XL"},
        {"Qwen/QwQ-32B-GGUF qwq-32b-q4_k_m.gguf", "qwq-32b-q4_k_m"},
        {"unsloth_Qwen2.5-VL-32B-Instruct-GGUF_BF16_Qwen2.5-VL-32B-Instruct-BF16-00001-of-00002."
         "gguf",
         "Qwen2.5-VL-32B-Instruct-BF16"},
        {"/assignment5-alignment/models/local-qwen-2_5-math-1_5B", "qwen-2.5-math-1.5B"},
        {"Qwen3-8B", "Qwen3-8B"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.path);
      const std::vector<std::string> names = names_in_path(row.path);
      CHECK(std::ranges::find(names, row.name) != names.end());
    }
  }

  TEST_CASE("the Hub's own cache names the repository, whoever its owner is") {
    using gpushape::calibrate::name_in_hub_cache;
    CHECK(name_in_hub_cache("/hf/hub/models--Qwen--Qwen2.5-14B-Instruct/snapshots/cf98f3b3bb") ==
          "Qwen/Qwen2.5-14B-Instruct");
    CHECK(name_in_hub_cache("models--gpt2") == "gpt2");
    CHECK_FALSE(name_in_hub_cache("/models/Qwen/Qwen2.5-14B-Instruct"));
    // No entry of the catalog is that owner's.
    const auto model = gpushape::calibrate::find_started_model(
        "/root/hub/models--cyankiwi--Qwen3.6-35B-A3B-AWQ-4bit/snapshots/7a1c0c26c56ee56f98bfdb77",
        gpushape::example::built_in_catalog());
    REQUIRE(model);
    CHECK(model->base == "Qwen/Qwen3.6-35B-A3B");
  }

  TEST_CASE("a folder may be called after owner and model, with a mark between") {
    const auto& catalog = gpushape::example::built_in_catalog();
    const auto model =
        gpushape::calibrate::find_started_model("/models/hf/NousResearch_Meta-Llama-3-8B", catalog);
    REQUIRE(model);
    CHECK(model->hidden_size == 4096);
    CHECK(model->vocabulary == 128256);
    const auto copy =
        gpushape::calibrate::find_started_model("/models/AxionML-Qwen3.5-27B-NVFP4", catalog);
    REQUIRE(copy);
    CHECK(copy->base == "Qwen/Qwen3.5-27B");
    // No model's owner stands before the mark.
    for (const char* other : {"pruned_Qwen3-8B", "pruned-Qwen3-8B", "REAP-Qwen3-30B-A3B",
                              "EAGLE-Qwen3-8B", "GPTQ-Qwen3-8B", "LoRA-Qwen3-8B"}) {
      CAPTURE(other);
      CHECK_FALSE(
          gpushape::calibrate::find_started_model("/models/" + std::string(other), catalog));
    }
  }

  // https://github.com/Kaminarly/ai-model-nvfp4 (0.27.1) loads 18.77 GiB.
  TEST_CASE("words behind the format are of whoever keeps the folder") {
    const auto& catalog = gpushape::example::built_in_catalog();
    const auto found = [&](const std::string& folder) {
      const auto model =
          gpushape::calibrate::find_started_model("/home/kami/models/" + folder, catalog);
      return model ? std::string(gpushape::name_of(model->weights.linear)) : "nothing";
    };
    CHECK(found("Qwen3.8-27B-NVFP4-RTX5090") == "nvfp4");
    CHECK(found("Qwen3.8-27B-NVFP4-lmheadbf16/") == "nvfp4");
    CHECK(found("Qwen3-8B-AWQ_my_copy") == "awq");
    // Tensors were taken out, or others stand beside them.
    CHECK(found("Qwen3-8B-AWQ-pruned") == "nothing");
    CHECK(found("Qwen3-8B-AWQ-int8mix") == "nothing");
    CHECK(found("Qwen3-8B-my-copy") == "nothing");
  }

  // https://github.com/slinusc/fast_llm_inference, experiments1_2_3.ipynb (0.8.5.post1): 5.3132
  // GiB.
  TEST_CASE("bits at a name's end are told by the format that the engine states, and by no other") {
    const auto& catalog = gpushape::example::built_in_catalog();
    const std::string path = "/home/ubuntu/models/llama-3.1-8B-Instruct-4bit";
    const auto model = gpushape::calibrate::find_started_model(path, catalog, "bitsandbytes");
    REQUIRE(model.has_value());
    CHECK(model->id == "meta-llama/Llama-3.1-8B-Instruct");
    for (const char* other : {"", "None", "fp8", "compressed-tensors"})
      CHECK_FALSE(gpushape::calibrate::find_started_model(path, catalog, other));
  }

  TEST_CASE("a model is found by its name, by a path, and before words in brackets") {
    const auto id_of = [](const std::string& name) {
      const auto model =
          gpushape::calibrate::find_started_model(name, gpushape::example::built_in_catalog());
      return model ? model->id : std::string();
    };
    CHECK(id_of("Qwen/Qwen3-4B") == "Qwen/Qwen3-4B");
    CHECK(id_of("../models/Qwen3-4B/") == "Qwen/Qwen3-4B");
    CHECK(id_of("Qwen3-4B (BF16)") == "Qwen/Qwen3-4B");
    CHECK(id_of("Qwen3-4B (/data/models/qwen)") == "Qwen/Qwen3-4B");
    CHECK(id_of("Qwen3-4B (a fine-tune)") == "");
    CHECK(id_of("Qwen/Qwen3-4B (qwen3-4b)") == "Qwen/Qwen3-4B");
    CHECK(id_of("Qwen/Qwen3-4B (as stated)") == "Qwen/Qwen3-4B");
    CHECK(id_of("Qwen3-4B (id not in excerpt)") == "Qwen/Qwen3-4B");
    CHECK(id_of("nemotron-3-nano-30b-a3b-bf16 (NVIDIA Nemotron-3-Nano-30B)") ==
          "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");
    CHECK(id_of("Qwen3-4B (NVIDIA Nemotron-3-Nano-30B)") == "");
    CHECK(id_of("Qwen/Qwen3-4B (fp8 variant)") == "Qwen/Qwen3-4B-fp8");
    CHECK(id_of("Qwen3-4B (4-bit, exact id not in excerpt)") == "");
    CHECK(id_of("mine (Qwen3-4B)") == "");
    CHECK(id_of("unsloth/Qwen3-4B-GGUF (Qwen3-4B-Q8_0.gguf)") == "Qwen3-4B-Q8_0");
    CHECK(id_of("Qwen3-4B.Q4_K_M.gguf") == "Qwen3-4B.Q4_K_M");
  }

  TEST_CASE("a path without parts gives no name") {
    for (const char* path : {"", "/", "//", "./"}) {
      CAPTURE(path);
      CHECK(names_in_path(path).empty());
    }
  }
}
