#include "document/binary_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gpushape::document {
namespace {

std::unexpected<Diagnostics> refuse(const std::string& path, std::string message) {
  Diagnostic diagnostic = complaint(std::move(message));
  diagnostic.span.file = path;
  return failure(std::move(diagnostic));
}

}  // namespace

Result<BinaryFile> BinaryFile::open(const std::string& path) {
  BinaryFile result;
  result.path_ = path;
  result.file_.reset(std::fopen(path.c_str(), "rb"));
  if (!result.file_) {
    if (errno == ENOENT) return refuse(path, "there is no file '" + path + "'");
    return refuse(path, "cannot open '" + path + "': " + std::strerror(errno));
  }
  struct stat status{};
  if (::fstat(::fileno(result.file_.get()), &status) != 0 || !S_ISREG(status.st_mode))
    return refuse(path, "'" + path + "' is not a plain file");
  result.size_ = static_cast<std::uint64_t>(status.st_size);
  return result;
}

Result<std::string> BinaryFile::read(std::uint64_t offset, std::size_t count) {
  if (offset > size_ || count > size_ - offset) {
    return refuse(path_, "'" + path_ + "' ends at byte " + std::to_string(size_) + ", " +
                             std::to_string(count) + " bytes were expected at byte " +
                             std::to_string(offset));
  }
  std::string bytes(count, '\0');
  if (::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0 ||
      std::fread(bytes.data(), 1, count, file_.get()) != count)
    return refuse(path_, "cannot read '" + path_ + "'");
  return bytes;
}

}  // namespace gpushape::document
