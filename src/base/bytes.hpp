// A count of bytes: signed, 64-bit, overflow-checked.
//
// Every memory figure in gpushape is a Bytes. Arithmetic that would overflow throws
// std::overflow_error: readers bound their numbers long before that, so an overflow is a fault of
// ours and ends in exit status 3.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace gpushape {

class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  [[nodiscard]] constexpr double gib() const {
    return static_cast<double>(count_) / (1024.0 * 1024 * 1024);
  }

  constexpr auto operator<=>(const Bytes&) const = default;

  constexpr Bytes& operator+=(Bytes other) {
    if (__builtin_add_overflow(count_, other.count_, &count_)) overflow();
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    if (__builtin_sub_overflow(count_, other.count_, &count_)) overflow();
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a.count_, n, &product)) overflow();
    return Bytes(product);
  }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t n) { return Bytes(a.count_ / n); }
  /// How often `b` fits into `a`, rounded down. `b` is positive.
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }

 private:
  [[noreturn]] static void overflow() {
    throw std::overflow_error("byte count does not fit 64 bits");
  }

  std::int64_t count_ = 0;
};

constexpr Bytes kib(std::int64_t n) { return Bytes(1024) * n; }
constexpr Bytes mib(std::int64_t n) { return Bytes(1024LL * 1024) * n; }
constexpr Bytes gib(std::int64_t n) { return Bytes(1024LL * 1024 * 1024) * n; }
/// A fraction of a GiB, as logs print it, to the nearest byte.
constexpr Bytes gib_of(double n) {
  const double bytes = n * 1024.0 * 1024 * 1024;
  const auto whole = static_cast<std::int64_t>(bytes);
  return Bytes(bytes - static_cast<double>(whole) < 0.5 ? whole : whole + 1);
}

/// The least multiple of `unit` that holds `a`. Both are non-negative, `unit` is positive.
constexpr Bytes round_up(Bytes a, Bytes unit) { return (a + unit - Bytes(1)) / unit * unit; }

}  // namespace gpushape
