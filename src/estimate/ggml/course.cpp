#include "estimate/ggml/course.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace gpushape::estimate::ggml {
namespace {

/// Whatever the sizes are, of which none is below 1.
bool is_always(const Factors& sum, std::int64_t least) {
  const bool has_taken = std::ranges::any_of(sum, [](std::int32_t factor) { return factor < 0; });
  return !has_taken && std::accumulate(sum.begin(), sum.end(), std::int64_t{0}) >= least;
}

bool is_part_of(const Factors& part, const Factors& whole) {
  return std::ranges::equal(part, whole, std::ranges::less_equal());
}

Factors with_opposite_signs(Factors sum) {
  for (std::int32_t& factor : sum) factor = -factor;
  return sum;
}

/// `sum` and `other` x `times`.
void add_times(Factors& sum, const Factors& other, std::int32_t times) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times * other[i];
}

}  // namespace

void CourseNotes::add_sum(const Factors& sum, std::int64_t least) {
  if (is_always(sum, least)) return;
  const auto [known, is_new] = sums_.emplace(sum, least);
  if (!is_new) known->second = std::max(known->second, least);
}

void CourseNotes::add_need(Factors sum) {
  const auto is_in = [&](const Factors& need) { return is_part_of(sum, need); };
  if (std::ranges::any_of(needs_, is_in)) return;
  std::erase_if(needs_, [&](const Factors& need) { return is_part_of(need, sum); });
  needs_.push_back(std::move(sum));
}

Course::Course(const CourseNotes& notes) {
  conditions_.reserve(notes.sums_.size());
  for (const auto& [sum, least] : notes.sums_) conditions_.push_back(sum_of(sum, least));
  for (const Factors& need : notes.needs_) needs_.push_back(sum_of(need, 0));
}

Course::Sum Course::sum_of(const Factors& factors, std::int64_t least) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] != 0)
      addends_.push_back({.size = static_cast<std::uint32_t>(i), .factor = factors[i]});
  }
  return {.least = least, .end = addends_.size()};
}

bool Course::holds(std::span<const std::int64_t> sizes) const {
  std::size_t at = 0;
  for (const Sum& condition : conditions_) {
    std::int64_t sum = 0;
    for (; at < condition.end; ++at) sum += addends_[at].factor * sizes[addends_[at].size];
    if (sum < condition.least) return false;
  }
  return true;
}

std::int64_t Course::most(std::span<const std::int64_t> sizes) const {
  std::int64_t most = 0;
  std::size_t at = conditions_.empty() ? 0 : conditions_.back().end;
  for (const Sum& need : needs_) {
    std::int64_t sum = 0;
    for (; at < need.end; ++at) sum += addends_[at].factor * sizes[addends_[at].size];
    most = std::max(most, sum);
  }
  return most;
}

NotedSize::NotedSize(std::int64_t number, Factors factors, CourseNotes& notes)
    : number_(number), factors_(std::move(factors)), notes_(&notes) {}

NotedSize& NotedSize::operator+=(const NotedSize& other) {
  number_ += other.number_;
  add_times(factors_, other.factors_, 1);
  return *this;
}

NotedSize& NotedSize::operator-=(const NotedSize& other) {
  number_ -= other.number_;
  add_times(factors_, other.factors_, -1);
  return *this;
}

bool NotedSize::is_at_least(const NotedSize& other) const {
  Factors difference = factors_;
  add_times(difference, other.factors_, -1);
  const bool is_so = number_ >= other.number_;
  if (is_so) {
    notes_->add_sum(difference, 0);
  } else {
    notes_->add_sum(with_opposite_signs(std::move(difference)), 1);
  }
  return is_so;
}

bool NotedSize::is_nothing() const {
  notes_->add_sum(factors_, number_ == 0 ? 0 : 1);
  if (number_ == 0) notes_->add_sum(with_opposite_signs(factors_), 0);
  return number_ == 0;
}

}  // namespace gpushape::estimate::ggml
