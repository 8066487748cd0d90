#include "estimate/ggml/graph_memory.hpp"

#include <algorithm>
#include <utility>

#include "estimate/division.hpp"
#include "estimate/ggml/schedule.hpp"

namespace gpushape::estimate::ggml {
namespace {

/// A size that nobody takes notes of.
class PlainSize {
 public:
  PlainSize() = default;
  explicit PlainSize(std::int64_t number) : number_(number) {}

  [[nodiscard]] std::int64_t number() const { return number_; }
  PlainSize& operator+=(const PlainSize& other) {
    number_ += other.number_;
    return *this;
  }
  PlainSize& operator-=(const PlainSize& other) {
    number_ -= other.number_;
    return *this;
  }
  [[nodiscard]] bool is_at_least(const PlainSize& other) const { return number_ >= other.number_; }
  [[nodiscard]] bool is_nothing() const { return number_ == 0; }

 private:
  std::int64_t number_ = 0;
};

/// One device's memory while a graph is laid out in it: the smallest free stretch that is large
/// enough, else the end. Where stretches lie follows from the order of what was taken, so that
/// their sizes alone are compared as sizes.
template <class Size>
class Stretches {
 public:
  explicit Stretches(Size nothing) : end_(std::move(nothing)) {}

  std::int64_t take(const Size& size) {
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (!free_[i].size.is_at_least(size)) continue;
      if (best == free_.size() || free_[best].size.is_at_least(free_[i].size)) best = i;
    }
    if (best == free_.size()) {
      const std::int64_t offset = end_.number();
      end_ += size;
      return offset;
    }
    Stretch& stretch = free_[best];
    const std::int64_t offset = stretch.offset;
    stretch.offset += size.number();
    stretch.size -= size;
    if (stretch.size.is_nothing()) free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    return offset;
  }

  void give_back(std::int64_t offset, Size size) {
    auto next = std::ranges::find_if(
        free_, [&](const Stretch& stretch) { return stretch.offset > offset; });
    if (next != free_.end() && offset + size.number() == next->offset) {
      size += next->size;
      next = free_.erase(next);
    }
    if (next != free_.begin() &&
        std::prev(next)->offset + std::prev(next)->size.number() == offset) {
      offset = std::prev(next)->offset;
      size += std::prev(next)->size;
      next = free_.erase(std::prev(next));
    }
    if (offset + size.number() == end_.number()) {
      end_ -= size;
    } else {
      free_.insert(next, {.offset = offset, .size = std::move(size)});
    }
  }

  /// Behind everything that is taken.
  [[nodiscard]] const Size& end() const { return end_; }

 private:
  struct Stretch {
    std::int64_t offset = 0;
    Size size;
  };
  std::vector<Stretch> free_;  ///< before the end, by offset
  Size end_;
};

/// Takes and gives back what `use` says. `note_need` is told of every end that may be the highest.
template <class Size>
void replay(const DeviceUse& use, const std::vector<Size>& sizes, Size nothing,
            const auto& note_need) {
  Stretches<Size> stretches(std::move(nothing));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(use.blocks));
  for (const BlockUse& one : use.uses) {
    const Size& size = sizes[static_cast<std::size_t>(one.size)];
    if (size.number() == 0) continue;
    std::int64_t& offset = offsets[static_cast<std::size_t>(one.block)];
    if (!one.is_taken) {
      stretches.give_back(offset, size);
      continue;
    }
    offset = stretches.take(size);
    note_need(stretches.end());
  }
}

}  // namespace

DeviceMemory::DeviceMemory(DeviceUse use, std::int64_t alignment)
    : use_(std::move(use)), alignment_(alignment), sizes_(use_.sizes.size()) {}

void DeviceMemory::measure(const StepLengths& lengths) {
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    sizes_[i] = divide_up(lengths.of(use_.sizes[i]), alignment_) * alignment_;
}

std::int64_t DeviceMemory::buffer_bytes(const StepLengths& lengths) {
  // Ours, measured on five models and three builds: a grid of 8 contexts and 9 numbers of sequences
  // has up to 8 courses a device, with recurrent states up to 43.
  constexpr std::size_t kMostCourses = 64;
  measure(lengths);
  // Who asks once is not made to wait for what later questions would be quicker by.
  const bool is_first = !std::exchange(was_asked_, true);
  const bool has_course = std::ranges::all_of(sizes_, [](std::int64_t size) { return size > 0; });
  if (is_first || !has_course) return lay_out();
  const auto known = std::find_if(courses_.rbegin(), courses_.rend(),
                                  [&](const Course& course) { return course.holds(sizes_); });
  if (known != courses_.rend()) {
    std::rotate(std::prev(known.base()), known.base(), courses_.end());
    return courses_.back().most(sizes_);
  }
  if (courses_.size() == kMostCourses) courses_.erase(courses_.begin());
  courses_.push_back(charted());
  return courses_.back().most(sizes_);
}

std::int64_t DeviceMemory::lay_out() const {
  const std::vector<PlainSize> sizes(sizes_.begin(), sizes_.end());
  std::int64_t most = 0;
  replay(use_, sizes, PlainSize(),
         [&](const PlainSize& end) { most = std::max(most, end.number()); });
  return most;
}

Course DeviceMemory::charted() const {
  CourseNotes notes;
  const Factors none(sizes_.size());
  std::vector<NotedSize> sizes;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    Factors once = none;
    once[i] = 1;
    sizes.emplace_back(sizes_[i], std::move(once), notes);
  }
  replay(use_, sizes, NotedSize(0, none, notes),
         [&](const NotedSize& end) { notes.add_need(end.factors()); });
  return Course(notes);
}

GraphMemory::GraphMemory(Graph graph, int copies) {
  std::vector<DeviceUse> uses = device_uses(scheduled(std::move(graph), copies));
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::int64_t alignment = i + 1 < uses.size() ? kDeviceAlignment : kHostAlignment;
    const auto known = std::ranges::find_if(
        memories_, [&](const DeviceMemory& memory) { return memory.is_alike(uses[i], alignment); });
    memory_of_device_.push_back(static_cast<std::size_t>(known - memories_.begin()));
    if (known == memories_.end()) memories_.emplace_back(std::move(uses[i]), alignment);
  }
  asked_.resize(memories_.size());
  bytes_.resize(uses.size());
}

const std::vector<std::int64_t>& GraphMemory::buffer_bytes(const StepSizes& sizes) {
  const StepLengths lengths(sizes);
  for (std::size_t i = 0; i < memories_.size(); ++i) asked_[i] = memories_[i].buffer_bytes(lengths);
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = asked_[memory_of_device_[i]];
  return bytes_;
}

}  // namespace gpushape::estimate::ggml
