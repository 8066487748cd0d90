#include "advise/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gpushape::advise {

namespace {

constexpr double kGigabyte = 1e9;  // consumption-rules.md: GB is 10^9 bytes
constexpr double kTenths = 10;
constexpr double kPercent = 100;
constexpr double kTwoDecimalsBelow = 10;  // GiB

double rounded_down(double value) { return std::floor(value * kTenths) / kTenths; }

}  // namespace

std::string size_text(Bytes bytes) {
  const double value = bytes.gib();
  return std::abs(value) < kTwoDecimalsBelow ? fmt::format("{:.2f} GiB", value)
                                             : fmt::format("{:.1f} GiB", value);
}

std::string limit_text(Bytes bytes) {
  const double gigabytes = static_cast<double>(bytes.count()) / kGigabyte;
  return fmt::format("{:.1f} GiB ({:.1f} GB)", rounded_down(bytes.gib()), rounded_down(gigabytes));
}

std::string fall_text(Bytes bytes) {
  const double gigabytes = static_cast<double>(bytes.count()) / kGigabyte;
  return gigabytes < 1 ? fmt::format("{:.1f} GB", std::ceil(gigabytes * kTenths) / kTenths)
                       : fmt::format("{:.0f} GB", std::ceil(gigabytes));
}

std::string percent_text(double part) { return fmt::format("{:.3g} %", part * kPercent); }

std::string days_text(double days) {
  return days >= 9.95 ? fmt::format("{:.0f} days", days) : fmt::format("{:.2g} days", days);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view plain_name(const domain::Profile& profile) {
  if (profile.technology == domain::Technology::MigBackedVgpu && !profile.mig_profile.empty()) {
    return profile.mig_profile;
  }
  return profile.short_name;
}

}  // namespace gpushape::advise
