#include "document/pack.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace gpushape::document {
namespace {

// A node is a head byte (kind, quoted), its position (the line as the difference from the node
// before), and its value. Numbers are variable-length, seven bits a byte; signed ones are folded so
// that small ones stay short.
constexpr unsigned kQuotedBit = 0x08;
constexpr unsigned kKindMask = 0x07;

std::uint64_t fold(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}
std::int64_t unfold(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

class Packer {
 public:
  std::string take() { return std::move(out_); }

  void write(const Node& node) {
    const auto kind = static_cast<unsigned>(node.kind());
    out_ += static_cast<char>(kind | (node.quoted() ? kQuotedBit : 0U));
    write(node.position());
    switch (node.kind()) {
      case Node::Kind::Null:
        return;
      case Node::Kind::Boolean:
        write(std::uint64_t{node.boolean()});
        return;
      case Node::Kind::Integer:
        write(fold(node.integer()));
        return;
      case Node::Kind::Number: {
        const auto bits = std::bit_cast<std::array<char, sizeof(double)>>(node.number());
        out_.append(bits.data(), bits.size());
        return;
      }
      case Node::Kind::String:
        write(std::string_view(node.text()));
        return;
      case Node::Kind::Sequence:
        write(node.items().size());
        for (const Node& item : node.items()) write(item);
        return;
      case Node::Kind::Mapping:
        write(node.entries().size());
        for (const Node::Entry& entry : node.entries()) {
          write(std::string_view(entry.name));
          write(entry.position);
          write(entry.value);
        }
        return;
    }
  }

 private:
  void write(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_ += static_cast<char>((value & 0x7FU) | 0x80U);
    out_ += static_cast<char>(value);
  }
  void write(std::string_view text) {
    write(std::uint64_t{text.size()});
    out_ += text;
  }
  void write(Position position) {
    write(fold(position.line - line_));
    write(fold(position.column));
    write(fold(position.length));
    line_ = position.line;
  }

  std::string out_;
  int line_ = 0;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view packed) : at_(packed.data()), end_(at_ + packed.size()) {}

  Node read_whole() {
    Node node = read();
    if (at_ != end_) broken();
    return node;
  }

 private:
  Node read() {
    const auto head = static_cast<unsigned char>(take(1).front());
    const Position position = read_position();
    Node node = read_value(static_cast<Node::Kind>(head & kKindMask));
    node.set_position(position);
    node.set_quoted((head & kQuotedBit) != 0);
    return node;
  }

  Node read_value(Node::Kind kind) {
    switch (kind) {
      case Node::Kind::Null:
        return {};
      case Node::Kind::Boolean:
        return read_count() != 0;
      case Node::Kind::Integer:
        return unfold(read_count());
      case Node::Kind::Number: {
        double value = 0;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
      }
      case Node::Kind::String:
        return take(read_count());
      case Node::Kind::Sequence: {
        Node node = Node::sequence();
        std::vector<Node>& items = node.items();
        const std::size_t count = read_size();
        items.reserve(count);
        while (items.size() < count) items.push_back(read());
        return node;
      }
      case Node::Kind::Mapping: {
        Node node = Node::mapping();
        std::vector<Node::Entry>& entries = node.entries();
        const std::size_t count = read_size();
        entries.reserve(count);
        while (entries.size() < count) {
          Node::Entry& entry = entries.emplace_back();
          entry.name = take(read_count());
          entry.position = read_position();
          entry.value = read();
        }
        return node;
      }
    }
    broken();
  }

  std::uint64_t read_count() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    broken();
  }

  // A number of children, each of which takes a byte at least.
  std::size_t read_size() {
    const std::uint64_t count = read_count();
    if (count > static_cast<std::uint64_t>(end_ - at_)) broken();
    return count;
  }

  Position read_position() {
    line_ += static_cast<int>(unfold(read_count()));
    const auto column = static_cast<int>(unfold(read_count()));
    const auto length = static_cast<int>(unfold(read_count()));
    return {line_, column, length};
  }

  std::string_view take(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(end_ - at_)) broken();
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }

  [[noreturn]] static void broken() { throw std::logic_error("packed document is broken"); }

  const char* at_;
  const char* end_;
  int line_ = 0;
};

}  // namespace

std::string pack(const Node& node) {
  Packer packer;
  packer.write(node);
  return packer.take();
}

Node unpack(std::string_view packed) { return Unpacker(packed).read_whole(); }

Document unpack(const PackedFile& file) {
  return {unpack(file.packed),
          std::make_shared<const Source>(std::string(file.path), std::string())};
}

}  // namespace gpushape::document
