#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "document/text_format.hpp"

using namespace gpushape::document;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gpushape-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string refusal(const std::string& path, const Limits& limits = {}) {
  const auto text = read_file(path, limits);
  REQUIRE_FALSE(text.has_value());
  REQUIRE(text.error().size() == 1);
  CHECK(text.error().front().span.file == path);
  return text.error().front().message;
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("a file is read whole, and what is no readable file is named") {
    const Folder folder;
    const std::string bytes("a\0b\r\n", 5);
    CHECK(read_file(folder.write("a", bytes)).value() == bytes);
    const std::string large(200'000, 'x');
    CHECK(read_file(folder.write("large", large)).value() == large);
    const std::string missing = folder.path() + "/missing.yaml";
    CHECK(refusal(missing) == "there is no file '" + missing + "'");
    CHECK(refusal(folder.path()) == "'" + folder.path() + "' is a directory, not a file");
    const std::string empty = folder.write("empty", "");
    CHECK(refusal(empty) == "'" + empty + "' is empty");
    const std::string four = folder.write("four", "1234");
    CHECK(refusal(four, {.bytes = 3}) == "'" + four + "' is larger than 3 bytes");
    CHECK(read_file(four, {.bytes = 4}).has_value());
    CHECK(refusal(four + "/below").starts_with("cannot open '" + four + "/below': "));
    // An endless file ends at the limit.
    CHECK(refusal("/dev/zero", {.bytes = 1000}) == "'/dev/zero' is larger than 1000 bytes");
  }

  TEST_CASE("text that begins like JSON or a name that ends so is read as JSON, the rest as YAML") {
    CHECK(read_any("{\"a\": 1}", "f.yaml").value().front().root.find("a")->integer() == 1);
    CHECK(read_any(" \n[1]", "-").value().front().root.items().size() == 1);
    CHECK(read_any("a: 1", "f").value().front().root.find("a")->integer() == 1);
    CHECK(read_any("a: 1", "f.json").error().front().message ==
          "not valid JSON: expected a value, found 'a'");
    CHECK(read_any("a\n---\nb", "f").value().size() == 2);
  }
}
