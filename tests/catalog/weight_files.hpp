// Weight files written by hand, small enough to check by eye: safetensors and GGUF.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpushape::catalog::testing {

/// A folder of its own for one test, gone afterwards.
class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("gpushape-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string little(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

struct StTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
};

inline std::int64_t bytes_of(const StTensor& tensor) {
  std::int64_t bits = tensor.dtype == "F32" || tensor.dtype == "I32" || tensor.dtype == "U32" ? 32
                      : tensor.dtype == "I64"                                                 ? 64
                      : tensor.dtype == "BF16" || tensor.dtype == "F16"                       ? 16
                                                                                              : 8;
  for (const std::int64_t size : tensor.shape) bits *= size;
  return bits / 8;
}

/// The header's JSON alone.
inline std::string safetensors_json(const std::vector<StTensor>& tensors) {
  std::string json = R"({"__metadata__": {"format": "pt"})";
  std::int64_t at = 0;
  for (const StTensor& tensor : tensors) {
    std::string shape;
    for (const std::int64_t size : tensor.shape)
      shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    const std::int64_t end = at + bytes_of(tensor);
    json += ", \"" + tensor.name + "\": {\"dtype\": \"" + tensor.dtype + "\", \"shape\": [" +
            shape + "], \"data_offsets\": [" + std::to_string(at) + ", " + std::to_string(end) +
            "]}";
    at = end;
  }
  return json + "}";
}

inline std::string safetensors_file(const std::vector<StTensor>& tensors) {
  const std::string json = safetensors_json(tensors);
  std::int64_t bytes = 0;
  for (const StTensor& tensor : tensors) bytes += bytes_of(tensor);
  return little(json.size(), 8) + json + std::string(static_cast<std::size_t>(bytes), '\0');
}

/// A GGUF file put together key by key.
class GgufText {
 public:
  explicit GgufText(int version = 3) : version_(version) {}

  static std::string string(std::string_view text) {
    return little(text.size(), 8) + std::string(text);
  }
  GgufText& text(std::string_view key, std::string_view value) {
    return add(key, 8, string(value));
  }
  GgufText& number(std::string_view key, std::uint64_t value) {
    return add(key, 4, little(value, 4));
  }
  GgufText& real(std::string_view key, float value) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &value, 4);
    return add(key, 6, bytes);
  }
  GgufText& numbers(std::string_view key, const std::vector<int>& values) {
    std::string bytes = little(5, 4) + little(values.size(), 8);
    for (const int value : values) bytes += little(static_cast<std::uint32_t>(value), 4);
    return add(key, 9, bytes);
  }
  GgufText& texts(std::string_view key, std::size_t count) {
    std::string bytes = little(8, 4) + little(count, 8);
    for (std::size_t i = 0; i < count; ++i) bytes += string("t" + std::to_string(i));
    return add(key, 9, bytes);
  }
  GgufText& add(std::string_view key, std::uint32_t kind, std::string_view value) {
    keys_ += string(key) + little(kind, 4) + std::string(value);
    ++key_count_;
    return *this;
  }
  /// Dimensions with the fastest first; `bytes` of data, aligned to 32.
  GgufText& tensor(std::string_view name, const std::vector<std::uint64_t>& sizes,
                   std::uint32_t type, std::uint64_t bytes) {
    tensors_ += string(name) + little(sizes.size(), 4);
    for (const std::uint64_t size : sizes) tensors_ += little(size, 8);
    tensors_ += little(type, 4) + little(data_, 8);
    data_ += (bytes + 31) / 32 * 32;
    ++tensor_count_;
    return *this;
  }

  [[nodiscard]] std::string head() const {
    return "GGUF" + little(static_cast<std::uint64_t>(version_), 4) + little(tensor_count_, 8) +
           little(key_count_, 8) + keys_ + tensors_;
  }
  [[nodiscard]] std::string file() const {
    std::string bytes = head();
    bytes.resize((bytes.size() + 31) / 32 * 32);
    bytes.resize(bytes.size() + data_);
    return bytes;
  }

 private:
  int version_;
  std::string keys_;
  std::string tensors_;
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t data_ = 0;
};

}  // namespace gpushape::catalog::testing
