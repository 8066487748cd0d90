// Names in the order that they were first added, and the place of each in constant time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape {

/// A name with what it is looked up by. Of a literal that is worked out by the compiler.
class NameKey {
 public:
  consteval NameKey(const char* name)  // NOLINT(google-explicit-constructor): a name is its key
      : NameKey(std::string_view(name)) {}
  constexpr explicit NameKey(std::string_view name)
      : name_(name.data()), size_(static_cast<std::uint32_t>(name.size())), hash_(hash_of(name)) {}

  [[nodiscard]] constexpr std::string_view name() const { return {name_, size_}; }
  [[nodiscard]] constexpr std::uint32_t hash() const { return hash_; }

 private:
  static constexpr std::uint32_t hash_of(std::string_view name) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio
    constexpr unsigned kHalf = 32;
    std::uint64_t mixed = name.size();
    for (const char letter : name) {
      mixed = (mixed ^ static_cast<unsigned char>(letter)) * kMix;
      mixed ^= mixed >> kHalf;
    }
    return static_cast<std::uint32_t>(mixed);
  }

  const char* name_;
  std::uint32_t size_;
  std::uint32_t hash_;
};

/// For some hundred short names that are looked up often and never removed.
class NamePlaces {
 public:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  /// Its place: that of a new name where it was not there.
  std::size_t add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size()) grow();
    const NameKey key(name);
    const std::size_t slot = slot_of(key);
    if (slots_[slot].place == 0) {
      names_.emplace_back(name);
      slots_[slot] = {.hash = key.hash(), .place = static_cast<std::uint32_t>(names_.size())};
    }
    return slots_[slot].place - std::size_t{1};
  }
  [[nodiscard]] std::size_t find(NameKey key) const {
    if (names_.empty()) return kUnknown;
    const std::size_t place = slots_[slot_of(key)].place;
    return place == 0 ? kUnknown : place - 1;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  ///< counted from 1; 0: free
  };

  /// Where the name is, or would be.
  [[nodiscard]] std::size_t slot_of(NameKey key) const {
    const std::size_t mask = slots_.size() - 1;
    const auto is_other = [&](const Slot& slot) {
      return slot.place > 0 &&
             (slot.hash != key.hash() || names_[slot.place - std::size_t{1}] != key.name());
    };
    std::size_t slot = key.hash() & mask;
    while (is_other(slots_[slot])) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    constexpr std::size_t kLeast = 64;
    slots_.assign(std::max(kLeast, 2 * slots_.size()), {});
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const NameKey key{std::string_view(names_[i])};
      slots_[slot_of(key)] = {.hash = key.hash(), .place = static_cast<std::uint32_t>(i + 1)};
    }
  }

  std::vector<std::string> names_;
  std::vector<Slot> slots_;  ///< a power of two, at most half full
};

}  // namespace gpushape
