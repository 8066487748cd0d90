// Slips of the keyboard in short names.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/spelling.hpp"
#include "support/built_in_catalog.hpp"

using gpushape::catalog::respelled_names;
using Names = std::vector<std::string>;

namespace {

const Names kNames = {"meta-llama/Llama-3.1-8B-Instruct", "mistralai/Mixtral-8x7B-v0.1",
                      "mistralai/Mistral-7B-v0.1", "owner/Embedding-1B", "owner/Stories-1B",
                      "owner/Storied-1B"};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a word that no name has is put right by the nearest") {
    CHECK(respelled_names("lama-3.1-8b", kNames) == Names{"llama-3.1-8b"});
    CHECK(respelled_names("Llama-3.1-8B-Insturct", kNames) == Names{"llama-3.1-8b-instruct"});
    CHECK(respelled_names("lama3.1 8b instuct:awq", kNames) == Names{"llama3.1 8b instruct:awq"});
    // Two letters off, of eight and more.
    CHECK(respelled_names("embeding-1b", kNames) == Names{"embedding-1b"});
    CHECK(respelled_names("mistarll-7b", kNames) == Names{"mistral-7b"});
    // As near to the one as to the other.
    CHECK(respelled_names("storie-1b", kNames) == Names{"storied-1b", "stories-1b"});
    CHECK(respelled_names("mixtrl-8x7b", kNames) == Names{"mixtral-8x7b"});
  }

  TEST_CASE("what is no slip stays as it is") {
    for (const char* name :
         {"", "llama-3.1-9b", "mistral-8x7b", "lla-3.1-8b", "gemma-2b", "lama/Llama-3.1-8B",
          "meta-llama/Lama-3.1-8B", "3.1-8b", "xxllama-3.1-8b"}) {
      CAPTURE(name);
      CHECK(respelled_names(name, kNames).empty());
    }
    CHECK(respelled_names(std::string(1'000'000, 'a'), kNames).empty());
  }

  TEST_CASE("a slip in a short name finds the model, and says what was asked for") {
    const auto& catalog = gpushape::example::built_in_catalog();
    const auto model = catalog.find_typed("lama-3.1-8b-instuct");
    REQUIRE(model);
    CHECK(model->id == "meta-llama/Llama-3.1-8B-Instruct");
    CHECK(model->asked_as == "lama-3.1-8b-instuct");
    CHECK(catalog.find_typed("qwne3-8b")->id == "Qwen/Qwen3-8B");
    CHECK(catalog.find_typed("whisper-lage-v3")->id == "openai/whisper-large-v3");
    // Of a quantization as of the model.
    CHECK(catalog.find_typed("lama-3.1-8b-instuct-awq")->base == "meta-llama/Llama-3.1-8B-Instruct");
    // In a file it is refused at its place.
    CHECK_FALSE(catalog.find("qwne3-8b"));
    // An id stands for one repository, and a size is no slip.
    CHECK_FALSE(catalog.find_typed("meta-llama/Llama-3.1-8B-Instuct"));
    CHECK_FALSE(catalog.find_typed("lama-3.1-9b-instruct"));
    CHECK(catalog.find_typed("llama-3.1-8b-instruct")->asked_as.empty());
  }
}
