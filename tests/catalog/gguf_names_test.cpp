// What GGUF files call themselves: architecture, file type, and tensors that are no weights.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "catalog/gguf_architectures.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/model_entry_text.hpp"
#include "document/text_format.hpp"
#include "domain/modules.hpp"
#include "gguf_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

TEST_SUITE("catalog") {
  TEST_CASE("an architecture that llama.cpp does not know is refused, with one that is near") {
    const std::string fault = model_fault(keys("lama", 1));
    CHECK(fault.find("architecture 'lama' is not understood") != std::string::npos);
    CHECK(fault.find("llama") != std::string::npos);
    // What layers do where files do not say is known of architectures that are.
    for (const char* name : {"gemma2", "gemma3", "gemma3n", "gpt-oss", "cohere2", "exaone4",
                             "olmo2", "smallthinker", "plamo3", "llama4"}) {
      CAPTURE(name);
      CHECK(gguf_architecture(name) != nullptr);
    }
    CHECK(std::ranges::is_sorted(gguf_architectures(), {}, &GgufArchitecture::name));
  }

  TEST_CASE("a file's type names the whole, and its tensors are no disagreement") {
    GgufText text = llama();
    text.number("general.file_type", 15);  // llama.h: LLAMA_FTYPE_MOSTLY_Q4_K_M
    const Model model = model_of(text);
    CHECK(model.weights.linear == Quantization::MixQ4KM);
    CHECK(model.notes.empty());
    CHECK(stored_bytes(model) == stored_bytes(model_of(llama())));
    const Tensor value{.name = "self_attn.v_proj",
                       .part = TensorPart::Attention,
                       .rows = 128,
                       .columns = 256,
                       .is_linear = true};
    CHECK(scheme_of(model, value, 0).quantization == Quantization::Q6K);
    CHECK(scheme_of(model, value, 1).quantization == Quantization::Q4K);
    GgufText other = llama();
    other.number("general.file_type", 7);  // Q8_0, which no tensor is
    const Model contradicted = model_of(other);
    CHECK(contradicted.weights.linear != Quantization::Q8_0);
    REQUIRE(contradicted.notes.size() == 1);
    CHECK(contradicted.notes.front().find("general.file_type says q8_0") != std::string::npos);
  }

  TEST_CASE("rotary frequencies are stored, but no parameters") {
    GgufText text = llama();
    add(text, "rope_freqs.weight", {32}, kF32);
    const Model model = model_of(text);
    const Model without = model_of(llama());
    CHECK(model.parameters.total == without.parameters.total);
    REQUIRE(model.parameters.stored);
    CHECK(*model.parameters.stored == *without.parameters.stored + 32);
    CHECK(model.notes.back().find("32 are rotary frequencies") != std::string::npos);
  }

  TEST_CASE("an entry written from a file holds what the file stores, 32-bit tensors too") {
    GgufText text = llama();
    add(text, "rope_freqs.weight", {32}, kF32);
    text.number("general.file_type", 15);
    const Model model = model_of(text);
    const auto documents = gpushape::document::read_yaml(model_entry_text(model), "entry");
    REQUIRE(documents);
    const auto back = read_model(documents->front(), model.origin);
    if (!back) FAIL(messages(back.error()));
    CHECK(back->stored == model.stored);
    CHECK(back->weights == model.weights);
    CHECK(back->exceptions == model.exceptions);
    CHECK(back->parameters == model.parameters);
    std::int64_t bytes = 0;
    for (const StoredPart& part : back->stored) {
      if (part.dtype == "F32") bytes += part.bytes;
    }
    CHECK(bytes == 4 * (5 * 256 + 32));  // norms: two a layer and the last
  }
}
