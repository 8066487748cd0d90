// Checkpoints in several files: with their index, without it, and where files are missing.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/snapshot.hpp"
#include "checkpoint.hpp"
#include "domain/modules.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

// What the tests' checkpoint holds in 8-bit floats with a float32 scale per row: 2 x 100 x 64 + 5 x
// 64 values of 2 bytes, 2 x 36,864 of one, and 2 x 512 rows.
constexpr std::int64_t kPlainValues = 2 * 100 * 64 + 5 * 64;
constexpr std::int64_t kLinearValues = 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 128 * 64);
constexpr std::int64_t kChannelBytes = 2 * kPlainValues + kLinearValues + 4 * 2 * 512;

void by_row(std::vector<StTensor>& tensors, int, const std::string& name, const Linear& linear) {
  tensors.push_back({name + ".weight", "F8_E4M3", {linear.rows, linear.columns}});
  tensors.push_back({name + ".weight_scale", "F32", {linear.rows, 1}});
}

struct Halves {
  std::vector<StTensor> first;
  std::vector<StTensor> second;
};
Halves halves(const std::vector<StTensor>& tensors) {
  return {{tensors.begin(), tensors.begin() + 5}, {tensors.begin() + 5, tensors.end()}};
}

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";

std::string index_of(const Halves& parts, std::int64_t total) {
  std::string map;
  const auto add = [&](const std::vector<StTensor>& tensors, const char* file) {
    for (const StTensor& tensor : tensors)
      map += (map.empty() ? "\"" : ", \"") + tensor.name + "\": \"" + file + "\"";
  };
  add(parts.first, kFirst);
  add(parts.second, kSecond);
  return R"({"metadata": {"total_size": )" + std::to_string(total) + R"(}, "weight_map": {)" + map +
         "}}";
}

bool says(const Model& model, const std::string& words) {
  return std::ranges::any_of(
      model.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a series of files without an index is read as a whole") {
    const Folder folder;
    folder.write("config.json", config());
    const Halves parts = halves(checkpoint(by_row));
    const std::string file = folder.write(kFirst, safetensors_file(parts.first));
    folder.write(kSecond, safetensors_file(parts.second));
    for (const std::string& path : {file, folder.path()}) {
      const auto model = read_source(path);
      REQUIRE(model);
      CHECK(model->origin == "safetensors header and config.json");
      CHECK(model->weights.linear == Quantization::Fp8Channel);
      CHECK(stored(*model) == kChannelBytes);
      CHECK(computed_bytes(*model) == kChannelBytes);
    }
  }

  TEST_CASE("a file of a series that is missing is named") {
    const Folder folder;
    folder.write("config.json", config());
    const Halves parts = halves(checkpoint(plain));
    const std::string file = folder.write(kSecond, safetensors_file(parts.second));
    for (const std::string& path : {file, folder.path()}) {
      const auto model = read_source(path);
      REQUIRE_FALSE(model);
      CHECK(model.error().front().message.find(kFirst) != std::string::npos);
      CHECK(model.error().front().message.find("1 of the 2 files") != std::string::npos);
    }
  }

  TEST_CASE("the index of a series joins its files") {
    const Folder folder;
    folder.write("config.json", config());
    const Halves parts = halves(checkpoint(plain));
    const std::string file = folder.write(kFirst, safetensors_file(parts.first));
    folder.write(kSecond, safetensors_file(parts.second));
    folder.write("model.safetensors.index.json", index_of(parts, 173'696));
    for (const std::string& path : {file, folder.path()}) {
      const auto whole = read_source(path);
      REQUIRE(whole);
      CHECK(stored(*whole) == 173'696);
    }
  }

  TEST_CASE("an index without its files gives the total, and the scheme whose total it is") {
    const Folder folder;
    folder.write("config.json", config());
    SUBCASE("names tell which modules have scales") {
      folder.write("model.safetensors.index.json",
                   index_of(halves(checkpoint(by_row)), kChannelBytes));
      const Model model = read(folder);
      CHECK(model.weights.linear == Quantization::Fp8Channel);
      CHECK(computed_bytes(model) == kChannelBytes);
    }
    SUBCASE("names tell nothing: one scale for each of 14 tensors") {
      const std::int64_t total = 2 * kPlainValues + kLinearValues + 4 * 14;
      folder.write("model.safetensors.index.json", index_of(halves(checkpoint(plain)), total));
      const Model model = read(folder);
      CHECK(model.weights.linear == Quantization::Fp8);
      CHECK(computed_bytes(model) == total);
      CHECK(says(model, "2 of the 2 files of the index are not beside it"));
      CHECK(says(model, "the total wins, which is that of fp8"));
    }
    SUBCASE("no scheme comes to it: the bytes win all the same") {
      folder.write("model.safetensors.index.json", index_of(halves(checkpoint(plain)), 150'000));
      const Model model = read(folder);
      CHECK(model.weights.linear == Quantization::Bf16);
      CHECK(stored(model) == 150'000);
      CHECK(says(model, "150000 bytes, architecture and scheme give 173696: the total wins"));
    }
    SUBCASE("a checkpoint of 16 bits that is written down in 32 stays one") {
      folder.write("model.safetensors.index.json",
                   index_of(halves(checkpoint(plain)), 2 * 173'696));
      const Model model = read(folder);
      CHECK(model.weights.linear == Quantization::Fp32);
      CHECK(stored(model) == 2 * 173'696);
      CHECK(says(model, "the total wins, which is that of fp32"));
    }
    SUBCASE("the scheme's own total needs no word") {
      folder.write("model.safetensors.index.json", index_of(halves(checkpoint(plain)), 173'696));
      const Model model = read(folder);
      CHECK(model.notes.size() == 1);
      CHECK(model.stored.empty());
    }
    SUBCASE("a total that no scheme could have is not believed") {
      folder.write("model.safetensors.index.json", index_of(halves(checkpoint(plain)), 7));
      const Model model = read(folder);
      CHECK(model.stored.empty());
      CHECK(says(model, "cannot be"));
    }
  }
}
