// Headers of safetensors files, and the index of a checkpoint in several of them.
//
// A file begins with the length of its header (8 bytes, little endian) and the header, JSON of one
// entry for each tensor. Only that is read, piece by piece and without a tree, so that a header of
// 10 MB takes little more than itself. Source: the format's description in huggingface/safetensors
// (README); its own limits hold here, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/tensor_listing.hpp"

namespace gpushape::catalog {

/// The largest header that the format's own readers accept.
inline constexpr std::size_t kMostHeaderBytes = 100'000'000;
/// Ours: ten times what the largest published checkpoint holds.
inline constexpr std::size_t kMostTensors = 2'000'000;
inline constexpr std::size_t kMostFiles = 10'000;

/// The header's JSON. `data_bytes` is how much follows it in the file: tensors must lie in it, one
/// behind the other. `file` names it in messages; places are bytes of the whole file.
Result<TensorListing> read_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                              const std::string& file);

/// The header of a file. A file that ends with its header is taken for the header of a longer one.
Result<TensorListing> read_safetensors(const std::string& path);

/// The headers of several files in one listing, each tensor once. `whole` names it in messages.
Result<TensorListing> read_safetensors_files(const std::filesystem::path& folder,
                                             const std::vector<std::string>& files,
                                             const std::string& whole);

/// What an index says: the names, the files that hold them, and the total.
struct SafetensorsIndex {
  std::vector<std::string> files;  ///< sorted, each once; plain names without a folder
  std::vector<std::string> names;
  std::int64_t total_bytes = 0;  ///< 0 where it does not say
};
Result<SafetensorsIndex> read_safetensors_index(std::string_view json, const std::string& file);

/// An index and the headers of its files, which lie beside it. Where one is missing, what the index
/// alone says, and a note.
Result<TensorListing> read_safetensors_index_file(const std::string& path);

}  // namespace gpushape::catalog
