// One way through the choices of an allocator, and for which other sizes it is the way again.
//
// All that an allocator does with sizes is to add them, to take them away and to compare the sums.
// Where every comparison comes out alike, it does the same, and what it needs is the same sum of
// the other sizes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace gpushape::estimate::ggml {

/// How many times each size is in a sum.
using Factors = std::vector<std::int32_t>;

/// What is noted on the way.
class CourseNotes {
 public:
  /// The sum came out at `least` or more.
  void add_sum(const Factors& sum, std::int64_t least);
  /// As much was needed at once.
  void add_need(Factors sum);

 private:
  friend class Course;
  std::map<Factors, std::int64_t> sums_;  ///< and the least of each
  std::vector<Factors> needs_;            ///< none of them a part of another
};

/// For sizes of 1 or more.
class Course {
 public:
  explicit Course(const CourseNotes& notes);

  [[nodiscard]] bool holds(std::span<const std::int64_t> sizes) const;
  /// The most that is needed at once, where the course holds.
  [[nodiscard]] std::int64_t most(std::span<const std::int64_t> sizes) const;

 private:
  struct Addend {
    std::uint32_t size = 0;
    std::int32_t factor = 0;
  };
  struct Sum {
    std::int64_t least = 0;
    std::size_t end = 0;  ///< of its addends; they begin where those of the sum before end
  };
  [[nodiscard]] Sum sum_of(const Factors& factors, std::int64_t least);

  std::vector<Sum> conditions_;
  std::vector<Sum> needs_;
  std::vector<Addend> addends_;  ///< of conditions, then of needs
};

/// A size that notes what it is compared with.
class NotedSize {
 public:
  NotedSize() = default;
  NotedSize(std::int64_t number, Factors factors, CourseNotes& notes);

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const Factors& factors() const { return factors_; }
  NotedSize& operator+=(const NotedSize& other);
  NotedSize& operator-=(const NotedSize& other);
  [[nodiscard]] bool is_at_least(const NotedSize& other) const;
  [[nodiscard]] bool is_nothing() const;

 private:
  std::int64_t number_ = 0;
  Factors factors_;
  CourseNotes* notes_ = nullptr;
};

}  // namespace gpushape::estimate::ggml
