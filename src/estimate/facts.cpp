#include "estimate/facts.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace gpushape::estimate {
namespace {

double bytes_of(std::string_view unit) {
  if (unit == "GiB") return 1024.0 * 1024 * 1024;
  if (unit == "MiB") return 1024.0 * 1024;
  if (unit == "KiB") return 1024.0;
  return 1;
}

}  // namespace

HeldConstants::HeldConstants(domain::VersionedFacts facts, std::vector<int> ranks)
    : facts_(std::move(facts)), held_(facts_.name_count()), ranks_(std::move(ranks)) {}

void HeldConstants::add(const domain::EngineConstant& constant, std::size_t name, int rank) {
  Held& held = held_[name];
  if (held.constant == nullptr || rank >= held.rank) held = {.constant = &constant, .rank = rank};
}

VersionFacts::VersionFacts(const domain::Engine& engine, domain::EngineVersion version)
    : facts_(engine.facts), version_(version) {}

std::shared_ptr<const HeldConstants> VersionFacts::under(const Conditions& conditions) {
  constexpr std::size_t kMostKnown = 32;
  std::vector<int> ranks;
  ranks.reserve(facts_.whens().size());
  for (const domain::When& when : facts_.whens()) ranks.push_back(when.rank(conditions));
  for (const auto& known : std::views::reverse(known_)) {
    if (known->ranks() == ranks) return known;
  }
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  auto held = std::make_shared<HeldConstants>(facts_, std::move(ranks));
  auto place = facts_.places().begin();
  for (const domain::EngineFacts& facts : facts_.rows()) {
    if (facts.since > version_) break;
    for (const domain::EngineConstant& constant : facts.constants) {
      const bool is_always = place->when == domain::VersionedFacts::kAlways;
      const int rank = is_always ? 0 : held->ranks()[place->when];
      if (rank >= 0) held->add(constant, place->name, rank);
      ++place;
    }
  }
  known_.push_back(std::move(held));
  return known_.back();
}

bool VersionFacts::is_same(const HeldConstants& held, const Conditions& with_sequences) const {
  return std::ranges::all_of(facts_.whens_of_sequences(), [&](std::size_t when) {
    return held.ranks()[when] == facts_.whens()[when].rank(with_sequences);
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
