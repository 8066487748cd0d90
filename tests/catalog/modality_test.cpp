// What entries are for: role and modality, and towers beside the text part.
#include "catalog/modality.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "catalog/catalog.hpp"
#include "domain/model.hpp"

using gpushape::catalog::Catalog;
using gpushape::catalog::Modality;
using gpushape::domain::Role;

namespace {

bool has(const gpushape::domain::Model& model, Modality modality) {
  const auto found = gpushape::catalog::modalities_of(model);
  return std::ranges::find(found, modality) != found.end();
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("who is named an embedder or a reranker is one, and writes no text") {
    const Catalog catalog = Catalog::open().value();
    int embedders = 0;
    int rerankers = 0;
    for (const std::string& id : catalog.models()) {
      const std::string name = lower(id.substr(id.find('/') + 1));
      const bool ranks = name.contains("rerank");
      const bool embeds = !ranks && (name.contains("embed") || name.contains("bge-") ||
                                     name.starts_with("gte-") || name.starts_with("gme-") ||
                                     name.starts_with("e5-") || name.contains("colbert"));
      if (!ranks && !embeds) continue;
      CAPTURE(id);
      const auto model = catalog.find(id).value();
      CHECK(has(model, Modality::Rerank) == ranks);
      CHECK(has(model, Modality::Embedding) == embeds);
      CHECK_FALSE(has(model, Modality::Text));
      rerankers += ranks ? 1 : 0;
      embedders += embeds ? 1 : 0;
    }
    CHECK(rerankers >= 12);
    CHECK(embedders >= 80);
  }

  TEST_CASE("models with an audio tower listen") {
    const Catalog catalog = Catalog::open().value();
    for (const char* id :
         {"microsoft/Phi-4-multimodal-instruct", "google/gemma-3n-E4B-it", "google/gemma-4-E4B-it",
          "google/gemma-4-E2B-it", "Qwen/Qwen2-Audio-7B-Instruct", "Qwen/Qwen2.5-Omni-7B",
          "Qwen/Qwen3-Omni-30B-A3B-Instruct", "openbmb/MiniCPM-o-2_6", "openai/whisper-large-v3"}) {
      CAPTURE(id);
      CHECK(has(catalog.find(id).value(), Modality::Audio));
    }
    // https://huggingface.co/api/models/google/gemma-3n-E4B-it, safetensors.total.
    CHECK(catalog.find("google/gemma-3n-E4B-it")->parameters.total == 7'849'978'192);
    CHECK(catalog.find("THUDM/glm-4v-9b")->role == Role::Vision);
  }

  // PixtralVisionConfig: patch_size 16, image_size 1024, so 64 x 64 patches, and
  // 3 x 16 x 16 x 1024 weights of the first convolution rather than 3 x 14 x 14 x 1024. A break
  // stands behind each row.
  TEST_CASE("Pixtral sees patches of 16 by 16, and merges none") {
    const Catalog catalog = Catalog::open().value();
    for (const char* id : {"mistral-community/pixtral-12b", "mistralai/Pixtral-12B-2409"}) {
      CAPTURE(id);
      const auto model = catalog.find(id).value();
      REQUIRE(model.towers.size() == 1);
      CHECK(model.towers.front().inner_tokens == 64 * 64);
      CHECK(model.towers.front().output_tokens == 64 * 65);
      CHECK(model.parameters.total == 12'682'739'712);
    }
    // Those of Mistral Small 3.1 are 14 by 14, and merged two by two: 110 x 110 of 1540 pixels.
    const auto small = catalog.find("mistralai/Mistral-Small-3.1-24B-Instruct-2503").value();
    CHECK(small.towers.front().inner_tokens == 110 * 110);
    CHECK(small.towers.front().output_tokens == 55 * 56);
  }
}
