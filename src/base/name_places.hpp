// Names in the order that they were first added, and the place of each in constant time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape {

/// For some hundred short names that are looked up often and never removed.
class NamePlaces {
 public:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  /// Its place: that of a new name where it was not there.
  std::size_t add(std::string_view name) {
    if (2 * (names_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = slot_of(name);
    if (slots_[slot] == 0) {
      names_.emplace_back(name);
      slots_[slot] = static_cast<std::uint32_t>(names_.size());
    }
    return slots_[slot] - std::size_t{1};
  }
  [[nodiscard]] std::size_t find(std::string_view name) const {
    if (names_.empty()) return kUnknown;
    const std::uint32_t place = slots_[slot_of(name)];
    return place == 0 ? kUnknown : place - std::size_t{1};
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  /// Of the ends and the length of a name, where names differ.
  static std::size_t hash_of(std::string_view name) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr unsigned kHalf = 32;
    constexpr unsigned kLetter = 8;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (name.size() >= kWord) {
      std::memcpy(&first, name.data(), kWord);
      std::memcpy(&last, name.data() + name.size() - kWord, kWord);
    } else {
      for (const char letter : name) first = first << kLetter | static_cast<unsigned char>(letter);
    }
    const std::uint64_t mixed = ((first * kMix) ^ last ^ name.size()) * kMix;
    return static_cast<std::size_t>(mixed ^ (mixed >> kHalf));
  }
  /// Where the name is, or would be.
  [[nodiscard]] std::size_t slot_of(std::string_view name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(name) & mask;
    while (slots_[slot] > 0 && names_[slots_[slot] - std::size_t{1}] != name)
      slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    constexpr std::size_t kLeast = 64;
    slots_.assign(std::max(kLeast, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < names_.size(); ++i)
      slots_[slot_of(names_[i])] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<std::string> names_;
  std::vector<std::uint32_t> slots_;  ///< places counted from 1; a power of two, at most half full
};

}  // namespace gpushape
