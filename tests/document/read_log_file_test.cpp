// Logs as they are kept: plain, or packed with gzip (RFC 1952).
#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape;

namespace {

namespace fs = std::filesystem;

/// A file that goes when the test ends.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    std::string name = (fs::temp_directory_path() / "gpushape-log-XXXXXX").string();
    const int handle = mkstemp(name.data());
    REQUIRE(handle >= 0);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string packed(const std::string& text) {
  const TemporaryFile file("");
  gzFile out = gzopen(file.path().c_str(), "wb");
  REQUIRE(out != nullptr);
  REQUIRE(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) ==
          static_cast<int>(text.size()));
  REQUIRE(gzclose(out) == Z_OK);
  const Result<std::string> bytes = document::read_file(file.path());
  REQUIRE(bytes.has_value());
  return *bytes;
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("a packed log reads as the plain one does, several members one after the other") {
    const std::string text = "line one\nline two\n";
    CHECK(document::read_log_file(TemporaryFile(text).path()) == text);
    CHECK(document::read_log_file(TemporaryFile(packed(text)).path()) == text);
    CHECK(document::read_log_file(TemporaryFile(packed(text) + packed(text)).path()) ==
          text + text);
  }

  TEST_CASE("a broken or an overgrown packed log is refused") {
    const std::string whole = packed(std::string(1U << 20U, 'x'));
    const TemporaryFile cut(whole.substr(0, whole.size() / 2));
    CHECK_FALSE(document::read_log_file(cut.path()).has_value());
    const TemporaryFile small(whole);
    const auto refused = document::read_log_file(small.path(), {.bytes = 1U << 16U});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().front().message.contains("unpacks to more than 65536 bytes"));
  }
}
