// The head of one file: keys, values and descriptions of tensors.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "catalog/gguf.hpp"
#include "catalog/gguf_types.hpp"
#include "document/unicode.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::uint64_t kMostKeys = 100'000;
constexpr std::uint64_t kMostGgufTensors = 1'000'000;
constexpr std::uint64_t kMostText = 64U << 20U;  // of one string: chat templates are pages
constexpr std::size_t kKeptNumbers = 20'000;     // of an array: one for each layer, at most
constexpr std::size_t kKeptText = 1'000;         // of a string
constexpr std::uint64_t kMostAlignment = 1U << 20U;
constexpr std::int64_t kMostBytes = 1LL << 60U;

Diagnostics head_fault(const std::string& file, std::string message, std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = file;
  return {std::move(diagnostic)};
}

// gguf.md, enum gguf_metadata_value_type.
enum class Kind : std::uint32_t {
  Uint8,
  Int8,
  Uint16,
  Int16,
  Uint32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  Uint64,
  Int64,
  Float64
};

std::size_t width_of(Kind kind) {
  switch (kind) {
    case Kind::Uint8:
    case Kind::Int8:
    case Kind::Bool:
      return 1;
    case Kind::Uint16:
    case Kind::Int16:
      return 2;
    case Kind::Uint32:
    case Kind::Int32:
    case Kind::Float32:
      return 4;
    case Kind::Uint64:
    case Kind::Int64:
    case Kind::Float64:
      return 8;
    default:
      return 0;
  }
}

/// A stretch of the data section.
struct GgufStretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t tensor = 0;
};

class HeadReader {
 public:
  HeadReader(std::string_view head, std::uint64_t file_bytes, const std::string& file)
      : head_(head), file_bytes_(std::max<std::uint64_t>(file_bytes, head.size())), file_(file) {}

  Result<GgufFile> read() {
    if (!read_start() || !read_values() || !read_tensors() || !check_data())
      return std::unexpected(faults_);
    return std::move(gguf_);
  }
  [[nodiscard]] bool is_short() const { return is_short_; }

 private:
  bool refuse(const std::string& message) { return refuse_at(at_, message); }
  bool refuse_at(std::size_t place, const std::string& message) {
    if (faults_.empty())
      faults_ = head_fault(file_, fmt::format("not a GGUF file: {}, at byte {}", message, place));
    return false;
  }

  /// Whether `count` bytes follow. Where the file has them but the head has not, it is too short.
  bool has(std::uint64_t count) {
    if (count <= head_.size() - at_) return true;
    is_short_ = count <= file_bytes_ - at_ && head_.size() < file_bytes_;
    return refuse(is_short_ ? "the part that was read ends here" : "the file ends here");
  }

  bool integer(std::size_t width, std::uint64_t& value) {
    if (!has(width)) return false;
    value = 0;
    for (std::size_t i = width; i > 0; --i)
      value = (value << 8U) | static_cast<unsigned char>(head_[at_ + i - 1]);
    at_ += width;
    return true;
  }

  bool string(std::string_view& text, std::uint64_t most = kMostText) {
    std::uint64_t length = 0;
    if (!integer(8, length)) return false;
    if (length > most) return refuse(fmt::format("a string of {} bytes", length));
    if (!has(length)) return false;
    text = head_.substr(at_, static_cast<std::size_t>(length));
    at_ += static_cast<std::size_t>(length);
    return true;
  }

  bool read_start() {
    if (head_.substr(0, 8) == "version ")
      return refuse("this is a Git LFS pointer: fetch the file with `git lfs pull`");
    if (!has(4)) return false;
    if (head_.substr(0, 4) != "GGUF") return refuse("it does not begin with GGUF");
    at_ = 4;
    std::uint64_t version = 0;
    if (!integer(4, version)) return false;
    if (version >= (1U << 16U)) return refuse("a file in big-endian order is not read");
    if (version != 2 && version != 3)
      return refuse(fmt::format("version {} is not known (2 and 3 are)", version));
    gguf_.version = static_cast<int>(version);
    if (!integer(8, tensors_) || !integer(8, keys_)) return false;
    if (tensors_ > kMostGgufTensors) return refuse(fmt::format("{} tensors", tensors_));
    if (keys_ > kMostKeys) return refuse(fmt::format("{} key-values", keys_));
    return true;
  }

  bool read_values() {
    for (std::uint64_t i = 0; i < keys_; ++i) {
      const std::size_t place = at_;
      std::string_view key;
      constexpr std::uint64_t kMostKey = 65'535;
      if (!string(key, kMostKey)) return false;
      std::uint64_t kind = 0;
      if (!integer(4, kind)) return false;
      if (kind > static_cast<std::uint64_t>(Kind::Float64))
        return refuse(fmt::format("a value of type {}", kind));
      GgufValue value;
      if (!read_value(static_cast<Kind>(kind), value)) return false;
      if (document::first_invalid_byte(key)) return refuse_at(place, "a key that is not UTF-8");
      if (!gguf_.values.try_emplace(std::string(key), std::move(value)).second)
        return refuse_at(place, fmt::format("the key '{}' stands twice", key.substr(0, 80)));
    }
    return true;
  }

  bool read_value(Kind kind, GgufValue& value) {
    if (kind == Kind::Array) return read_array(value);
    if (kind == Kind::String) {
      std::string_view text;
      if (!string(text)) return false;
      text = text.substr(0, kKeptText);
      value = document::first_invalid_byte(text) ? std::string() : std::string(text);
      return true;
    }
    std::uint64_t bits = 0;
    if (!integer(width_of(kind), bits)) return false;
    if (kind == Kind::Float32) {
      value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    } else if (kind == Kind::Float64) {
      value = std::bit_cast<double>(bits);
    } else {
      value = whole(kind, bits);
    }
    return true;
  }

  static std::int64_t whole(Kind kind, std::uint64_t bits) {
    switch (kind) {
      case Kind::Int8:
        return static_cast<std::int8_t>(bits);
      case Kind::Int16:
        return static_cast<std::int16_t>(bits);
      case Kind::Int32:
        return static_cast<std::int32_t>(bits);
      default:  // a Uint64 beyond the signed range is negative, and out of every bound
        return static_cast<std::int64_t>(bits);
    }
  }

  bool read_array(GgufValue& value) {
    std::uint64_t number = 0;
    GgufArray array;
    if (!integer(4, number) || !integer(8, array.length)) return false;
    const auto kind = static_cast<Kind>(number);
    if (number > static_cast<std::uint64_t>(Kind::Float64) || kind == Kind::Array)
      return refuse(fmt::format("an array of type {}", number));
    if (kind == Kind::String) {
      for (std::uint64_t i = 0; i < array.length; ++i) {
        std::string_view ignored;
        if (!string(ignored)) return false;
      }
      value = std::move(array);
      return true;
    }
    const std::size_t width = width_of(kind);
    if (array.length > file_bytes_ / width)
      return refuse(fmt::format("an array of {} values", array.length));
    const bool is_kept = kind != Kind::Float32 && kind != Kind::Float64;
    const std::uint64_t kept = is_kept ? std::min<std::uint64_t>(array.length, kKeptNumbers) : 0;
    for (std::uint64_t i = 0; i < kept; ++i) {
      std::uint64_t bits = 0;
      if (!integer(width, bits)) return false;
      array.numbers.push_back(whole(kind, bits));
    }
    const std::uint64_t rest = (array.length - kept) * width;
    if (!has(rest)) return false;
    at_ += static_cast<std::size_t>(rest);
    value = std::move(array);
    return true;
  }

  bool read_tensors() {
    for (std::uint64_t i = 0; i < tensors_; ++i) {
      if (!read_tensor()) return false;
    }
    return true;
  }

  bool read_tensor() {
    const std::size_t place = at_;
    std::string_view name;
    std::uint64_t rank = 0;
    constexpr std::uint64_t kMostName = 1'024;
    if (!string(name, kMostName) || !integer(4, rank)) return false;
    if (document::first_invalid_byte(name)) return refuse_at(place, "a name that is not UTF-8");
    constexpr std::uint64_t kMostRank = 4;  // GGML_MAX_DIMS
    if (rank > kMostRank) return refuse(fmt::format("'{}' has {} dimensions", name, rank));
    std::array<std::int64_t, 4> sizes = {1, 1, 1, 1};
    std::int64_t values = 1;
    for (std::uint64_t i = 0; i < rank; ++i) {
      std::uint64_t size = 0;
      if (!integer(8, size)) return false;
      const bool fits =
          size <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      sizes.at(static_cast<std::size_t>(i)) = fits ? static_cast<std::int64_t>(size) : -1;
      if (!fits || __builtin_mul_overflow(values, static_cast<std::int64_t>(size), &values))
        return refuse(fmt::format("the shape of '{}' is beyond all bounds", name));
    }
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
    if (!integer(4, number) || !integer(8, offset)) return false;
    return take({.name = std::string(name), .rank = static_cast<int>(rank)}, sizes, values,
                static_cast<std::uint32_t>(number), offset, place);
  }

  bool take(ListedTensor tensor, const std::array<std::int64_t, 4>& sizes, std::int64_t values,
            std::uint32_t number, std::uint64_t offset, std::size_t place) {
    tensor.type = gguf_type(number);
    if (tensor.type == nullptr)
      return refuse_at(place,
                       fmt::format("'{}' is of type {}, which is not known", tensor.name, number));
    if (sizes[0] % tensor.type->block != 0)
      return refuse_at(place, fmt::format("a row of '{}' has {} values: no whole blocks of {}",
                                          tensor.name, sizes[0], tensor.type->block));
    if (__builtin_mul_overflow(values / tensor.type->block,
                               static_cast<std::int64_t>(tensor.type->block_bytes), &tensor.bytes))
      return refuse_at(place, fmt::format("the size of '{}' is beyond all bounds", tensor.name));
    const auto slowest = static_cast<std::size_t>(std::max(tensor.rank - 1, 0));
    tensor.rows = sizes.at(slowest);
    tensor.columns = tensor.rows > 0 ? values / tensor.rows : 0;
    tensor.last = sizes[0];
    std::uint64_t end = 0;
    if (__builtin_add_overflow(offset, static_cast<std::uint64_t>(tensor.bytes), &end))
      return refuse_at(place, fmt::format("'{}' lies beyond all bounds", tensor.name));
    stretches_.push_back({.begin = offset, .end = end, .tensor = gguf_.listing.tensors.size()});
    places_.push_back(place);
    std::int64_t& total = gguf_.listing.bytes;
    if (__builtin_add_overflow(total, tensor.bytes, &total) || total > kMostBytes)
      return refuse_at(place, "the tensors are beyond all bounds");
    gguf_.listing.tensors.push_back(std::move(tensor));
    gguf_.dimensions.push_back(sizes);
    return true;
  }

  bool check_data() {
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < gguf_.listing.tensors.size(); ++i) {
      const std::string& name = gguf_.listing.tensors[i].name;
      if (!names.insert(name).second)
        return refuse_at(places_[i], fmt::format("'{}' stands twice", name));
    }
    std::uint64_t alignment = 32;
    if (const GgufValue* given = gguf_.find("general.alignment")) {
      const auto* number = std::get_if<std::int64_t>(given);
      if (number == nullptr || *number <= 0 ||
          static_cast<std::uint64_t>(*number) > kMostAlignment || *number % 8 != 0)
        return refuse("general.alignment is not a multiple of 8");
      alignment = static_cast<std::uint64_t>(*number);
    }
    const std::uint64_t data = (at_ + alignment - 1) / alignment * alignment;
    const bool is_head_alone = file_bytes_ <= data;
    std::ranges::sort(stretches_, [](const GgufStretch& a, const GgufStretch& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const GgufStretch& stretch : stretches_) {
      const std::string& name = gguf_.listing.tensors[stretch.tensor].name;
      if (stretch.begin < end || stretch.begin % alignment != 0) {
        return refuse_at(
            places_[stretch.tensor],
            fmt::format("'{}' begins at byte {} of the data, {}", name, stretch.begin,
                        stretch.begin < end ? "inside another tensor" : "which is not aligned"));
      }
      end = stretch.end;
      if (!is_head_alone && end > file_bytes_ - data) {
        return refuse_at(
            places_[stretch.tensor],
            fmt::format("'{}' ends at byte {} of {} bytes of data: the file is cut off", name, end,
                        file_bytes_ - data));
      }
    }
    if (is_head_alone && end > 0)
      gguf_.listing.notes.push_back(
          fmt::format("'{}' holds keys and descriptions alone, not the weights",
                      std::filesystem::path(file_).filename().string()));
    return true;
  }

  std::string_view head_;
  std::uint64_t file_bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t tensors_ = 0;
  std::uint64_t keys_ = 0;
  bool is_short_ = false;
  GgufFile gguf_;
  std::vector<GgufStretch> stretches_;
  std::vector<std::size_t> places_;
  Diagnostics faults_;
};

}  // namespace

Result<GgufFile> read_gguf_head(std::string_view head, std::uint64_t file_bytes,
                                const std::string& file, bool& is_short) {
  HeadReader reader(head, file_bytes, file);
  Result<GgufFile> gguf = reader.read();
  is_short = reader.is_short();
  if (gguf) {
    gguf->listing.is_gguf = true;
    gguf->listing.source = std::filesystem::path(file).filename().string();
  }
  return gguf;
}

}  // namespace gpushape::catalog
