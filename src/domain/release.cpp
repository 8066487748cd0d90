#include "domain/release.hpp"

#include <array>
#include <cctype>
#include <charconv>

namespace gpushape::domain {

namespace {

constexpr int kFirstCommonMajor = 9;  ///< of VMware Cloud Foundation and vSphere

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

/// Takes `word` off the front, letter case ignored.
bool take(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
  }
  text.remove_prefix(word.size());
  skip_spaces(text);
  return true;
}

bool take_number(std::string_view& text, int& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<Release> parse_release(std::string_view text) {
  Release release;
  skip_spaces(text);
  const bool is_cloud_foundation = take(text, "vcf");
  if (!is_cloud_foundation && !take(text, "vsphere")) take(text, "esxi");
  if (!take_number(text, release.major)) return std::nullopt;
  for (int* part : std::array{&release.minor, &release.update}) {
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
    if (!take_number(text, *part)) return std::nullopt;
  }
  skip_spaces(text);
  if (take(text, "u") && !take_number(text, release.update)) return std::nullopt;
  skip_spaces(text);
  if (!text.empty() || release.major == 0) return std::nullopt;
  if (is_cloud_foundation && release.major < kFirstCommonMajor) return std::nullopt;
  return release;
}

}  // namespace gpushape::domain
