// What a model takes in and gives out, as people look for models.
#pragma once

#include <array>
#include <vector>

#include "base/name_table.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

enum class Modality { Text, Vision, Audio, Embedding, Rerank };

/// In the order of Modality, at least one.
std::vector<Modality> modalities_of(const domain::Model& model);

}  // namespace gpushape::catalog

namespace gpushape {
template <>
inline constexpr auto kNames<catalog::Modality> = std::to_array<NameRow<catalog::Modality>>({
    {catalog::Modality::Text, "text", "writes text"},
    {catalog::Modality::Vision, "vision", "looks at images"},
    {catalog::Modality::Audio, "audio", "listens to sound"},
    {catalog::Modality::Embedding, "embedding", "turns text into vectors"},
    {catalog::Modality::Rerank, "rerank", "scores pairs of texts"},
});
}  // namespace gpushape
