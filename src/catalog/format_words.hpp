// Words of repository names that tell of a format of the weights: "AWQ", "4bit", "w4a16" … A name
// with such a word is no plain 16-bit copy of a model, whatever else it says.
#pragma once

#include <optional>
#include <string_view>

namespace gpushape::catalog {

/// Whether a word of a name, in lower case, names a format or a count of bits.
bool names_format(std::string_view word);

/// Whether a word that stands behind a model's name there names a format, which it may not be
/// elsewhere: "Higgs-Llama-3-70B" is a model, "Llama-3.1-8B-HIGGS" a format of its weights.
bool names_format_behind_model(std::string_view word);

/// The first word that names a format, with its place in the name: a part of `repository` behind
/// its owner. Nothing where there is none.
std::optional<std::string_view> format_word(std::string_view repository);

}  // namespace gpushape::catalog
