// Every model that published engine records name is in the catalog, under the name they give.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "catalog/catalog.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;

namespace {

// Names that name no public checkpoint, or one that no layer kind of ours describes.
const std::map<std::string, const char*> kExcluded = {
    {"granite 4.2-3b composed (custom)", "a composition of its author's own"},
    {"Llama-2-13B (LLaMA v2, 41 layers incl. output)", "the name is followed by a remark"},
    {"llava-1.6-mistral-7b (text part)", "the text part of a model is no model"},
    {"Qwen2.5-7B (4-bit, exact id not in excerpt)", "the record does not say which"},
    {"Qwen2.5-VL-7B (id not in excerpt)", "the record does not say which"},
    {"TriLM (30 layers)", "the record does not say which"},
    {"DeepSeek V3/R1 NVFP4 (type=DeepseekV3ForCausalLM)", "one of two models"},
    {"DeepSeek R1 0528 IQ1_S_R4 GGUF", "a block type of a fork of llama.cpp"},
    {"DeepSeek V3 0324 IQ4_K_R4 GGUF", "a block type of a fork of llama.cpp"},
    {"Qwen3 235B A22B IQ3_K GGUF", "a block type of a fork of llama.cpp"},
    {"Qwen3 30B A3B IQ4_K GGUF", "a block type of a fork of llama.cpp"},
    {"Qwen3-235B-A22B-128K Q4_K GGUF", "a context of its author's own"},
    {"Qwen3-30B-A3B (BF16)", "the name is followed by a remark"},
    {"meta-llama/Llama-2-7b (fp16)", "the name is followed by a remark"},
    {"Qwen1.5-7B-sft", "a fine-tune of its author's own"},
    {"Bamba (9B class, PR author's checkpoint)", "an unpublished checkpoint"},
    {"DeepSeek V4 (Flash class, DSpark)", "the record does not say which"},
    {"GLM-5.3-Flash EXL3 (Mia-AiLab/GLM-5.3-Flash-EXL3-TR3-4bpw)",
     "a format that no engine here reads"},
    {"Qwen3.8-27B (repository qwen38-27b-rtx3090)", "the name is followed by a remark"},
    {"Qwen3.8-Flash-Next (NVFP4)", "the name is followed by a remark"},
    {"gemma4-26b-a4b AEON uncensored (local path /models/target)", "an unpublished checkpoint"},
    {"qwen3.6-27b (container vllm-qwen36-27b-dual-nvlink-dflash-noviz)",
     "the name is followed by a remark"},
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("every public model that engine records name is found") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    const std::filesystem::path folder = std::filesystem::path(shared) / "data/ground-truth";
    std::set<std::string> names;
    for (const char* file : {"engine-logs-dense.jsonl", "engine-logs-moe-hybrid.jsonl",
                             "engine-starts-vllm-0.19.jsonl"}) {
      std::istringstream lines(file_text((folder / file).string()));
      for (std::string line; std::getline(lines, line);) {
        const auto record = gpushape::document::read_json(line, file);
        REQUIRE(record);
        const auto* model = record->root.find("model");
        if (model != nullptr && !model->text().empty()) names.insert(model->text());
      }
    }
    CHECK(names.size() > 150);
    for (const std::string& name : names) {
      CAPTURE(name);
      const auto model = catalog.find(name);
      CHECK(model.has_value() != kExcluded.contains(name));
    }
  }
}
