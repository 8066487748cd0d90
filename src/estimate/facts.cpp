#include "estimate/facts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <utility>

namespace gpushape::estimate {
namespace {

/// Of the ends and the length of a name, where names differ.
std::size_t hash_of(std::string_view name) {
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

double bytes_of(std::string_view unit) {
  if (unit == "GiB") return 1024.0 * 1024 * 1024;
  if (unit == "MiB") return 1024.0 * 1024;
  if (unit == "KiB") return 1024.0;
  return 1;
}

}  // namespace

HeldConstants::HeldConstants(std::size_t count, std::vector<int> ranks)
    : slots_(std::bit_ceil(2 * (count + 1))), ranks_(std::move(ranks)) {}

void HeldConstants::add(const domain::EngineConstant& constant, int rank) {
  Slot& slot = slots_[slot_of(constant.name)];
  if (slot.constant == nullptr || rank >= slot.rank) slot = {.constant = &constant, .rank = rank};
}

std::size_t HeldConstants::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash_of(name) & mask;
  while (slots_[place].constant != nullptr && slots_[place].constant->name != name)
    place = (place + 1) & mask;
  return place;
}

VersionFacts::VersionFacts(const domain::Engine& engine, domain::EngineVersion version)
    : facts_(engine.facts), version_(version) {
  for (const domain::EngineFacts& facts : facts_.rows()) {
    if (facts.since > version) break;
    for (const domain::EngineConstant& constant : facts.constants) add(constant);
  }
}

void VersionFacts::add(const domain::EngineConstant& constant) {
  if (constant.when.empty()) {
    rows_.push_back({.constant = &constant, .when = kAlways});
    return;
  }
  rows_.push_back({.constant = &constant, .when = when_of(constant.when)});
}

std::size_t VersionFacts::when_of(std::string_view text) {
  if (2 * texts_.size() >= seen_.size()) {
    constexpr std::size_t kLeast = 256;
    seen_.assign(std::max(kLeast, 2 * seen_.size()), 0);
    for (std::size_t i = 0; i < texts_.size(); ++i)
      seen_[free_place(texts_[i])] = static_cast<std::uint16_t>(i + 1);
  }
  const std::size_t place = free_place(text);
  if (seen_[place] > 0) return seen_[place] - std::size_t{1};
  const std::size_t when = texts_.size();
  seen_[place] = static_cast<std::uint16_t>(when + 1);
  texts_.push_back(text);
  whens_.emplace_back(text);
  if (whens_.back().asks_for(&Conditions::sequences)) by_sequences_.push_back(when);
  return when;
}

std::size_t VersionFacts::free_place(std::string_view text) const {
  const std::size_t mask = seen_.size() - 1;
  std::size_t place = hash_of(text) & mask;
  while (seen_[place] > 0 && texts_[seen_[place] - std::size_t{1}] != text)
    place = (place + 1) & mask;
  return place;
}

std::shared_ptr<const HeldConstants> VersionFacts::under(const Conditions& conditions) {
  constexpr std::size_t kMostKnown = 32;
  std::vector<int> ranks;
  ranks.reserve(whens_.size());
  for (const When& when : whens_) ranks.push_back(when.rank(conditions));
  for (const auto& known : std::views::reverse(known_)) {
    if (known->ranks() == ranks) return known;
  }
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  auto held = std::make_shared<HeldConstants>(rows_.size(), std::move(ranks));
  for (const Row& row : rows_) {
    const int rank = row.when == kAlways ? 0 : held->ranks()[row.when];
    if (rank >= 0) held->add(*row.constant, rank);
  }
  known_.push_back(std::move(held));
  return known_.back();
}

bool VersionFacts::is_same(const HeldConstants& held, const Conditions& with_sequences) const {
  return std::ranges::all_of(by_sequences_, [&](std::size_t when) {
    return held.ranks()[when] == whens_[when].rank(with_sequences);
  });
}

std::shared_ptr<VersionFacts> KnownVersions::of(const domain::Engine& engine,
                                                domain::EngineVersion version) {
  constexpr std::size_t kMostKnown = 8;
  for (const auto& known : std::views::reverse(known_)) {
    if (known->is_of(engine, version)) return known;
  }
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back(std::make_shared<VersionFacts>(engine, version));
  return known_.back();
}

Facts::Facts(const domain::Engine& engine, domain::EngineVersion version,
             const Conditions& conditions)
    : Facts(std::make_shared<VersionFacts>(engine, version), conditions) {}

Facts::Facts(std::shared_ptr<VersionFacts> version, const Conditions& conditions)
    : version_(std::move(version)), held_(version_->under(conditions)), conditions_(conditions) {}

void Facts::set_sequences(double sequences) {
  if (sequences == conditions_.sequences) return;
  conditions_.sequences = sequences;
  if (version_ == nullptr || version_->is_same(*held_, conditions_)) return;
  held_ = version_->under(conditions_);
  ++changes_;
}

Spread Facts::value(std::string_view name) const {
  const domain::EngineConstant* constant = find(name);
  if (constant == nullptr) return {};
  return Spread{constant->low, constant->expected, constant->high} * bytes_of(constant->unit);
}

std::string Facts::source(std::string_view name) const {
  const domain::EngineConstant* constant = find(name);
  return constant == nullptr ? std::string() : constant->source;
}

}  // namespace gpushape::estimate
