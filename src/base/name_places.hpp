// Names in the order that they were first added, and the place of each in constant time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpushape {

/// A name with what it is looked up by. Of a literal that is worked out by the compiler.
class NameKey {
 public:
  consteval NameKey(const char* name)  // NOLINT(google-explicit-constructor): a name is its key
      : NameKey(std::string_view(name)) {}
  constexpr explicit NameKey(std::string_view name) : name_(name), hash_(hash_of(name)) {}

  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  [[nodiscard]] constexpr std::uint64_t hash() const { return hash_; }

 private:
  static constexpr std::uint64_t hash_of(std::string_view name) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio
    constexpr unsigned kHalf = 32;
    std::uint64_t mixed = name.size();
    for (const char letter : name) {
      mixed = (mixed ^ static_cast<unsigned char>(letter)) * kMix;
      mixed ^= mixed >> kHalf;
    }
    return mixed;
  }

  std::string_view name_;
  std::uint64_t hash_;
};

/// For some hundred short names that are looked up often and never removed.
class NamePlaces {
 public:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  /// Its place: that of a new name where it was not there.
  std::size_t add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size()) grow();
    const NameKey key(name);
    const auto is_other = [&](const Slot& slot) {
      return slot.place > 0 && names_[slot.place - 1] != name;
    };
    std::size_t slot = key.hash() & (slots_.size() - 1);
    while (is_other(slots_[slot])) slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot].place == 0) {
      names_.emplace_back(name);
      slots_[slot] = {.hash = key.hash(), .place = names_.size()};
    }
    return slots_[slot].place - 1;
  }
  /// By the hash alone, which few of 2^64 names share: a lookup reads no letters.
  [[nodiscard]] std::size_t find(const NameKey& key) const {
    if (slots_.empty()) return kUnknown;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = key.hash() & mask;
    while (slots_[slot].place > 0 && slots_[slot].hash != key.hash()) slot = (slot + 1) & mask;
    return slots_[slot].place == 0 ? kUnknown : slots_[slot].place - 1;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t place = 0;  ///< counted from 1; 0: free
  };

  void grow() {
    constexpr std::size_t kLeast = 64;
    const std::vector<Slot> before = std::exchange(slots_, {});
    slots_.assign(std::max(kLeast, 2 * before.size()), {});
    for (const Slot& old : before) {
      if (old.place == 0) continue;
      std::size_t slot = old.hash & (slots_.size() - 1);
      while (slots_[slot].place > 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = old;
    }
  }

  std::vector<std::string> names_;
  std::vector<Slot> slots_;  ///< a power of two, at most half full
};

}  // namespace gpushape
