#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace gpushape::render {

namespace {

struct Abbreviation {
  std::string_view word;
  std::string_view shown;
};
constexpr auto kAbbreviations = std::to_array<Abbreviation>({
    {"kv", "KV"},
    {"ha", "HA"},
    {"slo", "SLO"},
    {"gpu", "GPU"},
    {"gpus", "GPUs"},
    {"mig", "MIG"},
    {"qos", "QoS"},
    {"cpu", "CPU"},
    {"mmio", "MMIO"},
    {"api", "API"},
    {"p50", "P50"},
    {"p99", "P99"},
});

constexpr double kWholeFrom = 100;   // ours: no decimals from here on
constexpr double kMostExact = 9e15;  // whole numbers are exact in a double up to here

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

std::string gib_text(Bytes bytes) {
  const std::string text = fmt::format("{:.2f}", bytes.gib());
  return text == "-0.00" ? "0.00" : text;
}

std::string size_text(Bytes bytes) {
  const Bytes size = bytes < Bytes(0) ? Bytes(0) - bytes : bytes;
  const auto in_units = [&](Bytes unit) {
    return static_cast<double>(bytes.count()) / static_cast<double>(unit.count());
  };
  if (size == Bytes(0)) return "0 GiB";
  if (size < kib(1)) return fmt::format("{} bytes", bytes.count());
  if (size < mib(1)) return fmt::format("{:.4g} KiB", in_units(kib(1)));
  if (size < gib(1)) return fmt::format("{:.4g} MiB", in_units(mib(1)));
  if (round_up(size, gib(1)) == size) return fmt::format("{} GiB", grouped(bytes / gib(1)));
  return fmt::format("{:.2f} GiB", bytes.gib());
}

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100); }

std::string plain_number(double number) {
  if (!std::isfinite(number)) return "-";
  if (std::abs(number) >= kMostExact) return fmt::format("{:.3g}", number);
  if (std::abs(number) >= kWholeFrom) return grouped(static_cast<std::int64_t>(number));
  return fmt::format("{:.1f}", number);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string parameters_text(std::int64_t parameters) {
  const auto number = static_cast<double>(parameters);
  if (number >= 1e12) return fmt::format("{:.3g} T", number / 1e12);
  if (number >= 1e9) return fmt::format("{:.3g} B", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.3g} M", number / 1e6);
  return grouped(parameters);
}

std::string words_of(std::string_view field) {
  std::string words;
  std::string word;
  const auto close_word = [&] {
    if (word.empty()) return;
    if (!words.empty()) words += ' ';
    const auto row = std::ranges::find(kAbbreviations, word, &Abbreviation::word);
    words += row == kAbbreviations.end() ? word : std::string(row->shown);
    word.clear();
  };
  for (const char letter : field) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isupper(byte) != 0) close_word();
    if (letter == ' ' || letter == '_' || letter == '-' || letter == '.') {
      close_word();
      continue;
    }
    word += static_cast<char>(std::tolower(byte));
  }
  close_word();
  return words;
}

std::string mark_of(const domain::Assumption& assumption) {
  std::string_view from = assumption.from;
  if (from.starts_with("from ")) from.remove_prefix(5);
  if (assumption.origin == domain::Origin::Computed) {
    return fmt::format("computed: {}", from.empty() ? "from other facts" : from);
  }
  if (assumption.origin != domain::Origin::Default && from.starts_with("as ")) {
    return std::string(from);
  }
  if (assumption.origin != domain::Origin::Default) {
    return fmt::format("from {}", from.empty() ? name_of(assumption.origin) : from);
  }
  if (from.starts_with("default")) from.remove_prefix(7);
  if (from.starts_with(": ")) from.remove_prefix(2);
  if (from.empty()) return "default";
  return fmt::format("default: {}", from);
}

std::string shown_value(const domain::Assumption& assumption) {
  if (!is_whole_number(assumption.value)) return assumption.value;
  return grouped(std::stoll(assumption.value));
}

std::string profile_name(const domain::Shape& shape) {
  if (!shape.profile_short.empty()) return shape.profile_short;
  if (!shape.profile.empty()) return shape.profile;
  return shape.technology == domain::Technology::Passthrough ? "passthrough" : "whole GPU";
}

std::string shape_name(const domain::Shape& shape) {
  const std::string name = shape.profile.empty() && shape.profile_short.empty()
                               ? fmt::format("{} ({})", shape.device, profile_name(shape))
                               : fmt::format("{} of {}", profile_name(shape), shape.device);
  return shape.count > 1 ? fmt::format("{} x {}", shape.count, name) : name;
}

}  // namespace gpushape::render
