// Files that may be packed with gzip. Source of the form: RFC 1952 (members may follow each other).
#include <zlib.h>

#include <array>
#include <memory>
#include <utility>

#include "document/text_format.hpp"

namespace gpushape::document {
namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib.h, inflateInit2: decode gzip alone

std::unexpected<Diagnostics> refuse_log(const std::string& path, std::string message) {
  Diagnostic diagnostic = complaint(std::move(message));
  diagnostic.span.file = path;
  return failure(std::move(diagnostic));
}

struct Inflater {
  z_stream stream{};
  bool is_open = false;

  Inflater() { is_open = inflateInit2(&stream, kGzipOnly) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_open) static_cast<void>(inflateEnd(&stream));
  }
};

Result<std::string> unpack(const std::string& packed, const std::string& path,
                           const Limits& limits) {
  Inflater inflater;
  if (!inflater.is_open) return refuse_log(path, path + ": cannot be unpacked here");
  // zlib reads through a pointer that it does not write to.
  inflater.stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));  // NOLINT
  inflater.stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  auto chunk = std::make_unique<std::array<Bytef, 1U << 16U>>();
  for (;;) {
    inflater.stream.next_out = chunk->data();
    inflater.stream.avail_out = static_cast<uInt>(chunk->size());
    const int status = inflate(&inflater.stream, Z_NO_FLUSH);
    text.append(reinterpret_cast<const char*>(chunk->data()),  // NOLINT: bytes as text
                chunk->size() - inflater.stream.avail_out);
    if (text.size() > limits.bytes) {
      return refuse_log(path,
                        path + " unpacks to more than " + std::to_string(limits.bytes) + " bytes");
    }
    if (status == Z_STREAM_END) {
      if (inflater.stream.avail_in == 0) return text;
      if (inflateReset(&inflater.stream) != Z_OK) break;
      continue;
    }
    if (status != Z_OK) break;
  }
  return refuse_log(path, path + " is broken: it cannot be unpacked to its end");
}

}  // namespace

Result<std::string> read_log_file(const std::string& path, const Limits& limits) {
  Result<std::string> text = read_file(path, limits);
  if (!text || !text->starts_with(kMagic)) return text;
  return unpack(*text, path == "-" ? "standard input" : path, limits);
}

}  // namespace gpushape::document
