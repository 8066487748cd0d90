// A file that is read in pieces: weight files are larger than memory, and only their heads matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace gpushape::document {

class BinaryFile {
 public:
  /// A missing file, a directory, and what has no size (a pipe) are Diagnostics.
  static Result<BinaryFile> open(const std::string& path);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// `count` bytes from `offset`; a Diagnostic where the file ends before.
  Result<std::string> read(std::uint64_t offset, std::size_t count);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };

  std::unique_ptr<std::FILE, Closer> file_;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace gpushape::document
