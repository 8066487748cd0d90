// What a tensor of a checkpoint is part of: the sorts into which weights are summed.
#pragma once

#include <array>

#include "base/name_table.hpp"

namespace gpushape::domain {

enum class TensorPart {
  Embedding,
  Attention,
  Recurrent,
  FeedForward,
  Expert,
  Router,
  Norm,
  Head,
  Tower,
  MultiToken,
  Other
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::TensorPart> = std::to_array<NameRow<domain::TensorPart>>({
    {domain::TensorPart::Embedding, "embedding", "token and position embeddings"},
    {domain::TensorPart::Attention, "attention", "projections of attention"},
    {domain::TensorPart::Recurrent, "recurrent", "projections of a recurrent mixer"},
    {domain::TensorPart::FeedForward, "feed-forward", "dense feed-forward networks"},
    {domain::TensorPart::Expert, "expert", "routed and shared experts"},
    {domain::TensorPart::Router, "router", "what chooses the experts"},
    {domain::TensorPart::Norm, "norm", "norm vectors"},
    {domain::TensorPart::Head, "head", "the language-model head"},
    {domain::TensorPart::Tower, "tower", "vision and audio towers, encoders and projectors"},
    {domain::TensorPart::MultiToken, "multi-token", "layers that predict further tokens"},
    {domain::TensorPart::Other, "other", "everything else"},
});
}  // namespace gpushape
