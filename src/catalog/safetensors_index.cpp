#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "catalog/safetensors.hpp"
#include "document/binary_file.hpp"
#include "document/json_stream.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;
using document::JsonStream;
using IndexEvent = JsonStream::Event;

Diagnostics index_fault(const std::string& file, std::string message, std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = file;
  return {std::move(diagnostic)};
}

class IndexReader {
 public:
  IndexReader(std::string_view json, const std::string& file) : stream_(json), file_(file) {}

  Result<SafetensorsIndex> read() {
    if (!read_root()) return std::unexpected(faults_);
    std::ranges::sort(index_.files);
    if (!check_names()) return std::unexpected(faults_);
    return std::move(index_);
  }

 private:
  bool refuse(const std::string& message) {
    if (faults_.empty()) {
      faults_ = index_fault(file_, fmt::format("not an index of safetensors files: {}, at byte {}",
                                               message, stream_.offset()));
    }
    return false;
  }
  bool refuse_json(std::string_view otherwise) {
    return refuse(stream_.fault().empty() ? std::string(otherwise) : stream_.fault());
  }

  bool read_root() {
    bool has_map = false;
    if (stream_.next() != IndexEvent::BeginMapping) return refuse_json("a mapping is expected");
    for (;;) {
      const IndexEvent event = stream_.next();
      if (event == IndexEvent::EndMapping) break;
      if (event != IndexEvent::Name) return refuse_json("a name is expected");
      if (stream_.text() == "weight_map") {
        if (has_map) return refuse("weight_map stands twice");
        has_map = true;
        if (!read_map()) return false;
      } else if (stream_.text() == "metadata") {
        if (!read_metadata()) return false;
      } else if (!stream_.skip_value()) {
        return refuse_json("a value is expected");
      }
    }
    if (stream_.next() != IndexEvent::End) return refuse_json("one value is expected");
    if (!has_map) return refuse("weight_map is missing");
    return true;
  }

  bool read_metadata() {
    const IndexEvent begin = stream_.next();
    if (begin == IndexEvent::Null) return true;
    if (begin != IndexEvent::BeginMapping) return refuse_json("metadata is a mapping");
    for (;;) {
      const IndexEvent event = stream_.next();
      if (event == IndexEvent::EndMapping) return true;
      if (event != IndexEvent::Name) return refuse_json("a name is expected");
      if (stream_.text() != "total_size") {
        if (!stream_.skip_value()) return refuse_json("a value is expected");
        continue;
      }
      // Some writers print it as a float.
      const IndexEvent value = stream_.next();
      constexpr double kMost = 1e18;
      if ((value != IndexEvent::Integer && value != IndexEvent::Number) ||
          !(stream_.number() >= 0) || stream_.number() > kMost)
        return refuse_json("total_size is a number of bytes");
      index_.total_bytes = static_cast<std::int64_t>(stream_.number());
    }
  }

  bool read_map() {
    if (stream_.next() != IndexEvent::BeginMapping) return refuse_json("weight_map is a mapping");
    std::unordered_set<std::string> files;
    std::string last;
    for (;;) {
      const IndexEvent event = stream_.next();
      if (event == IndexEvent::EndMapping) break;
      if (event != IndexEvent::Name) return refuse_json("the name of a tensor is expected");
      if (index_.names.size() >= kMostTensors)
        return refuse(fmt::format("more than {} tensors", kMostTensors));
      index_.names.emplace_back(stream_.text());
      if (stream_.next() != IndexEvent::String)
        return refuse_json("the name of a file is expected");
      const std::string_view name = stream_.text();
      if (name == last) continue;
      if (name.empty() || name.size() > 255 ||
          name.find_first_of("/\\") != std::string_view::npos || name == "." || name == "..")
        return refuse(
            fmt::format("'{}' is not the name of a file beside the index", name.substr(0, 120)));
      last = name;
      if (files.insert(last).second) index_.files.push_back(last);
      if (index_.files.size() > kMostFiles)
        return refuse(fmt::format("more than {} files", kMostFiles));
    }
    return true;
  }

  bool check_names() {
    std::unordered_set<std::string_view> seen;
    seen.reserve(index_.names.size());
    for (const std::string& name : index_.names) {
      if (!seen.insert(name).second)
        return refuse(fmt::format("'{}' stands twice", name.substr(0, 120)));
    }
    return true;
  }

  JsonStream stream_;
  const std::string& file_;
  SafetensorsIndex index_;
  Diagnostics faults_;
};

}  // namespace

Result<SafetensorsIndex> read_safetensors_index(std::string_view json, const std::string& file) {
  return IndexReader(json, file).read();
}

namespace {

Result<SafetensorsIndex> read_index_at(const std::string& path) {
  Result<document::BinaryFile> file = document::BinaryFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (file->size() > kMostHeaderBytes) {
    return failure(
        index_fault(path, fmt::format("'{}' is larger than {} bytes", path, kMostHeaderBytes)));
  }
  const Result<std::string> json = file->read(0, static_cast<std::size_t>(file->size()));
  if (!json) return std::unexpected(json.error());
  return read_safetensors_index(*json, path);
}

TensorListing names_of(SafetensorsIndex index, const std::vector<std::string>& missing) {
  TensorListing listing;
  listing.has_names_only = true;
  listing.bytes = index.total_bytes;
  listing.tensors.reserve(index.names.size());
  for (std::string& name : index.names) listing.tensors.push_back({.name = std::move(name)});
  listing.notes.push_back(fmt::format(
      "{} of the {} files of the index {} not beside it (the first: '{}'): the index gives the "
      "total only, not the types and shapes of the tensors",
      missing.size(), index.files.size(), missing.size() == 1 ? "is" : "are", missing.front()));
  return listing;
}

/// The first tensor that the index names and no file holds; nullptr for none.
const std::string* not_held(const SafetensorsIndex& index, const TensorListing& listing) {
  std::unordered_set<std::string_view> held;
  for (const ListedTensor& tensor : listing.tensors) held.insert(tensor.name);
  const auto missing = std::ranges::find_if(
      index.names, [&](const std::string& tensor) { return !held.contains(tensor); });
  return missing == index.names.end() ? nullptr : &*missing;
}

}  // namespace

Result<TensorListing> read_safetensors_files(const fs::path& folder,
                                             const std::vector<std::string>& files,
                                             const std::string& whole) {
  TensorListing all;
  for (const std::string& file : files) {
    Result<TensorListing> part = read_safetensors((folder / file).string());
    if (!part) return part;
    if (all.tensors.size() + part->tensors.size() > kMostTensors)
      return failure(index_fault(whole, fmt::format("more than {} tensors", kMostTensors)));
    all.bytes += part->bytes;
    std::ranges::move(part->tensors, std::back_inserter(all.tensors));
    std::ranges::move(part->notes, std::back_inserter(all.notes));
  }
  std::unordered_set<std::string_view> held;
  for (const ListedTensor& tensor : all.tensors) {
    if (!held.insert(tensor.name).second) {
      return failure(index_fault(
          whole, fmt::format("two files hold the tensor '{}'", tensor.name.substr(0, 120))));
    }
  }
  return all;
}

Result<TensorListing> read_safetensors_index_file(const std::string& path) {
  Result<SafetensorsIndex> index = read_index_at(path);
  if (!index) return std::unexpected(index.error());
  const fs::path folder = fs::path(path).parent_path();
  const std::string name = fs::path(path).filename().string();
  std::vector<std::string> absent;
  for (const std::string& file : index->files) {
    std::error_code ignored;
    if (!fs::exists(folder / file, ignored)) absent.push_back(file);
  }
  if (!absent.empty()) {
    TensorListing listing = names_of(*std::move(index), absent);
    listing.source = name;
    return listing;
  }
  Result<TensorListing> all = read_safetensors_files(folder, index->files, path);
  if (!all) return all;
  all->source = fmt::format("the {} files of {}", index->files.size(), name);
  if (const std::string* missing = not_held(*index, *all)) {
    return failure(index_fault(
        path, fmt::format("no file of the index holds the tensor '{}'", missing->substr(0, 120))));
  }
  if (index->total_bytes != 0 && index->total_bytes != all->bytes) {
    all->notes.push_back(fmt::format("{} says {} bytes in total, its files hold {}", name,
                                     index->total_bytes, all->bytes));
  }
  return all;
}

}  // namespace gpushape::catalog
