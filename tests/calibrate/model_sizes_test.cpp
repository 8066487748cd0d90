// Lines of llama.cpp as published in https://github.com/ggml-org/llama.cpp/issues/11500 (Granite 3B
// Code of 128k, which has the sizes of its base of 2k) and issues/7968 (a Llama 2 7B that calls
// itself "LLaMA v2").
#include "calibrate/model_sizes.hpp"

#include <doctest/doctest.h>

#include <string>

#include "calibrate/started_model.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using calibrate::ModelSizes;
using example::built_in_catalog;

namespace {

ModelSizes sizes_of(std::initializer_list<std::string_view> lines) {
  ModelSizes sizes;
  for (const std::string_view line : lines) calibrate::read_sizes(line, sizes);
  return sizes;
}

const auto kGranite = std::to_array<std::string_view>(
    {"llama_model_loader: - kv   9:                          llama.block_count u32              = "
     "32",
     "llama_model_loader: - kv  11:                     llama.embedding_length u32              = "
     "2560",
     "llama_model_loader: - kv  12:                  llama.feed_forward_length u32              = "
     "10240",
     "llama_model_loader: - kv  13:                 llama.attention.head_count u32              = "
     "32",
     "llama_model_loader: - kv  14:              llama.attention.head_count_kv u32              = "
     "32",
     "print_info: model params     = 3.48 B", "print_info: n_vocab          = 49152"});

ModelSizes granite() {
  ModelSizes sizes;
  for (const std::string_view line : kGranite) calibrate::read_sizes(line, sizes);
  return sizes;
}

}  // namespace

TEST_SUITE("calibrate") {
  TEST_CASE("a model that the catalog does not name is known by the sizes that its file states") {
    const ModelSizes sizes = granite();
    CHECK(sizes.layers == 32);
    CHECK(sizes.hidden_size == 2560);
    CHECK(sizes.feed_forward_width == 10240);
    CHECK(sizes.heads == 32);
    CHECK(sizes.kv_heads == 32);
    CHECK(sizes.vocabulary == 49152);
    CHECK(sizes.parameters == 3.48e9);
    const auto model = calibrate::find_model_of_sizes(sizes, built_in_catalog());
    REQUIRE(model);
    CHECK(model->id == "ibm-granite/granite-3b-code-base-2k");
  }

  TEST_CASE("no model has sizes of which one is another's, or of which too few are known") {
    for (const auto size : {&ModelSizes::layers, &ModelSizes::feed_forward_width,
                            &ModelSizes::kv_heads, &ModelSizes::vocabulary}) {
      ModelSizes sizes = granite();
      *(sizes.*size) *= 2;
      CHECK_FALSE(calibrate::find_model_of_sizes(sizes, built_in_catalog()));
      (sizes.*size).reset();
      const bool is_needed = size == &ModelSizes::layers || size == &ModelSizes::vocabulary;
      CHECK(calibrate::find_model_of_sizes(sizes, built_in_catalog()).has_value() != is_needed);
    }
  }

  TEST_CASE("of models alike, the one with the nearest vocabulary is taken") {
    // Code Llama 7B has the sizes of Llama 2 7B and 32,016 tokens.
    ModelSizes sizes =
        sizes_of({"- kv 1: llama.block_count u32 = 32", "- kv 2: llama.embedding_length u32 = 4096",
                  "- kv 3: llama.feed_forward_length u32 = 11008",
                  "- kv 4: llama.attention.head_count u32 = 32",
                  "llm_load_print_meta: n_vocab          = 32000",
                  "llm_load_print_meta: model params     = 6.74 B"});
    CHECK(calibrate::find_model_of_sizes(sizes, built_in_catalog())->vocabulary == 32000);
    sizes.vocabulary = 32016;
    CHECK(calibrate::find_model_of_sizes(sizes, built_in_catalog())->vocabulary == 32016);
  }

  TEST_CASE("heads of layers that differ are no one size") {
    const ModelSizes sizes =
        sizes_of({"- kv 17: deci.attention.head_count_kv arr[i32,80]        = [8, 8, 0, 8, ...",
                  "- kv 18: deci.attention.head_count_kv", "- kv 19: deci.block_count u32"});
    CHECK(sizes == ModelSizes{});
  }
}
