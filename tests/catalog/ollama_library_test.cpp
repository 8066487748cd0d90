// Names of Ollama's library.
#include "catalog/ollama_library.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/built_in_catalog.hpp"

using namespace gpushape;
using domain::Quantization;

TEST_SUITE("catalog") {
  // ollama.com/library: gemma3:27b is 17 GB in Q4_K_M, gemma3:4b-it-qat in Q4_0, as Google trained
  // it.
  TEST_CASE("a tag tells the model, its size and how it is quantized") {
    struct Row {
      const char* name;
      const char* model;
      Quantization quantization;
      bool is_stated;
    };
    const std::vector<Row> rows = {
        {"gemma3:27b", "google/gemma-3-27b-it", Quantization::MixQ4KM, false},
        {"gemma3:4b-it-qat", "google/gemma-3-4b-it", Quantization::Q4_0, true},
        {"qwen3:30b-a3b", "Qwen/Qwen3-30B-A3B", Quantization::MixQ4KM, false},
        {"llama4", "meta-llama/Llama-4-Scout-17B-16E-Instruct", Quantization::MixQ4KM, false},
        {"llama4:maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct", Quantization::MixQ4KM,
         false},
        {"gemma3:270m", "google/gemma-3-270m-it", Quantization::Q8_0, false},
        {"llama3.1:8b-instruct-q8_0", "meta-llama/Llama-3.1-8B-Instruct", Quantization::Q8_0, true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const auto found = catalog::ollama_model(row.name);
      REQUIRE(found.has_value());
      CHECK(found->name == row.model);
      CHECK(found->quantization == row.quantization);
      CHECK(found->is_stated == row.is_stated);
      CHECK(example::built_in_catalog().find(row.model).has_value());
    }
  }
}
