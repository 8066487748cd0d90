#include "catalog/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "document/binary_file.hpp"
#include "document/json_stream.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;
using document::JsonStream;
using domain::Quantization;
using Event = JsonStream::Event;

constexpr std::uint64_t kLengthBytes = 8;
constexpr int kMostRank = 32;

// huggingface/safetensors, safetensors/src/tensor.rs, enum Dtype.
constexpr auto kTypes = std::to_array<StoredType>({
    {.name = "BF16", .bits = 16, .is_float = true, .plain = Quantization::Bf16},
    {.name = "F16", .bits = 16, .is_float = true, .plain = Quantization::Fp16},
    {.name = "F32", .bits = 32, .is_float = true, .plain = Quantization::Fp32},
    {.name = "F8_E4M3", .bits = 8},
    {.name = "F8_E5M2", .bits = 8},
    {.name = "F8_E8M0", .bits = 8},
    {.name = "U8", .bits = 8},
    {.name = "I8", .bits = 8},
    {.name = "I32", .bits = 32},
    {.name = "I64", .bits = 64},
    {.name = "F4", .bits = 4},
    {.name = "F6_E2M3", .bits = 6},
    {.name = "F6_E3M2", .bits = 6},
    {.name = "F64", .bits = 64},
    {.name = "BOOL", .bits = 8},
    {.name = "I16", .bits = 16},
    {.name = "U16", .bits = 16},
    {.name = "U32", .bits = 32},
    {.name = "U64", .bits = 64},
    {.name = "C64", .bits = 64},
});

Diagnostics fault(const std::string& file, std::string message, std::string help = {}) {
  Diagnostic diagnostic = complaint(std::move(message), std::move(help));
  diagnostic.span.file = file;
  return {std::move(diagnostic)};
}

/// Where the bytes of a tensor lie.
struct TensorStretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t tensor = 0;
};

class HeaderReader {
 public:
  HeaderReader(std::string_view json, std::uint64_t data_bytes, const std::string& file)
      : stream_(json), data_bytes_(data_bytes), file_(file) {}

  Result<TensorListing> read() {
    if (!read_entries() || !check_names() || !check_stretches()) return std::unexpected(faults_);
    for (const ListedTensor& tensor : listing_.tensors) listing_.bytes += tensor.bytes;
    return std::move(listing_);
  }

 private:
  bool refuse(const std::string& message) { return refuse_at(stream_.offset(), message); }
  bool refuse_at(std::size_t offset, const std::string& message) {
    if (!faults_.empty()) return false;
    faults_ = fault(file_, fmt::format("not a safetensors header: {}, at byte {}", message,
                                       kLengthBytes + offset));
    return false;
  }
  bool refuse_json() {
    return refuse(stream_.fault().empty() ? "the text ends in the middle" : stream_.fault());
  }

  bool expect(Event event, std::string_view what) {
    const Event found = stream_.next();
    if (found == event) return true;
    if (found == Event::Fault) return refuse_json();
    return refuse(fmt::format("{} is expected", what));
  }

  bool read_entries() {
    if (!expect(Event::BeginMapping, "a mapping of tensors")) return false;
    for (;;) {
      const Event event = stream_.next();
      if (event == Event::EndMapping) break;
      if (event != Event::Name) return refuse_json();
      if (stream_.text() == "__metadata__") {
        if (!stream_.skip_value()) return refuse_json();
        continue;
      }
      if (listing_.tensors.size() >= kMostTensors)
        return refuse(fmt::format("more than {} tensors", kMostTensors));
      if (!read_tensor()) return false;
    }
    return stream_.next() == Event::End || refuse_json();
  }

  bool read_tensor() {
    ListedTensor tensor;
    tensor.name = stream_.text();
    const std::size_t place = stream_.offset();
    TensorStretch stretch{.begin = 0, .end = 0, .tensor = listing_.tensors.size()};
    bool has_shape = false;
    bool has_offsets = false;
    if (!expect(Event::BeginMapping, "a mapping with dtype, shape and data_offsets")) return false;
    for (;;) {
      const Event event = stream_.next();
      if (event == Event::EndMapping) break;
      if (event != Event::Name) return refuse_json();
      const std::string_view field = stream_.text();
      bool is_read = true;
      if (field == "dtype") {
        is_read = tensor.type == nullptr && read_type(tensor);
      } else if (field == "shape") {
        is_read = !has_shape && read_shape(tensor);
        has_shape = true;
      } else if (field == "data_offsets") {
        is_read = !has_offsets && read_offsets(stretch);
        has_offsets = true;
      } else {
        is_read = refuse(fmt::format("a tensor has no field '{}'", field.substr(0, 40)));
      }
      if (!is_read) return refuse("a field stands twice");
    }
    if (tensor.type == nullptr || !has_shape || !has_offsets)
      return refuse_at(place, fmt::format("'{}' lacks dtype, shape or data_offsets",
                                          tensor.name.substr(0, 120)));
    return take(std::move(tensor), stretch, place);
  }

  bool take(ListedTensor tensor, const TensorStretch& stretch, std::size_t place) {
    std::int64_t bits = 0;
    const auto name = tensor.name.substr(0, 120);
    if (__builtin_mul_overflow(tensor.rows, tensor.columns, &bits) ||
        __builtin_mul_overflow(bits, static_cast<std::int64_t>(tensor.type->bits), &bits))
      return refuse_at(place, fmt::format("the shape of '{}' is beyond all bounds", name));
    tensor.bytes = bits / 8 + (bits % 8 == 0 ? 0 : 1);
    if (stretch.end < stretch.begin || stretch.end > data_bytes_) {
      return refuse_at(place, fmt::format("'{}' lies at bytes {} to {} of {}", name, stretch.begin,
                                          stretch.end, data_bytes_));
    }
    if (stretch.end - stretch.begin != static_cast<std::uint64_t>(tensor.bytes)) {
      return refuse_at(place, fmt::format("'{}' has {} bytes by its shape, {} by its offsets", name,
                                          tensor.bytes, stretch.end - stretch.begin));
    }
    listing_.tensors.push_back(std::move(tensor));
    places_.push_back(place);
    stretches_.push_back(stretch);
    return true;
  }

  bool read_type(ListedTensor& tensor) {
    if (!expect(Event::String, "the name of a dtype")) return false;
    const auto known = std::ranges::find(kTypes, stream_.text(), &StoredType::name);
    if (known == kTypes.end())
      return refuse(fmt::format("dtype '{}' is not known", stream_.text().substr(0, 40)));
    tensor.type = &*known;
    return true;
  }

  bool read_shape(ListedTensor& tensor) {
    if (!expect(Event::BeginSequence, "a list of sizes")) return false;
    for (;;) {
      const Event event = stream_.next();
      if (event == Event::EndSequence) return true;
      if (event == Event::Fault) return refuse_json();
      if (event != Event::Integer || stream_.integer() < 0)
        return refuse("a size is a whole number of at least 0");
      if (++tensor.rank > kMostRank)
        return refuse(fmt::format("a tensor of more than {} dimensions", kMostRank));
      tensor.last = stream_.integer();
      std::int64_t& factor = tensor.rank == 1 ? tensor.rows : tensor.columns;
      if (__builtin_mul_overflow(factor, stream_.integer(), &factor))
        return refuse("a shape is beyond all bounds");
    }
  }

  bool read_offsets(TensorStretch& stretch) {
    if (!expect(Event::BeginSequence, "two offsets")) return false;
    for (std::uint64_t* const offset : {&stretch.begin, &stretch.end}) {
      if (!expect(Event::Integer, "an offset")) return false;
      if (stream_.integer() < 0) return refuse("an offset is negative");
      *offset = static_cast<std::uint64_t>(stream_.integer());
    }
    return expect(Event::EndSequence, "the end of two offsets");
  }

  bool check_names() {
    std::unordered_set<std::string_view> names;
    names.reserve(listing_.tensors.size());
    for (std::size_t i = 0; i < listing_.tensors.size(); ++i) {
      const std::string& name = listing_.tensors[i].name;
      if (!names.insert(name).second)
        return refuse_at(places_[i], fmt::format("'{}' stands twice", name.substr(0, 120)));
    }
    return true;
  }

  // As the format asks: one tensor behind the other, without gaps, to the end of the file.
  bool check_stretches() {
    std::ranges::sort(stretches_, [](const TensorStretch& a, const TensorStretch& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const TensorStretch& stretch : stretches_) {
      if (stretch.begin != end) {
        return refuse_at(
            places_[stretch.tensor],
            fmt::format("'{}' begins at byte {} of the data, {} before it",
                        listing_.tensors[stretch.tensor].name.substr(0, 120), stretch.begin,
                        stretch.begin < end ? "inside the tensor" : "with a gap"));
      }
      end = stretch.end;
    }
    const bool is_header_alone = data_bytes_ == std::numeric_limits<std::uint64_t>::max();
    if (is_header_alone || end == data_bytes_) return true;
    faults_ = fault(file_, fmt::format("the tensors of '{}' end at byte {} of {} bytes of data",
                                       file_, end, data_bytes_));
    return false;
  }

  JsonStream stream_;
  std::uint64_t data_bytes_;
  const std::string& file_;
  TensorListing listing_;
  std::vector<TensorStretch> stretches_;
  std::vector<std::size_t> places_;
  Diagnostics faults_;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = (value << 8U) | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

}  // namespace

Result<TensorListing> read_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                              const std::string& file) {
  return HeaderReader(json, data_bytes, file).read();
}

Result<TensorListing> read_safetensors(const std::string& path) {
  Result<document::BinaryFile> file = document::BinaryFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (file->size() < kLengthBytes) {
    return failure(fault(path, fmt::format("'{}' has {} bytes: too short for a safetensors file",
                                           path, file->size())));
  }
  const Result<std::string> length_bytes = file->read(0, kLengthBytes);
  if (!length_bytes) return std::unexpected(length_bytes.error());
  const std::uint64_t length = little_endian(*length_bytes);
  if (length_bytes->starts_with("version ")) {
    return failure(fault(path, fmt::format("'{}' is a Git LFS pointer, not the file itself", path),
                         "fetch the file with `git lfs pull`"));
  }
  if (length > kMostHeaderBytes || length > file->size() - kLengthBytes) {
    return failure(fault(
        path, fmt::format("'{}' is not a safetensors file, or cut off: a header of {} bytes in a "
                          "file of {}",
                          path, length, file->size())));
  }
  const Result<std::string> json = file->read(kLengthBytes, static_cast<std::size_t>(length));
  if (!json) return std::unexpected(json.error());
  std::uint64_t data = file->size() - kLengthBytes - length;
  const bool is_header_alone = data == 0;
  if (is_header_alone) data = std::numeric_limits<std::uint64_t>::max();
  Result<TensorListing> listing = read_safetensors_header(*json, data, path);
  if (!listing) return listing;
  listing->source = fs::path(path).filename().string();
  if (is_header_alone && listing->bytes > 0)
    listing->notes.push_back(
        fmt::format("'{}' holds the header alone, not the weights", listing->source));
  return listing;
}

}  // namespace gpushape::catalog
