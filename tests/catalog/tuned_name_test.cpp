#include "catalog/tuned_name.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

using gpushape::catalog::EntryName;
using gpushape::catalog::tuned_base;

namespace {

const std::vector<EntryName> kEntries = {
    {"meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
    {"llama-3.1-8b", "meta-llama/Meta-Llama-3.1-8B"},
    {"meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B"},
    {"mistral-7b", "mistralai/Mistral-7B-v0.1"},
    {"Qwen/Qwen3-8B", "Qwen/Qwen3-8B"},
    {"Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B"},
    {"nvidia/Qwen3-8B-NVFP4", "nvidia/Qwen3-8B-NVFP4"},
    {"deepseek-ai/DeepSeek-R1", "deepseek-ai/DeepSeek-R1"},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"},
};

std::string base_of(const char* repository) {
  return tuned_base(repository, kEntries).value_or("nothing");
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a fine-tune is the model whose name it bears among other words") {
    CHECK(base_of("tokyotech-llm/Llama-3.1-Swallow-8B-Instruct-v0.1") ==
          "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(base_of("NousResearch/Hermes-3-Llama-3.1-8B") == "meta-llama/Meta-Llama-3.1-8B");
    CHECK(base_of("cognitivecomputations/dolphin-2.9-llama3-8b") == "meta-llama/Meta-Llama-3-8B");
    CHECK(base_of("teknium/OpenHermes-2.5-Mistral-7B") == "mistralai/Mistral-7B-v0.1");
    CHECK(base_of("cyberagent/DeepSeek-R1-Distill-Qwen-14B-Japanese") ==
          "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B");
    CHECK(base_of("someone/Orbit-Qwen3-8B") == "Qwen/Qwen3-8B");
    CHECK(base_of("Jackrong/Qwen3-8B-Opus-Reasoning-Distilled") == "Qwen/Qwen3-8B");
    // Of a format that the name tells, an entry of that format.
    CHECK(base_of("someone/Qwen3-8B-support-bot-NVFP4") == "nvidia/Qwen3-8B-NVFP4");
  }

  TEST_CASE("another size, another release or other tensors make it a model that is not known") {
    for (const char* name :
         {"someone/Llama-3.1-9B", "someone/Llama-3.2-8B-chat", "someone/Qwen2.5-8B-chat",
          "someone/Qwen3-8B-REAP-foo", "someone/Qwen3-8B-eagle3", "someone/Qwen3-8B-Embedding",
          "someone/Qwen3-VL-8B-tuned", "someone/Ovis1.7-Qwen3-8B", "someone/Qwen3-8B-4bit-g32",
          "someone/Qwen3-8B-2.5bpw", "someone/DeepSeek-R1-Distill-Foo-3B",
          "someone/DeepSeek-R1-tuned", "mattbucci/Qwen3-30B-A3B-REAM-AWQ",
          // The owner's own models are slips of the keyboard, or new.
          "meta-llama/Llama-3.1-8B-Instrukt", "Qwen/Qwen3-8B-Next-Step",
          // A folder may be anybody's.
          "llama-3.1-8b-support-bot", "", "/", "a/", "/-", "someone/-8b-"}) {
      CAPTURE(name);
      CHECK(base_of(name) == "nothing");
    }
    CHECK(base_of((std::string("a/llama-3.1-8b-") + std::string(100'000, 'x')).c_str()) ==
          "nothing");
  }

  TEST_CASE("a name is read up to its format where the words behind leave the tensors alone") {
    using gpushape::catalog::up_to_format;
    CHECK(up_to_format("me/Qwen3.8-27B-NVFP4-RTX5090") == "me/Qwen3.8-27B-NVFP4");
    CHECK(up_to_format("me/Qwen3-8B-FP8-Dynamic_for_us") == "me/Qwen3-8B-FP8-Dynamic");
    for (const char* name : {"me/Qwen3-8B-NVFP4", "Qwen3.8-27B-NVFP4-RTX5090", "me/Qwen3-8B-AWQ-4B",
                             "me/Qwen3-8B-AWQ-pruned", "me/Qwen3-8B-AWQ-a-b-c-d-e", "me/-", "/"}) {
      CAPTURE(name);
      CHECK_FALSE(up_to_format(name));
    }
  }

  // Every entry of somebody's fine-tune has facts of its own, against which the rule is held.
  TEST_CASE("the catalog's own fine-tunes have the parameters of the model that their names tell") {
    const auto catalog = gpushape::catalog::Catalog::open();
    REQUIRE(catalog);
    std::vector<EntryName> entries;
    for (const std::string& id : catalog->models()) entries.push_back({id, id});
    int tuned = 0;
    for (const std::string& id : catalog->models()) {
      const auto base = tuned_base(id, entries);
      if (!base) continue;
      CAPTURE(id);
      CAPTURE(*base);
      const auto own = catalog->find(id);
      const auto read = catalog->find(*base);
      REQUIRE((own && read));
      // Words for new tokens are a hundredth at most.
      const auto total = static_cast<double>(own->parameters.total);
      CHECK(std::abs(static_cast<double>(read->parameters.total) - total) <= 0.01 * total);
      ++tuned;
    }
    CHECK(tuned >= 15);
  }
}
