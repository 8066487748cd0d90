#include "catalog/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "document/binary_file.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostGgufFiles = 1'000;

Diagnostics gguf_fault(const std::string& file, std::string message, std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = file;
  return {std::move(diagnostic)};
}

Result<GgufFile> read_one(const std::string& path) {
  Result<document::BinaryFile> file = document::BinaryFile::open(path);
  if (!file) return std::unexpected(file.error());
  // The head is read in growing pieces: its length stands nowhere.
  constexpr std::size_t kFirstPiece = 4U << 20U;
  constexpr std::size_t kLargestPiece = 256U << 20U;
  for (std::size_t piece = kFirstPiece;; piece *= 4) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece, file->size()));
    const Result<std::string> head = file->read(0, count);
    if (!head) return std::unexpected(head.error());
    bool is_short = false;
    Result<GgufFile> gguf = read_gguf_head(*head, file->size(), path, is_short);
    if (!gguf && is_short && piece < kLargestPiece) continue;
    return gguf;
  }
}

std::optional<std::int64_t> whole_number(const GgufFile& gguf, std::string_view key) {
  const GgufValue* value = gguf.find(key);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

/// "model-00001-of-00003.gguf" with the number of another file.
std::optional<std::string> sibling(const std::string& name, std::uint64_t number,
                                   std::uint64_t count) {
  const std::string ending = fmt::format("-of-{:05}.gguf", count);
  constexpr std::size_t kDigits = 5;
  if (!name.ends_with(ending) || name.size() < ending.size() + kDigits) return std::nullopt;
  return name.substr(0, name.size() - ending.size() - kDigits) + fmt::format("{:05}", number) +
         ending;
}

}  // namespace

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

Result<GgufFile> read_gguf(const std::string& path) {
  Result<GgufFile> first = read_one(path);
  if (!first) return first;
  const std::int64_t count = whole_number(*first, "split.count").value_or(1);
  if (count <= 1) return first;
  const fs::path place = path;
  const std::string name = place.filename().string();
  if (count > static_cast<std::int64_t>(kMostGgufFiles) ||
      !sibling(name, 1, static_cast<std::uint64_t>(count))) {
    return failure(
        gguf_fault(path, fmt::format("'{}' is one of {} files, but is not named so", path, count),
                   "keep the names that the files were split with"));
  }
  const auto files = static_cast<std::uint64_t>(count);
  std::optional<GgufFile> whole;
  for (std::uint64_t number = 1; number <= files; ++number) {
    const std::string file = (place.parent_path() / *sibling(name, number, files)).string();
    Result<GgufFile> part = read_one(file);
    if (!part) return part;
    if (!whole) {
      whole = std::move(*part);
      continue;
    }
    TensorListing& all = whole->listing;
    all.bytes += part->listing.bytes;
    std::ranges::move(part->listing.tensors, std::back_inserter(all.tensors));
    std::ranges::move(part->dimensions, std::back_inserter(whole->dimensions));
    std::ranges::move(part->listing.notes, std::back_inserter(all.notes));
  }
  whole->listing.source = fmt::format("the {} files of {}", count, *sibling(name, 1, files));
  const std::optional<std::int64_t> tensors = whole_number(*whole, "split.tensors.count");
  if (tensors && *tensors != static_cast<std::int64_t>(whole->listing.tensors.size())) {
    return failure(gguf_fault(path, fmt::format("the files hold {} tensors, the first says {}",
                                                whole->listing.tensors.size(), *tensors)));
  }
  std::unordered_set<std::string_view> names;
  for (const ListedTensor& tensor : whole->listing.tensors) {
    if (!names.insert(tensor.name).second)
      return failure(gguf_fault(path, fmt::format("two files hold the tensor '{}'", tensor.name)));
  }
  return std::move(*whole);
}

}  // namespace gpushape::catalog
