// The model that a fine-tune was made of, read off its repository's name. Most models that people
// serve are fine-tunes, whose tensors are those of their base, and nearly all bear its name: of
// "tokyotech-llm/Llama-3.1-Swallow-8B-Instruct-v0.1" that is "Llama-3.1-8B-Instruct".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpushape::catalog {

/// A name that a catalog entry answers to, and the entry's id.
struct EntryName {
  std::string name;
  std::string id;
};

/// The id of the entry with the longest name whose words all stand in the repository's, in their
/// order, the size among them. Nothing where the repository has no owner or that of the entry (then
/// it is a slip, or a model that is not known), where another size or another release stands in it,
/// or a word that speaks of other tensors.
std::optional<std::string> tuned_base(std::string_view repository,
                                      std::span<const EntryName> entries);

/// The name up to its format, of one with further words behind it that leave the tensors as they
/// are: "me/Qwen3.8-27B-NVFP4" of "me/Qwen3.8-27B-NVFP4-RTX5090". Nothing where the repository has
/// no owner, or no such words.
std::optional<std::string_view> up_to_format(std::string_view repository);

}  // namespace gpushape::catalog
